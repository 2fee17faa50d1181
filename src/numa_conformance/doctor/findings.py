"""Findings on a node: each broken requirement with its address, its gravity, what shows it, and what to do."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..chapters import REQUIREMENTS
from ..files import text_of
from ..judging.departures import departing
from ..judging.verdicts import HistoryVerdicts, judge
from ..printable import as_line
from ..sources.quirks import QUIRKS
from ..sources.versions import DEFAULT, SUPPORTED, KubernetesVersion
from ..wire.history.history import History
from .disturbances import disturbances, next_start
from .evidence import evidence_of, remedy_of
from .history import sight_history, start_history
from .look import Sight
from .tree import Line

MOST_FINDINGS = 1_000
"""More are not told of one pass."""
_NEEDS = dict(line.split("; ") for line in text_of(__package__, "quirk_needs.txt").splitlines())
"""Quirk to what it needs to show on a node: options of the policy, and facts."""


@dataclass(frozen=True, slots=True)
class NodeFinding:
    """One thing that is not as documented.

    ``severity``: ``error`` where a page demands it, ``warning`` where it recommends. ``evidence``: the lines that show
    it, each with file and number. ``pods``: the pods named in it by namespace and name, where known. ``quirks``: known
    departures of this kubelet's version that may be the cause.
    """

    requirement: str
    text: str
    address: str
    severity: Literal["error", "warning"]
    message: str
    got: str
    allowed: str
    remedy: str
    evidence: tuple[Line, ...]
    pods: Mapping[str, str] = field(default_factory=dict)
    quirks: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """The same for the same finding in every pass."""
        return self.requirement, self.message

    def to_dict(self) -> dict[str, Any]:
        """Return it for a program."""
        return {
            "requirement": self.requirement,
            "text": self.text,
            "address": self.address,
            "severity": self.severity,
            "message": self.message,
            "seen": self.got,
            "documented": self.allowed,
            "remedy": self.remedy,
            "pods": dict(self.pods),
            "quirks": list(self.quirks),
            "evidence": [{"file": line.place, "line": line.number, "text": str(line)} for line in self.evidence],
        }


@dataclass(frozen=True)
class Findings:
    """The findings of one pass by gravity, how often each requirement was tested, and notes on unread files.

    ``version``: the kubelet's; None where it is not known. ``worth_knowing``: what disturbs CPUs, and is no finding.
    """

    findings: tuple[NodeFinding, ...]
    counts: Mapping[str, int]
    notes: tuple[str, ...]
    histories: tuple[History, ...]
    seconds: float
    version: KubernetesVersion | None = None
    worth_knowing: tuple[str, ...] = ()

    @property
    def errors(self) -> int:
        """How many are errors."""
        return sum(finding.severity == "error" for finding in self.findings)


def check(sight: Sight) -> Findings:
    """Judge what was seen by every requirement that it can show."""
    sighting = sight_history(sight)
    verdicts, histories = judge(sighting), [sighting]
    by_key = {finding.key: finding for finding in _findings(sight, verdicts, of_configuration=False)}
    starts = [start_history(sight, version) for version in ((sight.version,) if sight.version else SUPPORTED)]
    if judged := [judge(start) for start in starts if start is not None]:
        histories.insert(0, next(start for start in reversed(starts) if start is not None))
        by_version = [
            {finding.key: finding for finding in _findings(sight, each, of_configuration=True)} for each in judged
        ]
        # Without a known version, a finding must be true in every version.
        by_key |= {key: finding for key, finding in by_version[-1].items() if all(key in each for each in by_version)}
        verdicts.tests += judged[-1].tests
    known = (*next_start(sight), *disturbances(sight))
    counts = {name: times for name, times in sorted(verdicts.tests.items()) if not name.startswith("protocol/answer")}
    ordered = sorted(by_key.values(), key=lambda finding: (finding.severity, finding.requirement, finding.message))
    notes = (*sight.state.remarks, *sight.notes)
    return Findings(tuple(ordered), counts, notes, tuple(histories), sight.seconds, sight.version, known)


def _findings(sight: Sight, verdicts: HistoryVerdicts, *, of_configuration: bool) -> Iterator[NodeFinding]:
    names = {named.uid: f"{named.namespace}/{named.pod}" for named in sight.names.values()}
    for broken in verdicts.broken[:MOST_FINDINGS]:
        known = REQUIREMENTS.get(broken.requirement)
        if known and sight.version and not known.holds_in(sight.version):
            continue
        wrong = broken.violation
        text = " ".join((wrong.why, *wrong.about))
        causes = departing(broken.requirement, sight.version or DEFAULT)
        yield NodeFinding(
            broken.requirement,
            known.text if known else "",
            known.address if known else "",
            "error" if known is None or known.strength == "MUST" else "warning",
            wrong.why,
            wrong.got,
            wrong.allowed,
            remedy_of(sight, broken.requirement, wrong, of_configuration=of_configuration),
            tuple(evidence_of(sight, broken.requirement, wrong, of_configuration=of_configuration)),
            {uid: name for uid, name in names.items() if uid and uid in text},
            tuple(id for id in causes if id in QUIRKS and can_show(id, sight)),
        )


def can_show(quirk: str, sight: Sight) -> bool:
    """Tell whether a quirk can be the cause of anything on this node; True where nothing is known against it."""
    config, machine = sight.configured.kubelet, sight.machine
    nodes = [cpus for cpus in machine.numa_bits.values() if cpus]
    sockets, caches = machine.socket_bits.values(), machine.uncore_bits.values()
    sizes = [{cpus.bit_count() for cpus in groups} for groups in (machine.core_bits, sockets, nodes)]
    facts = {
        "uneven": any(len(different) > 1 for different in sizes),
        "crossing": any(group & node not in (0, group, node) for group in (*sockets, *caches) for node in nodes),
        "several-nodes": len(nodes) > 1,
        "five-nodes": len(nodes) > 4,
        "counted-reservation": not config.reserved_system_cpus,
        "pinned-memory": config.memory_manager_policy == "Static",
        "devices": bool(sight.state.devices),
    }
    options = {name: text != "false" for name, text in (config.cpu_manager_policy_options or {}).items()}
    return all({**options, **facts}.get(need, False) for need in _NEEDS.get(quirk, "").split())


@dataclass(frozen=True, slots=True)
class PassChanges:
    """Findings that are new, that stayed, and that are gone; and what is told for the first time beside them."""

    new: tuple[NodeFinding, ...]
    stayed: tuple[NodeFinding, ...]
    gone: tuple[NodeFinding, ...]
    notes: tuple[str, ...]
    worth_knowing: tuple[str, ...]

    def lines(self, number: int, render: Callable[[NodeFinding], Iterable[str]]) -> Iterator[str]:
        """Yield the pass for a person: what is new in full, what is gone by its message, and how many stayed."""
        for finding in self.new:
            first, *rest = render(finding)
            yield f"+ {first}"
            yield from (f"  {line}" for line in rest)
        yield from (as_line(f"- {finding.severity}: {finding.message}") for finding in self.gone)
        yield from (as_line(f"note: {note}") for note in self.worth_knowing)
        yield from (as_line(f"not seen: {note}") for note in self.notes)
        yield f"pass {number}: {len(self.new)} new, {len(self.gone)} gone, {len(self.stayed)} as before"

    def to_json(self, number: int) -> str:
        """Return the pass as one line for a program."""
        new, gone = ([finding.to_dict() for finding in each] for each in (self.new, self.gone))
        notes = {"worth_knowing": list(self.worth_knowing), "not_seen": list(self.notes)}
        return json.dumps({"pass": number, "new": new, "gone": gone, "stayed": len(self.stayed), **notes})


def changes(before: Findings | None, now: Findings) -> PassChanges:
    """Compare two passes; before the first one there was nothing."""
    old = {finding.key: finding for finding in before.findings} if before else {}
    new = {finding.key: finding for finding in now.findings}
    return PassChanges(
        tuple(finding for key, finding in new.items() if key not in old),
        tuple(finding for key, finding in new.items() if key in old),
        tuple(finding for key, finding in old.items() if key not in new),
        tuple(note for note in now.notes if before is None or note not in before.notes),
        tuple(note for note in now.worth_knowing if before is None or note not in before.worth_knowing),
    )
