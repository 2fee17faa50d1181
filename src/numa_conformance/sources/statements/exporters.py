"""Exporters of NodeResourceTopology: what their API and the pages of node-feature-discovery say of its objects."""

from __future__ import annotations

from ..pages import NFD_OBJECTS, NFD_UPDATER, NRT_API
from .statement import Statement, must, should, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        NFD_OBJECTS.section("NodeResourceTopology"),
        "zones",
        "1.23",
        must("parts-of-the-topology", "A zone is a part of a node's topology, such as a socket, node, die or core."),
    ),
    *stated(
        NFD_UPDATER.section("NFD-Topology-Updater", ""),
        "head",
        "1.23",
        must(
            "cpus-memory-and-devices",
            "CPU cores, memory and devices that Guaranteed pods have exclusively are accounted, and nothing else.",
        ),
    ),
    *stated(
        NRT_API.section("CostInfo", ""),
        "costs",
        "1.23",
        must("distance", "A cost of a zone is its cost, or distance, to another zone."),
    ),
    *stated(
        NRT_API.section("NodeResourceTopology", ""),
        "attributes",
        "1.23",
        should("instead-of-policies", "Attributes of the object take the place of its field of policies."),
    ),
    *stated(
        NRT_API.section("ResourceInfo", ""),
        "resources",
        "1.23",
        must("capacity", "Capacity is the total amount of a resource that the node has, as in its status."),
        must("allocatable", "Allocatable is how much of a resource pods may use, as in the node's status."),
        must("available", "Available is what is allocatable less what running pods have reserved."),
    ),
)
