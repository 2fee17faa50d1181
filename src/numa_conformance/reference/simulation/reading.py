"""Reading what a person describes: machines, configurations and pods, and what is to be said of them."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ...documents import Source
from ...kube import ClusterObjects, KubeletConfiguration, Pod, read_cluster, read_kubelet_configuration
from ...printable import listed
from ...sources.quirks import Quirks
from ...sources.versions import KubernetesVersion
from ..node import Node

if TYPE_CHECKING:
    from ..node.handlers import Unmodelled

Notice = Callable[[str], None]
"""Takes what is no error, and a person should know."""


def read_configuration(source: Source | None, notice: Notice) -> KubeletConfiguration:
    """Read a KubeletConfiguration, and report what of it is not read; raises ``UsageError``."""
    return noted(read_kubelet_configuration(source), str(source), notice)


def noted(config: KubeletConfiguration, where: str, notice: Notice) -> KubeletConfiguration:
    """Report which fields of a configuration a kubelet passes over, and what else of it is not read."""
    for text in (*(f"{where}: {text}" for text in config.passed_over_notices.values()), *config.notes):
        notice(text)
    return config


def quirks_of(level: str, kubernetes_version: KubernetesVersion) -> Quirks:
    """Return what a version does at a level."""
    return Quirks.of(kubernetes_version) if level == "exact" else Quirks.none()


def read_all(sources: Iterable[Source], notice: Notice, *, lives: bool = False) -> ClusterObjects:
    """Return what is in all files and texts, and report what is left out.

    ``lives``: steps too, and pods that are there again. Raises ``UsageError``.
    """
    objects = read_cluster(*sources, lives=lives)
    for text in objects.notices:
        notice(text)
    if objects.absent:
        names = (f"{pod.namespace}/{pod.name} ({pod.node_name or 'no node has room'})" for pod in objects.absent)
        notice(f"pods that are left out, as they are not on this node: {listed(names)}")
    if len(nodes := {pod.node_name for pod in objects.in_order} - {""}) > 1:
        notice(
            f"these are pods of {len(nodes)} nodes ({', '.join(sorted(nodes)[:2])}, ...): all go to this one machine"
        )
    if nodes and objects.node and objects.node.name not in nodes:
        notice(f"the Node {objects.node.name} is looked at, and these are pods of {', '.join(sorted(nodes))}")
    if objects.refused:
        names = (f"{pod.namespace}/{pod.name} ({pod.reason})" for pod in objects.refused)
        notice(f"asked again, after the others, as a kubelet refused them: {listed(names)}")
    if objects.nodes and objects.node is None:
        notice(f"{len(objects.nodes)} Nodes are listed: labels and taints of none of them are looked at")
    return objects


def tell_unseen(pods: Iterable[Pod], node: Node, notice: Notice) -> None:
    """Tell which parts of pods a node of this configuration does not look at."""
    unseen = [f"{pod.namespace}/{pod.name}" for pod in pods if pod.has_pod_level]
    if unseen and not node.gates.enabled("PodLevelResources"):
        notice(f"spec.resources of {', '.join(unseen)} is not looked at: the gate PodLevelResources is off")
    claiming = [f"{pod.namespace}/{pod.name}" for pod in pods if pod.claim_names]
    if claiming and not node.serves_claims:
        notice(f"the resource claims of {', '.join(claiming)} are not looked at: no manager of this node serves claims")
    for unmodelled, names in users_of((pod, node.chain.unmodelled(pod)) for pod in pods).items():
        is_in_node = "Node" in unmodelled.handler.modelled and "runtimeClassName" not in unmodelled.use
        hint = "; list its Node among the pods to have it looked at" if is_in_node else ""
        notice(unmodelled.describe(listed(names)) + hint)


def users_of(uses: "Iterable[tuple[Pod, Iterable[Unmodelled]]]") -> "dict[Unmodelled, list[str]]":
    """Return by what is not modelled the pods that use it."""
    users: dict[Unmodelled, list[str]] = {}
    for pod, used in uses:
        for unmodelled in used:
            users.setdefault(unmodelled, []).append(f"{pod.namespace}/{pod.name}")
    return users
