import pytest

from numa_conformance.asking.examples.node_run import NodeRun
from numa_conformance.asking.findings.findings import Finding
from numa_conformance.asking.generators.workloads import container, guaranteed, pod, static
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.messages.node import Rejected

ID = "cpu-manager/static/packs-whole-cores"


@pytest.fixture
def node():
    run = NodeRun(Client(InProcess(ReferenceTarget, "reference")), ID)
    run.start(load_machine("t1-one-socket-smt2"), static())
    return run


def test_a_finding_tells_the_requirement_its_source_and_the_conversation(node):
    node.admit(pod("a", [container("c", cpu="2", memory="1Mi")], init=[container("i", cpu="1", memory="1Mi")]))
    node.remove("a")
    finding = node.finding("half a core", "1", "1,5")
    lines = str(finding).splitlines()
    known = REQUIREMENTS[ID]
    assert lines[:4] == ["half a core", f"requirement: {ID}", f"  {known.text}", f"  {known.address}"]
    assert finding.in_words.splitlines() == [lines[0], *lines[4:]]
    assert "answered: 1" in lines
    assert "allowed:  1,5" in lines
    assert "  2. remove a" in lines
    assert next(line for line in lines if "admit a:" in line).startswith("  1. admit a: init i ")


def test_a_finding_carries_questions_and_answers_step_by_step(node):
    node.admit(guaranteed("a", 2))
    node.run("a")
    node.remove("a")
    scenario = node.finding("why").scenario
    assert [step["op"] for step in scenario["steps"]] == ["admit", "start", "remove"]
    assert len(scenario["answered"]) == 3
    assert scenario["answered"][0]["containers"]["c"]["cpus"] == "1,5"


def test_a_new_start_forgets_the_last_conversation(node):
    node.admit(guaranteed("a", 2))
    node.start(load_machine("t1-one-socket-smt2"), static())
    assert node.finding("why").scenario["steps"] == node.finding("why").scenario["answered"] == []


def test_a_refused_pod_is_a_finding_when_it_must_be_admitted(node):
    with pytest.raises(Finding, match="the pod is refused"):
        node.admit(guaranteed("a", 8))
    assert isinstance(node.try_admit(guaranteed("b", 8)), Rejected)
