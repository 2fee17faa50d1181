"""Nodes that come up wrongly after a restart, a crash, or with damaged files, and nodes that come up right."""

from __future__ import annotations

from dataclasses import replace

from ..asking.generators.workloads import guaranteed, static
from ..asking.generators.worlds import held, node, resident
from ..judging.node_subjects import Crash, Recovery, RefusedStart, Restart
from ..judging.settings import Settings
from ..judging.world import World
from . import restart as chapter

EMPTY, UNRESERVED = node("t1-one-socket-smt2", static()), Settings.of(static(reserved=""))


def up(pool: str, **pods: str) -> World:
    """Describe a node of eight CPUs with pods that run."""
    running = [replace(resident(guaranteed(uid, 2), c=held(cpus)), ran=True) for uid, cpus in pods.items()]
    return node("t1-one-socket-smt2", static(), *running, pool=pool)


BEFORE = up("0,3-4,7", a="1,5", b="2,6")


def crash(pool: str, **pods: str) -> Crash:
    """Crash a node whose pods have CPUs 1 and 5, 2 and 6."""
    return Crash(BEFORE, up(pool, **pods), {uid: {"c": held(cpus)} for uid, cpus in pods.items()})


def recovery(pool: str, **pods: str) -> Recovery:
    """Start with damaged files."""
    return Recovery(up(pool, **pods), {uid: {"c": held(cpus)} for uid, cpus in pods.items()})


PAIRS = {
    chapter.admits_again_what_was_there: (
        Restart(BEFORE, EMPTY, True, {"a": {"c": held("1,5")}}, {"b": "TopologyAffinityError"}),
        Restart(BEFORE, BEFORE, True, {"a": {"c": held("1,5")}, "b": {"c": held("2,6")}}),
    ),
    chapter.refuses_what_a_start_refuses: (
        RefusedStart(UNRESERVED, True, "nothing is reserved"),
        RefusedStart(UNRESERVED, False, "nothing is reserved"),
    ),
    chapter.comes_up_after_a_crash: (Crash(BEFORE, None, refusal="broken"), crash("0,3-4,7", a="1,5", b="2,6")),
    chapter.no_cpu_in_two_places: (crash("0,2-4,6-7", a="1,5", b="1,5"), crash("0,3-4,7", a="2,6", b="1,5")),
    chapter.no_running_container_moves: (crash("0,3-4,7", a="2,6", b="1,5"), crash("0,3-4,7", a="1,5", b="2,6")),
    chapter.nothing_is_given_twice: (recovery("0-7", a="1,5"), recovery("0,2-4,6-7", a="1,5")),
    chapter.no_unknown_cpus: (recovery("0-9"), recovery("0-7")),
}
