"""Which policy options take effect: their maturity, the feature gates, and what does not go together.

The page calls an option hidden: a node may then refuse to come up or ignore it, but the option takes no effect.
"""

from __future__ import annotations

from functools import partial

from ...cpuset import format_bits
from ...documentation.options import STATIC_OPTIONS
from ..generators.option_probes import PROBES, probe_of
from ..judge.checker import Judgement, checker, violated
from ..judge.choice import ACROSS_NUMA, BY_SOCKET, STRICT, WHOLE_CORES
from ..judge.pods import PodSpec
from ..judge.settings import Settings
from ..judge.start_subjects import MANY_NODES, MOST_NODES, FirstPod, Start
from ..requirements.cpu_options import EXCLUDED, OF_EVERY_OPTION

ADD_UP = frozenset({WHOLE_CORES, ACROSS_NUMA, BY_SOCKET})


def _effect_of(option: str, start: Start) -> bool | None:
    """Tell whether the option takes effect; None where the node does the same without it, or nothing shows it."""
    plain = start.plain
    if plain is None or not plain.up or plain.kubelet.get("cpuManagerPolicyOptions"):
        return None
    if not (_could_show(option, plain) and _could_show(option, start)):
        return None
    if plain.first is None and option != STRICT:
        return None
    probe = PROBES[option]
    return probe.takes_effect(start) if probe.takes_effect(plain) is False else None


def _told(start: Start) -> str:
    if not start.up:
        return f"the node does not come up: {start.refusal}"
    pod = "" if start.first is None else f", the pod {_told_of(start.first)}"
    return f"the shared pool is {format_bits(start.pool or 0)}{pod}"


def _told_of(first: FirstPod) -> str:
    return f"has the CPUs {format_bits(first.cpus)}" if first.admitted else f"is refused: {first.reason}"


def is_available(option: str, start: Start) -> Judgement:
    """From its version on, and where its gates show it, the option is accepted and takes effect."""
    if start.on != {option} or not all(map(start.shows, start.named)):
        return None
    if PROBES[option].best_effort:
        # What a target packs without the option may look like what it does with it.
        comes_up_without = start.plain is not None and start.plain.up
        return (
            violated(start.up, f"{option} is refused in {start.version}", got=_told(start))
            if comes_up_without
            else None
        )
    effect = _effect_of(option, start)
    if effect is None:
        return None
    holds = start.up and effect
    return violated(holds, f"{option} takes no effect in {start.version}", got=_told(start), allowed="it takes effect")


def stays_hidden(option: str, start: Start) -> Judgement:
    """Before its version, and while the gate of its maturity is off, the option takes no effect."""
    if start.named != {option} or start.on != {option} or start.shows(option) is not False:
        return None
    return _no_effect(option, start, f"{option} takes effect, though it is hidden in {start.version} by these gates")


def _no_effect(option: str, start: Start, why: str) -> Judgement:
    effect = _effect_of(option, start)
    if effect is None:
        return None
    return violated(
        not effect,
        why,
        got=_told(start),
        allowed="the node does not come up, or does as without the option",
        CPUs=start.first.cpus if start.first else 0,
    )


for _option, _ids in OF_EVERY_OPTION.items():
    checker(_ids.is_available, Start)(partial(is_available, _option))
    checker(_ids.stays_hidden, Start)(partial(stays_hidden, _option))


@checker("cpu-manager/options/are-named-one-by-one", Start)
def are_named_one_by_one(start: Start) -> Judgement:
    """A gate that is switched on enables no option: what none names does as with the gate off."""
    gates = start.kubelet.get("featureGates") or {}
    if start.named or not any(gates.values()) or start.plain is None:
        return None
    options = [option for option in STATIC_OPTIONS if _effect_of(option, start)]
    return violated(not options, f"{', '.join(options)} takes effect by a gate alone", got=_told(start))


def _could_show(option: str, start: Start) -> bool:
    """Whether node and first pod are those at which the option shows: at others much may look like its effect."""
    probe = probe_of(option, start.machine)
    if probe is None:
        return False
    wanted, settings, first = Settings.of(probe.kubelet), start.settings, start.first
    alike = (settings.reserved, settings.topology) == (wanted.reserved, wanted.topology)
    if first is None:
        return alike and (option == STRICT or not start.up)
    return alike and first.spec.exclusive == PodSpec.of(probe.pod).exclusive


@checker("cpu-manager/options/gate-off-means-defaults", Start)
def gate_off_means_defaults(start: Start) -> Judgement:
    """With CPUManagerPolicyOptions off the static policy runs with its defaults."""
    gates = start.kubelet.get("featureGates") or {}
    if gates.get("CPUManagerPolicyOptions") is not False or len(start.on) != 1:
        return None
    (option,) = start.on
    if option not in STATIC_OPTIONS or start.shows(option) is None:
        return None
    return _no_effect(option, start, f"{option} takes effect, though CPUManagerPolicyOptions is off")


@checker("cpu-manager/options/add-up", Start)
def options_add_up(start: Start) -> Judgement:
    """full-pcpus-only, distribute-cpus-across-numa and align-by-socket can be named together."""
    if len(start.on) < 2 or not start.named <= ADD_UP or not all(start.shows(option) for option in start.named):
        return None
    return violated(
        start.up, f"{' and '.join(sorted(start.named))} are refused", got=_told(start), allowed="it comes up"
    )


def _excludes(first: str, second: str, start: Start) -> Judgement:
    if not {first, second} <= start.on or not all(start.shows(option) for option in start.named):
        return None
    return violated(not start.up, f"{first} and {second} are accepted together", allowed="the node does not come up")


for _id, (_first, _second, _statement) in EXCLUDED.items():
    checker(_id, Start)(partial(_excludes, _first, _second))


@checker("cpu-manager/align-by-socket/refuses-single-numa-node", Start)
def socket_yields_to_single_numa_node(start: Start) -> Judgement:
    """With single-numa-node the node does not come up, or a pod that no NUMA node holds is refused all the same."""
    if start.on != {BY_SOCKET} or not start.shows(BY_SOCKET) or start.settings.topology != "single-numa-node":
        return None
    admitted = start.up and start.first is not None and start.first.admitted
    return violated(
        not admitted,
        "align-by-socket takes effect beside single-numa-node",
        got=_told(start),
        allowed="the node does not come up, or refuses the pod, which no NUMA node holds",
        CPUs=start.first.cpus if start.first else 0,
    )


@checker("cpu-manager/align-by-socket/refuses-more-sockets-than-numa-nodes", Start)
def socket_does_not_apply_with_more_sockets(start: Start) -> Judgement:
    """On hardware with more sockets than NUMA nodes it does not apply: what a NUMA node holds is admitted."""
    nodes = start.nodes_with_cpus
    if start.on != {BY_SOCKET} or not start.shows(BY_SOCKET) or len(start.machine.socket_bits) <= nodes:
        return None
    refused = start.up and start.first is not None and not start.first.admitted
    return violated(
        not refused,
        "a pod is refused that a NUMA node holds",
        got=_told(start),
        allowed="the node does not come up, or does as without the option",
    )


@checker("topology-manager/policy-options/need-their-gates", Start)
def topology_options_need_their_gates(start: Start) -> Judgement:
    """While a gate hides max-allowable-numa-nodes, it allows no further NUMA nodes."""
    nodes = start.nodes_in_use
    if start.named != {MANY_NODES} or start.shows(MANY_NODES) is not False or nodes <= MOST_NODES:
        return None
    return violated(
        not start.up,
        f"the option allows {nodes} NUMA nodes while it is hidden",
        allowed="the node does not come up",
    )
