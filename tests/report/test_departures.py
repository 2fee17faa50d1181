"""By which quirks the kubelet departs where a target did."""

from dataclasses import replace

import pytest

import departing
from directly import Directly
from numa_conformance.asking.drive import drive
from numa_conformance.asking.findings.findings import scenario_json
from numa_conformance.asking.generators.scenario import Scenario, ask_all
from numa_conformance.asking.generators.workloads import burstable, container, guaranteed, pod, static
from numa_conformance.comparing.recorded import record
from numa_conformance.judging.departures import DEPARTURES
from numa_conformance.judging.verdicts import ANSWERED
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.reference.target.reference_target import ReferenceTarget
from numa_conformance.report.reading import read_report
from numa_conformance.report.reference_answers import open_reference, quirks_in_history, quirks_in_scenario
from numa_conformance.sources.quirks import QUIRKS
from numa_conformance.sources.versions import NEWEST, KubernetesVersion

WEIGHS = "scheduler/requested-to-capacity-ratio/weighs-resources"
ADMITS_AGAIN = "node/restart/admits-again-what-was-there"
SPREAD = {"available": "0-15", "count": 2, "options": {"distribute-cpus-across-cores": True}}
SPREAD_KUBELET = {
    "cpuManagerPolicy": "static",
    "reservedSystemCPUs": "0-1",
    "cpuManagerPolicyOptions": {"distribute-cpus-across-cores": "true"},
    "featureGates": {"CPUManagerPolicyAlphaOptions": True},
}
ADMIT = {"op": "admit", "pod": guaranteed("a", 16)}
SEPARATE = "cpu-manager/distribute-cpus-across-cores/takes-separate-cores"
ENDLESS = {
    "available": "0,2-17,19-26,28-35,37,39-44,46-52,54-59,62-65,69-79,81-85,88-90,92,94",
    "count": 48,
    "options": dict.fromkeys(("align-by-socket", "distribute-cpus-across-numa", "full-pcpus-only"), True),
}
EMPTY_FIRST = {
    "type": "RequestedToCapacityRatio",
    "resources": [{"name": "intel.com/bar", "weight": 2}, {"name": "cpu", "weight": 9}],
    "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}]},
}
FULL = {
    "strategy": EMPTY_FIRST,
    "allocatable": {"cpu": "4", "intel.com/bar": "64", "pods": "110"},
    "pods": [],
    "pod": {
        "metadata": {"name": "p"},
        "spec": {
            "containers": [
                {
                    "name": "c0",
                    "image": "example",
                    "resources": {"requests": {"cpu": "4", "intel.com/bar": "48"}, "limits": {"intel.com/bar": "48"}},
                }
            ]
        },
    },
}


@pytest.mark.parametrize(
    ("machine", "method", "question", "requirement", "quirks"),
    [
        ("t7-adjacent-siblings", "pick", SPREAD, SEPARATE, ("spread-by-cpu-id",)),
        ("t7-adjacent-siblings", "pick", SPREAD, "cpu-manager/static/gives-free-cpus-only", None),
        ("amd-naples-7451", "pick", ENDLESS, ANSWERED, ("distribution-hang", "full-pcpus-only-takes-partial-cores")),
        ("one-cpu", "score", FULL, WEIGHS, ("ratio-scores-to-100+ratio-drops-what-scores-zero",)),
    ],
)
def test_a_conversation_names_each_quirk_that_is_the_reason_or_those_that_are_together(
    machine, method, question, requirement, quirks
):
    assert quirks_in_history(asked(machine, (method, question)), requirement) == quirks


def test_a_conversation_names_no_quirk_where_the_kubelet_departs_at_another_step():
    there = {**SPREAD, "available": "0,2-3"}
    history = asked("t7-adjacent-siblings", ("pick", SPREAD), ("pick", there))
    right, wrong = ({"result": "picked", "cpus": cpus} for cpus in ("0,2", "2-3"))
    first, second = history.steps
    assert quirks_in_history(replace(history, steps=(first, replace(second, answer=wrong))), SEPARATE) == (
        "spread-by-cpu-id",
    )
    elsewhere = replace(history, steps=(replace(first, answer=right), replace(second, answer=wrong)))
    assert quirks_in_history(elsewhere, SEPARATE) is None


def test_a_kubelet_that_adds_up_requests_is_held_against_one_that_does():
    """5 CPUs are free, and refused beside 2 that are requested; else the 2 that are asked last were not there."""
    pods = burstable("a", 2), guaranteed("b", 5), guaranteed("c", 2)
    life = ("node.start", {"kubelet": SPREAD_KUBELET}), *(("node.admit", {"pod": pod}) for pod in pods)
    history = asked("t7-adjacent-siblings", *life, resource_fit=True)
    assert [step.answer.get("reason") for step in history.steps] == [None, None, "OutOfcpu", None]
    assert quirks_in_history(history, SEPARATE) == ("spread-by-cpu-id",)
    steps, answers = [{"op": "admit", "pod": pod} for pod in pods], [step.answer for step in history.steps[1:]]
    scenario = scenario_json(history.head.machine, SPREAD_KUBELET, steps)
    assert quirks_in_scenario({**scenario, "answered": answers}, NEWEST) == ("spread-by-cpu-id",)


def test_a_target_that_sends_cpusets_at_once_is_held_against_a_kubelet_whose_loop_passes():
    """A shared container stays where it is when the last CPU of the pool is given away: nothing is sent."""
    options = {"cpuManagerPolicyOptions": {"strict-cpu-reservation": "true"}}
    started = {"kubelet": {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0", **options}}
    a, b = burstable("a", 1), guaranteed("b", 7)
    life = ("node.admit", {"pod": a}), ("node.run", {"uid": a["metadata"]["uid"]}), ("node.admit", {"pod": b})
    passes = [question for each in life for question in (each, ("node.reconcile", {}))]
    start, *steps = asked("t1-one-socket-smt2", ("node.start", started), *passes).steps
    sent = [
        replace(step, answer={**step.answer, "updates": done.answer["updates"]})
        for step, done in zip(steps[::2], steps[1::2], strict=True)
    ]
    history = asked("t1-one-socket-smt2", ("node.start", started))
    apart = "cpu-manager/cpuset/keeps-off-exclusive-cpus"
    assert quirks_in_history(replace(history, steps=(start, *sent)), apart) == ("strict-pool-may-empty",)


@pytest.mark.parametrize(("whole", "causes"), [(True, ("ended-init-containers-need-their-plugin",)), (False, None)])
def test_a_whole_kubelet_that_asks_for_devices_before_plugins_are_back_is_known_by_what_it_refuses(whole, causes):
    took = container("i", cpu="1", memory="64Mi", other={"example.com/gpu": "1"})
    asks = pod("a", [container("c", cpu="2", memory="64Mi")], init=[took])
    life = ("node.start", {"kubelet": static()}), ("node.admit", {"pod": asks}), ("node.run", {"uid": "a"})
    history = asked("two-nodes-devices", *life, ("node.restart", {}), resource_fit=whole)
    (again,) = history.steps[-1].answer["pods"]
    assert again["result"] == ("rejected" if whole else "admitted")
    named = quirks_in_history(history, ADMITS_AGAIN)
    assert named is None if causes is None else {*causes} <= {*named}


def asked(machine, *questions, resource_fit=False):
    """Return what the kubelet answers, by the reference."""
    with open_reference("exact", NEWEST, resource_fit=resource_fit) as reference:
        return drive(Scenario("told", "", load_machine(machine), lambda: ask_all(questions)), reference, str(NEWEST))[0]


@pytest.mark.parametrize(("cpus", "quirks"), [("0-1", ("spread-by-cpu-id",)), ("0,2", None)])
def test_a_scenario_names_the_quirk_only_where_the_kubelet_answers_the_same(cpus, quirks):
    params = {"machine": machine_to_dict(load_machine("t7-adjacent-siblings")), "affinity": None, **SPREAD}
    scenario = {"kind": "question", "method": "pick", "params": params, "answered": {"result": "picked", "cpus": cpus}}
    assert quirks_in_scenario(scenario, NEWEST) == quirks


def test_what_a_target_cannot_see_does_not_hide_the_quirk():
    scenario = {
        "kind": "admission",
        "machine": machine_to_dict(load_machine("t7-adjacent-siblings")),
        "kubelet": {**SPREAD_KUBELET, "topologyManagerPolicy": "best-effort"},
        "steps": [{"op": "admit", "pod": guaranteed("a", 2)}],
        "answered": [
            {
                "result": "admitted",
                "default_cpuset": "0-1,4-7",
                "containers": {"c": {"cpus": "2-3", "affinity": None, "memory": None, "devices": None}},
                "qos": "Guaranteed",
            }
        ],
    }
    assert quirks_in_scenario(scenario, NEWEST) is None
    assert quirks_in_scenario(scenario, NEWEST, {"affinity", "memory_state"}) == ("spread-by-cpu-id",)


BOTH_OPTIONS = {
    **SPREAD_KUBELET,
    "cpuManagerPolicyOptions": {"distribute-cpus-across-cores": "true", "prefer-align-cpus-by-uncorecache": "true"},
}


@pytest.mark.parametrize(
    ("kubelet", "came_up", "quirks"),
    [
        (SPREAD_KUBELET, False, None),
        (SPREAD_KUBELET, True, None),
        (BOTH_OPTIONS, False, ("undocumented-incompatible-options",)),
        (BOTH_OPTIONS, True, None),
    ],
)
def test_a_node_that_does_not_come_up_is_the_kubelets_too_only_where_the_kubelets_does_not(kubelet, came_up, quirks):
    scenario = scenario_json(load_machine("t7-adjacent-siblings"), kubelet, (), came_up=came_up)
    assert quirks_in_scenario(scenario, NEWEST) == quirks


def test_what_the_target_does_not_tell_of_containers_is_not_looked_at_in_the_kubelet_either():
    """Until 1.28 a sidecar is an init container that ended; who tells no cpusets does not tell that it has none."""

    class TellsNoCpusets(Directly):
        def call(self, method, params):
            answer = super().call(method, params)
            for told in answer.get("containers") or {}:
                answer["containers"][told].pop("cpuset", None)
                answer["containers"][told].pop("mems", None)
            return answer

    asked = {"requests": {"cpu": "100m", "memory": "64Mi"}}
    shared = pod("shared", [container("c", **asked)], init=[container("s", sidecar=True, **asked)])
    life = [
        ("node.start", {"kubelet": static(reserved="0")}),
        ("node.admit", {"pod": shared}),
        ("node.run", {"uid": "shared"}),
        ("node.admit", {"pod": guaranteed("own", 2)}),
        ("node.reconcile", {}),
    ]
    scenario = Scenario("walk", "", load_machine("t1-one-socket-smt2"), lambda: ask_all(life))
    history, _ = drive(scenario, TellsNoCpusets(ReferenceTarget("exact", "1.27")), "1.27")
    assert quirks_in_history(history, "cpu-manager/reconcile/running-containers-get-their-cpusets") == (
        "sidecars-leave-their-resources",
    )


def test_nothing_is_told_of_the_kubelet_where_all_that_is_compared_is_right():
    with open_reference("documented", NEWEST) as reference:
        asked = record(reference, scenario_json(load_machine("t7-adjacent-siblings"), SPREAD_KUBELET, [ADMIT]))
    scenario = {**asked, "answered": asked["expect"]}
    assert quirks_in_scenario(scenario, NEWEST) is None


def test_a_report_names_the_quirks_of_an_example(tmp_path):
    apart, version = "memory-manager/static/keeps-groups-apart", KubernetesVersion.parse("1.31")
    quirks = DEPARTURES[apart][version]
    departing.ask(version, quirks, tmp_path, "--numa-budget=40%", "--numa-requirement", apart)
    (failed,) = read_report(tmp_path).cases
    assert (failed.verdict, tuple(failed.quirks)) == ("not followed", quirks)
    assert "\nthe kubelet departs here too: " in failed.details
    assert all(f"{quirk}: {QUIRKS[quirk].summary}" in failed.details for quirk in quirks)


IN_WORDS = "the kubelet departs here too"
PART = "--numa-budget=5%"
ACROSS_CORES = (PART, "--numa-requirement", "cpu-manager/distribute-cpus-across-cores/*")
RATIO = (PART, "--numa-requirement", "scheduler/requested-to-capacity-ratio/*")
WEIGHTS = (PART, "--numa-requirement", "scheduler/requested-to-capacity-ratio/weighs-resources")


@pytest.mark.parametrize(
    ("quirk", "options"),
    [
        ("spread-by-cpu-id", ACROSS_CORES),
        ("ratio-drops-what-scores-zero", RATIO),
        ("node-limit-needs-a-number", (PART, "--numa-requirement", "topology-manager/max-allowable-numa-nodes/*")),
        (
            "strict-pool-may-empty",
            ("--numa-budget=25%", "--numa-requirement=cpu-manager/shared-pool/*", "--numa-machine=t1-one-socket-smt2"),
        ),
        (
            "init-only-types-are-dropped",
            (PART, "--numa-requirement", "memory-manager/hints/*", "--numa-machine", "two-nodes-hugepages-devices"),
        ),
    ],
)
def test_a_target_that_departs_as_the_kubelet_does_is_told_so_at_all_that_is_unmet(tmp_path, quirk, options):
    details = unmet_of(tmp_path, (quirk,), options)
    assert details
    for told in details:
        assert told.count(IN_WORDS) == 1
        assert f"\n{IN_WORDS}: quirk {quirk}: {QUIRKS[quirk].summary}" in told


@pytest.mark.parametrize(
    ("mutant", "options"), [("ignores_distribute_cpus_across_cores", ACROSS_CORES), ("ignores_weights", WEIGHTS)]
)
def test_the_kubelet_is_not_named_where_a_target_breaks_otherwise_what_the_kubelet_breaks(tmp_path, mutant, options):
    """On one machine: a small one drawn by lot may have both answer alike."""
    on = ("--numa-machine", "t2-two-sockets-interleaved")
    details = unmet_of(tmp_path, (), (*options, *on, "--numa-target", f"mutants:{mutant}"))
    assert details
    assert not [told for told in details if IN_WORDS in told]


def unmet_of(folder, quirks, options):
    """Return what a person is told of each case that is unmet or not followed."""
    departing.ask(NEWEST, quirks, folder, *options)
    return [case.details for cases in departing.unmet_in(read_report(folder)).values() for case in cases]
