"""What a history shows of a node's life."""

import pytest

from numa_conformance.asking.generators.workloads import burstable, guaranteed, static
from numa_conformance.judging.verdicts import WELL_FORMED, judge
from numa_conformance.machine import load_machine
from numa_conformance.wire.history.history import Head, History, Step

PARTS = "topology-manager/single-numa-node/admits-what-one-node-holds"


def life(*admissions):
    machine = load_machine("two-nodes-devices")
    start = Step(
        "node.start", {"kubelet": static(topology="single-numa-node")}, {"result": "started", "default_cpuset": "0-15"}
    )
    steps = [Step("node.admit", {"pod": pod}, {"default_cpuset": "0-15", **answer}) for pod, answer in admissions]
    return History(Head("test", "cell", 0, machine, "1.36", "target"), (start, *steps))


def refused(reason):
    return {"result": "rejected", "reason": reason, "message": "no"}


def admitted(cpus=""):
    return {"result": "admitted", "containers": {"c": {"cpus": cpus}}}


@pytest.mark.parametrize(
    ("first", "reason", "broken"),
    [
        (burstable("a", 12), "OutOfcpu", False),  # 12 and 4 are more than 15
        (burstable("a", 12), "TopologyAffinityError", True),
        (burstable("a", 2), "OutOfcpu", True),
    ],
)
def test_a_pod_for_which_the_node_has_no_room_may_be_refused_for_that_alone(first, reason, broken):
    verdicts = judge(life((first, admitted()), (guaranteed("b", 4), refused(reason))))
    assert (PARTS in {one.requirement for one in verdicts.broken}) is broken


def test_a_pod_may_be_refused_for_huge_pages_that_the_node_does_not_have():
    asked = guaranteed("a", 4)
    asked["spec"]["containers"][0]["resources"]["limits"]["hugepages-2Mi"] = "4Mi"
    assert judge(life((asked, refused("OutOfhugepages-2Mi")))).broken == []
    assert PARTS in {one.requirement for one in judge(life((asked, refused("TopologyAffinityError")))).broken}


@pytest.mark.parametrize(
    ("answer", "stranger"), [(admitted("2-5"), False), (refused("UnexpectedAdmissionError"), True)]
)
def test_what_a_node_admits_while_it_is_down_may_be_there_later(answer, stranger):
    first = life((guaranteed("z", 2), admitted("0-1")), (guaranteed("a", 4), answer))
    down = Step("node.restart", {}, {"result": "failed", "stage": "cpumanager-start", "message": "no"})
    held = [
        {"result": "admitted", "uid": uid, **cpus} for uid, cpus in (("z", admitted("0-1")), ("a", admitted("2-5")))
    ]
    again = Step("node.restart", {}, {"result": "restarted", "pods": held, "default_cpuset": "6-15"})
    verdicts = judge(History(first.head, (*first.steps[:2], down, first.steps[2], again)))
    assert (WELL_FORMED in {one.requirement for one in verdicts.broken}) is stranger


@pytest.mark.parametrize(("pools", "broken"), [({"a": "2-15"}, True), ({"a": "2-15", "z": "0-15"}, False)])
def test_an_init_container_may_be_given_other_cpus_where_more_are_free(pools, broken):
    wanted = guaranteed("a", 4)
    container = {"name": "i", "image": "example", "resources": {"limits": {"cpu": "2", "memory": "64Mi"}}}
    wanted["spec"]["initContainers"] = [container]
    other = admitted("0-1") | {"default_cpuset": "2-15"}
    given = {"containers": {"i": {"cpus": "2-3"}, "c": {"cpus": "2-5"}}, "default_cpuset": "6-15"}
    again = refused("TopologyAffinityError") | {"default_cpuset": [*pools.values()][-1]}
    first = life((guaranteed("z", 2), other), (wanted, admitted() | given), (wanted, again))
    gone = [
        Step("node.remove", {"uid": uid}, {"result": "removed", "default_cpuset": pool}) for uid, pool in pools.items()
    ]
    verdicts = judge(History(first.head, (*first.steps[:3], *gone, first.steps[3])))
    assert ("node/admission/admits-again-what-it-admitted" in {one.requirement for one in verdicts.broken}) is broken
