"""Which policy options take effect: their maturity, the feature gates, and what does not go together.

The page calls an option hidden: a node may then refuse to come up or ignore it, but the option takes no effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...cpuset import format_bits
from ...documentation.options import STATIC_OPTIONS, for_each_option
from ...errors import Fault, UsageError
from ..generators.option_probes import PROBES, probe_of
from ..judge.chapter import Chapter, Judgement, judges, violated
from ..judge.choice import ACROSS_NUMA, BY_SOCKET, STRICT, WHOLE_CORES
from ..judge.pods import PodSpec
from ..judge.settings import Settings
from ..judge.start_subjects import FirstPod, Start

chapter = Chapter(since="1.25")
FILE = "src/numa_conformance/suite/chapters/start_options.py"

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


OF_EVERY_OPTION: Mapping[str, tuple[str, str]] = for_each_option(
    {
        "full-pcpus-only": (
            "cpu-manager/full-pcpus-only/is-available",
            "cpu-manager/full-pcpus-only/stays-hidden",
        ),
        "distribute-cpus-across-numa": (
            "cpu-manager/distribute-cpus-across-numa/is-available",
            "cpu-manager/distribute-cpus-across-numa/stays-hidden",
        ),
        "align-by-socket": (
            "cpu-manager/align-by-socket/is-available",
            "cpu-manager/align-by-socket/stays-hidden",
        ),
        "distribute-cpus-across-cores": (
            "cpu-manager/distribute-cpus-across-cores/is-available",
            "cpu-manager/distribute-cpus-across-cores/stays-hidden",
        ),
        "strict-cpu-reservation": (
            "cpu-manager/strict-cpu-reservation/is-available",
            "cpu-manager/strict-cpu-reservation/stays-hidden",
        ),
        "prefer-align-cpus-by-uncorecache": (
            "cpu-manager/prefer-align-cpus-by-uncorecache/is-available",
            "cpu-manager/prefer-align-cpus-by-uncorecache/stays-hidden",
        ),
    },
    "pair of ids in OF_EVERY_OPTION",
    FILE,
)
"""Option to the requirements that it is available, and that it stays hidden; all else follows from its record."""
_BESIDE: Mapping[str, tuple[str, ...]] = {"align-by-socket": ("topology-manager/restricted",)}
"""What a target must claim besides, so that the effect of an option shows."""
_ALPHA_SHOWN: tuple[str, ...] = ("nrm/options/alpha-gate-shows",)
_ALPHA_HIDDEN: tuple[str, ...] = ("nrm/options/alpha-gate-is-off", "cpu-task/configuration/alpha-options-are-hidden")
_BETA_SHOWN: tuple[str, ...] = ("nrm/options/beta-gate-is-on", "cpu-task/configuration/beta-options-are-visible")
_BETA_HIDDEN: tuple[str, ...] = ("nrm/options/beta-gate-hides",)

for _name, (_available, _hidden) in OF_EVERY_OPTION.items():
    _option, _page = STATIC_OPTIONS[_name], f"nrm/options/{_name}"
    _stage, _ = _option.on_the_page
    _features = ("cpu-manager/static", f"cpu-manager/{_name}", *_BESIDE.get(_name, ()))
    chapter.sentence(
        _available,
        f"From {_option.since} on {_name} is accepted and takes effect where it is named and its gates are on.",
        *_features,
        rests_on=(f"{_page}-since", _page, *(_ALPHA_SHOWN if _stage == "alpha" else _BETA_SHOWN)),
        since=str(_option.since),
        area="cpu-manager options",
    )
    judges(_available, on=Start)(partial(is_available, _name))
    chapter.sentence(
        _hidden,
        f"Before {_option.since}, and while the gate of its maturity is off, {_name} takes no effect: the node does "
        "not come up, or does as without it.",
        *_features,
        rests_on=(
            f"{_page}-is-{_stage}",
            f"{_page}-since",
            *(_ALPHA_HIDDEN if _stage == "alpha" else _BETA_HIDDEN),
        ),
        since="1.22",
        until=None if _option.hidden_until is None else str(_option.hidden_until),
        area="cpu-manager options",
    )
    judges(_hidden, on=Start)(partial(stays_hidden, _name))


@chapter.requires(
    "cpu-manager/options/are-named-one-by-one",
    "cpu-manager/static",
    on=Start,
    rests_on=("nrm/options/options-are-named-one-by-one", "kubelet-reference/configuration/options"),
    since="1.23",
    area="cpu-manager options",
)
def are_named_one_by_one(start: Start) -> Judgement:
    """A feature gate that is switched on enables no option by itself."""
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


@chapter.requires(
    "cpu-manager/options/gate-off-means-defaults",
    "cpu-manager/static",
    on=Start,
    rests_on=("cpu-task/configuration/gate-off-means-defaults",),
    since="1.23",
    until="1.32",
    area="cpu-manager options",
)
def gate_off_means_defaults(start: Start) -> Judgement:
    """With the gate CPUManagerPolicyOptions off no option takes effect: the node does not come up, or does as
    without them.

    With CPUManagerPolicyOptions off the static policy runs with its defaults.
    """
    gates = start.kubelet.get("featureGates") or {}
    if gates.get("CPUManagerPolicyOptions") is not False or len(start.on) != 1:
        return None
    (option,) = start.on
    if option not in STATIC_OPTIONS or start.shows(option) is None:
        return None
    return _no_effect(option, start, f"{option} takes effect, though CPUManagerPolicyOptions is off")


@chapter.requires(
    "cpu-manager/options/add-up",
    "cpu-manager/static",
    "cpu-manager/full-pcpus-only",
    "cpu-manager/distribute-cpus-across-numa",
    on=Start,
    rests_on=(
        "cpu-task/options/full-pcpus-and-numa-add-up",
        "cpu-task/options/align-by-socket-adds-up",
        "cpu-task/configuration/options-field",
    ),
    area="cpu-manager options",
)
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


EXCLUDED: Mapping[str, tuple[str, str, str]] = {
    "cpu-manager/distribute-cpus-across-cores/refuses-full-pcpus-only": (
        "full-pcpus-only",
        "distribute-cpus-across-cores",
        "cpu-task/options/across-cores-stands-alone",
    ),
    "cpu-manager/distribute-cpus-across-cores/refuses-distribution-across-numa": (
        "distribute-cpus-across-numa",
        "distribute-cpus-across-cores",
        "cpu-task/options/across-cores-stands-alone",
    ),
}
"""The id of a requirement to two options with which no node comes up, and the statement that says so.

The record of the first option says that it excludes the second.
"""
_unnamed = {(name, other) for name, option in STATIC_OPTIONS.items() for other in option.excludes} - {
    (first, second) for first, second, _ in EXCLUDED.values()
}
if _unnamed:
    raise UsageError(
        Fault(FILE, f"option {first} excludes {second}, and no line in EXCLUDED says which requirement asks it")
        for first, second in sorted(_unnamed)
    )
for _id, (_first, _second, _statement) in EXCLUDED.items():
    chapter.sentence(
        _id,
        f"The node does not come up with {_second} beside {_first}.",
        "cpu-manager/static",
        f"cpu-manager/{_second}",
        f"cpu-manager/{_first}",
        rests_on=(_statement, "cpu-task/options/incompatible-options-fail-the-start"),
        since=str(max(STATIC_OPTIONS[_first].since, STATIC_OPTIONS[_second].since)),
        area="cpu-manager options",
    )
    judges(_id, on=Start)(partial(_excludes, _first, _second))


@chapter.requires(
    "cpu-manager/align-by-socket/refuses-single-numa-node",
    "cpu-manager/static",
    "cpu-manager/align-by-socket",
    "topology-manager/single-numa-node",
    on=Start,
    rests_on=("nrm/align-by-socket/not-with-single-numa-node",),
    area="cpu-manager options",
)
def socket_yields_to_single_numa_node(start: Start) -> Judgement:
    """align-by-socket takes no effect beside the Topology Manager policy single-numa-node: the node does not come
    up, or refuses what no NUMA node holds.
    """
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


@chapter.requires(
    "cpu-manager/align-by-socket/refuses-more-sockets-than-numa-nodes",
    "cpu-manager/static",
    "cpu-manager/align-by-socket",
    "topology-manager/restricted",
    on=Start,
    rests_on=("nrm/align-by-socket/not-with-more-sockets",),
    area="cpu-manager options",
)
def socket_does_not_apply_with_more_sockets(start: Start) -> Judgement:
    """align-by-socket does not apply to hardware that has more sockets than NUMA nodes: the node does not come
    up, or admits what a NUMA node holds.
    """
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
