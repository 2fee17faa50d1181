"""Writing a run's reports to a folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import Fault, UsageError
from ..files import replace_text
from .badge import badge_svg
from .circumstances import FILE, Circumstances
from .histories import remove_other_histories
from .html import html_page
from .junit import junit_xml
from .model import Summary
from .scenarios import SCENARIO_FILES, scenario_file


@dataclass(frozen=True, slots=True)
class Writer:
    """A format: the file's name, and what makes its text of a run."""

    file: str
    render: Callable[[Summary], str]


WRITERS: tuple[Writer, ...] = (
    Writer("report.json", Summary.to_json),
    Writer("junit.xml", junit_xml),
    Writer("badge.svg", badge_svg),
)
"""What is the same for the same answers, whenever and wherever they were given."""
PAGE = "index.html"


def write_reports(summary: Summary, folder: Path, circumstances: Circumstances | None = None) -> None:
    """Write a file for every writer, the page, and the scenario of every failure that has no conversation of its own.

    ``circumstances`` tell when and how the run was made; without them there is no ``run.json``, of an earlier run
    either. Scenarios of an earlier run are removed. Raises ``UsageError`` when the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(SCENARIO_FILES):
            old.unlink()
        for writer in WRITERS:
            replace_text(folder / writer.file, writer.render(summary))
        replace_text(folder / PAGE, html_page(summary, circumstances))
        if circumstances is None:
            (folder / FILE).unlink(missing_ok=True)
        else:
            replace_text(folder / FILE, circumstances.to_json())
        remove_other_histories(summary.cases, folder)
        for case in summary.cases:
            if case.scenario and not case.history:
                scenario = {**case.scenario, "id": case.id}
                replace_text(folder / scenario_file(case.id), json.dumps(scenario, indent=1) + "\n")
    except OSError as error:
        raise UsageError(Fault(str(folder), f"cannot be written: {error.strerror or error}")) from error
