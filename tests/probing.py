"""Probes: which short histories show which quirks and changes.

They are searched among the recorded decisions, then among the suite's scenarios, then among what is made of both
(``rare``). Who claims little is asked what needs no option, and some questions by lot that show nothing known.

``python -m probing`` in the folder ``tests`` writes ``report/probes.jsonl.gz`` anew, from which
``numa-conformance which-kubelet`` asks. It takes about half an hour. ``python -m probing more [SURFACE]...``
keeps what is there, and searches what nothing shows so far.
"""

from __future__ import annotations

import gzip
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, count, groupby, islice, pairwise
from pathlib import Path

from noise.questions import rare
from numa_conformance.asking.drive import drive
from numa_conformance.asking.groups import GROUPS
from numa_conformance.asking.shrinking import smallest
from numa_conformance.cli.question_files import histories_of_files
from numa_conformance.comparing.differing import STATE_FILES, Differing, differing, ending_with_files
from numa_conformance.comparing.kinds_of_difference import simpler
from numa_conformance.report.causes import Behaviour, answers_of
from numa_conformance.report.minor_fit import FILE, TRAITS, UNSEEN, probes
from numa_conformance.report.reference_answers import open_reference
from numa_conformance.sources.changes import CHANGES
from numa_conformance.sources.policies import TOPOLOGY_POLICIES
from numa_conformance.sources.quirks import QUIRKS
from numa_conformance.sources.versions import NEWEST, SUPPORTED, KubernetesVersion
from numa_conformance.wire.features import FEATURES
from numa_conformance.wire.history.history import Head, History, Step, histories_text
from planted import mixed

RECORDED = Path(__file__).parents[1] / "conformance" / "exact" / "recorded"
SEARCHED, KEPT = 3, 2
"""Probes that are searched for one quirk on one surface, and those of them that are kept: the smallest."""
TRIES = 400
"""Looks at the clock that counts them, while a smaller probe is sought."""
MOST_CPUS = 64
"""Machines of more CPUs are asked last."""
LEAST = {
    "pick": frozenset({"cpu-manager/static"}),
    "hints": frozenset({"cpu-manager/static", "cpu-manager/hints"}),
    "merge": frozenset(name for name in FEATURES if name.removeprefix("topology-manager/") in TOPOLOGY_POLICIES),
}
"""What is claimed by those who claim little, by surface."""
BY_LOT = 20
"""Questions by lot of each of these surfaces, each on another machine where it tells one."""
Pair = tuple[Behaviour, Behaviour]


def shown_otherwise(one: Behaviour, other: Behaviour, questions: History) -> Differing | None:
    """Return where two references differ; in words only where in nothing else."""
    history, beside = _answered(one, questions), _answered(other, questions)
    files = tuple(STATE_FILES.values())
    return differing(history, beside, files) or differing(history, beside, files, messages=True)


def _answered(shown: Behaviour, questions: History) -> History:
    with open_reference(shown.level, shown.version, shown.quirks, shown.changes) as reference:
        return answers_of(questions, reference)


def in_turn(base: Behaviour, names: Sequence[str], questions: History) -> Iterator[str]:
    """Yield the quirks and changes that questions show: half of the names are turned at once, then half of these."""
    if not names or shown_otherwise(base, base.toggled(*names), questions) is None:
        return
    if len(names) == 1:
        yield names[0]
        return
    middle = len(names) // 2
    yield from in_turn(base, names[:middle], questions)
    yield from in_turn(base, names[middle:], questions)


def searched(questions: Iterable[History], names: Sequence[str]) -> dict[str, list[History]]:
    """Return for each name some histories that show it, in a version that has it."""
    found: dict[str, list[History]] = defaultdict(list)
    for version, group in groupby(sorted(names, key=version_that_shows), key=version_that_shows):
        base, sought = Behaviour.of("exact", version), list(group)
        for history in questions:
            wanted = [name for name in sought if len(found[name]) < SEARCHED]
            if not wanted:
                break
            for name in in_turn(base, wanted, history):
                found[name].append(shrunk((base, base.toggled(name)), history))
    return found


@cache
def recorded() -> Mapping[str, Sequence[History]]:
    """Return by surface the questions of the decisions that are shipped, short ones on small machines first."""
    folders = [RECORDED, *filter(Path.is_dir, RECORDED.iterdir())]
    by_surface: dict[str, list[History]] = defaultdict(list)
    for history in histories_of_files(sorted(file for folder in folders for file in folder.glob("*.gz"))):
        by_surface[history.steps[0].method.partition(".")[0]].append(history)
    return {surface: sorted(histories, key=_size) for surface, histories in by_surface.items()}


def generated(surface: str, claimed: frozenset[str] = frozenset(FEATURES)) -> Iterator[History]:
    """Yield the questions of the suite's scenarios of a surface, those on large machines last."""
    for group in (group for group in GROUPS.values() if group.surface == surface):
        every = mixed(tuple(group.scenarios(claimed, 0)))
        for scenario in sorted(every, key=lambda scenario: len(scenario.machine.cpus) > MOST_CPUS):
            with open_reference("exact", NEWEST) as reference:
                ending = ending_with_files(scenario) if surface == "node" else scenario
                yield drive(ending, reference, str(NEWEST))[0]


def shrunk(pair: Pair, questions: History) -> History:
    """Return a smaller history on which two references still differ."""

    def still(fewer: History) -> Differing | None:
        unasked = History(fewer.head, tuple(replace(step, answer=None, fault=None) for step in fewer.steps))
        differs = shown_otherwise(*pair, unasked)
        return differs if differs and differs.step + 1 == len(fewer.steps) else None

    first = shown_otherwise(*pair, questions)
    assert first is not None
    found = smallest(first, lambda best: simpler(best.history), still, seconds=TRIES, clock=count().__next__)
    return found.history.until(found.step + 1)


def shown_by(questions: History) -> tuple[str, ...]:
    """Return every quirk and change that questions show in some version."""
    found = {name for version in SUPPORTED for name in in_turn(Behaviour.of("exact", version), TRAITS, questions)}
    return tuple(name for name in TRAITS if name in found)


def version_that_shows(name: str) -> KubernetesVersion:
    """Return a version in which to look for a quirk or a change."""
    if name in CHANGES:
        return CHANGES[name].since
    return max((version for version in SUPPORTED if version in QUIRKS[name].versions), default=SUPPORTED[0])


def chosen(surface: str) -> Iterator[History]:
    """Yield what is kept of a surface: of each quirk the smallest, and what else tells neighbouring minors apart."""
    found = searched(recorded().get(surface, ()), TRAITS)
    found |= searched(list(generated(surface)), [name for name in TRAITS if not found.get(name)])
    kept = list(_smallest(found))
    yield from kept
    for pair in pairwise(Behaviour.of("exact", version) for version in SUPPORTED):
        if not any(shown_otherwise(*pair, history) for history in kept):
            asked = chain(recorded().get(surface, ()), generated(surface))
            yield from (shrunk(pair, history) for history in islice(filter(partial(shown_otherwise, *pair), asked), 1))


def more(surface: str, names: Sequence[str]) -> Iterator[History]:
    """Yield what shows these names, which nothing else does, and what is asked of those who claim little."""
    found = searched(list(rare(surface, recorded().get(surface, ()))), names)
    if left := [name for name in names if not found.get(name)]:
        found |= searched(list(rare(surface, generated(surface))), left)
    yield from _smallest(found)
    if surface in LEAST:
        plain = list(generated(surface, LEAST[surface]))
        yield from _smallest(searched(plain, [name for name in TRAITS if name not in names]))
        yield from by_lot(plain)


def by_lot(histories: Sequence[History]) -> Iterator[History]:
    """Yield single questions, each on another machine as far as there are any; of merges the machine tells nothing."""
    lot = random.Random(len(histories))
    drawn = lot.sample(histories, len(histories))
    small = [history for history in drawn if len(history.head.machine.cpus) <= MOST_CPUS]
    first = {history.head.machine.name: history for history in reversed(small)}
    others = [history for history in small if history is not first[history.head.machine.name]]
    for history in islice(chain(first.values(), others), BY_LOT):
        yield History(history.head, (replace(lot.choice(history.steps), answer=None),))


def _smallest(found: Mapping[str, Sequence[History]]) -> Iterator[History]:
    return (history for histories in found.values() for history in sorted(histories, key=_size)[:KEPT])


def _size(history: History) -> tuple[int, int, int]:
    return len(history.steps), len(history.head.machine.cpus), len(str(history.steps))


def written(history: History) -> History:
    """Return a history as it is kept: without answers, its cell what it shows."""
    steps = tuple(Step(step.method, step.params, {}) for step in history.steps)
    return History(Head("probe", " ".join(shown_by(history)), 0, history.head.machine, ""), steps)


def main() -> None:
    """Search, and write."""
    surfaces = dict.fromkeys(group.surface for group in GROUPS.values() if group.surface not in ("plugin", "claims"))
    words = sys.argv[1:]
    unique = {probe.history.id: probe.history for probe in probes()} if words else {}
    for surface in () if words else surfaces:
        unique |= {history.id: history for history in map(written, chosen(surface))}
        sys.stderr.write(f"{surface}: {len(unique)} so far\n")
    for surface in words[1:] or surfaces:
        unique |= {history.id: history for history in map(written, more(surface, _missing(unique)))}
        sys.stderr.write(f"{surface}: {len(unique)} so far\n")
    text = histories_text(unique[id] for id in sorted(unique))
    FILE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    sys.stderr.write(f"{len(unique)} probes, {len(text)} characters; nothing shows {_missing(unique)}\n")


def _missing(unique: Mapping[str, History]) -> list[str]:
    """Return what no history shows in a version that has it, or that always comes together with some other."""
    return [name for name in TRAITS if name not in UNSEEN and not _is_told(name, unique.values())]


def _is_told(name: str, histories: Iterable[History]) -> bool:
    base = Behaviour.of("exact", version_that_shows(name))
    having = (history for history in histories if name in history.head.cell.split())
    told = [{*in_turn(base, history.head.cell.split(), history)} for history in having]
    shown = [names for names in told if name in names]
    return bool(shown) and set.intersection(*shown) == {name}


if __name__ == "__main__":
    main()
