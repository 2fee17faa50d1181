"""Nodes that give devices away wrongly, each by one requirement, beside one that keeps it."""

from __future__ import annotations

import pytest

from numa_conformance.suite.chapters import device_life
from numa_conformance.suite.generators.workloads import best_effort, static
from numa_conformance.suite.judge.node_subjects import Moment, Restart
from numa_conformance.suite.judge.world import Held, PodOnNode, World
from worlds import Case, admitted, breaks, held, judged_in, node, refused, resident

ALLOCATION = "device-manager/allocation/"
GPU = "example.com/gpu"
TWO, FIVE = (best_effort("p", **{GPU: number}) for number in "25")


def up(*pods: PodOnNode) -> World:
    """Describe a node with gpu-0 to gpu-3, and with gpu-broken."""
    return node("two-nodes-devices", static(), *pods)


def gives(*gpus: int | str) -> Held:
    return held(devices={GPU: [f"gpu-{name}" for name in gpus]})


def both(first: int, second: int) -> Moment:
    """Give a device to each of two pods."""
    pods = (resident(best_effort(name, **{GPU: "1"}), c=gives(gpu)) for name, gpu in (("p", first), ("q", second)))
    return Moment(up(*pods))


def restarted(*gpus: int) -> Restart:
    before = up(resident(TWO, c=gives(0, 1)))
    return Restart(before, before, True, {"p": {"c": gives(*gpus)}})


REMOVED = up(resident(best_effort("q", **{GPU: "4"}), c=gives(0, 1, 2, 3))).removed("q")
PREFERRING = node("two-nodes-preferring-plugin", static())

CASES: dict[str, Case] = {
    ALLOCATION + "gives-the-number-asked-for": (admitted(up(), TWO, c=gives(0)), admitted(up(), TWO, c=gives(0, 3))),
    ALLOCATION + "gives-healthy-devices-only": (
        admitted(up(), TWO, c=gives(0, "broken")),
        admitted(up(), TWO, c=gives(0, 1)),
    ),
    ALLOCATION + "shares-no-device": (both(0, 0), both(0, 1)),
    ALLOCATION + "refuses-what-is-not-there": (admitted(up(), FIVE, c=gives(0, 1, 2, 3)), refused(up(), FIVE)),
    ALLOCATION + "returns-devices-on-removal": (refused(REMOVED, TWO), admitted(REMOVED, TWO, c=gives(0, 1))),
    "device-manager/preferred-allocation/is-followed": (
        admitted(PREFERRING, TWO, c=gives(0, 5)),
        admitted(PREFERRING, TWO, c=gives(0, 1)),
    ),
    "device-manager/restart/keeps-devices": (restarted(0, 2), restarted(0, 1)),
}


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)


def test_what_no_removed_pod_had_says_nothing_of_removal() -> None:
    assert breaks(ALLOCATION + "returns-devices-on-removal", refused(up(), TWO)) is None


def test_every_checker_has_a_case() -> None:
    assert CASES.keys() == judged_in(device_life)
