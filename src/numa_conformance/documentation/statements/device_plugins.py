"""Device Plugins."""

from __future__ import annotations

from ..pages import DEVICE_PLUGINS
from .statement import Statement, may, must, stated

__all__ = ["STATEMENTS"]

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        DEVICE_PLUGINS.section("Device plugin registration"),
        "registration",
        "1.8",
        must(
            "advertises-healthy-devices",
            "Devices that a plugin reports are advertised on the node.",
            untestable="a node tells it to the API server, in its status, not a target",
        ),
        must("whole-numbers", "Extended resources are whole numbers and cannot be overcommitted."),
        must("not-shared", "Devices cannot be shared between containers."),
    ),
    *stated(
        DEVICE_PLUGINS.section("Example", "example-pod"),
        "example",
        "1.8",
        must("gets-what-it-asks-for", "A pod that asks for two devices runs only where they can be had."),
        must("remainder-is-free", "Devices beyond these remain available to other pods."),
    ),
    *stated(
        DEVICE_PLUGINS.section("Device plugin implementation"),
        "implementation",
        "1.8",
        may(
            "preference-is-a-help",
            "The allocation that a plugin prefers need not be the one performed; it only helps.",
            since="1.19",
        ),
    ),
    *stated(
        DEVICE_PLUGINS.section("Handling kubelet restarts"),
        "restarts",
        "1.8",
        must(
            "plugins-register-again",
            "Plugins register again when the kubelet restarts.",
            untestable="it is the plugin's part",
        ),
    ),
    *stated(
        DEVICE_PLUGINS.section("Device plugin and unhealthy devices"),
        "unhealthy",
        "1.8",
        must("lower-allocatable", "Unhealthy devices lower what is allocatable, not the capacity."),
        must(
            "pods-keep-failed-devices",
            "Pods keep devices that became unhealthy.",
            untestable="no message tells that a device fails while a node is up",
        ),
    ),
    *stated(
        DEVICE_PLUGINS.section("List gRPC endpoint", "grpc-endpoint-list"),
        "podresources",
        "1.13",
        must(
            "lists-exclusive-cpus",
            "List tells the exclusive CPUs, devices with NUMA nodes, and memory of running pods.",
            untestable="it is a service of the kubelet beside its decisions; what it lists is asked through node.state",
        ),
    ),
    *stated(
        DEVICE_PLUGINS.section("GetAllocatableResources gRPC endpoint", "grpc-endpoint-getallocatableresources"),
        "podresources-allocatable",
        "1.21",
        must(
            "initially-available",
            "GetAllocatableResources tells what is initially available on the node.",
            untestable="it is a service of the kubelet beside its decisions; what it lists is asked through node.state",
        ),
    ),
    *stated(
        DEVICE_PLUGINS.section("Device plugin integration with the Topology Manager"),
        "topology",
        "1.18",
        must("numa-nodes-are-used", "The NUMA nodes that a plugin tells are used for hints and assignments."),
        must("several-nodes", "A device may span several NUMA nodes."),
        must("no-nodes-no-preference", "No topology, or an empty list of NUMA nodes, is no preference."),
    ),
)
