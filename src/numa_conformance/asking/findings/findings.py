"""Findings: a requirement that an answer does not meet. Never mixed with target faults or usage errors."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...cpuset import format_bits
from ...judging.chapter import REQUIREMENTS
from ...machine.codec import machine_to_dict
from ...machine.model import Machine
from ...printable import as_line

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
        """Take the parts; the text is made of them."""
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
    """Tell a scenario in a few lines a person can read."""
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
        params = {"claim": _claim(params["claim"])}
    fields = [f"{name} {_cut(json.dumps(value, default=str, sort_keys=True))}" for name, value in params.items()]
    short = ", ".join(fields)
    return (
        [", ".join(filter(None, (lines[0], short)))]
        if len(short) <= SHORT
        else [*lines, *(f"  {text}" for text in fields)]
    )


def _claim(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is allocated to a ResourceClaim: devices, and what is consumed of each."""
    results = claim["status"]["allocation"]["devices"]["results"]
    return {result["device"]: result.get("consumedCapacity", "whole") for result in results}


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
        f"{_kind(each) or mark}{each.get('name', '')} {json.dumps(each.get('resources', {}), sort_keys=True)}"
        for key, mark in (("initContainers", "init "), ("containers", ""))
        for each in spec.get(key, ())
    ]
    return f"admit {pod.get('metadata', {}).get('uid', '')}: {'; '.join(fields)}"


def _kind(container: Mapping[str, Any]) -> str:
    return "sidecar " if container.get("restartPolicy") == "Always" else ""
