"""Which options of policy static take effect. Page: Node Resource Managers, section Static policy options.

The page calls an option hidden: a node may then refuse to come up or ignore it, but the option takes no effect.
"""

from functools import partial

from ....asking.generators.option_probes import PROBES, probe_of
from ....cpuset import format_bits
from ....judging.chapter import Chapter, Judgement, applies, exists, judges, rests_on, violated
from ....judging.choice import ACROSS_NUMA, BY_SOCKET, STRICT, WHOLE_CORES
from ....judging.pods import PodSpec
from ....judging.settings import Settings
from ....judging.start_subjects import Start
from ....sources.options import STATIC_OPTIONS

chapter = Chapter("cpu-manager/static", since="1.23", area="cpu-manager options")

OF_EVERY_OPTION: dict[str, tuple[str, str]] = {}
"""Option to the requirements that it is available, and that it stays hidden."""
PLACEMENTS: dict[str, str] = {}
"""Option to the requirement of level exact that containers are placed as the kubelet places them."""
EXCLUDED: dict[str, tuple[str, str]] = {}
"""Requirement to two options with which no node comes up: the record of one says that it excludes the other."""

_GATES = {
    "alpha": (
        ("nrm/options/alpha-gate-shows",),
        ("nrm/options/alpha-gate-is-off", "cpu-task/configuration/alpha-options-are-hidden"),
    ),
    "beta": (
        ("nrm/options/beta-gate-is-on", "cpu-task/configuration/beta-options-are-visible"),
        ("nrm/options/beta-gate-hides",),
    ),
}
"""What the pages say of the gate of a maturity: that it shows options, and that it hides them."""


def maturity(
    option_chapter: Chapter, option: str, *features: str, available: str, hidden: str, placements: str
) -> None:
    """Declare the ids of what is asked of every option; all else follows from its record.

    ``features``: claimed by each target that is asked, so that the effect of the option shows.
    """
    record, page = STATIC_OPTIONS[option], f"nrm/options/{option}"
    stage, since = record.on_the_page[0], str(record.since)
    shows, hides = _GATES["alpha" if stage == "alpha" else "beta"]
    option_chapter.sentence(
        available,
        f"From {since} on {option} is accepted and takes effect where it is named and its gates are on.",
        *features,
        rests_on=(f"{page}-since", page, *shows),
        since=since,
    )
    judges(available)(partial(is_available, option))
    option_chapter.sentence(
        hidden,
        f"Before {since}, and while the gate of its maturity is off, {option} takes no effect: the node does "
        "not come up, or does as without it.",
        *features,
        rests_on=(f"{page}-is-{stage}", f"{page}-since", *hides),
        since="1.22",
        until=None if record.hidden_until is None else str(record.hidden_until),
    )
    judges(hidden)(partial(stays_hidden, option))
    OF_EVERY_OPTION[option], PLACEMENTS[option] = (available, hidden), placements


def excluded(option_chapter: Chapter, id: str, option: str, other: str, statement: str) -> None:
    """Declare that the option of a chapter and another exclude each other, as the record of one of them says."""
    option_chapter.sentence(
        id,
        f"The node does not come up with {option} beside {other}.",
        f"cpu-manager/{other}",
        rests_on=(statement, "cpu-task/options/incompatible-options-fail-the-start"),
        since=str(max(STATIC_OPTIONS[option].since, STATIC_OPTIONS[other].since)),
    )
    judges(id)(partial(exclude_each_other, other, option))
    EXCLUDED[id] = option, other


def is_available(option: str, start: Start) -> Judgement:
    """From its version on, and where its gates show it, the option is accepted and takes effect."""
    applies(start.on == {option}, "the option is not on, or is not alone")
    all_shown(start)
    if PROBES[option].best_effort:  # what a target packs without the option may look like what it does with it
        applies(start.plain and start.plain.up, "no node comes up without the option")
        return violated(start.up, f"{option} is refused in {start.version}", got=result_of(start))
    effect = exists(_effect_of(option, start), "nothing shows whether the option takes effect")
    why = f"{option} takes no effect in {start.version}"
    return violated(effect, why, got=result_of(start), allowed="it takes effect")


def stays_hidden(option: str, start: Start) -> Judgement:
    """Before its version, and while the gate of its maturity is off, the option takes no effect."""
    applies(start.named == start.on == {option}, "the option is not on, or is not named alone")
    applies(start.shows(option) is False, "the option is visible, or a gate is set that is locked or gone")
    return _has_no_effect(
        option, start, f"{option} takes effect, though it is hidden in {start.version} by these gates"
    )


def exclude_each_other(first: str, second: str, start: Start) -> Judgement:
    """Where the pages call two options incompatible, the node does not come up with both."""
    applies({first, second} <= start.on, "one of the two options is off")
    all_shown(start)
    return violated(not start.up, f"{first} and {second} are accepted together", allowed="the node does not come up")


@chapter.requires("cpu-manager/options/are-named-one-by-one")
@rests_on("nrm/options/options-are-named-one-by-one", "kubelet-reference/configuration/options")
def are_named_one_by_one(start: Start) -> Judgement:
    """A feature gate that is switched on enables no option by itself."""
    applies(any((start.kubelet.get("featureGates") or {}).values()), "no gate is on")
    applies(not start.named, "an option is named")
    applies(start.plain, "nothing was changed yet")
    effects = {option: effect for option in STATIC_OPTIONS if (effect := _effect_of(option, start)) is not None}
    applies(effects, "nothing shows whether an option takes effect")
    options = [option for option, effect in effects.items() if effect]
    return violated(not options, f"{', '.join(options)} takes effect by a gate alone", got=result_of(start))


@chapter.requires("cpu-manager/options/gate-off-means-defaults", until="1.32")
@rests_on("cpu-task/configuration/gate-off-means-defaults")
def gate_off_means_defaults(start: Start) -> Judgement:
    """With the gate CPUManagerPolicyOptions off no option takes effect: the node does not come up, or does as
    without them.
    """
    gates = start.kubelet.get("featureGates") or {}
    applies(gates.get("CPUManagerPolicyOptions") is False, "the gate CPUManagerPolicyOptions is not off")
    applies(len(start.on) == 1, "no option is on, or several are")
    (option,) = start.on
    applies(option in STATIC_OPTIONS, "the option is not one of policy static")
    applies(start.shows(option) is not None, "a gate is set that is locked or gone")
    return _has_no_effect(option, start, f"{option} takes effect, though CPUManagerPolicyOptions is off")


@chapter.requires(
    "cpu-manager/options/add-up", "cpu-manager/full-pcpus-only", "cpu-manager/distribute-cpus-across-numa", since="1.25"
)
@rests_on(
    "cpu-task/options/full-pcpus-and-numa-add-up",
    "cpu-task/options/align-by-socket-adds-up",
    "cpu-task/configuration/options-field",
)
def options_add_up(start: Start) -> Judgement:
    """full-pcpus-only, distribute-cpus-across-numa and align-by-socket can be named together."""
    applies(len(start.on) > 1, "fewer than two options are on")
    applies(start.named <= {WHOLE_CORES, ACROSS_NUMA, BY_SOCKET}, "other options are named")
    all_shown(start)
    why = f"{' and '.join(sorted(start.named))} are refused"
    return violated(start.up, why, got=result_of(start), allowed="it comes up")


def all_shown(start: Start) -> None:
    applies(all(map(start.shows, start.named)), "an option that is named is hidden, or a gate is set that is gone")


def result_of(start: Start) -> str:
    """Write what became of a start."""
    if not start.up:
        return f"the node does not come up: {start.refusal}"
    outcome, first = [], start.first
    if start.pool is not None:
        outcome.append(f"the shared pool is {format_bits(start.pool) or 'empty'}")
    if first is not None:
        pod = f"has CPUs {format_bits(first.cpus)}" if first.admitted else f"is refused: {first.reason}"
        outcome.append(f"the pod {pod}")
    return ", ".join(outcome) or "the node comes up"


def _effect_of(option: str, start: Start) -> bool | None:
    """Tell whether the option takes effect; None where the node does the same without it, or nothing shows it."""
    plain, probe = start.plain, PROBES[option]
    if plain is None or not plain.up or plain.kubelet.get("cpuManagerPolicyOptions"):
        return None
    if not (_could_show(option, plain) and _could_show(option, start)):
        return None
    if plain.first is None and option != STRICT:
        return None
    return probe.takes_effect(start) if probe.takes_effect(plain) is False else None


def _could_show(option: str, start: Start) -> bool:
    """Tell whether node and first pod are those at which the option shows: at others much may look like its effect."""
    probe = probe_of(option, start.machine)
    if probe is None:
        return False
    wanted, settings, first = Settings.of(probe.kubelet), start.settings, start.first
    alike = (settings.reserved, settings.topology) == (wanted.reserved, wanted.topology)
    if first is None:
        return alike and (option == STRICT or not start.up)
    return alike and first.spec.exclusive == PodSpec.of(probe.pod).exclusive


def _has_no_effect(option: str, start: Start, why: str) -> Judgement:
    effect = exists(_effect_of(option, start), "nothing shows whether the option takes effect")
    allowed = "the node does not come up, or does as without the option"
    return violated(not effect, why, got=result_of(start), allowed=allowed, CPUs=start.first.cpus if start.first else 0)
