"""Writing a run's reports to a folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import Fault, UsageError
from .badge import badge_svg
from .html import html_page
from .junit import junit_xml
from .model import Summary
from .scenarios import SCENARIO_FILES, scenario_file

__all__ = ["WRITERS", "Writer", "write_reports", "write_text"]


@dataclass(frozen=True, slots=True)
class Writer:
    """A format: the file's name, and what makes its text of a run."""

    file: str
    render: Callable[[Summary], str]


WRITERS: tuple[Writer, ...] = (
    Writer("report.json", Summary.to_json),
    Writer("index.html", html_page),
    Writer("junit.xml", junit_xml),
    Writer("badge.svg", badge_svg),
)


def write_reports(summary: Summary, folder: Path) -> None:
    """Write a file for every writer, and the scenario of every failure.

    Scenarios of an earlier run are removed. Raises ``UsageError`` when the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(SCENARIO_FILES):
            old.unlink()
        for writer in WRITERS:
            _replace(folder / writer.file, writer.render(summary))
        for case in summary.cases:
            if case.scenario:
                scenario = {**case.scenario, "id": case.id}
                _replace(folder / scenario_file(case.id), json.dumps(scenario, indent=1) + "\n")
    except OSError as error:
        raise UsageError(Fault(str(folder), f"cannot be written: {error.strerror or error}")) from error


def write_text(path: Path, text: str) -> None:
    """Write one file whole or not at all; raises ``UsageError``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, text)
    except OSError as error:
        raise UsageError(Fault(str(path), f"cannot be written: {error.strerror or error}")) from error


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
