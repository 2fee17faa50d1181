"""When it is judged on which CPUs containers may run: once cpusets have been sent, whoever says so."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from numa_conformance.conformance.pairs.enforcement import ON_TWO, PAIRS, shared_on
from numa_conformance.conformance.pairs.worlds import bits, held, node, resident

from numa_conformance.asking.generators.workloads import burstable, guaranteed, static
from numa_conformance.chapters.cpu import reservation
from numa_conformance.chapters.memory import static as static_memory
from numa_conformance.chapters.pairs import pairs
from numa_conformance.judging.chapter import CHECKERS
from numa_conformance.judging.verdicts import HistoryVerdicts, judge
from numa_conformance.judging.world import World
from numa_conformance.machine import load_machine
from numa_conformance.wire.history.history import Head, History, Step
from worlds import breaks

KEEPS_OFF = "cpu-manager/cpuset/keeps-off-exclusive-cpus"
STATE = {"shared": {"c": {"cpus": "", "cpuset": "0-7"}}, "own": {"c": {"cpus": "1,5"}}}
AMOUNT = static(reserved="", kubeReserved={"cpu": "1500m"})


def life(*steps: Step, config: dict[str, Any] | None = None, **started: str) -> HistoryVerdicts:
    machine = load_machine("t1-one-socket-smt2")
    up = {"result": "started", "default_cpuset": "0-7", **started}
    start = Step("node.start", {"kubelet": static() if config is None else config}, up)
    return judge(History(Head("test", "cell", 0, machine, "1.36", "target"), (start, *steps)))


def shared(cpuset: str) -> list[Step]:
    """Let a shared container run."""
    held = {"default_cpuset": "0-7", "containers": {"c": {"cpus": "", "cpuset": cpuset}}}
    return [
        Step("node.admit", {"pod": burstable("shared", 1)}, {"result": "admitted", **held}),
        Step("node.run", {"uid": "shared"}, {"result": "started", **held}),
    ]


def own(**told: Any) -> Step:
    """Let a pod have the CPUs 1 and 5."""
    held = {"default_cpuset": "0,2-4,6-7", "containers": {"c": {"cpus": "1,5"}}}
    return Step("node.admit", {"pod": guaranteed("own", 2)}, {"result": "admitted", **held, **told})


def reconcile(*updates: dict[str, str]) -> Step:
    told = {"result": "reconciled", "updates": list(updates), "handled": len(updates), "skipped": []}
    return Step("node.reconcile", {}, told)


def state() -> Step:
    return Step("node.state", {}, {"default_cpuset": "0,2-4,6-7", "containers": STATE})


NARROWED = {"uid": "shared", "container": "c", "cpus": "0,2-4,6-7"}


@pytest.mark.parametrize(
    ("steps", "broken"),
    [
        ([own()], False),  # a pass of the loop may follow
        ([own(), reconcile()], True),
        ([own(), reconcile(NARROWED)], False),
        ([own(updates=[])], True),
        ([own(updates=[NARROWED])], False),
        ([own(updates=[NARROWED]), state()], True),  # the node itself says that it is otherwise
    ],
)
def test_a_shared_container_keeps_off_exclusive_cpus_once_cpusets_are_sent(steps: list[Step], broken: bool) -> None:
    verdicts = life(*shared("0-7"), *steps)
    assert (KEEPS_OFF in verdicts.unmet) is broken


def test_a_container_that_starts_keeps_off_them_at_once() -> None:
    assert KEEPS_OFF in life(own(), *shared("0-7")).unmet
    assert KEEPS_OFF not in life(own(), *shared("0,2-4")).unmet


def test_a_container_of_which_nothing_is_told_is_counted_with_the_reason() -> None:
    untold = life(Step("node.admit", {"pod": burstable("shared", 1)}, _plain("admitted")),
                  Step("node.run", {"uid": "shared"}, _plain("started")))  # fmt: skip
    assert untold.tests[KEEPS_OFF] == 0
    assert list(untold.not_asked(KEEPS_OFF)) == ["no answer says on which CPUs the container may run"]


def _plain(result: str) -> dict[str, Any]:
    return {"result": result, "default_cpuset": "0-7", "containers": {"c": {"cpus": ""}}}


REFUSED = {"result": "rejected", "reason": "No", "message": "no", "default_cpuset": "0-7"}


def test_an_amount_that_is_reserved_of_cpus_that_are_not_told_is_no_fault() -> None:
    """Of 8 CPUs 1500m are reserved, and no ids: 7 are not to be had, and nobody knows which."""
    verdicts = life(Step("node.admit", {"pod": guaranteed("many", 7)}, REFUSED), config=AMOUNT)
    assert verdicts.unmet == set()
    assert verdicts.tests["cpu-manager/reservation/rounds-up"] == 0
    assert verdicts.tests["cpu-manager/reservation/is-never-exclusive"] == 0


def test_ids_that_are_told_are_judged() -> None:
    told = life(Step("node.admit", {"pod": guaranteed("many", 7)}, REFUSED), config=AMOUNT, reserved_cpus="0")
    assert {"cpu-manager/reservation/rounds-up", "cpu-manager/static/serves-what-is-free"} <= told.unmet


OF_THE_CHAPTER = (judge for judge in PAIRS if judge.__module__ == "numa_conformance.chapters.cpu.cpusets")
OF_CPUSETS = [*OF_THE_CHAPTER, reservation.strict_keeps_a_container_off, static_memory.memory_is_where_it_was_given]


@pytest.mark.parametrize("check", [check for check in CHECKERS if check.function in OF_CPUSETS])
def test_where_no_cpuset_is_known_nothing_is_asked(check):
    _, right = pairs()[check.function]
    assert check.judge(replace(right, held=held())) is None


def test_cpusets_that_may_still_be_sent_are_not_judged() -> None:
    assert breaks(KEEPS_OFF, shared_on("0-7", ON_TWO)) is True
    assert breaks(KEEPS_OFF, replace(shared_on("0-7", ON_TWO), settled=False)) is None


def sharing(*cpusets: str) -> World:
    """Describe a node with a pod that has CPUs 1 and 5, and a shared container with one cpuset after the other."""
    world = node("t1-one-socket-smt2", static(), ON_TWO, resident(burstable("s", 1), c=held()))
    for cpuset in cpusets:
        world = world.with_cpusets([("s", "c", bits(cpuset), None)])
    return world


@pytest.mark.parametrize(
    ("first", "second", "given_up"), [("0-7", "0,2-4,6-7", "1,5"), ("1-2,5", "6-7", ""), ("1,5", "2,6", "")]
)
def test_a_container_that_was_moved_gave_nothing_up(first: str, second: str, given_up: str) -> None:
    """An allocator may keep shared containers to some of the shared CPUs, and to others later."""
    moved = sharing(first, second)
    assert moved.pods["s"].lost["c"] == bits(given_up)


@pytest.mark.parametrize(("found", "given_up"), [("0,2-4,6-7", "1,5"), ("2", "")])
def test_a_container_that_a_restart_has_moved_gave_nothing_up(found: str, given_up: str) -> None:
    again = sharing("0-7", "0,2-4,6-7").pods["s"].found_again({"c": held(cpuset=found)})
    assert again.lost.get("c", 0) == bits(given_up)
