"""What pods ask for that a node does not look at, told to the person."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import did_you_mean
from ..kube import KubeletConfiguration, Pod, pod_requests
from ..kube.resource_names import is_extended
from ..machine import Machine
from ..reference.node import Node, node_allocatable
from .terminal import notice


def missing(pod: Pod, machine: Machine, config: KubeletConfiguration) -> list[str]:
    """Return the resources that a pod asks for, the machine lacks, and the kubelet then does not look at."""
    return sorted(filter(is_extended, pod_requests(pod).keys() - node_allocatable(machine, config).keys()))


def tell_missing(pods: Iterable[Pod], machine: Machine, config: KubeletConfiguration) -> None:
    """Tell which resources are asked for that the machine lacks, and which of them a kubelet does not look at."""
    offered = {*node_allocatable(machine, config), "ephemeral-storage"}
    asking: dict[str, list[str]] = {}
    for pod in pods:
        for resource in pod_requests(pod).keys() - offered:
            asking.setdefault(resource, []).append(f"{pod.namespace}/{pod.name}")
    for resource, names in sorted(asking.items()):
        who = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        hint = did_you_mean(resource, offered)
        unseen = "; the kubelet does not look at it" if is_extended(resource) else ""
        notice(f"{machine.name} has no {resource}, which {who} asks for{unseen}{hint}")


def tell_unseen(pods: Iterable[Pod], node: Node) -> None:
    """Tell which parts of pods a node of this configuration does not look at."""
    unseen = [f"{pod.namespace}/{pod.name}" for pod in pods if pod.has_pod_level]
    if unseen and not node.gates.enabled("PodLevelResources"):
        notice(f"spec.resources of {', '.join(unseen)} is not looked at: the gate PodLevelResources is off")
    claiming = [f"{pod.namespace}/{pod.name}" for pod in pods if pod.claim_names]
    if claiming and not node.serves_claims:
        notice(f"the resource claims of {', '.join(claiming)} are not looked at: no manager of this node serves claims")
