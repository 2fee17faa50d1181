"""What allocators of others do not meet, asked anew: only the requirements that they are known not to meet."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import conforms  # noqa: E402  (it lies there)

from numa_conformance.chapters import REQUIREMENTS  # noqa: E402
from numa_conformance.report.reading import read_report  # noqa: E402

__all__ = ["ALLOCATORS", "Party", "parties", "repeat_party"]

ALLOCATORS = conforms.ALLOCATORS


@dataclass(frozen=True)
class Party:
    """An allocator in one of the ways to ask it, and the requirements (MUST) that it does not meet."""

    id: str
    folder: str
    title: str
    version: str
    options: tuple[str, ...]
    unmet: tuple[str, ...]


def parties() -> Iterator[Party]:
    """Yield every allocator of ``examples/``, once for each way to ask it."""
    for folder in ALLOCATORS:
        about = conforms.about(folder)
        for way, found in zip(about["ways"], conforms.found(folder), strict=True):
            name = f", {way['name']}" if way["name"] else ""
            unmet = (
                one
                for one, verdict in found["requirements"].items()
                if verdict == "unmet" and REQUIREMENTS[one].strength == "MUST"
            )
            yield Party(
                f"{folder} {way['name']}".strip().replace(" ", "-"),
                folder,
                f"{about['title']}{name}",
                found["version"],
                tuple(way["options"]),
                tuple(unmet),
            )


def repeat_party(party: Party) -> dict[str, Any] | str:
    """Ask an allocator the requirements that it does not meet; returns what came of it, or why nothing did."""
    missing = conforms.missing(party.folder)
    if missing:
        return missing
    folder, about = EXAMPLES / party.folder, conforms.about(party.folder)
    if "build" in about:
        subprocess.run(about["build"].split(), cwd=folder, check=True)
    words = [word for one in party.unmet for word in ("--numa-requirement", one)]
    suite = [sys.executable, "-m", "pytest", "--numa-conformance", "-q", "-p", "no:cacheprovider"]
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as reports:
        report = Path(reports) / "report"
        subprocess.run([*suite, *party.options, *words, "--numa-report", str(report)], cwd=folder, check=False)
        told = read_report(report).by_requirement()
    seconds = time.perf_counter() - began
    met = [one for one in party.unmet if not any(case.unmet for case in told.get(one, ()))]
    if met:
        return f"{party.title} is not seen to break {', '.join(met)}"
    return {"version": party.version, "seconds": round(seconds, 1), "when": date.today().isoformat()}
