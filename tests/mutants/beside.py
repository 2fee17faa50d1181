"""Right placements with a wrong tale beside them: CFS quota, refused pods, what crashes leave, other configurations."""

from __future__ import annotations

from .lies import Json, each_holding
from .mutant import Memory, mutant

__all__ = ["MUTANTS"]

_MANY = "max-allowable-numa-nodes"
_NONE, _STATIC = "cpu-manager/none/", "cpu-manager/static/"


def _bound(holding: Json, answer: Json) -> None:
    holding["cpu_quota"] = max(holding["cpu_quota"], 100_000)


def _unbound(holding: Json, answer: Json) -> None:
    holding["cpu_quota"] = -1


def _pending(answer: Json, memory: Memory) -> Json:
    return {**answer, "phase": "Pending"} if answer["result"] == "rejected" else answer


def _shares_everything(answer: Json, memory: Memory) -> Json:
    """After a restart with other state files the shared pool has all CPUs, those of pods too."""
    if memory.asked["node.restart"].get("files") and answer["result"] == "restarted":
        answer["default_cpuset"] = memory.answered["node.start"]["default_cpuset"]
    return answer


def _in_containers(question: Json, memory: Memory) -> Json:
    kubelet = question.get("kubelet") or {}
    if kubelet.get("topologyManagerScope") not in (None, "container", "pod"):
        question["kubelet"] = {**kubelet, "topologyManagerScope": "container"}
    return question


def _stays_down(answer: Json, memory: Memory) -> Json:
    kubelet = memory.asked["node.restart"].get("kubelet") or {}
    if (kubelet.get("topologyManagerPolicyOptions") or {}).get(_MANY) != "true":
        return answer
    return {"result": "failed", "stage": "topologymanager", "message": "more than 8 NUMA nodes"}


MUTANTS: tuple[mutant, ...] = (
    mutant(
        "bounds_exclusive_cpus",
        [_STATIC + "exclusive-cpus-have-no-quota"],
        answers={"node.admit": each_holding(_bound)},
    ),
    mutant(
        "bounds_nobody",
        [_NONE + "limits-are-enforced-by-quota", _STATIC + "shared-limits-are-enforced-by-quota"],
        answers={"node.admit": each_holding(_unbound)},
    ),
    mutant(
        "leaves_refused_pods_pending",
        ["cpu-manager/full-pcpus-only/refused-pods-are-failed"],
        answers={"node.admit": _pending},
    ),
    mutant(
        "shares_after_a_crash",
        ["node/restart/a-crash-leaves-no-cpu-in-two-places"],
        answers={"node.restart": _shares_everything},
    ),
    mutant(
        "restarts_with_any_scope",
        ["topology-manager/scope/unknown-is-refused"],
        questions={"node.restart": _in_containers},
    ),
    mutant(
        "forgets_a_raised_limit_at_a_restart",
        [f"topology-manager/{_MANY}/is-set-to-true"],
        answers={"node.restart": _stays_down},
    ),
)
