"""Two targets side by side: planted differences are found, told once, and shrunk."""

from contextlib import contextmanager

import pytest

from asked_in_full import deep
from changes.change import Rewriting
from changes.rewrites import each_holding
from numa_conformance.asking.asking import Budget
from numa_conformance.comparing.kinds_of_difference import Kinds, is_real
from numa_conformance.comparing.two_targets import TwoTargets
from numa_conformance.cpuset import CpuSet
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess, TargetFault
from processes import PATIENCE

FEW, MORE = Budget(part=0.015), Budget(part=0.1)
FULL_CORES = "full-pcpus-only: true"


@contextmanager
def both(one, other, surface):
    clients = [Client(InProcess(lambda make=make: Narrow(make(), surface), "a target")) for make in (one, other)]
    try:
        yield TwoTargets(*clients)
    finally:
        for client in clients:
            client.close()


class Narrow:
    """A target that claims one surface."""

    def __init__(self, target, surface):
        self._target = target
        self._surface = surface

    def __getattr__(self, name):
        return getattr(self._target, name)

    def describe(self, request):
        told = self._target.describe(request)
        return type(told)(told.name, told.version, told.protocol, [self._surface], told.features, "1.35")


def kinds_of(one, surface, budget=FEW):
    with both(one, ReferenceTarget, surface) as two:
        kinds = Kinds(two.again, seconds=PATIENCE)
        for found in two.histories(budget):
            if found is not None:
                kinds.add(found)
    return kinds.all()


def _another_core(holding, answer):
    """Give the last core of the shared pool in place of the first two CPUs."""
    cpus, pool = list(CpuSet.parse(holding["cpus"])), list(CpuSet.parse(answer["default_cpuset"]))
    if len(cpus) > 1 and len(pool) > 1:
        holding["cpus"] = str(CpuSet([*cpus[2:], *pool[-2:]]))


def _with_whole_cores(answer, memory):
    options = memory.asked["node.start"]["kubelet"].get("cpuManagerPolicyOptions") or {}
    return each_holding(_another_core)(answer, memory) if options.get("full-pcpus-only") == "true" else answer


def _admits_nobody_else(answer, memory):
    if answer["result"] == "rejected" and answer["reason"] == "TopologyAffinityError":
        return {**answer, "reason": "Whatever"}
    return answer


def _never_preferred(answer, memory):
    restricted = memory.asked["merge"]["policy"] == "restricted"
    return {**answer, "preferred": False} if restricted else answer


def mutant_of(method, lie):
    return lambda: Rewriting("planted", {}, {method: lie}, "exact")


@deep
def test_a_planted_placement_is_found_and_shrunk_to_one_pod_on_a_real_machine():
    kinds = kinds_of(mutant_of("node.admit", _with_whole_cores), "node", Budget(part=0.05))
    kind = kinds[0]
    assert (kind.method, kind.place) == ("node.admit", "containers.*.cpus")
    assert kind.needed == ["cpuManagerPolicy: static", FULL_CORES]
    history = kind.example.history
    assert [step.method for step in history.steps] == ["node.start", "node.admit"]
    assert len(history.steps[-1].params["pod"]["spec"]["containers"]) == 1
    assert is_real(history.head.machine)
    assert len([each for each in kinds if each.place == kind.place]) == 1
    assert sum(each.histories for each in kinds) > 1


@deep
def test_a_planted_reason_is_told_by_the_policy_that_it_needs():
    kinds = kinds_of(mutant_of("node.admit", _admits_nobody_else), "node", Budget(part=0.05))
    assert {kind.place for kind in kinds} == {"reason: Whatever / TopologyAffinityError"}
    assert all(any(name.startswith("topologyManagerPolicy: ") for name in kind.needed) for kind in kinds)


@deep
def test_a_planted_preference_is_found_in_one_policy_only():
    (kind,) = kinds_of(mutant_of("merge", _never_preferred), "merge", Budget(part=0.2))
    assert (kind.method, kind.place, kind.needed) == ("merge", "preferred", ["policy: restricted"])
    assert len(kind.example.history.steps) == 1
    assert kind.histories > 1


def test_a_crash_on_some_questions_is_a_difference():
    def crashes_on_three(answer, memory):
        assert memory.asked["pick"]["count"] != 3
        return answer

    (kind,) = kinds_of(mutant_of("pick", crashes_on_three), "pick")
    assert kind.place == "answer: crashed / answered"


def test_a_target_that_answers_nothing_is_not_compared():
    def crashes(answer, memory):
        raise RuntimeError("no")

    with pytest.raises(TargetFault):
        kinds_of(mutant_of("merge", crashes), "merge", MORE)


@pytest.mark.parametrize("surface", ["node", "pick", "score"])
def test_a_target_does_not_differ_from_itself(surface):
    assert kinds_of(ReferenceTarget, surface, Budget(part=0.01)) == []


def test_another_seed_asks_other_histories():
    def asked(seed):
        seen = []
        with both(
            lambda: Rewriting(
                "listens", {}, {"pick": lambda answer, memory: seen.append(str(memory.asked)) or answer}, "exact"
            ),
            ReferenceTarget,
            "pick",
        ) as two:
            list(two.histories(Budget(part=0.002), seed))
        return seen

    assert asked(0) == asked(0) != asked(1)
