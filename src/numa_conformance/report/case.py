"""``Case``: one test of the suite with its parameters and verdict, and the files that hold its questions."""

import contextlib
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from ..asking.findings.telling import CaseReport
from ..errors import Fault, UsageError
from ..files import write_text
from ..wire.history.history import History, histories_text
from .circumstances import REPORT

SCENARIO_FILES = "scenario-*.json"


def scenario_file(case: str) -> str:
    """Return the file name for a case's scenario: readable, and different for different cases."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", case).strip("-")[:80]
    return f"scenario-{words}-{sha256(case.encode()).hexdigest()[:6]}.json"


Verdict = Literal[
    "passed",
    "failed",
    "timed out",
    "crashed",
    "bad reply",
    "not followed",
    "expected failure",
    "unexpectedly passed",
    "not judged",
    "not claimed",
    "error",
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
UNMET: tuple[Verdict, ...] = ("failed", "timed out", "crashed", "bad reply")
"""What says that the target does not meet a requirement."""
NOT_JUDGED = "not judged: "
"""How the reason begins for which a case is not judged although its features are claimed."""
OUTSIDE = "outside of what the target supports"
"""How the reason begins for which a case was not asked whose features are claimed."""
SILENT_CASES = ("not claimed", "not judged")
"""Verdicts that say nothing of a requirement."""
_WEIGHTS: tuple[Verdict, ...] = (
    "not claimed",
    "passed",
    "not followed",
    "not judged",
    "expected failure",
    "unexpectedly passed",
    "error",
    "failed",
    "bad reply",
    "timed out",
    "crashed",
)
"""Verdicts, from the lightest to the one that decides."""
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
"""A number of a report, which anybody may have written: one that every program can read."""


class Case(msgspec.Struct, frozen=True, omit_defaults=True):
    """One test with its parameters: its id, the requirements it checks, its area, its verdict, and why."""

    id: str
    requirements: list[str]
    area: str
    verdict: Verdict
    details: str = ""
    scenario: dict[str, Any] | None = None
    asked: Count = 0
    """How often its requirement was asked, where it is judged on conversations."""
    histories: Count = 0
    """In how many conversations that was."""
    held_back: dict[str, Count] = {}
    """Why it was not asked of what conversations show, and how often."""
    telling: dict[str, Count] = {}
    """Machine to the conversations in which some other answer would have broken it, where that is looked at."""
    in_part: dict[str, tuple[Count, Count]] = {}
    """The groups of conversations of which a budget left some out: how many were asked, of how many."""
    broken_in: Count = 0
    """In how many of them it is not met before, or with, anything else."""
    broken: Count = 0
    """At how many questions it is not met."""
    history: str = ""
    """The file, in the folder of the report, that holds the shortest conversation in which it is not met."""
    conversations: list[str] = []
    """The files, in the folder of the report, with all conversations on which it is judged, where they are kept."""
    machines: list[str] = []
    """The machines on which conversations do not meet it."""
    marks: dict[str, str] = {}
    """The CPUs that matter to what was found, as lists, by what they are."""
    with_it: list[str] = []
    """The other requirements that this conversation does not meet."""
    quirks: list[str] = []
    """At level documented: by which quirks the kubelet departs here too, each alone the reason or together, ``a+b``."""

    @property
    def unmet(self) -> bool:
        """Whether it says that the target does not meet a requirement."""
        return self.verdict in UNMET

    @property
    def judges_conversations(self) -> bool:
        """Whether it is the case of a requirement for all generated conversations."""
        return self.id.startswith("histories/")

    @property
    def omissions(self) -> str:
        """Why its requirement was not asked more often, for people; nothing where no condition held it back."""
        reasons = ", ".join(f"{times:,} times {reason}" for reason, times in self.held_back.items())
        return f"not tested: {reasons}" if reasons else ""

    @property
    def badness(self) -> int:
        """How much the verdict weighs when several runs hold the case; the heaviest stays."""
        return _WEIGHTS.index(self.verdict)

    def to_json(self) -> str:
        """Return the case as a text that travels between processes."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str) -> "Case":
        """Read the text of ``to_json``."""
        return msgspec.json.decode(text, type=cls)


FOLDER = "histories"
ALL = f"{FOLDER}/all"


def with_history(case: Case, asking: CaseReport | None, folder: str) -> Case:
    """Return the case with its counts; writes the conversation that broke it, where the folder takes files."""
    if asking is None:
        return case
    name = ""
    if asking.history is not None and folder:
        named = case.requirements[0] if case.judges_conversations else case.id
        file = f"{FOLDER}/{re.sub('[^A-Za-z0-9]+', '-', named)}.jsonl"
        with contextlib.suppress(UsageError):
            write_text(Path(folder, file), histories_text([asking.history]), sync=False)
            name = file
    return msgspec.structs.replace(
        case,
        asked=asking.tests,
        histories=asking.histories,
        held_back=dict(asking.held_back),
        telling=dict(asking.telling),
        in_part=dict(asking.in_part),
        history=name,
        machines=list(asking.machines),
        broken_in=asking.broken_in,
        broken=asking.broken,
        with_it=list(asking.other_requirements),
    )


def keep_group(group: str, histories: Iterable[History], folder: str, *, more: bool = False) -> None:
    """Write conversations of a group to a file that ``judge`` reads, or ``more`` to its end, if the folder takes it."""
    file, text = Path(folder, file_of(group)), histories_text(histories)
    with contextlib.suppress(UsageError, OSError):
        if more:
            with file.open("a", encoding="utf-8", errors="backslashreplace") as written:
                written.write(text)
        else:
            write_text(file, text, sync=False)


def check_others_files(folder: Path) -> None:
    """Refuse a folder in which a report would remove, or replace, what is not of one; raises ``UsageError``."""
    histories = folder / FOLDER
    others = [] if (folder / REPORT).exists() else [*folder.glob(SCENARIO_FILES), *folder.glob(FOLDER)]
    accepted = "an empty folder, or one with a report"
    if histories.is_symlink():
        raise UsageError(Fault(str(histories), "is a link: a report follows none", accepted))
    if others:
        why = f"has {others[0].name} and no {REPORT}: a report removes what is not its own"
        raise UsageError(Fault(str(folder), why, accepted))


def remove_other_histories(cases: Iterable[Case], folder: Path) -> None:
    """Remove conversations of earlier runs: those that no case refers to."""
    names = {name for case in cases for name in (case.history, *case.conversations)}
    for path in (folder / FOLDER).rglob("*.jsonl"):
        if path.relative_to(folder).as_posix() not in names:
            path.unlink()


def file_of(group: str) -> str:
    """Return the file of a report with the conversations of a group."""
    return f"{ALL}/{group}.jsonl"
