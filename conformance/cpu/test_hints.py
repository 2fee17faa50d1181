"""NUMA hints for exclusive CPUs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Machine, machine_to_dict
from numa_conformance.protocol import Client
from numa_conformance.protocol.messages.hints import Hints
from numa_conformance.protocol.values import HintValue, PriorState
from numa_conformance.suite.examples.questions import Questions
from numa_conformance.suite.generators.workloads import burstable, guaranteed, static

pytestmark = pytest.mark.surfaces("hints")
requirement = pytest.mark.requirement


class Asker(Questions):
    """Asks the target for hints on a machine where some CPUs are taken."""

    def hints(self, machine: Machine, pod: dict[str, object], taken: CpuSet) -> list[HintValue] | None:
        """Return the hints for cpu, None for no opinion."""
        pool = CpuSet.from_bits(machine.online_bits) - taken
        state = PriorState(str(pool), {"other": {"c": str(taken)}} if taken else {})
        config = static(reserved="0", topology="best-effort")
        answer = self.ask(Hints(machine_to_dict(machine), config, state, pod, "c"))
        return (answer.hints or {}).get("cpu")


@pytest.fixture
def ask(target: Client, requirements: tuple[str, ...]) -> Asker:
    return Asker(target, requirements)


@requirement("cpu-manager/hints/none-without-exclusive-cpus")
def test_no_opinion_without_exclusive_cpus(ask: Asker, machine: Machine) -> None:
    for pod in (guaranteed("p", "1500m"), burstable("p", 2)):
        hints = ask.hints(machine, pod, CpuSet())
        default = hints is None or (hints and all(hint.nodes is None and hint.preferred for hint in hints))
        ask.check(bool(default), "hints are offered for a container in the shared pool", hints, "no opinion")


@requirement("cpu-manager/hints/every-hint-can-hold-the-request")
@pytest.mark.parametrize("cpu", [1, 2, 5, 7])
def test_hints_are_the_nodes_that_can_hold_the_request(ask: Asker, machine: Machine, cpu: int) -> None:
    taken = CpuSet(cpu.id for cpu in machine.cpus[1:4])
    hints = ask.hints(machine, guaranteed("p", cpu), taken)
    free = machine.online_bits & ~taken.bits & ~1
    able = [set(nodes) for nodes in _subsets(machine) if (free & _cpus(machine, nodes)).bit_count() >= cpu]
    named = [set(hint.nodes or ()) for hint in hints or []]
    ask.check(
        sorted(map(sorted, named)) == sorted(map(sorted, able)), "the hints are not the fitting sets", named, able
    )


@requirement("cpu-manager/hints/preferred-is-narrowest")
@pytest.mark.parametrize("cpu", [1, 2, 5, 7])
def test_preferred_hints_are_the_narrowest(ask: Asker, machine: Machine, cpu: int) -> None:
    hints = ask.hints(machine, guaranteed("p", cpu), CpuSet())
    narrowest = min(len(nodes) for nodes in _subsets(machine) if _cpus(machine, nodes).bit_count() >= cpu)
    wrong = [hint for hint in hints or [] if hint.preferred != (len(hint.nodes or ()) == narrowest)]
    ask.check(
        not wrong, "preferred are other hints than the narrowest", [str(one) for one in wrong], f"{narrowest} nodes"
    )


def _subsets(machine: Machine) -> list[tuple[int, ...]]:
    nodes = [numa for numa, cpus in machine.numa_bits.items() if cpus]
    return [chosen for size in range(1, len(nodes) + 1) for chosen in combinations(nodes, size)]


def _cpus(machine: Machine, nodes: Sequence[int]) -> int:
    return sum(machine.numa_bits[node] for node in nodes)
