"""The table of what was noticed, by room and level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- strength: written by tox run -e strength -->", "<!-- strength: end -->"
LEVELS = ("exact", "documented")
COLUMNS = (
    "room",
    "places",
    "reached",
    "changed",
    "exact: behaves otherwise",
    "caught",
    "",
    "documented: left open",
    "behaves otherwise",
    "caught",
    "",
    "SHOULD alone",
)
HEAD = f"| {' | '.join(COLUMNS)} |\n|---{'|---:' * (len(COLUMNS) - 1)}|\n"

Result = Mapping[str, Any]


def table(results: Sequence[Result]) -> str:
    """Return the table, a line for each room and one for all."""
    rooms = dict.fromkeys(result["room"] for result in results)
    lines = [_line(f"`{room}`", [result for result in results if result["room"] == room]) for room in rooms]
    return HEAD + "".join([*lines, _line("all", results)])


def _line(name: str, results: Sequence[Result]) -> str:
    places, reached = (sum(result.get(part, 0) for result in results) for part in ("places", "reached"))
    asked = [result for result in results if result["status"] == "asked"]
    cells: list[object] = [name, places, _share(reached, places), len(asked)]
    for level in LEVELS:
        changing = _count(result[level]["changes"] for result in asked)
        caught = _count(bool(result[level]["caught"]) for result in asked)
        if level == "documented":
            cells.append(_count(bool(result[level].get("open")) for result in asked))
        cells += [changing, caught, _share(caught, changing)]
    cells.append(_count(_breaks_a_should_alone(result["documented"]) for result in asked))
    return "| " + " | ".join(map(str, cells)) + " |\n"


def _breaks_a_should_alone(documented: Result) -> bool:
    return bool(documented.get("recommended")) and not documented["caught"]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _count(truths: Iterable[bool]) -> int:
    return sum(truths)


def write_table(page: Path, text: str) -> None:
    """Put the table between its marks."""
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    page.write_text(f"{before}{BEGIN}\n{text}{END}{after}", encoding="utf-8")
