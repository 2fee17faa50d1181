"""Conversations as files in the folder of a report: those that broke a requirement, and all where they are kept."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ..asking.findings.telling import CaseReport
from ..errors import UsageError
from ..files import write_text
from ..wire.history.history import History, histories_text
from .case import Case

FOLDER = "histories"
ALL = f"{FOLDER}/all"


def with_history(case: Case, asking: CaseReport | None, folder: str) -> Case:
    """Return the case with what it knows of conversations; writes the one that broke it, where there is a folder.

    A folder that does not take it is told at the end of the run, with the report.
    """
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
        history=name,
        machines=list(asking.machines),
        broken_in=asking.broken_in,
        broken=asking.broken,
        with_it=list(asking.other_requirements),
    )


def with_conversations(case: Case, groups: Iterable[str]) -> Case:
    """Return the case with the files of the groups on which it is judged."""
    return msgspec.structs.replace(case, conversations=[_file_of(group) for group in groups])


def keep_group(group: str, histories: Iterable[History], folder: str) -> None:
    """Write all conversations of a group to a file that ``judge`` reads, where the folder takes it."""
    with contextlib.suppress(UsageError):
        write_text(Path(folder, _file_of(group)), histories_text(histories), sync=False)


def remove_other_histories(cases: Iterable[Case], folder: Path) -> None:
    """Remove conversations of earlier runs: those that no case refers to."""
    kept = {name for case in cases for name in (case.history, *case.conversations)}
    for path in (folder / FOLDER).rglob("*.jsonl"):
        if path.relative_to(folder).as_posix() not in kept:
            path.unlink()


def _file_of(group: str) -> str:
    return f"{ALL}/{group}.jsonl"
