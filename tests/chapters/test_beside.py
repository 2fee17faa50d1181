"""What is told beside placements, right and wrong: CFS quota, the reason, phase and message of refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from numa_conformance.asking.generators.workloads import best_effort, container, guaranteed, kubelet, pod, static
from numa_conformance.judging.verdicts import HistoryVerdicts, judge
from numa_conformance.machine import load_machine
from numa_conformance.wire.history.history import Head, History, Step

NONE_QUOTA = "cpu-manager/none/limits-are-enforced-by-quota"
SHARED_QUOTA = "cpu-manager/static/shared-limits-are-enforced-by-quota"
NO_QUOTA = "cpu-manager/static/exclusive-cpus-have-no-quota"
FAILED = "cpu-manager/full-pcpus-only/refused-pods-are-failed"
CORES = "cpu-manager/full-pcpus-only/tells-that-whole-cores-are-missing"
TERMINATED = "topology-manager/admission/refused-pods-are-terminated"
WORDS = "topology-manager/admission/says-what-cannot-be-aligned"
BURSTABLE = pod("p", [container("c", cpu="1500m", requests={"cpu": "1"})])
NONE = kubelet(cpuManagerPolicy="none")


def told(config: Mapping[str, Any], wanted: Mapping[str, Any], answer: Mapping[str, Any]) -> HistoryVerdicts:
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


@pytest.mark.parametrize(("config", "requirement"), [(NONE, NONE_QUOTA), (static(), SHARED_QUOTA)])
@pytest.mark.parametrize("quota", [-1, 0, 100_000, 160_000])
def test_a_limit_that_quota_does_not_enforce(config: Mapping[str, Any], requirement: str, quota: int) -> None:
    verdicts = told(config, BURSTABLE, admitted("", quota))
    assert [found.requirement for found in verdicts.broken] == [requirement] * 2


@pytest.mark.parametrize(("config", "requirement"), [(NONE, NONE_QUOTA), (static(), SHARED_QUOTA)])
@pytest.mark.parametrize("quota", [150_000, 150_999])
def test_a_limit_that_quota_enforces(config: Mapping[str, Any], requirement: str, quota: int) -> None:
    verdicts = told(config, BURSTABLE, admitted("", quota))
    assert (verdicts.unmet, verdicts.tests[requirement]) == (set(), 2)


@pytest.mark.parametrize(("quota", "wrong"), [(200_000, {NO_QUOTA}), (-1, set()), (0, set())])
def test_exclusive_cpus_have_no_quota(quota: int, wrong: set[str]) -> None:
    verdicts = told(static(), guaranteed("p", 2), admitted("1,5", quota))
    assert (verdicts.unmet, verdicts.tests[NO_QUOTA]) == (wrong, 2)


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
    assert (verdicts.unmet, verdicts.tests[NONE_QUOTA]) == (set(), 0)


def test_a_target_that_does_not_tell_is_not_asked() -> None:
    shared, exclusive = told(NONE, BURSTABLE, admitted("", None)), told(static(), BURSTABLE, admitted("1,5", None))
    assert not {NONE_QUOTA, SHARED_QUOTA, NO_QUOTA} & (shared.tests.keys() | exclusive.tests.keys())


def refused(reason: str, message: str = "", phase: str | None = None) -> Mapping[str, Any]:
    return {"result": "rejected", "default_cpuset": "0-7", "reason": reason, "message": message, "phase": phase}


NO_CORES, NO_NODE = (static("full-pcpus-only"), 3), (static(topology="single-numa-node"), 99)


@pytest.mark.parametrize(
    ("asked", "answer", "wrong"),
    [
        (NO_CORES, refused("SMTAlignmentError", "", "Failed"), set()),
        (NO_CORES, refused("SMTAlignmentError", "", "Terminated"), {FAILED}),
        (NO_CORES, refused("SMTAlignmentError", "", "Pending"), {FAILED, TERMINATED}),
        (NO_CORES, refused("SMTAlignmentError", "no whole cores"), set()),
        (NO_CORES, refused("UnexpectedAdmissionError", "not enough cpus"), {CORES}),
        (NO_NODE, refused("TopologyAffinityError", "Resources cannot be allocated with Topology locality"), set()),
        (NO_NODE, refused("TopologyAffinityError", "no"), {WORDS}),
    ],
)
def test_a_refusal_breaks_nothing_but_what_its_words_and_phase_break(
    asked: tuple[Mapping[str, Any], int], answer: Mapping[str, Any], wrong: set[str]
) -> None:
    config, number = asked
    assert told(config, guaranteed("p", number), answer).unmet == wrong
