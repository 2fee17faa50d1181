"""What an exporter of NodeResourceTopology is held to, each with the sentence that says so."""

from __future__ import annotations

from dataclasses import dataclass

_API = "https://github.com/k8stopologyawareschedwg/noderesourcetopology-api/blob/v0.1.2/pkg/apis/topology/v1alpha2/types.go"
_NFD = "https://nfd.sigs.k8s.io/usage/nfd-topology-updater"
_NFD_OBJECTS = "https://nfd.sigs.k8s.io/usage/custom-resources#noderesourcetopology"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement: what is asked, the sentence it rests on, and where that stands."""

    id: str
    text: str
    sentence: str
    address: str


REQUIREMENTS = {
    requirement.id: requirement
    for requirement in (
        Requirement(
            "exporter/zones/are-the-numa-nodes",
            "Each NUMA node is one zone, of type Node and named node-N; there are no others of that type.",
            "Zone represents a resource topology zone, e.g. socket, node, die or core.",
            _NFD_OBJECTS,
        ),
        Requirement(
            "exporter/costs/are-the-distances",
            "The costs of a zone, where it has some, are the distances that the kernel tells, one for each NUMA node.",
            "CostInfo describes the cost (or distance) between two Zones.",
            _API,
        ),
        Requirement(
            "exporter/attributes/tell-policy-and-scope",
            "The attributes topologyManagerPolicy and topologyManagerScope, where told, are the kubelet's.",
            "DEPRECATED (to be removed in v1beta1): use top level attributes if needed",
            _API,
        ),
        Requirement(
            "exporter/capacity/is-what-the-node-has",
            "The capacity of a resource in a zone is all that the NUMA node has; unhealthy devices may be left out.",
            "Capacity of the resource, corresponding to capacity in node status, i.e. total amount of this resource "
            "that the node has.",
            _API,
        ),
        Requirement(
            "exporter/allocatable/is-what-pods-can-have",
            "What is allocatable in a zone is what the kubelet gives to pods there, without what is reserved.",
            "Allocatable quantity of the resource, corresponding to allocatable in node status, i.e. total amount of "
            "this resource available to be used by pods.",
            _API,
        ),
        Requirement(
            "exporter/available/is-what-is-left",
            "What is available in a zone is what is allocatable there less what containers hold of their own.",
            "Available is the amount of this resource currently available for new (to be scheduled) pods, i.e. "
            "Allocatable minus the resources reserved by currently running pods.",
            _API,
        ),
        Requirement(
            "exporter/resources/are-all-told",
            "What the kubelet gives out by NUMA node is told in its zone: CPUs, memory, huge pages, devices.",
            "Only resources exclusively allocated to Guaranteed Quality of Service pods will be accounted. This "
            "includes CPU cores, memory and devices.",
            _NFD,
        ),
    )
}
"""By their ids, in the order in which they are judged."""
