"""Findings: a requirement that an answer does not meet. Never mixed with target faults or usage errors.

Where the answers of two targets stand beside each other, both nodes are drawn.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...cpuset import CpuSet, format_bits
from ...errors import CpuSetSyntaxError, NumaConformanceError
from ...judging.chapter import REQUIREMENTS
from ...machine import Amounts, Machine
from ...machine.codec import machine_from_dict, machine_to_dict
from ...machine.picture import allocation_map, legend_line
from ...printable import as_line

FOLDED_ABOVE = 16
"""CPUs of a machine above which what is alike in it is one line of its picture."""
MOST_LINES = 40
"""Lines of a picture that are shown at most."""
PICTURE = re.compile(r"^(?:socket|NUMA|L3) -?\d.*?^symbols: .*?(?:\n|\Z)", re.MULTILINE | re.DOTALL)


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


WIDEST = 700
"""Characters of one line that are shown at most."""
SHORT = 160
"""Characters of the parameters of a question that are told in the line of its method."""
CAME_UP = "came_up"
"""The key of a scenario that tells whether the node came up."""
MOST_STEPS = 12
"""Steps of a conversation that are told; of a longer one the last of them."""


def scenario_json(
    machine: Machine,
    kubelet: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    answered: Sequence[Mapping[str, Any]] = (),
    *,
    came_up: bool = True,
) -> dict[str, Any]:
    """Return one conversation with a node: the questions as recorded decisions have them, and the answers given."""
    return {
        "id": "scenario",
        "kind": "admission",
        "machine": {"uncoreSource": "hardware", **machine_to_dict(machine)},
        "kubelet": dict(kubelet),
        "steps": [dict(step) for step in steps],
        "answered": [dict(answer) for answer in answered],
        CAME_UP: came_up,
    }


class Finding(AssertionError):  # noqa: N818  (a finding is no error of the suite)
    """What a target answered, what the documentation allows, and why it matters.

    ``requirements`` are ids of the registry; ``scenario`` is the conversation that led here, for a file of its own;
    ``marks`` are the CPUs that matter, as bits, by what they are.
    """

    def __init__(
        self,
        requirements: Sequence[str],
        why: str,
        *,
        got: object = None,
        allowed: object = None,
        scenario: Mapping[str, Any] | None = None,
        picture: str = "",
        marks: Mapping[str, int] | None = None,
    ) -> None:
        self.requirements = tuple(requirements)
        self.why = why
        self.got = got
        self.allowed = allowed
        self.scenario = dict(scenario) if scenario else None
        self.picture = picture
        self.marks = {label.replace("_", " "): format_bits(cpus) for label, cpus in (marks or {}).items() if cpus}
        super().__init__("\n".join(self._lines()))

    @property
    def in_words(self) -> str:
        """What is wrong and the conversation that shows it, without the requirements."""
        return "\n".join(self._report())

    def _lines(self) -> list[str]:
        lines: list[str] = []
        for name in self.requirements:
            known = REQUIREMENTS.get(name)
            if known is not None:
                lines += [f"requirement: {name}", f"  {known.text}", f"  {known.address}"]
        why, *rest = self._report()
        return [why, *lines, *rest]

    def _report(self) -> list[str]:
        lines = self.why.splitlines() or [""]
        if self.got is not None:
            lines.append(f"answered: {_shown(self.got)}")
        if self.allowed is not None:
            lines.append(f"allowed:  {_shown(self.allowed)}")
        if self.scenario:
            write = _question_lines if self.scenario["kind"] == "question" else _node_lines
            lines += write(self.scenario)
        return [*lines, *self.picture.splitlines()]


def _shown(value: object) -> str:
    return as_line(_cut(value if isinstance(value, str) else json.dumps(value, default=str, sort_keys=True)))


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 200]} ... {text[-150:]}"


def _node_lines(scenario: Mapping[str, Any]) -> list[str]:
    kubelet = {key: value for key, value in scenario["kubelet"].items() if key != "evictionHard"}
    lines = [f"asked: {_machine(scenario['machine'])}, kubelet {_cut(json.dumps(kubelet, sort_keys=True))}"]
    steps = [f"  {number}. {_cut(_step(step))}" for number, step in enumerate(scenario["steps"], 1)]
    if len(steps) > MOST_STEPS:
        lines.append(f"  ... {len(steps) - MOST_STEPS} steps, then")
    return [*lines, *steps[-MOST_STEPS:]]


def _question_lines(scenario: Mapping[str, Any]) -> list[str]:
    """Tell one question; of a machine its name is enough."""
    params = dict(scenario["params"])
    machine = params.pop("machine", None)
    lines = [f"asked: {scenario['method']}{f' on {_machine(machine)}' if machine else ''}"]
    if scenario["method"] == "claims.prepare":
        results = params["claim"]["status"]["allocation"]["devices"]["results"]
        params = {"claim": {result["device"]: result.get("consumedCapacity", "whole") for result in results}}
    fields = [f"{name} {_cut(json.dumps(value, default=str, sort_keys=True))}" for name, value in params.items()]
    short = ", ".join(fields)
    return (
        [", ".join(filter(None, (lines[0], short)))]
        if len(short) <= SHORT
        else [*lines, *(f"  {text}" for text in fields)]
    )


def _machine(machine: Mapping[str, Any]) -> str:
    return f"machine {machine['name']!r} of {len(machine['cpus'])} CPUs"


def _step(step: Mapping[str, Any]) -> str:
    if step["op"] != "admit":
        more = {key: value for key, value in step.items() if key not in ("op", "uid", "pod")}
        also = f" {json.dumps(more, default=str, sort_keys=True)}" if more else ""
        return f"{step['op']} {step.get('uid', '')}".rstrip() + also
    pod = step["pod"]
    spec = pod["spec"]
    fields = [
        f"{'sidecar ' if each.get('restartPolicy') == 'Always' else mark}{each.get('name', '')} "
        f"{json.dumps(each.get('resources', {}), sort_keys=True)}"
        for key, mark in (("initContainers", "init "), ("containers", ""))
        for each in spec.get(key, ())
    ]
    return f"admit {pod.get('metadata', {}).get('uid', '')}: {'; '.join(fields)}"
