"""Writing a run's reports to a folder."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from ..errors import Fault, UsageError
from .model import Summary

__all__ = ["write_reports"]


def write_reports(summary: Summary, folder: Path) -> None:
    """Write ``report.json`` and the scenario of every failure; raises ``UsageError`` when the folder cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = msgspec.json.format(msgspec.json.encode(summary), indent=2)
        _replace(folder / "report.json", text.decode() + "\n")
        scenarios = [{**case.scenario, "id": case.id} for case in summary.cases if case.scenario]
        for number, scenario in enumerate(scenarios, 1):
            _replace(folder / f"scenario-{number}.json", json.dumps(scenario, indent=1) + "\n")
    except OSError as error:
        raise UsageError(Fault(str(folder), f"cannot be written: {error.strerror or error}")) from error


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
