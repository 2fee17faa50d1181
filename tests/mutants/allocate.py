"""Wrong allocators that answer ``allocate`` alone."""

from __future__ import annotations

from collections.abc import Callable

from .lies import Json, each_container, fewer, only_surface, without_affinity, without_option
from .mutant import Memory, Rewrite, mutant

__all__ = ["MUTANTS"]

_STATIC = "cpu-manager/static/"


_DESCRIBES: dict[str, Rewrite] = {"describe": only_surface("allocate")}


def _given(change: Callable[[Json], None]) -> dict[str, Rewrite]:
    """Change what an allocation gave; a refusal stays."""

    def rewrite(answer: Json, memory: Memory) -> Json:
        if answer.get("cpus"):
            change(answer)
        return answer

    return {**_DESCRIBES, "allocate": rewrite}


def _fewer(choice: Json) -> None:
    choice["cpus"] = fewer(choice["cpus"])


def _stay_shared(choice: Json) -> None:
    choice["default_cpuset"] = f"{choice['default_cpuset']},{choice['cpus']}".strip(",")


def _all_is_free(question: Json, memory: Memory) -> Json:
    state = question["state"]
    others = [cpus for pod in state["assignments"].values() for cpus in pod.values()]
    state.update(default=",".join(filter(None, [state["default"], *others])), assignments={})
    return question


def _nothing_to_reuse(question: Json, memory: Memory) -> Json:
    question["state"]["reusable"] = {}
    return question


def _reserve_another(question: Json, memory: Memory) -> Json:
    memory.notes["named"] = question["kubelet"].get("reservedSystemCPUs")
    return {**question, "kubelet": {**question["kubelet"], "reservedSystemCPUs": "1"}}


def _name_the_asked(answer: Json, memory: Memory) -> Json:
    named = memory.notes.get("named")
    return {**answer, "reserved_cpus": named} if named and "reserved_cpus" in answer else answer


def _one_cpu(container: Json) -> None:
    if not str(container.get("resources", {}).get("limits", {}).get("cpu", "")).isdigit():
        container["resources"] = {"limits": {"cpu": "1", "memory": "64Mi"}}


MUTANTS: tuple[mutant, ...] = (
    mutant("allocates_one_too_few", [_STATIC + "integral-guaranteed-is-exclusive"], answers=_given(_fewer)),
    mutant("allocates_and_shares", [_STATIC + "exclusive-cpus-leave-the-shared-pool"], answers=_given(_stay_shared)),
    mutant(
        "allocates_what_others_have",
        [_STATIC + "gives-free-cpus-only", _STATIC + "refuses-what-is-not-free"],
        questions={"allocate": _all_is_free},
        answers=_DESCRIBES,
    ),
    mutant(
        "allocates_reserved_cpus",
        ["cpu-manager/reservation/is-never-exclusive"],
        questions={"allocate": _reserve_another},
        answers={**_DESCRIBES, "allocate": _name_the_asked},
    ),
    mutant(
        "allocates_nothing_twice",
        [_STATIC + "init-cpus-serve-later-containers"],
        questions={"allocate": _nothing_to_reuse},
        answers=_DESCRIBES,
    ),
    mutant(
        "allocates_without_affinity",
        ["topology-manager/best-effort/aligns-when-possible"],
        questions={"allocate": without_affinity},
        answers=_DESCRIBES,
    ),
    mutant(
        "allocates_partial_cores",
        ["cpu-manager/full-pcpus-only/refuses-a-partial-core"],
        questions={"allocate": without_option("full-pcpus-only")},
        answers=_DESCRIBES,
    ),
    mutant(
        "allocates_for_every_class",
        [
            _STATIC + "fractional-guaranteed-is-shared",
            _STATIC + "burstable-is-shared",
            _STATIC + "best-effort-is-shared",
        ],
        questions={"allocate": each_container(_one_cpu)},
        answers=_DESCRIBES,
    ),
)
