"""Nodes that come up with a state file of another configuration, or do not when it is gone, and nodes that do right."""

from __future__ import annotations

from ...asking.generators.workloads import guaranteed, kubelet, static
from ...asking.generators.worlds import held, node, resident, sighting
from ...judging.files import CPU_FILE
from ...judging.node_subjects import ForeignStart, Restart
from ...judging.world import World
from . import state_file as chapter

MACHINE = "t1-one-socket-smt2"
STATIC, STRICT, NONE = (node(MACHINE, each) for each in (static(), static("strict-cpu-reservation"), kubelet()))
BUSY = STATIC.with_pod(resident(guaranteed("p", 2), c=held("1,5")))


def same(cpus: str) -> Restart:
    """Restart a node whose pod has CPUs 1 and 5."""
    return Restart(BUSY, BUSY, True, {"p": {"c": held(cpus)}})


def changed(wanted: World, *deleted: str, up: bool, refusal: str = "") -> Restart:
    """Restart an empty node with policy static as another one, with or without its state file."""
    after = wanted if up else None
    return Restart(STATIC, after, False, refusal=refusal, wanted=wanted.settings, deleted=frozenset(deleted))


TO_NONE, TO_STRICT = changed(NONE, up=False), changed(STRICT, up=False)
HELPFUL = "policy static is not none: delete cpu_manager_state"

PAIRS = {
    chapter.cpus_survive_a_restart: (same("2,6"), same("1,5")),
    chapter.cpu_file_can_be_read: (
        sighting(BUSY, of=CPU_FILE, damage="the checksum is another"),
        sighting(BUSY, of=CPU_FILE),
    ),
    chapter.policy_change_is_refused: (changed(NONE, up=True), TO_NONE),
    chapter.changed_cpus_are_refused: (ForeignStart(STATIC.settings, True), ForeignStart(STATIC.settings, False)),
    chapter.strict_change_is_refused: (changed(STRICT, up=True), TO_STRICT),
    chapter.policy_change_names_the_file: (TO_NONE, changed(NONE, up=False, refusal=HELPFUL)),
    chapter.policy_change_works: (changed(NONE, CPU_FILE, up=False), changed(NONE, CPU_FILE, up=True)),
}
