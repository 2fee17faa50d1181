"""What a node answers, in the JSON form of the wire and of recorded decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..cpuset import format_bits, iter_bits
from ..errors import StartError
from ..managers.compressed_hints import CompressedHints
from ..managers.hint import Hint
from ..managers.memory import NodeMemory
from ..managers.topology import Answer
from ..node import Admission, Books, NodeState, Placement, Pools, Reconciled, Restarted

__all__ = [
    "admission_answer",
    "hint_answer",
    "hints_answer",
    "initial_answer",
    "placements_answer",
    "reconciled_answer",
    "restart_failure_answer",
    "restarted_answer",
    "state_answer",
]

MAX_HINTS = 100_000
"""Most hints of one resource that are listed on the wire."""


def hint_answer(hint: Hint) -> dict[str, Any]:
    """Return ``{"nodes": [...] or null, "preferred": ...}``."""
    return {"nodes": None if hint.mask is None else list(iter_bits(hint.mask)), "preferred": hint.preferred}


def hints_answer(answer: Answer) -> dict[str, Any] | None:
    """Return a provider's answer; compressed hints are listed. Raises ``UsageError`` when it is too long to list."""
    if answer is None:
        return None
    return {
        name: None if hints is None else [hint_answer(one) for one in _listed(hints)] for name, hints in answer.items()
    }


def _listed(hints: Sequence[Hint] | CompressedHints) -> Sequence[Hint]:
    return hints.expand(MAX_HINTS) if isinstance(hints, CompressedHints) else hints


def placements_answer(placements: Mapping[str, Placement]) -> dict[str, Any]:
    """Return container name to what it holds."""
    return {name: _placement(one) for name, one in placements.items()}


def _placement(one: Placement) -> dict[str, Any]:
    answer: dict[str, Any] = {"cpus": format_bits(one.cpus)}
    if one.affinity is not None:
        answer["affinity"] = hint_answer(one.affinity)
    if one.memory is not None:
        answer["memory"] = [{"type": b.type, "bytes": b.size, "nodes": list(b.nodes)} for b in one.memory]
    if one.devices is not None:
        answer["devices"] = {resource: list(ids) for resource, ids in one.devices.items()}
    return answer


def _memory(books: Books, *, tables: bool = False) -> list[dict[str, Any]]:
    return [
        {
            "node": node,
            "assignments": memory.assignments,
            "group": sorted(memory.cells),
            **({"tables": _tables(memory)} if tables else {"free": {n: t.free for n, t in memory.tables.items()}}),
        }
        for node, memory in books.items()
    ]


def _tables(memory: NodeMemory) -> dict[str, dict[str, int]]:
    return {
        name: {
            "total": table.total,
            "system_reserved": table.system_reserved,
            "allocatable": table.allocatable,
            "reserved": table.reserved,
            "free": table.free,
        }
        for name, table in memory.tables.items()
    }


def _pools(default: int, memory: Books | None) -> dict[str, Any]:
    answer: dict[str, Any] = {"default_cpuset": format_bits(default)}
    if memory is not None:
        answer["memory_state"] = _memory(memory)
    return answer


def initial_answer(initial: Pools) -> dict[str, Any]:
    """Return a node that has come up."""
    answer = _pools(initial.default, None)
    if initial.reserved is not None and initial.allocatable is not None:
        answer["reserved_cpus"] = format_bits(initial.reserved)
        answer["allocatable_cpus"] = format_bits(initial.allocatable)
    if initial.memory is not None:
        answer["memory_state"] = _memory(initial.memory, tables=True)
    return answer


def admission_answer(one: Admission) -> dict[str, Any]:
    """Return the outcome of one admission."""
    answer = {"qos": one.qos, **_pools(one.default, one.memory)}
    if one.admitted:
        return {"result": "admitted", **answer, "containers": placements_answer(one.placements or {})}
    return {"result": "rejected", **answer, "reason": one.reason, "message": one.message}


def state_answer(state: NodeState) -> dict[str, Any]:
    """Return all that is on the node."""
    pods = {uid: placements_answer(placements) for uid, placements in state.pods.items()}
    return {**_pools(state.default, state.memory), "containers": pods}


def reconciled_answer(one: Reconciled) -> dict[str, Any]:
    """Return one pass of the reconcile loop."""
    return {
        "result": "reconciled",
        "updates": [{"uid": u.uid, "container": u.container, "cpus": format_bits(u.cpus)} for u in one.updates],
        "ok": one.handled,
        "skipped": [{"pod": s.uid, "container": s.container} for s in one.skipped],
    }


def restarted_answer(one: Restarted) -> dict[str, Any]:
    """Return a node that came up again."""
    pods: list[dict[str, Any]] = []
    for pod in one.pods:
        entry: dict[str, Any]
        if pod.admitted:
            entry = {"uid": pod.uid, "result": "admitted", "containers": placements_answer(pod.placements or {})}
        else:
            entry = {"uid": pod.uid, "result": "rejected", "reason": pod.reason, "message": pod.message}
        pods.append(entry)
    return {"result": "restarted", "pods": pods, **_pools(one.default, one.memory)}


def restart_failure_answer(error: StartError) -> dict[str, Any]:
    """Return a node that did not come up again."""
    return {"result": "failed", "stage": error.stage, "message": error.message}
