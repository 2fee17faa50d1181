"""Refusals for other reasons than the CPUs, and what else may be said of one."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from numa_conformance.conformance.pairs.options import ALONE, NO_CORES
from numa_conformance.conformance.pairs.worlds import admitted, held, node, refused

from numa_conformance.asking.generators.workloads import guaranteed, kubelet, static
from numa_conformance.chapters.cpu import admission as cpu_admission
from numa_conformance.chapters.cpu.options import full_pcpus_only
from numa_conformance.chapters.topology import admission as topology_admission
from worlds import breaks


@pytest.mark.parametrize("topology", ["best-effort", "restricted", "single-numa-node"])
def test_cpus_refuse_nothing_under_policy_none(topology: str) -> None:
    config = kubelet(cpuManagerPolicy="none", topologyManagerPolicy=topology)
    world, wanted = node("t2-two-sockets-interleaved", config), guaranteed("p", 6)
    assert breaks(cpu_admission.none_has_no_preference, refused(world, wanted)) is True
    assert breaks(cpu_admission.none_has_no_preference, admitted(world, wanted, c=held())) is False


@pytest.mark.parametrize(
    ("number", "more"), [(99, {}), (2, {"memoryManagerPolicy": "Static"})], ids=["more than the node has", "memory"]
)
def test_a_pod_may_be_refused_under_policy_none_for_something_else(number: int, more: dict[str, Any]) -> None:
    config = kubelet(cpuManagerPolicy="none", topologyManagerPolicy="restricted", **more)
    refusal = refused(node("t2-two-sockets-interleaved", config), guaranteed("p", number))
    assert breaks(cpu_admission.none_has_no_preference, refusal) is None


@pytest.mark.parametrize(
    ("reason", "message", "wrong"),
    [
        ("SMTAlignmentError", "", False),
        ("Failed", "SMTAlignmentError: no whole cores", False),
        ("UnexpectedAdmissionError", "not enough cpus", True),
    ],
)
@pytest.mark.parametrize("number", [3, 7])
def test_the_reason_or_the_message_says_that_whole_cores_are_missing(
    number: int, reason: str, message: str, wrong: bool
) -> None:
    refusal = refused(node("t1-one-socket-smt2", static("full-pcpus-only")), guaranteed("p", number))
    told = replace(refusal, reason=reason, message=message)
    assert breaks(full_pcpus_only.tells_that_whole_cores_are_missing, told) is wrong


@pytest.mark.parametrize(
    ("phase", "not_failed", "not_ended"),
    [("Failed", False, False), ("Terminated", True, False), ("Pending", True, True), (None, None, None)],
)
def test_the_phase_of_a_pod_that_cannot_have_whole_cores(
    phase: str | None, not_failed: bool | None, not_ended: bool | None
) -> None:
    told = replace(NO_CORES, phase=phase)
    assert breaks(full_pcpus_only.refused_pods_are_failed, told) is not_failed
    assert breaks(topology_admission.refused_pods_are_terminated, told) is not_ended


def test_what_is_asked_of_options_together_is_not_asked_of_one() -> None:
    split = admitted(ALONE, guaranteed("p", 3), c=held("1-2,5"))
    assert breaks(full_pcpus_only.refuses_a_partial_core_beside_others, split) is None
