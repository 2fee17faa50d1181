"""Refusals for other reasons than the CPUs, and what else may be said of one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from numa_conformance.suite.chapters.cpu import admission as cpu_admission
from numa_conformance.suite.chapters.cpu.options import full_pcpus_only
from numa_conformance.suite.chapters.cpu.options.full_pcpus_only_pairs import NO_CORES, REFUSED
from numa_conformance.suite.generators.workloads import guaranteed, kubelet
from numa_conformance.suite.generators.worlds import node, refused
from worlds import breaks


@pytest.mark.parametrize(
    ("number", "more"),
    [(99, {}), (2, {"memoryManagerPolicy": "Static"})],
    ids=["more than the node has", "memory"],
)
def test_a_pod_may_be_refused_under_policy_none_for_something_else(number: int, more: dict[str, Any]) -> None:
    config = kubelet(cpuManagerPolicy="none", topologyManagerPolicy="restricted", **more)
    refusal = refused(node("t2-two-sockets-interleaved", config), guaranteed("p", number))
    assert breaks(cpu_admission.none_has_no_preference, refusal) is None


def test_the_message_may_say_that_whole_cores_are_missing() -> None:
    refusal = replace(REFUSED, reason="Failed", message="SMTAlignmentError: no whole cores")
    assert breaks(full_pcpus_only.tells_that_whole_cores_are_missing, refusal) is False


def test_a_phase_that_is_not_told_is_not_asked_for() -> None:
    assert breaks(full_pcpus_only.refused_pods_are_failed, NO_CORES) is None
