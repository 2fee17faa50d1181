"""Wrong nodes that are right while pods run, and careless with other settings and others' state files when none do."""

from __future__ import annotations

import json
from typing import Any

from .lies import Json
from .mutant import Memory, mutant

__all__ = ["MUTANTS"]

_CPU_FILE, _LIST = "cpu_manager_state", "reservedSystemCPUs"
_FILE, _RESERVATION = "cpu-manager/state-file/", "cpu-manager/reservation/"


def _there(memory: Memory) -> set[Any]:
    return memory.notes.setdefault("there", set())  # type: ignore[no-any-return]


def _has_come(answer: Json, memory: Memory) -> Json:
    if answer["result"] == "admitted":
        _there(memory).add(memory.asked["node.admit"]["pod"]["metadata"]["uid"])
    return answer


def _has_gone(answer: Json, memory: Memory) -> Json:
    _there(memory).discard(memory.asked["node.remove"]["uid"])
    return answer


def _begins_anew_without_pods(question: Json, memory: Memory) -> Json:
    return question if _there(memory) else {**question, "files": {_CPU_FILE: None}}


def _without_files_that_give_nothing(question: Json, memory: Memory) -> Json:
    files = dict(question.get("files") or {})
    if _CPU_FILE in files and not json.loads(files[_CPU_FILE]).get("entries"):
        del files[_CPU_FILE]
    return {**question, "files": files}


def _keeps_the_list(question: Json, memory: Memory) -> Json:
    kubelet, first = question.get("kubelet"), memory.asked["node.start"]["kubelet"]
    if not kubelet or _LIST not in kubelet or _LIST not in first:
        return question
    return {**question, "kubelet": {**kubelet, _LIST: first[_LIST]}}


MUTANTS: tuple[mutant, ...] = (
    mutant(
        "takes_any_file_once_drained",
        [_FILE + "policy-change-is-refused"],
        questions={"node.restart": _begins_anew_without_pods},
        answers={"node.admit": _has_come, "node.remove": _has_gone},
    ),
    mutant(
        "takes_a_file_of_other_cpus_that_gives_nothing",
        [_FILE + "changed-cpus-are-refused"],
        questions={"node.start": _without_files_that_give_nothing},
    ),
    mutant(
        "keeps_its_reserved_list_at_a_restart",
        [_RESERVATION + "is-never-exclusive"],
        questions={"node.restart": _keeps_the_list},
    ),
)
