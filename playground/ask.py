"""What the page's worker asks: texts in, one object of JSON out. All of it is decided by the public functions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numa_conformance
from numa_conformance import Answer, Fault, NumaConformanceError, StartError, UsageError, simulate
from numa_conformance.reference.simulation.link import digest
from numa_conformance.reference.simulation.node_inputs import departure_line

_PLACE = re.compile(r"(machine|config|pods)(?::(\d+):(\d+))?(?:: )?(.*)", re.DOTALL)
"""How the place of a fault begins: a text of the question, and line and column where they are known."""


def ask(question: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer to a question as the page shows it, with that of a second node where one is compared.

    A question has ``machine`` (a name of the catalogue) or ``machineText``, ``version``, ``level``, ``config`` and
    ``pods``, and may have ``otherVersion`` and ``otherConfig``.
    """
    answer, said = _answered(question, question["version"], question.get("config", ""))
    if answer is None or not (question.get("otherVersion") or question.get("otherConfig", "").strip()):
        return said
    return {**said, "other": _other(question, answer)}


def _answered(question: Mapping[str, str], version: str, config: str) -> tuple[Answer | None, dict[str, Any]]:
    made: list[Answer] = []

    def answer() -> dict[str, Any]:
        text = question.get("machineText", "")
        machine = _text(text) if text.strip() else question["machine"]
        level = "documented" if question.get("level") == "documented" else "exact"
        made.append(simulate(machine, _text(config), _text(question["pods"]), version, level=level, explain=True))
        return _shown(made[0])

    said = _said(answer)
    return (made[0] if made else None), said


def _text(text: str) -> str:
    """Return a text that is taken for none but a text: a line alone would be the name of a file."""
    return text if "\n" in text else text + "\n"


def _shown(answer: Answer) -> dict[str, Any]:
    return {
        "well": answer.admitted,
        "summary": answer.outcomes.summary,
        "data": answer.data,
        "behind": {name: departure_line(name) for names in answer.outcomes.behind.values() for name in names},
        "text": answer.text,
        "svg": answer.svg,
        "notices": list(answer.notices),
        "stateFiles": dict(answer.state_files),
        "digest": digest(answer),
        "by": numa_conformance.__version__,
    }


def _other(question: Mapping[str, str], answer: Answer) -> dict[str, Any]:
    """Return what differs on a second node; its faults are those of the other configuration."""
    version = question.get("otherVersion") or question["version"]
    config = question.get("otherConfig", "")
    other, said = _answered(question, version, config if config.strip() else question.get("config", ""))
    if other is None:
        for fault in said.get("faults", ()):
            fault["where"] = "otherConfig" if fault["where"] == "config" else fault["where"]
        return said

    def compared() -> dict[str, Any]:
        titles = ["as above", f"Kubernetes {version}" + (", the other configuration" if config.strip() else "")]
        comparison = replace(answer, title=titles[0]).compare(replace(other, title=titles[1]))
        return {
            "changed": comparison.changed,
            "data": {name: comparison.data[name] for name in ("summary", "pods")},
            "text": comparison.text,
            "svg": comparison.svg,
            "notices": [note for note in other.notices if note not in answer.notices],
        }

    return _said(compared)


def _said(make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what is made, or what was wrong with the input."""
    try:
        return make()
    except UsageError as error:
        return {"faults": [_fault(fault) for fault in error.faults[:100]]}
    except StartError as error:
        return {"start": {"stage": error.stage, "message": error.message, "hints": list(error.hints)}}
    except NumaConformanceError as error:
        return {"faults": [_fault(Fault("", str(error)))]}
    except RecursionError:
        return {"faults": [_fault(Fault("", "is nested too deeply"))]}


def _fault(fault: Fault) -> dict[str, Any]:
    match = _PLACE.match(fault.place)
    where, line, column, field = match.groups() if match else ("", None, None, fault.place)
    return {
        "where": where,
        "line": int(line or 0),
        "column": int(column or 0),
        "text": str(Fault(field, fault.message, fault.accepted, fault.suggestion)),
    }


def ask_json(question: str) -> str:
    """Return ``ask`` for a question as JSON, as JSON."""
    return json.dumps(ask(json.loads(question)), ensure_ascii=False)
