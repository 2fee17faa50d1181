"""Memory Manager."""

from __future__ import annotations

import pytest

from numa_conformance.machine import Machine, load_machine, machine_from_dict
from numa_conformance.protocol.messages.node import StartFailed
from numa_conformance.suite.examples.node_run import NodeRun, held_after
from numa_conformance.suite.generators.workloads import burstable, container, guaranteed, pod, static, static_memory

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement
departs = pytest.mark.departs

MACHINE = "two-nodes-hugepages"
"""Two NUMA nodes of 8 GiB with 256 huge pages of 2 MiB each."""
GI = 1 << 30


@pytest.fixture
def pair() -> Machine:
    return load_machine(MACHINE)


@requirement("memory-manager/none/pins-nothing")
def test_none_pins_nothing(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static(memoryManagerPolicy="None"))
    blocks = node.admit(guaranteed("a", 1, "1Gi")).memory()
    node.check(not blocks, "memory is pinned under policy None", got=[str(one) for one in blocks], allowed="none")


@requirement("memory-manager/static/guarantees-memory-to-guaranteed-pods")
@pytest.mark.parametrize("cpu", ["2", "500m"])
def test_a_guaranteed_container_has_its_memory(node: NodeRun, pair: Machine, cpu: str) -> None:
    node.start(pair, static_memory())
    answer = node.admit(guaranteed("a", cpu, "1Gi"))
    got = answer.amounts()
    node.check(got.get("memory") == GI, "another amount of memory is given", got=got, allowed=GI)
    for block in answer.memory():
        node.check(block.nodes and set(block.nodes) <= {0, 1}, "the block is on no NUMA node", got=block.nodes)


@requirement("memory-manager/static/leaves-other-classes-alone")
def test_a_burstable_container_has_none(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory())
    blocks = node.admit(burstable("a", 1, "1Gi")).memory()
    node.check(not blocks, "memory is pinned for a Burstable pod", got=[str(one) for one in blocks], allowed="none")


@requirement("memory-manager/static/uses-the-fewest-numa-nodes")
@pytest.mark.parametrize("size", ["1Gi", "6Gi"])
def test_what_fits_one_node_comes_from_one(node: NodeRun, pair: Machine, size: str) -> None:
    node.start(pair, static_memory("best-effort"))
    for one in node.admit(guaranteed("a", 1, size)).memory():
        node.check(len(one.nodes) == 1, "memory comes from several NUMA nodes", got=one.nodes, allowed="one")


@requirement("memory-manager/static/uses-the-fewest-numa-nodes")
def test_what_needs_two_nodes_is_pinned_to_both(node: NodeRun) -> None:
    """The example of the page Troubleshooting Topology Management: 150Gi of 125Gi on each of two NUMA nodes."""
    machine = machine_from_dict({"name": "two-of-125Gi", "sockets": 2, "coresPerNuma": 2, "memory": "125Gi"})
    node.start(machine, static_memory("restricted"))
    nodes = {one for block in node.admit(guaranteed("a", 3, "150Gi")).memory() for one in block.nodes}
    node.check(nodes == {0, 1}, "the memory is not of both NUMA nodes", got=sorted(nodes), allowed="0 and 1")


@requirement("memory-manager/static/never-gives-more-than-is-free", "memory-manager/reserved-memory/is-never-given")
def test_gives_no_more_than_there_is(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory("single-numa-node"))
    given = {0: 0, 1: 0}
    for index in range(20):
        answer = node.try_admit(guaranteed(f"p{index}", "100m", "1Gi"))
        if not answer.admitted:
            break
        for one in answer.memory():
            given[one.nodes[0]] += one.bytes
    huge = 256 << 21
    room = {0: 8 * GI - huge - (356 << 20), 1: 8 * GI - huge}
    for numa, total in given.items():
        node.check(total <= room[numa], f"NUMA node {numa} gives more than it has", got=total, allowed=room[numa])


@requirement("memory-manager/static/refuses-what-does-not-fit")
def test_refuses_more_than_the_machine_has(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory("restricted"))
    answer = node.try_admit(guaranteed("a", 1, "17Gi"))
    node.check(not answer.admitted, "more memory is given than there is", got=answer.answer, allowed="refused")
    node.check(answer.pool == node.initial_pool, "a refused pod holds CPUs", got=answer.pool, allowed=node.initial_pool)


@requirement("memory-manager/static/keeps-groups-apart")
def test_a_grouped_node_serves_no_container_alone(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory("restricted"))
    node.admit(guaranteed("wide", "100m", "10Gi"))
    answer = node.try_admit(guaranteed("narrow", "100m", "1Gi"))
    alone = [one for one in answer.memory() if len(one.nodes) == 1] if answer.admitted else []
    node.check(not alone, "a NUMA node of a group serves a container alone", got=[str(one) for one in alone])


@requirement("memory-manager/static/keeps-groups-apart")
@departs("groups-may-cross")
def test_a_node_that_serves_alone_joins_no_group(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory("restricted"))
    alone = {one for block in node.admit(guaranteed("narrow", "100m", "1Gi")).memory() for one in block.nodes}
    answer = node.try_admit(guaranteed("wide", "100m", "10Gi"))
    joined = [one for one in answer.memory() if alone & set(one.nodes)] if answer.admitted else []
    node.check(not joined, "a NUMA node that serves a container alone joins a group", got=[str(one) for one in joined])


@requirement("memory-manager/static/returns-memory-on-removal")
def test_removal_returns_the_memory(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory("single-numa-node"))
    for index in range(3):
        node.admit(guaranteed(f"p{index}", "100m", "7Gi" if index < 1 else "6Gi"))
        node.remove(f"p{index}")


@requirement("memory-manager/hugepages/come-from-named-nodes")
def test_huge_pages_are_given_per_size(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory("single-numa-node"))
    got = node.admit(guaranteed("a", 1, "1Gi", **{"hugepages-2Mi": "64Mi"})).amounts().get("hugepages-2Mi")
    node.check(got == 64 << 20, "the huge pages are wrong", got=str(got), allowed="64Mi")
    many = node.try_admit(guaranteed("b", 1, "1Gi", **{"hugepages-2Mi": "600Mi"}))
    node.check(not many.admitted, "more huge pages are given than a NUMA node has", got=many.answer, allowed="refused")


@requirement("memory-manager/reserved-memory/must-match-the-node-reservation")
@pytest.mark.parametrize("reserved", [256, 355, 400])
def test_refuses_a_reservation_that_does_not_add_up(node: NodeRun, pair: Machine, reserved: int) -> None:
    node.stays_down(pair, static_memory(reserved=reserved))


@requirement("memory-manager/reserved-memory/is-mandatory")
def test_refuses_to_start_without_a_reservation(node: NodeRun, pair: Machine) -> None:
    node.stays_down(pair, static_memory(reservedMemory=[]))


@requirement("memory-manager/reserved-memory/refuses-unknown-numa-nodes")
def test_refuses_a_reservation_on_a_node_that_is_not_there(node: NodeRun, pair: Machine) -> None:
    node.stays_down(pair, static_memory(reservedMemory=[{"numaNode": 7, "limits": {"memory": "356Mi"}}]))


@requirement("memory-manager/state-file/assignments-survive-a-restart")
def test_a_restart_keeps_the_memory(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory("best-effort"))
    two = pod("a", [container(name, cpu="1", memory="2Gi") for name in ("x", "y")])
    before = {name: node.try_admit(two).memory(name) for name in ("x", "y")}
    after = held_after(node.restart())["a"]
    for name, blocks in before.items():
        got = list(after[name].memory or [])
        node.check(
            got == blocks, f"container {name} has other memory after a restart", got=str(got), allowed=str(blocks)
        )


@requirement("memory-manager/state-file/policy-change-is-refused")
def test_another_policy_is_refused_while_the_file_is_there(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory())
    node.admit(guaranteed("a", 1, "1Gi"))
    reply = node.try_restart(static(topology="none", memoryManagerPolicy="None"))
    node.check(isinstance(reply, StartFailed), "the node comes up with another policy", got=reply, allowed="failed")
