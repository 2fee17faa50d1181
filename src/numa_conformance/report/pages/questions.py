"""``question``: what was asked in a case of a pair, in words: of which machine, how configured, with what on it."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...chapters.outcomes import in_words, listed, memory_text, number_of
from ...cpuset import format_bits
from ...judging import node_subjects as nodes
from ...judging.allocated import Classification
from ...judging.choice import CpuChoice
from ...judging.claims import Coexistence, Preparation, Publication, Release
from ...judging.earlier_admissions import RepeatedAdmission
from ...judging.hinted import CpuHints
from ...judging.merged import MergedHints
from ...judging.offered import DeviceHints, MemoryHints
from ...judging.plugins import DeviceList, DevicePreference, DevicesServed, Registration
from ...judging.pods import ContainerSpec, PodSpec
from ...judging.rest import Rest
from ...judging.scored import ScoredNode, ScorePair, WholePair
from ...judging.settings import Settings
from ...judging.start_subjects import Start
from ...judging.world import World
from ...machine import Machine
from ...wire.history.quantities import HUGE, size_text
from ...wire.history.values import Affinity

WORLDS = ("before", "world", "now")
"""Fields in which a case has the node that was asked or seen."""
ALWAYS: Mapping[type, str] = {
    nodes.Arrival: "a node is to come up",
    nodes.Crash: "the node agent ends between two writes of its state files",
    DeviceList: "a plugin sends a list of devices",
    nodes.ForeignStart: "a node is to come up with the state file of a node with other CPUs",
    Publication: "a driver is to publish devices",
    nodes.ReconcilePass: "one pass of the reconcile loop",
    nodes.Recovery: "a node is to come up with state files that are damaged, old, or not its own",
    nodes.RefusedStart: "a node that refused to start with a configuration is restarted with it",
    nodes.State: "what is on the node is asked for",
}
"""What is asked in cases of a class, where it is always the same."""


def question(case: object) -> str:
    """Write what was asked, and of what; of a case that was only seen, where it was."""
    world, machine = _world(case), machine_of(case)
    parts = [f"machine `{machine.name}`"] if machine else []
    parts += _configuration(case)
    parts += [f"pod {uid} has {in_words(pod.held)}" for uid, pod in (world.pods if world else {}).items()]
    return "; ".join((*parts, *_question_itself(case)))


def machine_of(case: object) -> Machine | None:
    """Return the machine of a case; None where it is of none, or of a node that did not come up."""
    after = getattr(case, "after", None)
    known = getattr(case, "machine", None) or getattr(_world(case) or after, "machine", None)
    return known if isinstance(known, Machine) else None


def _world(case: object) -> World | None:
    known = (getattr(case, name, None) for name in WORLDS)
    return next((world for world in known if isinstance(world, World)), None)


def _configuration(case: object) -> list[str]:
    if isinstance(case, Start):
        kubelet = dict(case.kubelet)
        if "memoryManagerPolicy" not in kubelet:  # which alone counts the threshold of eviction
            kubelet.pop("evictionHard", None)
        return [f"Kubernetes {case.version}", _flat(kubelet) or "nothing configured"]
    settings = getattr(case, "settings", None) or getattr(_world(case), "settings", None)
    return list(_settings(settings)) if isinstance(settings, Settings) else []


def _settings(settings: Settings) -> Iterator[str]:
    cpus = " with ".join(filter(None, ("static", ", ".join(sorted(settings.options)))))
    yield f"CPU Manager {cpus if settings.static else 'none'}"
    if settings.reserved:
        yield f"CPUs {format_bits(settings.reserved)} reserved"
    elif settings.reserved_count:
        yield f"{number_of(settings.reserved_count, 'CPU')} reserved{', rounded up' * settings.reserved_by_fraction}"
    if settings.memory_static:
        yield "Memory Manager Static"
    for node, amounts in settings.reserved_memory.items():
        yield f"{memory_text(amounts)} of NUMA node {node} reserved"
    if settings.topology != "none":
        options = ", ".join(f"{name}={text}" for name, text in settings.topology_options.items())
        yield f"Topology Manager {settings.topology} in scope {settings.scope}{options and f' with {options}'}"
    if not settings.quota:
        yield "CPU limits not enforced"


def _flat(value: Any) -> str:
    """Write a value of a configuration: fields and their values, inner ones in round brackets."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_inner(each)}" for name, each in value.items() if each not in ({}, None))
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_inner, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _inner(value: Any) -> str:
    return f"({_flat(value)})" if isinstance(value, Mapping) else _flat(value)


def _question_itself(case: Any) -> Iterator[str]:
    """Yield the question itself; nothing where the case is the state of a node alone."""
    match case:
        case _ if type(case) in ALWAYS:
            yield ALWAYS[type(case)]
        case nodes.Admission():
            yield f"{_pod(case.pod)} {'comes again' if case.again else 'comes'}"
        case RepeatedAdmission():
            yield f"{_pod(case.pod)} comes, which was admitted before"
        case Start():
            yield f"{_pod(case.first.spec)} comes" if case.first else "no pod comes"
        case Classification():
            yield _pod(case.pod, with_class=False)
        case Rest():
            yield case.in_words
        case nodes.Removal():
            yield f"pod {case.uid} is removed"
        case nodes.Resize():
            yield f"a resize to {_pod(case.pod)}"
        case nodes.Restart():
            wanted = [f"with {text}" for text in _settings(case.wanted)] if case.wanted else []
            yield ", ".join(("the node is restarted", *wanted, *(f"without {name}" for name in sorted(case.deleted))))
        case CpuChoice():
            yield from _choice(case)
        case CpuHints():
            held = "" if case.held is None else f", where {format_bits(case.held) or 'none'} are held"
            yield f"hints for {number_of(case.count, 'CPU')} of {format_bits(case.free) or 'none'}{held}"
        case MemoryHints():
            yield f"memory hints for a {case.qos} pod, to which are guaranteed: {memory_text(case.amounts)}"
        case DeviceHints():
            yield f"hints for {case.count} of {case.resource}"
        case MergedHints():
            yield from _merge(case)
        case ScoredNode() | ScorePair() | WholePair():
            yield from _scored(case.pair if isinstance(case, WholePair) else case)
        case Preparation():
            left = ", ".join(f"{key[-1]} has {case.left[key]} left" for key in (each.key for each, _ in case.wanted))
            yield f"a claim of {number_of(case.count, 'CPU')} is prepared; {left}"
        case Coexistence():
            yield f"containers without a claim run beside claims of CPUs {format_bits(case.claims)}"
        case Release():
            yield f"a claim is unprepared that was {'' if case.was_prepared else 'not '}prepared"
        case Registration():
            yield f"a plugin is to register{' with another kubelet' * case.again}"
        case DevicePreference(question=question):
            among = ", ".join(question.included) or "any"
            yield f"{question.size} devices of {', '.join(question.available)}, among them {among}"
        case DevicesServed():
            yield f"a container is given {', '.join(case.devices)} of {', '.join(sorted(case.offered)) or 'none'}"


def _choice(choice: CpuChoice) -> Iterator[str]:
    if choice.options:
        yield ", ".join(sorted(choice.options))
    near = "" if choice.near is None else f", near {format_bits(choice.near)}"
    yield f"{number_of(choice.count, 'CPU')} of {format_bits(choice.available) or 'none'}{near}"


def _merge(merge: MergedHints) -> Iterator[str]:
    closest = " with prefer-closest-numa-nodes" * merge.closest
    yield f"policy {merge.policy}{closest} on {number_of(len(merge.nodes), 'NUMA node')}"
    axes: Any = merge.axes
    hints = " and ".join(f"[{listed(Affinity(*hint) for hint in axis)}]" for axis in axes)
    yield f"hints {hints}" if hints else "no hints"


def _scored(case: ScoredNode | ScorePair) -> Iterator[str]:
    nodes = (case.first, case.second) if isinstance(case, ScorePair) else (case,)
    texts = [list(_node(node)) for node in nodes]
    yield "; ".join(texts[0])
    if more := [text for each in texts[1:] for text in each if text not in texts[0]]:
        yield f"and then {'; '.join(more)}"


def _node(node: ScoredNode) -> Iterator[str]:
    yield f"strategy {_flat(node.written) or 'of default'}"
    yield f"a node of {_amounts(node.room)}"
    yield from (f"{_pod(pod)} is on it" for pod in node.used)
    yield f"{_pod(node.pod)} is scored"


def _pod(pod: PodSpec, *, with_class: bool = True) -> str:
    containers = "; ".join(map(_container, pod.containers)) or "no containers"
    overhead = f"; overhead {_amounts(pod.overhead)}" if pod.overhead else ""
    whole = f"; {_container(pod.level)}" if pod.whole else ""
    return f"{f'{pod.qos} ' * with_class}pod {pod.uid} ({containers}{overhead}{whole})"


def _container(container: ContainerSpec) -> str:
    kind = "" if container.kind == "app" else f"{container.kind} "
    requests, limits = _amounts(container.explicit_requests), _amounts(container.limits)
    if requests == limits:
        return f"{kind}{container.name}: {requests or 'nothing'}"
    sides = (f"{name} {amounts}" for name, amounts in (("requests", requests), ("limits", limits)) if amounts)
    return f"{kind}{container.name}: {', '.join(sides)}"


def _amounts(amounts: Mapping[str, Any]) -> str:
    return ", ".join(_amount(name, amount) for name, amount in sorted(amounts.items()))


def _amount(name: str, amount: Any) -> str:
    if name == "cpu":
        return "one CPU" if amount == 1 else f"{float(amount):g} CPUs"
    in_bytes = amount == int(amount) and (name in ("memory", "ephemeral-storage") or name.startswith(HUGE))
    return f"{size_text(int(amount)) if in_bytes else f'{float(amount):g}'} of {name}"
