"""Odd machines are as odd as they say, and differ from seed to seed."""

import random
from importlib import import_module
from itertools import islice
from pathlib import Path

import pytest

from numa_conformance.machine.model import derive_view
from numa_conformance.reference.managers.cpu import CpuTopology
from numa_conformance.wire.features import FEATURES

GO = Path(__file__).parents[2] / "go"
with pytest.MonkeyPatch.context() as monkeypatch:
    monkeypatch.syspath_prepend(str(GO / "kubelet"))
    odd_machines = import_module("odd_machines")

DRAWN = [odd_machines.odd_machine(random.Random(seed)) for seed in range(200)]


def share(kind):
    return sum(map(kind, DRAWN)) / len(DRAWN)


def test_each_oddity_comes_often():
    assert share(lambda machine: not CpuTopology(derive_view(machine)).even) > 0.2
    assert share(lambda machine: bool(machine.offline)) > 0.4
    assert share(lambda machine: machine.numa_ids != tuple(range(len(machine.numa_ids)))) > 0.5
    assert share(lambda machine: len({bits.bit_count() for bits in machine.uncore_bits.values()}) > 1) > 0.4
    assert share(lambda machine: any(_pages(node) > node.memory for node in machine.memory)) > 0.4


def _pages(node):
    return sum(pages * 2**30 for pages in node.hugepages.values())


def test_every_numa_node_has_cpus():
    assert all(all(machine.numa_bits.values()) for machine in DRAWN)


def _cells(seed):
    return [
        (one.generator, one.cell) for one in islice(odd_machines.odd_scenarios(frozenset(FEATURES), seed=seed), 200)
    ]


KINDS = {"odd pick", "odd merge", "odd life", "odd removal", "odd resize", "odd score", "sweep"}


def test_a_seed_asks_the_same_again_and_another_something_else():
    assert _cells(1) == _cells(1) != _cells(2)
    assert {"odd pick", "odd merge", "odd life", "odd removal", "odd resize", "sweep"} <= {
        generator for generator, _ in _cells(1)
    }


def test_every_scenario_can_begin_also_where_memory_is_reserved_on_two_nodes():
    begun = [
        next(scenario.script()) for scenario in islice(odd_machines.odd_scenarios(frozenset(FEATURES), seed=1), 300)
    ]
    kubelets = [params["kubelet"] for method, params in begun if method == "node.start"]
    reserved = [[entry["numaNode"] for entry in kubelet.get("reservedMemory", ())] for kubelet in kubelets]
    assert {len(nodes) for nodes in reserved} == {0, 1, 2}
    assert all(len(set(nodes)) == len(nodes) for nodes in reserved)


def test_no_program_beside_go_needs_a_command():
    assert not [path.name for path in GO.rglob("*.py") if "numa_conformance.cli" in path.read_text(encoding="utf-8")]
