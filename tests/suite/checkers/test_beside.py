"""What is told beside placements, right and wrong: CFS quota, the phase and message of refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from numa_conformance.machine import load_machine
from numa_conformance.suite.generators.workloads import best_effort, container, guaranteed, kubelet, pod, static
from numa_conformance.suite.history.history import Head, History, Step
from numa_conformance.suite.judge.verdicts import Verdicts, judge

NONE_QUOTA = "cpu-manager/none/limits-are-enforced-by-quota"
SHARED_QUOTA = "cpu-manager/static/shared-limits-are-enforced-by-quota"
NO_QUOTA = "cpu-manager/static/exclusive-cpus-have-no-quota"
FAILED = "cpu-manager/full-pcpus-only/refused-pods-are-failed"
NO_CORES = "cpu-manager/full-pcpus-only/tells-that-whole-cores-are-missing"
TERMINATED = "topology-manager/admission/refused-pods-are-terminated"
WORDS = "topology-manager/admission/says-what-cannot-be-aligned"
BURSTABLE = pod("p", [container("c", cpu="1500m", requests={"cpu": "1"})])
NONE = kubelet(cpuManagerPolicy="none")


def told(config: Mapping[str, Any], wanted: Mapping[str, Any], answer: Mapping[str, Any]) -> Verdicts:
    """Judge a node on which one pod is asked for, and which is asked for its state where the pod is admitted."""
    up = {"result": "started", "default_cpuset": "0-7", "reserved_cpus": "0"}
    steps = [Step("node.start", {"kubelet": config}, up), Step("node.admit", {"pod": wanted}, answer)]
    if answer["result"] == "admitted":
        state = {"default_cpuset": answer["default_cpuset"], "containers": {"p": answer["containers"]}}
        steps.append(Step("node.state", {}, state))
    return judge(History(Head("walk", "", 0, load_machine("t1-one-socket-smt2"), "1.32"), tuple(steps)))


def admitted(cpus: str, quota: int | None) -> Mapping[str, Any]:
    holding = {"cpus": cpus, "cpu_quota": quota}
    return {"result": "admitted", "default_cpuset": "0-7" if not cpus else "0,2-4,6-7", "containers": {"c": holding}}


def refused(reason: str, message: str = "", phase: str | None = None) -> Mapping[str, Any]:
    return {"result": "rejected", "default_cpuset": "0-7", "reason": reason, "message": message, "phase": phase}


@pytest.mark.parametrize(("config", "requirement"), [(NONE, NONE_QUOTA), (static(), SHARED_QUOTA)])
@pytest.mark.parametrize("quota", [-1, 0, 100_000, 160_000])
def test_a_limit_that_quota_does_not_enforce(config: Mapping[str, Any], requirement: str, quota: int) -> None:
    verdicts = told(config, BURSTABLE, admitted("", quota))
    assert [found.requirement for found in verdicts.broken] == [requirement] * 2


@pytest.mark.parametrize(("config", "requirement"), [(NONE, NONE_QUOTA), (static(), SHARED_QUOTA)])
@pytest.mark.parametrize("quota", [150_000, 150_999])
def test_a_limit_that_quota_enforces(config: Mapping[str, Any], requirement: str, quota: int) -> None:
    verdicts = told(config, BURSTABLE, admitted("", quota))
    assert (verdicts.unmet, verdicts.asked[requirement]) == (set(), 2)


@pytest.mark.parametrize(("quota", "wrong"), [(200_000, {NO_QUOTA}), (-1, set()), (0, set())])
def test_exclusive_cpus_have_no_quota(quota: int, wrong: set[str]) -> None:
    verdicts = told(static(), guaranteed("p", 2), admitted("1,5", quota))
    assert (verdicts.unmet, verdicts.asked[NO_QUOTA]) == (wrong, 2)


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        (NONE, best_effort("p")),
        (NONE, pod("p", [container("c", requests={"cpu": "1"})])),
        ({**NONE, "cpuCFSQuota": False}, BURSTABLE),
    ],
    ids=["best effort", "without a limit", "quota is off"],
)
@pytest.mark.parametrize("quota", [-1, 100_000])
def test_no_page_says_what_bounds_these(config: Mapping[str, Any], wanted: Mapping[str, Any], quota: int) -> None:
    verdicts = told(config, wanted, admitted("", quota))
    assert (verdicts.unmet, verdicts.asked[NONE_QUOTA]) == (set(), 0)


def test_a_target_that_does_not_tell_is_not_asked() -> None:
    shared, exclusive = told(NONE, BURSTABLE, admitted("", None)), told(static(), BURSTABLE, admitted("1,5", None))
    assert not {NONE_QUOTA, SHARED_QUOTA, NO_QUOTA} & (shared.asked.keys() | exclusive.asked.keys())
    silent = told(static("full-pcpus-only"), guaranteed("p", 3), refused("SMTAlignmentError", "no whole cores"))
    assert not {FAILED, TERMINATED} & silent.asked.keys()


PHASES: list[tuple[str, set[str]]] = [("Failed", set()), ("Terminated", {FAILED}), ("Pending", {FAILED, TERMINATED})]


@pytest.mark.parametrize(("phase", "wrong"), PHASES)
def test_the_phase_of_a_pod_that_cannot_have_whole_cores(phase: str, wrong: set[str]) -> None:
    verdicts = told(static("full-pcpus-only"), guaranteed("p", 3), refused("SMTAlignmentError", "", phase))
    assert verdicts.unmet == wrong
    assert verdicts.asked[FAILED] == verdicts.asked[TERMINATED] == 1


REASONS: list[tuple[str, str, set[str]]] = [
    ("SMTAlignmentError", "", set()),
    ("Failed", "SMTAlignmentError: no whole cores", set()),
    ("UnexpectedAdmissionError", "not enough cpus", {NO_CORES}),
]


@pytest.mark.parametrize(("reason", "message", "wrong"), REASONS)
def test_the_reason_where_enough_cpus_and_no_whole_cores_are_free(reason: str, message: str, wrong: set[str]) -> None:
    verdicts = told(static("full-pcpus-only"), guaranteed("p", 7), refused(reason, message))
    assert (verdicts.unmet, verdicts.asked[NO_CORES]) == (wrong, 1)


MESSAGES: list[tuple[str, set[str]]] = [
    ("Resources cannot be allocated with Topology locality", set()),
    ("p: resources cannot be allocated with topology locality on any NUMA node", set()),
    ("no", {WORDS}),
]


@pytest.mark.parametrize(("message", "wrong"), MESSAGES)
def test_the_message_of_a_topology_affinity_error(message: str, wrong: set[str]) -> None:
    config = static(topology="single-numa-node")
    verdicts = told(config, guaranteed("p", 99), refused("TopologyAffinityError", message))
    assert (verdicts.unmet, verdicts.asked[WORDS]) == (wrong, 1)
