"""Two restarts of which a kubelet may refuse one, or two removals: the order of a Go map decides."""

import pytest

from numa_conformance.comparing.differing import differing
from numa_conformance.machine import load_machine
from numa_conformance.wire.history.history import Head, History, Step

REFUSED = Step("node.restart", {}, {"result": "failed", "stage": "memorymanager-start", "message": "different"})
UP = Step("node.restart", {}, {"result": "restarted", "pods": [], "default_cpuset": "0-3"})
OTHER_STAGE = Step("node.restart", {}, {"result": "failed", "stage": "cpumanager-start", "message": "different"})


def admitted(uid, *nodes):
    memory = [{"type": "memory", "bytes": 64, "nodes": list(nodes)}]
    answer = {"result": "admitted", "containers": {"c": {"cpus": "", "memory": memory}}}
    return Step("node.admit", {"pod": {"metadata": {"uid": uid}}}, answer)


def removed(uid):
    return Step("node.remove", {"uid": uid}, {"result": "removed"})


def left(free, assignments=0):
    node = {"node": 1, "assignments": assignments, "group": [1], "free": {"memory": free}}
    return Step("node.remove", {"uid": "a"}, {"result": "removed", "memory_state": [node]})


def between(steps, one, other, version="1.30"):
    head = Head("test", "", 0, load_machine("two-nodes-devices"), version)
    return differing(History(head, (*steps, one)), History(head, (*steps, other)))


CROSSING = [admitted("a", 0), admitted("b", 0, 1)]


@pytest.mark.parametrize(("one", "other"), [(REFUSED, UP), (UP, REFUSED)])
def test_where_a_node_serves_in_two_groups_either_may_be_refused(one, other):
    assert between(CROSSING, one, other) is None


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [admitted("a", 0), admitted("b", 1)],
        [admitted("a", 0, 1), admitted("b", 0, 1)],
        [*CROSSING, removed("a")],
        [*CROSSING, UP],
    ],
    ids=["no pods", "nodes alone", "one group", "one of them gone", "none came back"],
)
def test_where_no_node_does_the_order_is_no_reason(steps):
    assert between(steps, REFUSED, UP) is not None


def test_a_refusal_of_another_manager_is_no_chance():
    assert between(CROSSING, OTHER_STAGE, UP) is not None


def test_another_answer_of_a_node_that_came_up_is_no_chance():
    other = Step("node.restart", {}, {**UP.answer, "default_cpuset": "0"})
    assert between(CROSSING, UP, other) is not None


@pytest.mark.parametrize(
    ("steps", "other", "version", "is_chance"),
    [
        (CROSSING, left(64), "1.31.14", True),
        (CROSSING, left(64), "1.32", False),
        (CROSSING, left(64, assignments=1), "1.30", False),
        ([admitted("a", 0), admitted("b", 1)], left(64), "1.30", False),
    ],
)
def test_which_node_gets_memory_back_is_chance_up_to_1_31(steps, other, version, is_chance):
    assert (between(steps, left(128), other, version) is None) == is_chance
