"""What differences between two versions of the reference come from."""

import pytest

from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Scenario, ask_all
from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.comparing.kinds_of_difference import Kinds
from numa_conformance.comparing.two_targets import TwoTargets
from numa_conformance.machine import load_machine
from numa_conformance.report.causes import FACTS, Behaviour, CausesBetween
from numa_conformance.report.reference_answers import open_reference
from numa_conformance.report.side_by_side import kind_as_json, kinds_as_text
from numa_conformance.sources.versions import KubernetesVersion

UNCORE = {"cpuManagerPolicyOptions": {"prefer-align-cpus-by-uncorecache": "true"}}


def told_of(one, other, machine, *questions, levels=("exact", "exact")):
    """Ask both the same, and return the kind of difference that there is."""
    versions = [KubernetesVersion.parse(text) for text in (one, other)]
    with open_reference(levels[0], versions[0]) as first, open_reference(levels[1], versions[1]) as second:
        two = TwoTargets(first, second)
        history, _ = drive(Scenario("told", "", load_machine(machine), lambda: ask_all(questions)), first, one)
        found = two.again(history)
        shown = [Behaviour.of(level, version) for level, version in zip(levels, versions, strict=True)]
        kinds = Kinds(two.again, CausesBetween(two, *shown), seconds=0.0)
        kinds.add(found)
        (kind,) = kinds.all()
        return kind


def causes(*asked, **levels):
    """Ask both the same, and return what the first difference comes from."""
    return told_of(*asked, **levels).causes


def admitted(config, *pods):
    return (("node.start", {"kubelet": config}), *(("node.admit", {"pod": one}) for one in pods))


@pytest.mark.parametrize(
    ("one", "other", "machine", "questions", "told"),
    [
        ("1.32", "1.33", "t1-one-socket-smt2", admitted(static(), guaranteed("a", 2)), "quota-on-exclusive-cpus"),
        ("1.33", "1.32", "t1-one-socket-smt2", admitted(static(), guaranteed("a", 2)), "quota-on-exclusive-cpus"),
        (
            "1.36",
            "1.37",
            "t1-one-socket-smt2",
            (*admitted(static(), guaranteed("a", 2)), ("node.checkpoints", {})),
            "state-files-in-an-envelope",
        ),
        (
            "1.35",
            "1.36",
            "nvidia-gh200",
            admitted(
                static(topology="single-numa-node", topologyManagerPolicyOptions={"max-allowable-numa-nodes": "9"}),
                guaranteed("a", 2, **{"example.com/gpu": "1"}),
            ),
            "device-hints-where-devices-are",
        ),
        ("1.33", "1.34", "t1-one-socket-smt2", admitted(static(more=UNCORE)), "prefer-align-cpus-by-uncorecache"),
    ],
)
def test_a_difference_between_versions_comes_from_one_thing(one, other, machine, questions, told):
    assert causes(one, other, machine, *questions) == (told,)


def test_a_difference_between_levels_and_versions_comes_from_a_quirk():
    asked = admitted(static(), guaranteed("a", 2))
    levels = ("documented", "exact")
    assert causes("1.36", "1.32", "t1-one-socket-smt2", *asked, levels=levels) == ("quota-on-exclusive-cpus",)


def test_a_change_is_told_in_the_words_for_who_runs_nodes():
    files = (*admitted(static(), guaranteed("a", 2)), ("node.checkpoints", {}))
    kind = told_of("1.36", "1.37", "t1-one-socket-smt2", *files)
    change = "change: state-files-in-an-envelope, from 1.37 on state files hold the state twice"
    assert change in kinds_as_text([kind], 1, 160)
    told = kind_as_json(kind)
    assert (told["quirks"], told["changes"]) == ([], ["state-files-in-an-envelope"])


def test_what_no_setting_tells_comes_from_the_gates_of_the_versions():
    """From 1.34 on spec.resources are looked at, whether or not the configuration names the gate."""
    whole = {**guaranteed("a", 2)}
    whole["spec"] = {**whole["spec"], "resources": {"limits": {"cpu": "4", "memory": "1Gi"}}}
    assert causes("1.33", "1.35", "t1-one-socket-smt2", *admitted(static(), whole)) == (FACTS,)
