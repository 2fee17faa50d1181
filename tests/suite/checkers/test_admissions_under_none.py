"""CPU policy none beside a policy of the Topology Manager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from numa_conformance.machine import load_machine
from numa_conformance.suite.generators.workloads import guaranteed, kubelet
from numa_conformance.suite.history.history import Head, History, Step
from numa_conformance.suite.judge.verdicts import Verdicts, judge

NO_PREFERENCE = "cpu-manager/none/has-no-preference"
ADMITTED = {"result": "admitted", "default_cpuset": "", "containers": {"c": {"cpus": ""}}}
REFUSED = {"result": "rejected", "default_cpuset": "", "reason": "No", "message": "no"}


def told(topology: str, wanted: Mapping[str, Any], answer: Mapping[str, Any], **memory: object) -> Verdicts:
    config = kubelet(cpuManagerPolicy="none", topologyManagerPolicy=topology, **memory)
    steps = (
        Step("node.start", {"kubelet": config}, {"result": "started", "default_cpuset": ""}),
        Step("node.admit", {"pod": wanted}, answer),
    )
    return judge(History(Head("walk", "", 0, load_machine("t2-two-sockets-interleaved"), "1.32"), steps))


@pytest.mark.parametrize("topology", ["best-effort", "restricted", "single-numa-node"])
@pytest.mark.parametrize(("answer", "wrong"), [(ADMITTED, False), (REFUSED, True)])
def test_cpus_refuse_nothing_under_policy_none(topology: str, answer: Mapping[str, Any], wrong: bool) -> None:
    verdicts = told(topology, guaranteed("p", 6), answer)
    assert verdicts.asked[NO_PREFERENCE] == 1
    assert (NO_PREFERENCE in verdicts.unmet) == wrong


def test_what_does_not_fit_the_machine_may_be_refused() -> None:
    assert told("restricted", guaranteed("p", 99), REFUSED).asked[NO_PREFERENCE] == 0


def test_memory_may_refuse_it_all_the_same() -> None:
    verdicts = told("restricted", guaranteed("p", 2), REFUSED, memoryManagerPolicy="Static")
    assert verdicts.asked[NO_PREFERENCE] == 0
