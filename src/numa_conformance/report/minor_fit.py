"""As which Kubernetes minor a target decides: its answers to probes against those of every minor's reference.

Probes are short histories; each shows some quirks and changes. ``tests/probing.py`` writes ``probes.jsonl.gz``:
histories without answers, whose cell names these quirks and changes. Where a minor differs, its quirks and changes are
turned the other way until both agree. The minors with the fewest turns are reported.
"""

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..asking.asking import MOST_FAULTS
from ..asking.drive import again_in_its_version
from ..comparing.differing import STATE_FILES, Differing, differing
from ..comparing.recorded.needs import features_needed
from ..comparing.two_targets import of_a_whole_kubelet
from ..files import text_of
from ..machine import machine_to_dict
from ..sources.changes import CHANGES
from ..sources.quirks import QUIRKS
from ..sources.versions import SUPPORTED, KubernetesVersion
from ..wire import Client
from ..wire.faults import NotClaimed
from ..wire.history.history import History, read_histories
from .causes import Behaviour, answers_of
from .reference_answers import open_reference

FILE = Path(__file__).with_name("probes.jsonl.gz")
_WRITTEN = {file: feature for feature, file in STATE_FILES.items()}
UNSEEN = dict(line.split(": ", 1) for line in text_of(__package__, "unseen.txt").splitlines())
"""Quirks and changes that no answer shows, and why."""
_KINDS = {"allocate": "cpu-static", "hints": "cpu-static", "merge": "merge", "score": "noderesourcesfit"}


@dataclass(frozen=True, eq=False, slots=True)
class TraitProbe:
    """Questions, the quirks and changes that they show, and the ``surface`` and features that they need."""

    history: History
    traits: tuple[str, ...]
    surface: str
    needs: frozenset[str]

    @classmethod
    def of(cls, history: History) -> "TraitProbe":
        """Read a history whose cell names what it shows."""
        surface = history.steps[0].method.partition(".")[0]
        return cls(history, tuple(history.head.cell.split()), surface, _needs(history, surface))


@cache
def probes() -> tuple[TraitProbe, ...]:
    """Return every probe."""
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        return tuple(map(TraitProbe.of, read_histories(lines)))


def fair_probes(client: Client) -> Iterator[TraitProbe]:
    """Yield the probes that are fair questions to a target: it claims what they need."""
    return (probe for probe in probes() if probe.surface in client.surfaces and probe.needs <= client.features)


def _needs(history: History, surface: str) -> frozenset[str]:
    first = history.steps[0].params
    if surface == "node":
        return _of_life(history)
    if surface == "pick":
        return frozenset(f"cpu-manager/{name}" for name, on in (first.get("options") or {}).items() if on)
    if surface == "classify":
        return frozenset({"node/qos"})
    needed = features_needed(_KINDS[surface], {**first})
    return needed - {"cpu-manager/hints"} if surface == "allocate" else needed


def _of_life(history: History) -> frozenset[str]:
    needed: frozenset[str] = frozenset()
    for step in history.steps:
        if step.method in ("node.start", "node.restart"):
            needed |= {_WRITTEN[name] for name in step.params.get("files") or () if name in _WRITTEN}
        if isinstance(step.params.get("kubelet"), Mapping):
            needed |= features_needed("lifecycle", _life(history, step.params["kubelet"]))
        if step.method == "node.resize":
            needed |= {"node/resize"}
    return needed


def _life(history: History, kubelet: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "machine": machine_to_dict(history.head.machine),
        "kubelet": {"topologyManagerScope": "container", **kubelet},
        "steps": [{"op": step.method.removeprefix("node."), **step.params} for step in history.steps],
    }


TRAITS = (*QUIRKS, *CHANGES)
"""What tells minors apart and can be turned, one by one."""
_TOGETHER = 2
"""Quirks and changes that are turned at once where none alone helps."""


@dataclass(slots=True)
class ProbeAnswers:
    """What a target answers to probes, and how references answer them.

    ``whole``: the target is a whole kubelet, which decides some things otherwise than its managers alone. ``messages``:
    the wording of refusals is compared too.
    """

    client: Client
    whole: bool = False
    messages: bool = False
    histories: dict[TraitProbe, History] = field(default_factory=dict)
    _alike: dict[tuple[TraitProbe, Behaviour], bool] = field(default_factory=dict)

    def ask(self, probes: Iterable[TraitProbe]) -> Iterator[TraitProbe]:
        """Ask each probe that the target supports, and yield it; raises ``TargetFault`` if nothing is answered."""
        silent = 0
        for probe in probes:
            history, fault = again_in_its_version(probe.history, self.client)
            if not isinstance(fault, NotClaimed):
                self.histories[probe] = history
            silent = silent + 1 if fault is not None and len(history.steps) <= 1 else 0
            steps = (step for known in self.histories.values() for step in known.steps)
            if fault is not None and silent >= MOST_FAULTS and all(step.answer is None for step in steps):
                raise fault
            yield probe

    def alike(self, probe: TraitProbe, shown: Behaviour) -> bool:
        """Tell whether the target answered a probe as a reference that shows this does."""
        if (probe, shown) not in self._alike:
            self._alike[probe, shown] = self.difference(probe, shown) is None
        return self._alike[probe, shown]

    def difference(self, probe: TraitProbe, shown: Behaviour) -> Differing | None:
        """Return where the target and a reference first differ."""
        as_shown = (shown.level, shown.version, shown.quirks, shown.changes)
        with open_reference(*as_shown, resource_fit=self.whole) as reference:
            answers = answers_of(probe.history, reference)
        files = [name for feature, name in STATE_FILES.items() if feature in self.client.features]
        differs = differing(self.histories[probe], answers, files, messages=self.messages, untold=self.client.untold)
        return None if differs and self.whole and of_a_whole_kubelet(differs, differs.history) else differs


@dataclass(frozen=True, slots=True)
class Fit:
    """A minor, what of it is the other way in the target, and the probes that it answers as nobody known."""

    version: KubernetesVersion
    turned: tuple[str, ...]
    unexplained: tuple[TraitProbe, ...]

    @property
    def departures(self) -> int:
        """How far from the minor: quirks and changes the other way, and answers that nothing known explains."""
        return len(self.turned) + len(self.unexplained)

    @property
    def shown(self) -> Behaviour:
        """What a reference shows that decides as this."""
        return Behaviour.of("exact", self.version).toggled(*self.turned)


def fits(answers: ProbeAnswers, versions: Iterable[KubernetesVersion] = SUPPORTED) -> list[Fit]:
    """Return the minors that need the fewest departures, oldest first: several where they cannot be told apart."""
    apart = {version: _unlike(answers, answers.histories, Behaviour.of("exact", version)) for version in versions}
    best: list[Fit] = []
    for version in sorted(apart, key=lambda version: len(apart[version])):
        fit = _fit(answers, version, apart[version], best[0].departures if best else None)
        if fit is not None and (not best or fit.departures <= best[0].departures):
            best = [fit, *(other for other in best if other.departures == fit.departures)]
    return sorted(best, key=lambda fit: fit.version)


def _fit(answers: ProbeAnswers, version: KubernetesVersion, unlike: list[TraitProbe], most: int | None) -> Fit | None:
    """Turn quirks and changes of a minor until no turn helps; None where it needs more than ``most``."""
    turned: tuple[str, ...] = ()
    while unlike and (turn := _best_turn(answers, version, turned, unlike)):
        turned += turn
        if most is not None and len(turned) > most:
            return None
        unlike = _unlike(answers, answers.histories, Behaviour.of("exact", version).toggled(*turned))
    return Fit(version, tuple(name for name in TRAITS if name in turned), tuple(unlike))


def _best_turn(
    answers: ProbeAnswers, version: KubernetesVersion, turned: tuple[str, ...], unlike: Sequence[TraitProbe]
) -> tuple[str, ...]:
    """Return what explains most when it is turned; several only where none alone explains anything."""
    for together in range(1, _TOGETHER + 1):
        turns = dict.fromkeys(
            turn
            for probe in unlike
            for turn in combinations([name for name in probe.traits if name not in turned], together)
        )
        gains = {turn: _gain(answers, version, turned, turn) for turn in turns}
        best = max(gains, key=lambda turn: gains[turn], default=())
        if best and gains[best] > 0:
            return best
    return ()


def _gain(answers: ProbeAnswers, version: KubernetesVersion, turned: tuple[str, ...], turn: tuple[str, ...]) -> int:
    concerned = [probe for probe in answers.histories if not {*turn}.isdisjoint(probe.traits)]
    before, after = (Behaviour.of("exact", version).toggled(*names) for names in (turned, (*turned, *turn)))
    return len(_unlike(answers, concerned, before)) - len(_unlike(answers, concerned, after))


def _unlike(answers: ProbeAnswers, probes: Iterable[TraitProbe], shown: Behaviour) -> list[TraitProbe]:
    return [probe for probe in probes if not answers.alike(probe, shown)]


def shown_traits(answers: ProbeAnswers, fit: Fit) -> Mapping[str, bool | None]:
    """Return for each quirk and change whether the target shows it; None where no answer tells."""
    shown = fit.shown
    names = {*shown.names}
    return MappingProxyType({name: (name in names) if _shows(answers, shown, name) else None for name in TRAITS})


def _shows(answers: ProbeAnswers, shown: Behaviour, name: str) -> bool:
    other = shown.toggled(name)
    concerned = [probe for probe in answers.histories if name in probe.traits and answers.alike(probe, shown)]
    return any(not answers.alike(probe, other) for probe in concerned)
