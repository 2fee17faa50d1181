"""A scenario in which a target's answers stand beside those of another: both nodes as pictures."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...cpuset import CpuSet
from ...errors import CpuSetSyntaxError, NumaConformanceError
from ...machine import Machine
from ...machine.codec import machine_from_dict
from ...machine.picture import allocation_map, legend_line

MOST_ROWS = 16
"""Rows of a picture that are drawn at most; of more, those in which somebody holds a CPU."""
_ROW = re.compile(r"socket \d+  numa \d+  |offline: |not online, and yet given away: |\(\d+ more rows\)")
_HELD = re.compile("[A-QS-Za-z(]")


def drawn(machine: Machine, owners: Mapping[str, int], marks: Mapping[str, int]) -> str:
    """Return the picture with its legend in one line; empty where there is nothing to show."""
    held = {name: cpus for name, cpus in owners.items() if cpus}
    marked = {_label(name, held): cpus for name, cpus in marks.items() if cpus}
    if not held and not marked:
        return ""
    every = allocation_map(machine, held, marks=marked, legend=False).splitlines()
    rows = [row for row in every if not row.endswith(": no CPUs")]
    return "\n".join([*_telling(rows), legend_line(held, marked)])


def _label(name: str, owners: Mapping[str, int]) -> str:
    label = name.replace("_", " ")
    return f"{label}, marked" if label in owners else label


def _telling(rows: list[str]) -> list[str]:
    if len(rows) <= MOST_ROWS:
        return rows
    shown = [row for row in rows if _HELD.search(row.partition("|")[2])][:MOST_ROWS]
    return [*shown, f"({len(rows) - len(shown)} more rows)"]


def without_picture(text: str) -> str:
    """Return what is told of a finding without the rows of its picture and their legend."""
    lines = text.splitlines()
    rows = [number for number, line in enumerate(lines) if _ROW.match(line)]
    if not rows:
        return text
    return "\n".join([*lines[: rows[0]], *lines[rows[-1] + 2 :]])


def holders(steps: Sequence[Mapping[str, Any]], answers: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return who holds which CPUs after the last answer: ``pod/container`` and ``shared`` to CPUs as bits.

    Texts that are no set of CPUs count as nothing: this draws what a target answered, whatever that was.
    """
    held: dict[str, int] = {}
    shared = 0
    for step, answer in zip(steps, answers, strict=False):
        uid = step.get("uid") or (step.get("pod") or {}).get("metadata", {}).get("uid")
        if step["op"] in ("admit", "remove"):
            held = {name: bits for name, bits in held.items() if not name.startswith(f"{uid}/")}
        if step["op"] == "admit" and answer.get("result") == "admitted":
            for name, holding in (answer.get("containers") or {}).items():
                held[f"{uid}/{name}"] = bits_of_text((holding or {}).get("cpus"))
        shared = bits_of_text(answer.get("default_cpuset")) if "default_cpuset" in answer else shared
    return {"shared": shared, **{name: bits for name, bits in held.items() if bits}}


def maps(scenario: Mapping[str, Any]) -> tuple[Machine, dict[str, int] | None, dict[str, int] | None] | None:
    """Return the machine, who holds what by the reference, and who by the target, at the last step answered.

    Either is None where nothing is known; the whole is None for a scenario without a machine that can be drawn.
    """
    question = scenario.get("kind") == "question"
    try:
        machine = machine_from_dict((scenario["params"] if question else scenario)["machine"])
    except (NumaConformanceError, KeyError, TypeError):
        return None
    if question:
        return (
            machine,
            _picked(machine, scenario, scenario.get("expect")),
            _picked(machine, scenario, scenario["answered"]),
        )
    steps, answered = scenario.get("steps", ()), scenario.get("answered") or ()
    expected = (scenario.get("expect") or ())[: len(answered)]
    return (machine, holders(steps, expected) if expected else None, holders(steps, answered) if answered else None)


def _picked(machine: Machine, scenario: Mapping[str, Any], reply: Any) -> dict[str, int] | None:
    """Return who holds what after a pick; None for any other question."""
    if scenario["method"] != "pick" or not isinstance(reply, dict):
        return None
    taken = machine.online_bits & ~bits_of_text(scenario["params"].get("available"))
    return {name: bits for name, bits in (("taken", taken), ("picked", bits_of_text(reply.get("cpus")))) if bits}


def bits_of_text(text: object) -> int:
    """Return the CPUs of a text as bits, none of what is no set of CPUs."""
    try:
        return CpuSet.parse(text).bits if isinstance(text, str) else 0
    except CpuSetSyntaxError:
        return 0
