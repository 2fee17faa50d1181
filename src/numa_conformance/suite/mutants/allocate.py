"""Wrong allocators that answer ``allocate`` alone."""

from __future__ import annotations

from collections.abc import Callable

from .lies import Json, fewer
from .mutant import Memory, Rewrite, mutant

__all__ = ["MUTANTS"]

_STATIC = "cpu-manager/static/"


def _only_allocate(answer: Json, memory: Memory) -> Json:
    return {**answer, "surfaces": ["allocate"]}


def _given(change: Callable[[Json], None]) -> dict[str, Rewrite]:
    """Change what an allocation gave; a refusal stays."""

    def rewrite(answer: Json, memory: Memory) -> Json:
        if (answer.get("allocate") or {}).get("cpus"):
            change(answer["allocate"])
        return answer

    return {"describe": _only_allocate, "allocate": rewrite}


def _fewer(choice: Json) -> None:
    choice["cpus"] = fewer(choice["cpus"])


def _stay_shared(choice: Json) -> None:
    choice["default_cpuset"] = f"{choice['default_cpuset']},{choice['cpus']}".strip(",")


def _asks(change: Callable[[Json], None]) -> dict[str, Rewrite]:
    def rewrite(question: Json, memory: Memory) -> Json:
        change(question)
        return question

    return {"allocate": rewrite}


def _all_is_free(question: Json) -> None:
    state = question["state"]
    others = [cpus for pod in state["assignments"].values() for cpus in pod.values()]
    state.update(default=",".join(filter(None, [state["default"], *others])), assignments={})


def _reserves_another(question: Json) -> None:
    question["kubelet"]["reservedSystemCPUs"] = "1"


def _nothing_to_reuse(question: Json) -> None:
    question["state"]["reusable"] = {}


def _no_affinity(question: Json) -> None:
    question["affinity"] = None


def _no_options(question: Json) -> None:
    question["kubelet"].pop("cpuManagerPolicyOptions", None)


def _all_are_guaranteed(question: Json) -> None:
    for container in question["pod"]["spec"]["containers"]:
        container["resources"] = {"limits": {"cpu": "1", "memory": "64Mi"}}


_DESCRIBES: dict[str, Rewrite] = {"describe": _only_allocate}

MUTANTS: tuple[mutant, ...] = (
    mutant("allocates_one_too_few", [_STATIC + "integral-guaranteed-is-exclusive"], answers=_given(_fewer)),
    mutant("allocates_and_shares", [_STATIC + "exclusive-cpus-leave-the-shared-pool"], answers=_given(_stay_shared)),
    mutant(
        "allocates_what_others_have",
        [_STATIC + "exclusive-cpus-belong-to-one-pod", _STATIC + "refuses-what-is-not-free"],
        questions=_asks(_all_is_free),
        answers=_DESCRIBES,
    ),
    mutant(
        "allocates_reserved_cpus",
        ["cpu-manager/reservation/is-never-exclusive"],
        questions=_asks(_reserves_another),
        answers=_DESCRIBES,
    ),
    mutant(
        "allocates_nothing_twice",
        [_STATIC + "init-cpus-serve-later-containers"],
        questions=_asks(_nothing_to_reuse),
        answers=_DESCRIBES,
    ),
    mutant(
        "allocates_without_affinity",
        ["topology-manager/best-effort/aligns-when-possible"],
        questions=_asks(_no_affinity),
        answers=_DESCRIBES,
    ),
    mutant(
        "allocates_partial_cores",
        ["cpu-manager/full-pcpus-only/refuses-a-partial-core"],
        questions=_asks(_no_options),
        answers=_DESCRIBES,
    ),
    mutant(
        "allocates_for_every_class",
        [
            _STATIC + "fractional-guaranteed-is-shared",
            _STATIC + "burstable-is-shared",
            _STATIC + "best-effort-is-shared",
        ],
        questions=_asks(_all_are_guaranteed),
        answers=_DESCRIBES,
    ),
)
