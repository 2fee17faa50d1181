"""Containers that may run where they should not, each by one requirement, beside those that run where they should."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from numa_conformance.suite.chapters import cpusets
from numa_conformance.suite.generators.workloads import burstable, guaranteed, kubelet, static
from numa_conformance.suite.history.values import CpuBits, Held
from numa_conformance.suite.judge.may_run import MayRun, may_run
from numa_conformance.suite.judge.world import World
from worlds import Case, bits, block, breaks, held, judged_in, node, resident

CPUSET = "cpu-manager/cpuset/"
OWN, SHARED = guaranteed("own", 2), burstable("shared", 1)
STRICT = static("strict-cpu-reservation")


def told(world: World, uid: str, cpus: str, mems: str | None = None) -> World:
    given = None if mems is None else CpuBits(bits(mems))
    return world.with_cpusets([(uid, "c", CpuBits(bits(cpus)), given)])


def one(world: World, uid: str) -> MayRun:
    return next(may for may in may_run(world) if may.uid == uid)


def shared_on(cpus: str, config: dict[str, Any] | None = None) -> MayRun:
    """Describe a shared container beside a pod that has the CPUs 1 and 5 of eight; CPU 0 is reserved."""
    pods = (resident(OWN, c=held("1,5")), resident(SHARED, c=held()))
    return one(
        told(node("t1-one-socket-smt2", static() if config is None else config, *pods), "shared", cpus), "shared"
    )


def own_on(cpus: str) -> MayRun:
    return one(told(node("t1-one-socket-smt2", static(), resident(OWN, c=held("1,5"))), "own", cpus), "own")


def alone_on(cpus: str) -> MayRun:
    world = node("t1-one-socket-smt2", kubelet(), resident(SHARED, c=held()))
    return one(told(world, "shared", cpus), "shared")


def once_more_on(cpus: str) -> MayRun:
    """Describe a shared container that gave up CPUs 1 and 5, of which the pod is gone."""
    both = node("t1-one-socket-smt2", static(), resident(OWN, c=held("1,5")), resident(SHARED, c=held()))
    gave = told(told(both, "shared", "0-7"), "shared", "0,2-4,6-7")
    return one(told(gave.removed("own").with_pool(bits("0-7")), "shared", cpus), "shared")


def with_memory(mems: str) -> MayRun:
    config = static(memoryManagerPolicy="Static")
    world = node("two-nodes-hugepages", config, resident(OWN, c=held("1,5", memory=[block("memory", 1, 0)])))
    return one(told(world, "own", "1,5", mems), "own")


def replace_cpuset(holding: Held, cpus: str) -> Held:
    return structs.replace(holding, cpuset=CpuBits(bits(cpus)))


SETTLED = replace(once_more_on("0-7"), settled=True)
CASES: dict[str, Case] = {
    CPUSET + "keeps-off-exclusive-cpus": (shared_on("0-7"), shared_on("0,2-4")),
    CPUSET + "is-never-empty": (shared_on(""), shared_on("2")),
    CPUSET + "is-online": (shared_on("0,9"), shared_on("0")),
    CPUSET + "holds-the-exclusive-cpus": (own_on("0-1,5"), own_on("1,5")),
    CPUSET + "regains-cpus-on-removal": (replace(once_more_on("0,2-4,6-7"), settled=True), SETTLED),
    "cpu-manager/none/keeps-nobody-to-some-cpus": (alone_on("0-6"), alone_on("0-7")),
    "cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus": (
        shared_on("0,2", STRICT),
        shared_on("2", STRICT),
    ),
    "memory-manager/static/guarantees-memory-to-guaranteed-pods": (with_memory("0-1"), with_memory("0")),
}


def test_every_checker_is_seen_to_judge() -> None:
    assert judged_in(cpusets) <= CASES.keys()


@pytest.mark.parametrize("requirement", CASES)
def test_a_wrong_cpuset_breaks_a_requirement(requirement: str) -> None:
    assert breaks(requirement, CASES[requirement][0]) is True


@pytest.mark.parametrize("requirement", CASES)
def test_a_right_cpuset_keeps_it(requirement: str) -> None:
    assert breaks(requirement, CASES[requirement][1]) is False


@pytest.mark.parametrize("requirement", CASES)
def test_where_nothing_is_told_nothing_is_asked(requirement: str) -> None:
    config = kubelet() if "none" in requirement else STRICT
    untold = one(node("t1-one-socket-smt2", config, replace(resident(SHARED, c=held()), ran=True)), "shared")
    assert breaks(requirement, untold) is None


def test_cpusets_that_may_still_be_sent_are_not_judged() -> None:
    assert breaks(CPUSET + "keeps-off-exclusive-cpus", replace(shared_on("0-7"), settled=False)) is None


def test_a_container_that_was_moved_gave_nothing_up() -> None:
    """An allocator may keep shared containers to some of the shared CPUs, and to others later."""
    both = node("t1-one-socket-smt2", static(), resident(OWN, c=held("1,5")), resident(SHARED, c=held()))
    moved = told(told(both, "shared", "1,5,2"), "shared", "6,7")
    assert one(moved.removed("own").with_pool(bits("0-7")), "shared").given_up == 0


@pytest.mark.parametrize(("found", "given_up"), [("0,2-4,6-7", bits("1,5")), ("2", 0)])
def test_a_container_that_a_restart_has_moved_gave_nothing_up(found: str, given_up: int) -> None:
    pod = once_more_on("0,2-4,6-7").world.pods["shared"]
    again = pod.found_again({"c": replace_cpuset(pod.held["c"], found)})
    assert again.given_up.get("c", 0) == given_up
