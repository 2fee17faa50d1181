"""A scenario in which a target's answers stand beside those of another: both nodes as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...cpuset import CpuSet
from ...errors import CpuSetSyntaxError, NumaConformanceError
from ...machine.codec import machine_from_dict
from ...machine.model import Machine


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
