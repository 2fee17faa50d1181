"""Driving a target through a conversation that was had before."""

from directly import Directly
from numa_conformance.asking.drive import again, drive
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.machine import load_machine
from numa_conformance.reference.target.reference_target import ReferenceTarget

FILE = "cpu_manager_state"


def restarts():
    """Give a pod CPUs; restart with the state file from before, as it was written then, as it is told, and by hand."""
    yield "node.start", {"kubelet": static("distribute-cpus-across-cores", reserved="0")}
    before = yield "node.checkpoints", {}
    yield "node.admit", {"pod": guaranteed("p", 2, "64Mi")}
    after = yield "node.checkpoints", {}
    told = (before["checkpoints"][FILE], after["writes"][-1]["text"], after["checkpoints"][FILE], "{}")
    for text in told:
        yield "node.restart", {"files": {FILE: text}}


def test_a_restart_finds_the_state_files_that_are_told_now_in_place_of_those_told_then():
    scenario = Scenario("crash", "", load_machine("t7-adjacent-siblings"), restarts)
    kubelet, documented = (Directly(ReferenceTarget(level)) for level in ("exact", "documented"))
    first, _ = drive(scenario, kubelet, "1.37")
    second, _ = again(first, documented)
    assert second.steps[3].answer != first.steps[3].answer
    assert asked_and_answered(second) == asked_and_answered(drive(scenario, documented, "1.37")[0])
    assert asked_and_answered(again(first, kubelet)[0]) == asked_and_answered(first)


def asked_and_answered(history):
    return [(step.method, step.params, step.answer) for step in history.steps]
