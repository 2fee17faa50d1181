"""CPU Manager policy static without options: who gets exclusive CPUs, and how many are reserved."""

from __future__ import annotations

from typing import Any

import pytest

from numa_conformance.asking.examples.conversation import Conversation
from numa_conformance.asking.generators.scenario import Question
from numa_conformance.asking.generators.workloads import container, pod, static
from numa_conformance.machine import Machine

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement


def admitting(wanted: dict[str, Any]) -> list[Question]:
    """Return the questions that bring a node up and put a pod on it."""
    return [("node.start", {"kubelet": static()}), ("node.admit", {"pod": wanted})]


@requirement("cpu-manager/static/limits-alone-make-guaranteed")
def test_limits_alone_give_exclusive_cpus(ask: Conversation, machine: Machine) -> None:
    ask(machine, admitting(pod("a", [container("c", cpu="2", memory="200Mi")])))


@requirement("cpu-manager/static/sidecars-and-init-containers-are-eligible")
@pytest.mark.parametrize("sidecar", [False, True], ids=["init", "sidecar"])
def test_init_containers_have_their_own_cpus(ask: Conversation, machine: Machine, sidecar: bool) -> None:
    early = container("i", cpu="1", memory="64Mi", sidecar=sidecar)
    ask(machine, admitting(pod("a", [container("c", cpu="2", memory="64Mi")], init=[early])))


@requirement("cpu-manager/reservation/rounds-up")
@pytest.mark.parametrize("cpu", ["500m", "1", "1500m", "2100m"])
def test_a_fraction_reserves_a_whole_cpu(ask: Conversation, machine: Machine, cpu: str) -> None:
    ask(machine, [("node.start", {"kubelet": static(reserved="", kubeReserved={"cpu": cpu})})])
