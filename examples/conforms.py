"""Ask other people's allocators, and write the page of what came of it: ``docs/who-conforms.md``.

    python examples/conforms.py                       # the page, from what is known
    python examples/conforms.py volcano koordinator   # builds and asks these first, and keeps what came of it

Each of them has a folder here with ``about.yaml``: what it is, how to ask it, and in words why it does not meet what it
does not meet. ``found.json``, beside it, is written from the reports of the runs. What the page says of all of them is in
``who_conforms.md``.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.report.html import render
from numa_conformance.report.model import Summary
from numa_conformance.report.pages.source_pages import link_to
from numa_conformance.report.reading import read_report

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "who-conforms.md"
BADGES = PAGE.parent / "badges"
ALLOCATORS = ("volcano", "koordinator", "cri-resource-manager", "hwloc", "nova")
MARKS = {"met": "✓", "unmet": "**✗**", "not followed": "○", "not asked": ""}
"""How the page shows a verdict of a requirement."""
RED = "#b3261e"


def about(allocator: str) -> dict[str, Any]:
    """Return what people wrote of an allocator."""
    told: dict[str, Any] = yaml.safe_load((HERE / allocator / "about.yaml").read_text(encoding="utf-8"))
    return told


def found(allocator: str) -> list[dict[str, Any]]:
    """Return what came of asking an allocator, one record for each way to ask it."""
    records: list[dict[str, Any]] = json.loads((HERE / allocator / "found.json").read_text(encoding="utf-8"))
    return records


def missing(allocator: str) -> str:
    """Return what an allocator needs and is not there; empty if it can be asked."""
    told = about(allocator)
    absent = [name for name in told["needs"] if shutil.which(name) is None and importlib.util.find_spec(name) is None]
    return f"{allocator} needs {' and '.join(absent)}, which is not installed" if absent else ""


def ask(allocator: str, folder: Path) -> list[dict[str, Any]]:
    """Build an allocator's shim in its folder, ask it in each of its ways, and return what came of it."""
    told = about(allocator)
    if "build" in told:
        subprocess.run(told["build"].split(), cwd=HERE / allocator, check=True)
    records = []
    for way in told["ways"]:
        report = folder / f"{allocator} {way['name']}"
        suite = [sys.executable, "-m", "pytest", "--numa-conformance", "-q", "-p", "no:cacheprovider"]
        subprocess.run([*suite, *way["options"], "--numa-report", str(report)], cwd=HERE / allocator, check=False)
        records.append({"way": way["name"], **record(read_report(report))})
    return records


def record(summary: Summary) -> dict[str, Any]:
    """Return what is kept of a run: who was asked, by which version, and the verdict of each requirement."""
    verdicts = {}
    for name, cases in summary.by_requirement().items():
        told = Counter(case.verdict for case in cases)
        if set(told) != {"not claimed"}:
            lax = "not followed" if told["not followed"] else "met"
            verdicts[name] = "unmet" if any(case.unmet for case in cases) else lax
    return {
        "name": summary.target.name,
        "version": summary.target.version,
        "kubernetes": summary.target.kubernetes,
        "surfaces": summary.target.surfaces,
        "suite": summary.suite,
        "cases": {name: count for name, count in summary.counts.items() if count},
        "asked": sum(case.asked for case in summary.cases),
        "requirements": dict(sorted(verdicts.items())),
    }


def page() -> str:
    """Return the page."""
    chapters = (line for one in ALLOCATORS for line in _chapter(one))
    made = {"<!-- matrix -->": _matrix(), "<!-- allocators -->": (*_overview(), *chapters)}
    text = (HERE / "who_conforms.md").read_text(encoding="utf-8")
    for mark, lines in made.items():
        text = text.replace(mark, "\n".join(lines))
    return text


def badges() -> dict[str, str]:
    """Return by file name the badge of each column: what is met of what is required, recommendations apart."""
    return {_badge(one): _badge_svg(one) for one in _columns()}


def _badge_svg(one: dict[str, Any]) -> str:
    told = Counter(one["requirements"].values())
    left, right = one["short"], f"{told['met']} of {told['met'] + told['unmet']} met"
    widths = [7 * len(text) + 16 for text in (left, right)]
    return render("badge.svg", left=left, right=right, widths=widths, colour=RED)


def _badge(one: dict[str, Any]) -> str:
    return f"{one['short'].lower().replace(', ', '-').replace(' ', '-')}.svg"


def _columns() -> list[dict[str, Any]]:
    return [
        {**one, "title": _title(name, one), "short": _title(name, one, "short")}
        for name in ALLOCATORS
        for one in found(name)
    ]


def _title(allocator: str, one: dict[str, Any], form: str = "title") -> str:
    way = f", {one['way']}" if one["way"] else ""
    return f"{about(allocator)[form]}{way}"


def _overview() -> Iterator[str]:
    yield "| allocator | version | pages of | surfaces | requirements met | not met | not followed | judgements |"
    yield "|---|---|---|---|---|---|---|---|"
    for one in _columns():
        told = Counter(one["requirements"].values())
        surfaces = ", ".join(f"`{name}`" for name in one["surfaces"])
        yield (
            f"| {one['title']} | {one['version']} | {one['kubernetes']} | {surfaces} | {told['met']} | {told['unmet']} "
            f"| {told['not followed']} | {one['asked']:,} |"
        )
    yield ""


def _matrix() -> Iterator[str]:
    columns = _columns()
    asked = sorted({name for one in columns for name in one["requirements"]})
    yield "\n".join(f"![{one['short']}: how much is met](badges/{_badge(one)})" for one in columns)
    yield f"\n| requirement | | {' | '.join(one['short'] for one in columns)} |"
    yield "|---|---|" + ":---:|" * len(columns)
    for name in asked:
        marks = (MARKS[one["requirements"].get(name, "not asked")] for one in columns)
        yield f"| {link_to(name)} | {REQUIREMENTS[name].strength} | {' | '.join(marks)} |"
    yield ""


def _chapter(allocator: str) -> Iterator[str]:
    told, records = about(allocator), found(allocator)
    yield f"## {told['title']} {records[0]['version']}\n"
    yield told["what"]
    yield f"```sh\n{told['repeat'].rstrip()}\n```\n"
    for one in records:
        cases = ", ".join(f"{count} {name}" for name, count in one["cases"].items())
        yield f"{_title(allocator, one)}: {cases}.\n"
    yield "| not met | why, and whose promise it is |\n|---|---|"
    for name, why in told["why"].items():
        yield f"| `{name}` | {' '.join(why.split())} |"
    yield ""
    if "not claimed" in told:
        yield f"Not claimed: {told['not claimed']}"


def main(asked: list[str]) -> int:
    """Ask what is asked for, and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        for allocator in asked:
            if missing(allocator):
                print(f"skipped: {missing(allocator)}")
                continue
            text = json.dumps(ask(allocator, Path(folder)), indent=1)
            (HERE / allocator / "found.json").write_text(text + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    for name, text in badges().items():
        (BADGES / name).write_text(text, encoding="utf-8")
    print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
