"""Which requirements of the documentation the kubelet of each version does not meet, and by which quirks: measured.

``python -m measured departures`` asks the reference with the quirks of every supported version the whole suite at level
``documented``, then what the same generators draw by other seeds; keeps a report and what is found besides in a folder
(what is there already is taken as it is), and writes ``departures.json`` from which ``docs/kubernetes-versions.md`` is
made. What was measured before and is not drawn now stays: it is a fact of that kubelet. A file of ``{}`` forgets it.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, groupby
from pathlib import Path

from directly import Directly
from forked_pytest import run_as_typed
from numa_conformance.asking import asking
from numa_conformance.asking.drive import drive
from numa_conformance.asking.groups import GROUPS
from numa_conformance.asking.profiles import Profile
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging.departures import DEPARTURES, FILE, TOGETHER, Causes
from numa_conformance.judging.verdicts import judge
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.report.case import UNMET, Case
from numa_conformance.report.model import Summary
from numa_conformance.report.reading import read_report
from numa_conformance.report.reference_answers import quirks_in_history, quirks_in_scenario
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import SUPPORTED, KubernetesVersion
from numa_conformance.wire.history.history import History, read_histories

SECONDS = "300"
"""Time of a call: to be slow is no departure."""
SEEDS = (1, 2, 3)
"""By which more is drawn: what breaks a sentence in a few of a thousand lives may not show in those of the suite."""
SHOWN = "NUMA_DEPARTING"
"""The environment variable that tells the factory version and quirks: ``1.36 quirk,quirk``."""


def kubelet() -> ReferenceTarget:
    """Make the reference of the version, with the quirks, that the environment names.

    At level documented with all quirks, as a kubelet refuses configurations before its managers see them. In the
    process of the run a question without an answer costs no time, so that all others of its group are asked too.
    """
    asking.MOST_FAULTS = sys.maxsize
    version, _, quirks = os.environ[SHOWN].partition(" ")
    shown = Quirks.of(KubernetesVersion.parse(version))
    return ReferenceTarget("documented", version, quirks=shown.without(*set(shown.showing()) - set(quirks.split(","))))


def measured(version: KubernetesVersion, folder: Path) -> dict[str, Causes]:
    """Return the requirements that a version does not meet, and by which quirks."""
    if not (folder / "report.json").exists():
        ask(version, Quirks.of(version).showing(), folder)
    causes = dict[str, Causes]()
    for name, cases in unmet_in(read_report(folder)).items():
        kept = [folder / case.history for case in cases if case.history]
        if kept:
            (history,) = read_histories(kept[0].read_text(encoding="utf-8").splitlines())
            causes[name] = quirks_in_history(history, name) or ()
        else:
            causes[name] = of_written(version, cases)
    kept_besides = folder / "elsewhere.json"
    if not kept_besides.exists():
        kept_besides.write_text(json.dumps(elsewhere(version, causes)), encoding="utf-8")
    return {name: tuple(quirks) for name, quirks in json.loads(kept_besides.read_text()).items()} | causes


def elsewhere(version: KubernetesVersion, known: Collection[str]) -> dict[str, Causes]:
    """Return what a version does not meet besides in what is drawn by other seeds, and by which quirks.

    One that is not met without any quirk either is left out, and told: the reference or the judge is wrong there.
    """
    client = Directly(ReferenceTarget("documented", str(version), quirks=Quirks.of(version)))
    offered = Profile.parse("all", str(version)).offered & client.claimed
    able = {name for name, each in REQUIREMENTS.items() if each.holds_in(version) and offered.issuperset(each.features)}
    wanted = able - {*known}
    groups = [group for group in GROUPS.values() if group.surface in client.description.surfaces]
    shortest: dict[str, History] = {}
    for scenario in chain(*(group.scenarios(offered, seed) for seed in SEEDS for group in groups)):
        history, _ = drive(scenario, client, str(version))
        for broken in judge(history, only=wanted).broken:
            name, length = broken.requirement, broken.step + 1
            if name in wanted and (name not in shortest or len(shortest[name].steps) > length):
                shortest[name] = History(history.head, history.steps[:length])
    causes = {name: quirks_in_history(history, name) or () for name, history in shortest.items()}
    for name in sorted(name for name in causes if not causes[name]):
        sys.stderr.write(f"{version}: {name} is not met by a seed of {SEEDS}, and by no quirk\n")
    return {name: quirks for name, quirks in causes.items() if quirks}


def ask(version: KubernetesVersion, quirks: Iterable[str], folder: Path, *options: str) -> None:
    """Ask the whole suite at level documented, or what options leave of it, and keep a report."""
    asked = ["--numa-conformance", "-q", "--tb=no", "-p", "no:cacheprovider", "--numa-no-shrink"]
    patience = ["--numa-timeout", SECONDS]
    target = ["--numa-target", "departing:kubelet", "--numa-same-process", "--numa-report", str(folder.absolute())]
    with tempfile.TemporaryDirectory() as empty:
        run_as_typed(
            Path(empty), *asked, *patience, *target, *options, timeout=7200, **{SHOWN: f"{version} {','.join(quirks)}"}
        )


def unmet_in(report: Summary) -> dict[str, list[Case]]:
    """Return by requirement the cases in which it is not met, recommendations included."""
    unmet: dict[str, list[Case]] = {}
    for case in report.cases:
        if case.verdict in (*UNMET, "not followed"):
            for name in case.requirements:
                unmet.setdefault(name, []).append(case)
    return unmet


def of_written(version: KubernetesVersion, cases: Iterable[Case]) -> Causes:
    """Return the quirks without each of which a case that was written by hand, asked again, is passed.

    Where a case tells no scenario, one such quirk.
    """
    shown, causes = Quirks.of(version), dict[str, None]()
    for case in cases:
        possible = quirks_in_scenario(case.scenario, version) if case.scenario else (_one_of(case, version),)
        for cause in possible or ():
            if _passes(case, version, shown.without(*cause.split(TOGETHER))):
                causes[cause] = None
    return tuple(causes)


def _one_of(case: Case, version: KubernetesVersion) -> str:
    """Return a quirk of the version by halves, of which the one without which the case is passed is kept."""
    shown = Quirks.of(version)
    suspects = shown.showing()
    while len(suspects) > 1:
        half, rest = suspects[::2], suspects[1::2]
        suspects = half if _passes(case, version, shown.without(*half)) else rest
    return suspects[0]


def _passes(case: Case, version: KubernetesVersion, quirks: Quirks) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        ask(version, quirks.showing(), Path(folder), "--numa-case", case.id)
        return [one.verdict for one in read_report(Path(folder)).cases] == ["passed"]


def spans(by_version: Mapping[KubernetesVersion, Mapping[str, Causes]]) -> dict[str, dict[str, list[str]]]:
    """Return by requirement the causes in each span of versions that have the same."""
    names = {name for found in by_version.values() for name in found}
    return {name: dict(_spans_of(name, by_version)) for name in sorted(names)}


def _spans_of(
    name: str, by_version: Mapping[KubernetesVersion, Mapping[str, Causes]]
) -> Iterator[tuple[str, list[str]]]:
    for causes, together in groupby(sorted(by_version), key=lambda version: by_version[version].get(name)):
        versions = list(together)
        if causes is not None:
            span = str(versions[0]) if len(versions) == 1 else f"{versions[0]}-{versions[-1]}"
            yield span, list(causes)


def main(folder: Path) -> None:
    """Measure every version, and write what was found."""
    by_version = {}
    for version in SUPPORTED:
        before = {
            name: known[version] for name, known in DEPARTURES.items() if version in known and name in REQUIREMENTS
        }
        by_version[version] = before | measured(version, folder / str(version))
        sys.stderr.write(f"{version}: {len(by_version[version])} requirements are not met\n")
    FILE.write_text(json.dumps(spans(by_version), indent=1) + "\n", encoding="utf-8")
