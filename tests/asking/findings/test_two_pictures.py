from functools import partial

import pytest

from mutants import MUTANTS
from numa_conformance.asking.examples.node_run import NodeRun
from numa_conformance.asking.findings.findings import Finding, amounts_of, holders, maps
from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.comparing.recorded import Vector, replay
from numa_conformance.machine import Amounts, load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.report.html import pictures
from numa_conformance.report.reference_answers import with_reference
from numa_conformance.wire import Client, InProcess

MACHINE = load_machine("t1-one-socket-smt2")


def ask(factory):
    return Client(InProcess(factory, "under test"))


@pytest.fixture
def scenario():
    """What a target that keeps the CPUs of removed pods leaves behind."""
    node = NodeRun(ask(MUTANTS["forgets_to_return_cpus"]), "cpu-manager/shared-pool/regains-cpus-on-removal")
    node.start(MACHINE, static(reserved="0"))
    node.admit(guaranteed("a", 2))
    node.remove("a")
    finding = node.finding("the pool is too small")
    assert isinstance(finding, Finding)
    return finding.scenario


def test_the_scenario_of_a_finding_replays_against_the_reference_and_accuses_the_target(scenario):
    judged = with_reference(scenario, "documented")
    vector = Vector("s", "admission", judged, "s.json")
    right, wrong = (
        next(iter(replay(ask(one), [vector])))
        for one in (partial(ReferenceTarget, "documented"), MUTANTS["forgets_to_return_cpus"])
    )
    assert right.status == "matched"
    assert wrong.status == "differed"
    assert wrong.differences[0].path.startswith("step 2 (remove a)")


def test_a_node_that_does_not_come_up_is_recorded_so(scenario):
    judged = with_reference({**scenario, "kubelet": static(reserved="")}, "documented")
    assert judged["initial"]["stage"] == "cpumanager"
    assert "expect" not in judged


def test_what_the_reference_cannot_take_stays_as_it_is(scenario):
    broken = {**scenario, "machine": {"name": "no CPUs"}}
    assert with_reference(broken, "documented") == broken


def test_both_placements_are_known(scenario):
    machine, expected, answered = maps(with_reference(scenario, "documented"))
    assert machine == MACHINE
    assert (expected["shared"] & 0b100010, answered["shared"] & 0b100010) == (0b100010, 0)


def test_nothing_is_known_without_answers(scenario):
    assert maps({**scenario, "answered": []})[1:] == (None, None)
    assert maps({"steps": []}) is None


def test_holders_follow_admission_and_removal_and_ignore_what_is_no_set():
    steps = [
        {"op": "admit", "pod": {"metadata": {"uid": "a"}}},
        {"op": "admit", "pod": {"metadata": {"uid": "b"}}},
        {"op": "remove", "uid": "a"},
    ]
    answers = [
        {"result": "admitted", "containers": {"c": {"cpus": "1-2"}}, "default_cpuset": "0,3"},
        {"result": "admitted", "containers": {"c": {"cpus": "what"}}, "default_cpuset": "0,3"},
        {"default_cpuset": "0-3"},
    ]
    assert holders(steps[:2], answers) == {"shared": 0b1001, "a/c": 0b110}
    assert holders(steps, answers) == {"shared": 0b1111}


HELD = {
    "cpus": "1-2",
    "memory": [{"type": "memory", "bytes": 1024, "nodes": [0, 1]}],
    "devices": {"example.com/gpu": ["gpu-0"]},
}
ADMITTED = {
    "steps": [{"op": "admit", "pod": {"metadata": {"uid": "a"}}}],
    "answered": [{"result": "admitted", "containers": {"c": HELD, "shares": {"cpus": ""}}}],
}


def test_memory_and_devices_are_known_of_who_has_any():
    assert amounts_of(ADMITTED, "answered") == {
        "a/c": Amounts([("memory", [0, 1], 1024)], {"example.com/gpu": ["gpu-0"]})
    }
    assert amounts_of(ADMITTED, "expect") == {}


@pytest.mark.parametrize(
    "holding",
    [{"memory": 1}, {"memory": [{}]}, {"memory": [{"type": "memory", "bytes": "x", "nodes": []}]}, {"devices": [1]}],
)
def test_a_target_that_holds_what_nobody_can_hold_is_not_drawn(scenario, holding):
    answered = [{"result": "admitted", "containers": {"c": {"cpus": "1", **holding}}}]
    assert pictures({**scenario, "answered": answered}, {}, "documented") == {}
    assert len(pictures(scenario, {}, "documented")) == 1


def test_nodes_that_no_machine_has_are_drawn_nowhere(scenario):
    held = {"cpus": "1", "memory": [{"type": "memory", "bytes": 2**80, "nodes": [-1, 10**9]}]}
    answered = [{"result": "admitted", "containers": {"c": held}}]
    (picture,) = pictures({**scenario, "answered": answered}, {}, "documented").values()
    assert "memory 8Gi<" in picture
