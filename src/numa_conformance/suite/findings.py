"""Findings: a requirement that an answer does not meet. Never mixed with target faults or usage errors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..machine.codec import machine_to_dict
from ..machine.model import Machine
from .requirements import REQUIREMENTS

__all__ = ["Finding", "scenario_json"]


def scenario_json(
    machine: Machine,
    kubelet: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    answered: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return one conversation with a node: the questions as recorded decisions have them, and the answers given."""
    return {
        "id": "scenario",
        "kind": "admission",
        "machine": {"uncoreSource": "hardware", **machine_to_dict(machine)},
        "kubelet": dict(kubelet),
        "steps": [dict(step) for step in steps],
        "answered": [dict(answer) for answer in answered],
    }


class Finding(AssertionError):  # noqa: N818  (a finding is no error of the suite)
    """What a target answered, what the documentation allows, and why it matters.

    ``requirements`` are ids of the registry; ``scenario`` is the conversation that led here, for a file of its own.
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
    ) -> None:
        """Take the parts; the text is made of them."""
        self.requirements = tuple(requirements)
        self.why = why
        self.got = got
        self.allowed = allowed
        self.scenario = dict(scenario) if scenario else None
        self.picture = picture
        super().__init__("\n".join(self._lines()))

    def _lines(self) -> list[str]:
        lines = [self.why]
        for name in self.requirements:
            known = REQUIREMENTS.get(name)
            if known is not None:
                lines += [f"requirement: {name}", f"  {known.text}", f"  ({known.source}; since {known.since})"]
                lines.append(f"  {known.address}")
        if self.got is not None:
            lines.append(f"answered: {_shown(self.got)}")
        if self.allowed is not None:
            lines.append(f"allowed:  {_shown(self.allowed)}")
        if self.picture:
            lines += ["", self.picture]
        if self.scenario:
            told = _told_question if self.scenario["kind"] == "question" else _told
            lines += ["", "asked:", *told(self.scenario)]
        return lines


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str, sort_keys=True)


def _told(scenario: Mapping[str, Any]) -> list[str]:
    """Tell a scenario in a few lines a person can read."""
    lines = [f"  machine {scenario['machine']['name']!r}, {len(scenario['machine']['cpus'])} CPUs"]
    lines.append(f"  kubelet {json.dumps(scenario['kubelet'], sort_keys=True)}")
    for number, step in enumerate(scenario["steps"], 1):
        lines.append(f"  {number}. {_step(step)}")
    return lines


def _told_question(scenario: Mapping[str, Any]) -> list[str]:
    """Tell one question; of a machine its name is enough."""
    lines = [f"  {scenario['method']}"]
    for name, value in scenario["params"].items():
        if name == "machine":
            value = f"{value['name']!r}, {len(value['cpus'])} CPUs"
        lines.append(f"    {name}: {_shown(value)}")
    return lines


def _step(step: Mapping[str, Any]) -> str:
    if step["op"] != "admit":
        return f"{step['op']} {step.get('uid', '')}".rstrip()
    spec = step["pod"]["spec"]
    told = [
        f"{mark}{one['name']} {json.dumps(one.get('resources', {}), sort_keys=True)}"
        for key, mark in (("initContainers", "init "), ("containers", ""))
        for one in spec.get(key, ())
    ]
    return f"admit {step['pod']['metadata']['uid']}: {'; '.join(told)}"
