"""CPU Manager policy none."""

from __future__ import annotations

import pytest

from numa_conformance.asking.examples.conversation import Conversation
from numa_conformance.asking.generators.scenario import Question
from numa_conformance.asking.generators.workloads import best_effort, guaranteed, kubelet
from numa_conformance.machine import Machine

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement

NONE: Question = ("node.start", {"kubelet": kubelet(cpuManagerPolicy="none")})


@requirement("cpu-manager/none/needs-no-reservation")
def test_comes_up_without_a_reservation(ask: Conversation, machine: Machine) -> None:
    ask(machine, [NONE])


@requirement("cpu-manager/reconcile/none-writes-nothing")
def test_reconcile_writes_no_cpuset(ask: Conversation, machine: Machine) -> None:
    life = [NONE]
    for uid, pod in (("b", best_effort("b")), ("a", guaranteed("a", 2))):
        life += [("node.admit", {"pod": pod}), ("node.run", {"uid": uid})]
    ask(machine, [*life, ("node.reconcile", {})])
