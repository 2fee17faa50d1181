"""Conversations that broke a requirement, as files in the folder of a report."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from ..files import write_text
from ..suite.history import History, write_history
from ..suite.telling import Told
from .model import Case

__all__ = ["FOLDER", "remove_other_histories", "with_history"]

FOLDER = "histories"


def with_history(case: Case, told: Told | None, folder: str) -> Case:
    """Return the case with what it knows of conversations; writes the one that broke it, where there is a folder."""
    if told is None:
        return case
    name = ""
    if told.history is not None and folder:
        name = f"{FOLDER}/{re.sub('[^A-Za-z0-9]+', '-', case.requirements[0])}.jsonl"
        write_text(Path(folder, name), _lines(told.history), sync=False)
    return msgspec.structs.replace(
        case, asked=told.asked, histories=told.histories, history=name, with_it=list(told.beside)
    )


def remove_other_histories(cases: Iterable[Case], folder: Path) -> None:
    """Remove conversations of earlier runs: those that no case refers to."""
    kept = {case.history for case in cases}
    for path in (folder / FOLDER).glob("*.jsonl"):
        if f"{FOLDER}/{path.name}" not in kept:
            path.unlink()


def _lines(history: History) -> str:
    out = io.StringIO()
    write_history(history, out)
    return out.getvalue()
