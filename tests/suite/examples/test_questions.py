import pytest

from mutants import MUTANTS
from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.protocol import Client, InProcess, ReferenceTarget
from numa_conformance.protocol.messages.pick import Pick
from numa_conformance.report.beside_reference import with_reference
from numa_conformance.suite.examples.questions import Questions
from numa_conformance.suite.recorded import Vector, replay
from numa_conformance.suite.telling.findings import Finding
from numa_conformance.suite.telling.two_pictures import maps, side_by_side

ID = "cpu-manager/static/packs-whole-cores"
MACHINE = load_machine("t1-one-socket-smt2")


def client(factory):
    return Client(InProcess(factory, "a target", 10))


@pytest.fixture
def finding():
    questions = Questions(client(MUTANTS["picks_the_lowest_ids"]), [ID])
    questions.ask(Pick(machine_to_dict(MACHINE), "1-7", 2))
    with pytest.raises(Finding) as found:
        questions.check(False, "it is wrong", "1-2", "whole cores")
    return found.value


def test_a_finding_tells_the_question_in_a_few_lines(finding):
    told = str(finding)
    assert "asked: pick on machine 't1-one-socket-smt2' of 8 CPUs, available \"1-7\", count 2" in told
    assert len(told.splitlines()) < 20


def test_its_scenario_accuses_the_target_and_clears_the_reference(finding):
    scenario = with_reference(finding.scenario, "documented")
    vector = Vector("scenario", "question", scenario, "here")
    (accused,) = replay(client(MUTANTS["picks_the_lowest_ids"]), [vector])
    (cleared,) = replay(client(lambda: ReferenceTarget("documented")), [vector])
    assert (accused.status, cleared.status) == ("differed", "matched")


def test_a_pick_is_drawn_beside_that_of_the_reference(finding):
    scenario = with_reference(finding.scenario, "documented")
    _, expected, actual = maps(scenario)
    assert expected == {"taken": 1, "picked": CpuSet([1, 5]).bits}
    assert actual == {"taken": 1, "picked": CpuSet([1, 2]).bits}
    assert "the reference" in side_by_side(scenario)
