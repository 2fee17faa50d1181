"""A scenario in which a target's answers stand beside those of another: both nodes as pictures."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...cpuset import CpuSet
from ...errors import CpuSetSyntaxError, NumaConformanceError
from ...machine import Amounts, Machine
from ...machine.codec import machine_from_dict
from ...machine.picture import allocation_map, legend_line

FOLDED_ABOVE = 16
"""CPUs of a machine above which what is alike in it is one line of its picture."""
MOST_LINES = 40
"""Lines of a picture that are shown at most."""
_PICTURE = re.compile(r"^(?:socket|NUMA|L3) -?\d.*?^symbols: .*?(?:\n|\Z)", re.MULTILINE | re.DOTALL)


def drawn(machine: Machine, owners: Mapping[str, int], marks: Mapping[str, int]) -> str:
    """Return the picture with its legend in one line; empty where there is nothing to show."""
    held = {name: cpus for name, cpus in owners.items() if cpus}
    marked = {_label(name, held): cpus for name, cpus in marks.items() if cpus}
    if not held and not marked:
        return ""
    lines = allocation_map(machine, held, marks=marked, legend=False, fold=FOLDED_ABOVE).splitlines()
    more = [f"({len(lines) - MOST_LINES} more lines)"] if len(lines) > MOST_LINES else []
    return "\n".join([*lines[:MOST_LINES], *more, legend_line(held, marked)])


def _label(name: str, owners: Mapping[str, int]) -> str:
    label = name.replace("_", " ")
    return f"{label}, marked" if label in owners else label


def without_picture(text: str) -> str:
    """Return what is told of a finding without its picture and the legend."""
    return _PICTURE.sub("", text)


def holders(steps: Sequence[Mapping[str, Any]], answers: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return who holds which CPUs after the last answer: ``pod/container`` and ``shared`` to CPUs as bits.

    Texts that are no set of CPUs count as nothing: this draws what a target answered, whatever that was.
    """
    pools = [answer["default_cpuset"] for _, answer in zip(steps, answers, strict=False) if "default_cpuset" in answer]
    held = {name: bits_of_text(holding.get("cpus")) for name, holding in _holdings(steps, answers).items()}
    return {"shared": bits_of_text(pools[-1]) if pools else 0, **{name: bits for name, bits in held.items() if bits}}


def amounts_of(scenario: Mapping[str, Any], side: str) -> dict[str, Amounts]:
    """Return the memory and devices of each ``pod/container`` after the answers of a side (``expect``, ``answered``).

    Raises ``LookupError``, ``TypeError`` or ``ValueError`` for malformed answers.
    """
    answers = (scenario.get(side) or ())[: len(scenario.get("answered") or ())]
    holdings = {} if scenario.get("kind") == "question" else _holdings(scenario.get("steps", ()), answers)
    amounts = {name: Amounts.of_answer(holding) for name, holding in holdings.items()}
    return {name: each for name, each in amounts.items() if each.memory or each.devices}


def _holdings(steps: Sequence[Mapping[str, Any]], answers: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return ``pod/container`` to what it holds after the last answer."""
    held: dict[str, Mapping[str, Any]] = {}
    for step, answer in zip(steps, answers, strict=False):
        uid = step.get("uid") or (step.get("pod") or {}).get("metadata", {}).get("uid")
        if step["op"] in ("admit", "remove"):
            held = {name: holding for name, holding in held.items() if not name.startswith(f"{uid}/")}
        if step["op"] == "admit" and answer.get("result") == "admitted":
            held |= {f"{uid}/{name}": holding or {} for name, holding in (answer.get("containers") or {}).items()}
    return held


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
