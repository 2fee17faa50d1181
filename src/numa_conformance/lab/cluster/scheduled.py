"""Schedulers judged: what one binds that a kubelet refuses, and what it holds back that a kubelet would take."""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...errors import Fault, UsageError
from ...kube import Pod
from ...machine import machine_from_dict
from ...reference.node import Node
from ...sources.versions import DEFAULT, KubernetesVersion
from .pods import is_decided, scheduling_of

AFFINITY = "TopologyAffinityError"


class ClusterConnection(Protocol):
    """A cluster of real parts that is up."""

    def ask(self, verb: str, *words: str) -> Any:
        """Return what it answers."""


@dataclass(frozen=True)
class PolicyGroup:
    """Nodes of one policy and scope of the Topology Manager: name to machine, configuration and kubelet's version."""

    policy: str
    scope: str
    nodes: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class SchedulingOutcome:
    """What became of one pod.

    - ``node``: where it was bound, empty where it was held back. ``reason``: why its kubelet refused it.
    - ``message``: what the scheduler said of one held back, or the kubelet of one refused.
    - ``takers``: nodes whose kubelet would take it, by the reference.
    - ``expected``: whether the reference of its node decides as its kubelet did.
    """

    name: str
    node: str
    reason: str
    takers: tuple[str, ...]
    expected: bool = True
    message: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether it was bound to a node that refuses it for its NUMA affinity."""
        return self.reason == AFFINITY

    @property
    def is_held_back_wrongly(self) -> bool:
        """Whether it was held back though a kubelet would take it."""
        return not self.node and bool(self.takers)


def groups_of(cluster: ClusterConnection) -> list[PolicyGroup]:
    """Return the nodes of a cluster by policy and scope, in the order of the nodes."""
    groups: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for name, plan in cluster.ask("plans").items():
        kubelet = plan["kubelet"]
        policy = kubelet.get("topologyManagerPolicy", "none")
        groups.setdefault((policy, kubelet.get("topologyManagerScope", "container")), {})[name] = plan
    return [PolicyGroup(policy, scope, nodes) for (policy, scope), nodes in groups.items()]


def run_workload(
    cluster: ClusterConnection, group: PolicyGroup, seed: int, pods: int, scheduler: str, settle: Callable[[str], None]
) -> Iterator[SchedulingOutcome]:
    """Make pods one after the other for the nodes of a group, and yield what became of each; all are deleted then.

    ``settle`` is called with every node at first, then with each to which a pod came, before the next pod is made.
    Raises ``UsageError`` where other pods are on the nodes, and where nobody decides about a pod.
    """
    busy = [node["name"] for node in cluster.ask("status")["nodes"] if node["name"] in group.nodes and node["pods"]]
    if busy:
        raise UsageError(Fault("", f"pods are on {', '.join(busy)}", "nodes without pods"))
    for name in group.nodes:
        settle(name)  # of the workload before it an exporter may still tell
    draw = random.Random(seed)
    copies = {name: reference_of(plan) for name, plan in group.nodes.items()}
    widest = max(cpus.bit_count() for copy in copies.values() for cpus in copy.machine.numa_bits.values())
    made: list[str] = []
    try:
        for number in range(pods):
            manifest = _pod(f"scheduled-{seed}-{number}", list(copies), draw, widest, scheduler)
            pod = cluster.ask("make", json.dumps(manifest))
            made.append(manifest["metadata"]["name"])
            if not is_decided(pod):
                text = f"nobody has decided about pod {made[-1]}"
                raise UsageError(Fault("", text, f"a scheduler that calls itself {scheduler!r} and works: see its log"))
            yield _outcome(pod, copies)
            if node := pod["spec"].get("nodeName"):
                settle(node)
            else:
                cluster.ask("drop", made.pop())  # it would wait, and come when others go
    finally:
        cluster.ask("drop", *made)


def reference_of(plan: Mapping[str, Any]) -> Node:
    """Return the reference's node of one that a cluster tells the plan of: without pods."""
    machine = machine_from_dict(plan["machine"], "machine")
    version = KubernetesVersion.known(plan["version"]) or DEFAULT
    return Node(machine, plan["kubelet"], kubernetes_version=version, resource_fit=True)


def _outcome(pod: Mapping[str, Any], copies: Mapping[str, Node]) -> SchedulingOutcome:
    name, node = pod["metadata"]["name"], pod["spec"].get("nodeName") or ""
    status = pod.get("status") or {}
    candidate = Pod.from_dict({"metadata": pod["metadata"], "spec": {**pod["spec"], "nodeName": ""}})
    if not node:
        takers = tuple(other for other, copy in copies.items() if _would_take(copy, candidate))
        return SchedulingOutcome(name, "", "", takers, message=str(scheduling_of(pod).get("message") or ""))
    refused = status.get("phase") == "Failed"
    admission = copies[node].admit(candidate)
    if refused and admission.admitted:
        copies[node].remove(candidate.uid)
    reason, message = (str(status.get(key) or "") if refused else "" for key in ("reason", "message"))
    return SchedulingOutcome(name, node, reason, (), admission.admitted != refused, message)


def _would_take(node: Node, pod: Pod) -> bool:
    admitted = node.admit(pod).admitted
    if admitted:
        node.remove(pod.uid)
    return admitted


def _pod(name: str, nodes: Sequence[str], draw: random.Random, widest: int, scheduler: str) -> dict[str, Any]:
    """Return a pod of one or two containers, mostly Guaranteed and often as wide as a part of a NUMA node."""
    containers = []
    for number in range(1 if draw.random() < 0.7 else 2):
        cpu = str(max(1, int(widest * draw.choice([1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4]))))
        limits = {"cpu": cpu if draw.random() < 0.9 else "500m", "memory": draw.choice(["64Mi", "1Gi"])}
        containers.append({"name": f"c{number}", "image": "any", "resources": {"limits": limits}})
    terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": list(nodes)}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return pod_manifest(name, containers, schedulerName=scheduler, affinity={"nodeAffinity": required})


def pod_manifest(name: str, containers: Sequence[Mapping[str, Any]], **spec: Any) -> dict[str, Any]:
    """Return a pod without a token of its service account, with further fields of its spec."""
    spec |= {"containers": containers, "automountServiceAccountToken": False}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
