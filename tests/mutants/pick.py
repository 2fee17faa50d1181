"""Wrong choosers of CPUs: allocators that answer ``pick`` alone."""

from __future__ import annotations

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine.codec import machine_from_dict

from .lies import Json, only_surface, without_affinity
from .mutant import Memory, mutant

__all__ = ["MUTANTS"]

_STATIC = "cpu-manager/static/"
_NUMA = "cpu-manager/distribute-cpus-across-numa/"
_UNCORE = "cpu-manager/prefer-align-cpus-by-uncorecache/"


def _one_too_few(answer: Json, memory: Memory) -> Json:
    return {**answer, "cpus": str(CpuSet(list(CpuSet.parse(answer["cpus"]))[1:]))} if answer.get("cpus") else answer


def _what_there_is(question: Json, memory: Memory) -> Json:
    return {**question, "count": min(question["count"], len(CpuSet.parse(question["available"])))}


def _lowest_ids(answer: Json, memory: Memory) -> Json:
    available = list(CpuSet.parse(memory.asked["pick"]["available"]))
    return {**answer, "cpus": str(CpuSet(available[: memory.asked["pick"]["count"]]))} if "cpus" in answer else answer


def _one_of_each_numa_node(answer: Json, memory: Memory) -> Json:
    if not answer.get("cpus"):
        return answer
    asked = memory.asked["pick"]
    available = CpuSet.parse(asked["available"]).bits
    nodes = [
        list(CpuSet.from_bits(bits & available)) for bits in machine_from_dict(asked["machine"]).numa_bits.values()
    ]
    turns = [cpu for turn in range(max(map(len, nodes))) for node in nodes for cpu in node[turn : turn + 1]]
    return {**answer, "cpus": str(CpuSet(turns[: asked["count"]]))}


def _dies_of_odd_counts(question: Json, memory: Memory) -> Json:
    if question["count"] % 2:
        raise ArithmeticError("an odd number of CPUs")
    return question


def _list_in_words(answer: Json, memory: Memory) -> Json:
    return {**answer, "cpus": answer["cpus"].replace(",", " and ")} if "cpus" in answer else answer


def _without_options(question: Json, memory: Memory) -> Json:
    return {**question, "options": {}}


_DESCRIBES = {"describe": only_surface("pick")}

MUTANTS: tuple[mutant, ...] = (
    mutant(
        "picks_one_too_few",
        [_STATIC + "integral-guaranteed-is-exclusive"],
        answers={**_DESCRIBES, "pick": _one_too_few},
    ),
    mutant(
        "picks_what_there_is",
        [_STATIC + "refuses-what-is-not-free"],
        questions={"pick": _what_there_is},
        answers=_DESCRIBES,
    ),
    mutant(
        "picks_the_lowest_ids",
        [
            _STATIC + "packs-whole-cores",
            _STATIC + "packs-few-numa-nodes",
            "cpu-manager/full-pcpus-only/gives-whole-cores",
        ],
        answers={**_DESCRIBES, "pick": _lowest_ids},
    ),
    mutant(
        "picks_from_every_numa_node",
        [_STATIC + "packs-few-numa-nodes", _NUMA + "keeps-one-node-where-one-suffices"],
        answers={**_DESCRIBES, "pick": _one_of_each_numa_node},
    ),
    mutant(
        "dies_of_odd_counts",
        ["protocol/answers-every-question"],
        questions={"pick": _dies_of_odd_counts},
        answers=_DESCRIBES,
    ),
    mutant(
        "lists_cpus_in_words",
        ["protocol/answers-are-well-formed"],
        answers={**_DESCRIBES, "pick": _list_in_words},
    ),
    mutant(
        "picks_without_affinity",
        ["topology-manager/best-effort/aligns-when-possible"],
        questions={"pick": without_affinity},
        answers=_DESCRIBES,
    ),
    mutant(
        "picks_without_options",
        [
            _NUMA + "spreads-evenly",
            "cpu-manager/distribute-cpus-across-cores/takes-separate-cores",
            _UNCORE + "stays-in-one-cache",
        ],
        questions={"pick": _without_options},
        answers=_DESCRIBES,
    ),
)
