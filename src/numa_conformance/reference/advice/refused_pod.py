"""A refusal that teaches: what was asked, who refused it, what was left where, and what would be admitted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap, takewhile
from typing import Any

from ...cpuset import format_bits, iter_bits
from ...kube import Container, KubeletConfiguration, Pod, Quantity
from ...kube.requests import pod_requests
from ...printable import listed
from ...sources.handlers import HANDLERS
from ..managers.compressed_hints import CompressedHints
from ..managers.policy_options import is_on
from ..managers.provider import Hints
from ..node import AdmissionResult, Explainer, Node, Placement
from ..node.explain import MergeTrace
from ..node.fit import node_allocatable
from .other_requests import room_lines
from .remedies import Remedy, in_words, remedies, without_others

_MOST_NODES = 8
"""NUMA nodes that are listed for one resource."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What a person should know of a refusal.

    ``container``: at which one the pod was refused, None for the pod as a whole. ``requests``: what that asks for.
    ``refused_by``: which setting or check. ``room``: what each NUMA node had left. ``remedies``: each was tried.
    ``whatever_it_asks``: what would refuse it without any request, where nothing helps.
    """

    container: str | None
    requests: Mapping[str, Quantity]
    refused_by: str
    room: tuple[str, ...]
    remedies: tuple[Remedy, ...]
    whatever_it_asks: str = ""

    def lines(self) -> Iterator[str]:
        """Yield it as text."""
        who = "the pod as a whole" if self.container is None else f"container {self.container}"
        if self.requests:
            yield f"{who} asks for {', '.join(starmap(in_words, self.requests.items()))}"
        yield f"refused by {self.refused_by}"
        yield from self.room
        if self.remedies:
            yield "would be admitted (each was tried):"
            yield from (f"  {remedy.text}" for remedy in self.remedies)
        elif self.whatever_it_asks:
            yield f"with any request and policy it would be refused: {self.whatever_it_asks}"
        elif self.requests:
            yield "nothing that was tried would have it admitted: a smaller request, a weaker policy, an empty node"

    def to_dict(self) -> dict[str, Any]:
        """Return it for a program."""
        return {
            "container": self.container,
            "asked": {name: str(amount) for name, amount in self.requests.items()},
            "refusedBy": self.refused_by,
            "room": list(self.room),
            "wouldBeAdmitted": [{"text": remedy.text, "change": dict(remedy.change)} for remedy in self.remedies],
            **({"refusedWhateverItAsks": self.whatever_it_asks} if self.whatever_it_asks else {}),
        }


def advise(node: Node, pod: Pod) -> Advice:
    """Say why a node refuses a pod, and what would have it admitted; the node itself is not touched.

    Takes as long as some hundred admissions.
    """
    pod = pod.original or pod
    explainer = Explainer()
    outcome = node.copy(explainer).admit(pod)
    container, manager = explainer.refusals.get(pod.uid, (None, ""))
    if handler := HANDLERS.get(manager):
        why = f"the kubelet's handler of {manager}, which refuses a pod if {handler.refuses}"
        return Advice(None, {}, why, (), tuple(without_others(node, pod)))
    requests = pod_requests(pod) if container is None else pod.container(container).requests
    refused_by = _refused_by(node, outcome, manager, explainer, requests)
    earlier = ", ".join(takewhile(container.__ne__, (each.name for each in pod.all_containers))) if container else ""
    room = (
        *room_lines(node, requests),
        *([f"that is before container {earlier} of the pod takes its part"] if earlier else ()),
    )
    helping = remedies(node.copy(), pod, container)
    return Advice(container, requests, refused_by, room, helping, "" if helping else _whatever_it_asks(node, pod))


def _whatever_it_asks(node: Node, pod: Pod) -> str:
    """Return with which reason an empty node refuses a pod that asks for nothing; empty where it admits it."""

    def bare(containers: tuple[Container, ...]) -> tuple[Container, ...]:
        return tuple(replace(each, requests={}, limits={}) for each in containers)

    apps, init = bare(pod.containers), bare(pod.init_containers)
    asking_nothing = replace(pod, containers=apps, init_containers=init, requests={}, limits={}, overhead={})
    outcome = node.anew().admit(asking_nothing)
    return "" if outcome.admitted else f"{outcome.reason}: {outcome.message}"


def _refused_by(
    node: Node, outcome: AdmissionResult, manager: str, explainer: Explainer, requests: Mapping[str, Quantity]
) -> str:
    config = node.config
    if manager == "topology":
        policy, scope = config.topology_manager_policy, config.topology_manager_scope
        offers = _offers(explainer.merges[outcome.uid][-1], one_node_only=policy == "single-numa-node")
        return f"topologyManagerPolicy {policy}, scope {scope}: {_demand(policy)}; {offers}"
    if outcome.reason == "SMTAlignmentError":
        threads = max((core.bit_count() for core in node.machine.core_bits), default=1)
        return f"the option full-pcpus-only of the CPU Manager: CPUs are given as whole cores, of {threads} here"
    if manager == "cpus":
        return f"the CPU Manager, cpuManagerPolicy {config.cpu_manager_policy}"
    if manager == "memory":
        offered = node_allocatable(node.machine, node.config)
        missing = [name for name in requests if name.startswith("hugepages-") and offered.get(name, 0) <= 0]
        why = f": the machine has no pages for {', '.join(missing)}" if missing else ""
        return f"the Memory Manager, memoryManagerPolicy {config.memory_manager_policy}{why}"
    if manager == "devices":
        return "the Device Manager"
    return "the kubelet's last check: the requests of all pods on the node must not exceed what it offers"


def _demand(policy: str) -> str:
    if policy == "single-numa-node":
        return "all of it must come from one NUMA node"
    return (
        "all of it must come from the same NUMA nodes, the fewest that could hold it on an empty machine, "
        "where reserved CPUs count as free"
    )


def _offers(merge: MergeTrace, *, one_node_only: bool) -> str:
    """Say which NUMA nodes each resource could come from, as far as it is particular about that."""
    resources = {name: hints for answer in merge.answers.values() for name, hints in (answer or {}).items()}
    offers = [
        f"{name} could come from {_preferred(hints, one_node_only=one_node_only)}"
        for name, hints in resources.items()
        if hints is not None
    ]
    return ", ".join(offers)


def _preferred(hints: Hints, *, one_node_only: bool) -> str:
    masks: Sequence[int] = (
        sorted(hints.preferred)
        if isinstance(hints, CompressedHints)
        else [hint.mask for hint in hints if hint.preferred and hint.mask is not None]
    )
    if one_node_only:
        masks = [mask for mask in masks if mask.bit_count() == 1]
    if not masks:
        widest = () if one_node_only or isinstance(hints, CompressedHints) else hints
        widths = [hint.mask.bit_count() for hint in widest if hint.mask is not None]
        return f"none of the fewest, {min(widths)} together have it" if widths else "none"
    if all(mask.bit_count() == 1 for mask in masks):
        return f"any of {format_bits(sum(masks))}" if len(masks) > 1 else format_bits(masks[0])
    return listed(("+".join(map(str, iter_bits(mask))) for mask in masks), _MOST_NODES)


NOT_ALIGNED = "TopologyAffinityError"
_ALIGNING = ("restricted", "single-numa-node")
_WHOLE_CORES = "full-pcpus-only"


def why_never_refused(config: KubeletConfiguration, reason: str) -> str:
    """Return why a kubelet with this configuration refuses no pod for a reason; empty where it may."""
    policy = config.topology_manager_policy
    if reason == NOT_ALIGNED and policy not in _ALIGNING:
        return f"{reason} comes of topologyManagerPolicy {' or '.join(_ALIGNING)}, and here it is {policy}"
    takes_whole_cores = config.cpu_manager_policy == "static" and is_on(config, _WHOLE_CORES)
    if reason == "SMTAlignmentError" and not takes_whole_cores:
        return f"{reason} comes of policy static with the option {_WHOLE_CORES}, which is not set here"
    return ""


_RESIZE_GATES = ("InPlacePodVerticalScalingExclusiveCPUs", "InPlacePodVerticalScalingExclusiveMemory")
_ISSUE = "kubernetes/kubernetes#140031"


def why_shared(pod: Pod, container: Container, *, static: bool) -> str:
    """Return why a container has no CPUs of its own; empty where it asks for less than a CPU.

    ``static``: the policy of the CPU Manager is static. ``pod`` is as the node sees it.
    """
    request = container.requests.get("cpu")
    if request is None or request < Quantity(1):
        return ""
    if not static:
        return "policy none gives no container CPUs of its own"
    if pod.qos != "Guaranteed":
        return f"the pod is {pod.qos}: {_short_of_guaranteed(pod)}"
    if pod.served == "nobody":
        return "the pod has resources of its own (spec.resources), and no container is served"
    if request.as_number % 1:
        return f"its request of {request} CPUs is no whole number"
    return ""


def other_amounts(pod: Pod, container: Container, placed: Placement, node: Node) -> str:
    """Return where exclusive CPUs and pinned memory are not what a container requests, and why; empty where they are.

    ``pod`` is as the node sees it. What a resize asks for is granted behind its gates, and not given (ADM-RESIZE-03).
    """
    if pod.qos != "Guaranteed" or pod.served != "containers" or pod.is_ordinary_init(container):
        return ""
    pinned = sum(block.bytes for block in placed.memory or () if block.type == "memory")
    has = {"cpu": Quantity(placed.cpus.bit_count()), "memory": Quantity(pinned, "binary")}
    due = {"cpu": Quantity(container.whole_cpus), "memory": container.requests.get("memory", Quantity(0))}
    static = {"cpu": node.config.cpu_manager_policy == "static", "memory": placed.memory is not None}
    texts = [
        f"asks for {in_words(name, container.requests.get(name, due[name]))}, has {has[name] or 'none of its own'}"
        for name in has
        if static[name] and has[name] != due[name]
    ]
    gates = " and ".join(name for name in _RESIZE_GATES if node.gates.enabled(name))
    why = f": with {gates} a resize is granted, and all stays as it is ({_ISSUE})" if gates else ""
    return ", ".join(texts) + why if texts else ""


def _short_of_guaranteed(pod: Pod) -> str:
    if pod.has_pod_level:
        return "the requests and limits of its spec.resources differ"
    for container in pod.all_containers:
        for name in ("cpu", "memory"):
            limit, request = container.limits.get(name), container.requests.get(name)
            if not limit:
                return f"{container.name} has no limit of {name}"
            if request != limit:
                return f"{container.name} requests {request or 0} of {name}, and its limit is {limit}"
    return "its requests and limits differ"
