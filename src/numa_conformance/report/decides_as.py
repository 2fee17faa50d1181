"""As which Kubernetes minor a target decides: its answers to probes beside those of the reference of every minor.

Where a minor differs, its quirks and changes are turned the other way until both agree: a quirk is mended, or still
there. The minors that need least of it are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from types import MappingProxyType

from ..asking.asking import MOST_FAULTS
from ..asking.drive import again
from ..comparing.differing import STATE_FILES, Differing, differing
from ..comparing.whole_kubelet import of_a_whole_kubelet
from ..sources.changes import CHANGES
from ..sources.quirks import QUIRKS
from ..sources.versions import SUPPORTED, KubernetesVersion
from ..wire import Client
from ..wire.faults import NotClaimed
from ..wire.history.history import History
from .beside_reference import open_reference
from .causes import Shown
from .probes import Probe

TRAITS = (*QUIRKS, *CHANGES)
"""What tells minors apart and can be turned, one by one."""
_TOGETHER = 2
"""Quirks and changes that are turned at once where none alone helps."""


@dataclass(slots=True)
class Answers:
    """What a target answers to probes, and how references answer them.

    ``whole``: the target is a whole kubelet, which decides some things otherwise than its managers alone. ``messages``:
    the wording of refusals is compared too.
    """

    client: Client
    whole: bool = False
    messages: bool = False
    told: dict[Probe, History] = field(default_factory=dict)
    _alike: dict[tuple[Probe, Shown], bool] = field(default_factory=dict)

    def ask(self, probes: Iterable[Probe]) -> Iterator[Probe]:
        """Ask the target each probe, and yield it; raises ``TargetFault`` of a target that answers nothing.

        What the target says that it does not support is passed over.
        """
        silent = 0
        for probe in probes:
            history, fault = again(_of(probe, self.client.description.kubernetes_version), self.client)
            if not isinstance(fault, NotClaimed):
                self.told[probe] = history
            silent = silent + 1 if fault is not None and len(history.steps) <= 1 else 0
            if fault is not None and silent >= MOST_FAULTS and not _answers(self.told.values()):
                raise fault
            yield probe

    def alike(self, probe: Probe, shown: Shown) -> bool:
        """Tell whether the target answered a probe as a reference that shows this does."""
        if (probe, shown) not in self._alike:
            self._alike[probe, shown] = self.difference(probe, shown) is None
        return self._alike[probe, shown]

    def difference(self, probe: Probe, shown: Shown) -> Differing | None:
        """Return where the target and a reference first differ."""
        with open_reference(
            shown.level, shown.version, shown.quirks, shown.changes, resource_fit=self.whole
        ) as reference:
            beside, _ = again(_of(probe, str(shown.version)), reference)
        files = [name for feature, name in STATE_FILES.items() if feature in self.client.features]
        differs = differing(self.told[probe], beside, files, messages=self.messages, untold=self.client.untold)
        return None if differs and self.whole and of_a_whole_kubelet(differs, differs.history) else differs


def _of(probe: Probe, version: str) -> History:
    return replace(probe.history, head=replace(probe.history.head, version=version))


def _answers(histories: Iterable[History]) -> bool:
    return any(step.answer is not None for history in histories for step in history.steps)


@dataclass(frozen=True, slots=True)
class Fit:
    """A minor, what of it is the other way in the target, and the probes that it answers as nobody known."""

    version: KubernetesVersion
    turned: tuple[str, ...]
    unexplained: tuple[Probe, ...]

    @property
    def departures(self) -> int:
        """How far from the minor: quirks and changes the other way, and answers that nothing known explains."""
        return len(self.turned) + len(self.unexplained)

    @property
    def shown(self) -> Shown:
        """What a reference shows that decides as this."""
        return Shown.of("exact", self.version).toggled(*self.turned)


def fits(answers: Answers, versions: Iterable[KubernetesVersion] = SUPPORTED) -> list[Fit]:
    """Return the minors that need the fewest departures, oldest first: several where they cannot be told apart."""
    apart = {version: _unlike(answers, answers.told, Shown.of("exact", version)) for version in versions}
    best: list[Fit] = []
    for version in sorted(apart, key=lambda version: len(apart[version])):
        fit = _fit(answers, version, apart[version], best[0].departures if best else None)
        if fit is not None and (not best or fit.departures <= best[0].departures):
            best = [fit, *(other for other in best if other.departures == fit.departures)]
    return sorted(best, key=lambda fit: fit.version)


def _fit(answers: Answers, version: KubernetesVersion, unlike: list[Probe], most: int | None) -> Fit | None:
    """Turn quirks and changes of a minor until no turn helps; None where it needs more than ``most``."""
    turned: tuple[str, ...] = ()
    while unlike and (turn := _best_turn(answers, version, turned, unlike)):
        turned += turn
        if most is not None and len(turned) > most:
            return None
        unlike = _unlike(answers, answers.told, Shown.of("exact", version).toggled(*turned))
    return Fit(version, tuple(name for name in TRAITS if name in turned), tuple(unlike))


def _best_turn(
    answers: Answers, version: KubernetesVersion, turned: tuple[str, ...], unlike: Sequence[Probe]
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


def _gain(answers: Answers, version: KubernetesVersion, turned: tuple[str, ...], turn: tuple[str, ...]) -> int:
    """Return how many more probes are answered alike after a turn."""
    concerned = [probe for probe in answers.told if not {*turn}.isdisjoint(probe.traits)]
    before, after = (Shown.of("exact", version).toggled(*names) for names in (turned, (*turned, *turn)))
    return len(_unlike(answers, concerned, before)) - len(_unlike(answers, concerned, after))


def _unlike(answers: Answers, probes: Iterable[Probe], shown: Shown) -> list[Probe]:
    return [probe for probe in probes if not answers.alike(probe, shown)]


def told_apart(answers: Answers, fit: Fit) -> Mapping[str, bool | None]:
    """Return for each quirk and change whether the target shows it; None where no answer tells."""
    shown = fit.shown
    names = {*shown.names}
    return MappingProxyType({name: (name in names) if _tells(answers, shown, name) else None for name in TRAITS})


def _tells(answers: Answers, shown: Shown, name: str) -> bool:
    other = shown.toggled(name)
    concerned = [probe for probe in answers.told if name in probe.traits and answers.alike(probe, shown)]
    return any(not answers.alike(probe, other) for probe in concerned)
