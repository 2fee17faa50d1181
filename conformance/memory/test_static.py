"""Memory Manager."""

from __future__ import annotations

from collections import Counter

import pytest

from numa_conformance.machine import Machine, load_machine
from numa_conformance.protocol.messages.node import StartFailed
from numa_conformance.suite.examples.node_run import NodeRun
from numa_conformance.suite.generators.workloads import guaranteed, static, static_memory

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement
departs = pytest.mark.departs

MACHINE = "two-nodes-hugepages"
"""Two NUMA nodes of 8 GiB with 256 huge pages of 2 MiB each."""
GI = 1 << 30


@pytest.fixture
def pair() -> Machine:
    return load_machine(MACHINE)


@requirement("memory-manager/reserved-memory/is-never-given")
def test_gives_no_more_than_there_is(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory("single-numa-node"))
    given: Counter[int] = Counter()
    for index in range(20):
        answer = node.try_admit(guaranteed(f"p{index}", "100m", "1Gi"))
        if not answer.admitted:
            break
        for one in answer.memory():
            given.update(dict.fromkeys(one.nodes[:1], one.bytes))
    huge = 256 << 21
    room = {0: 8 * GI - huge - (356 << 20), 1: 8 * GI - huge}
    for numa, total in given.items():
        most = room.get(numa, 0)
        node.check(total <= most, f"NUMA node {numa} gives more than it has", got=total, allowed=most)


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


@requirement("memory-manager/state-file/policy-change-is-refused")
def test_another_policy_is_refused_while_the_file_is_there(node: NodeRun, pair: Machine) -> None:
    node.start(pair, static_memory())
    node.admit(guaranteed("a", 1, "1Gi"))
    reply = node.try_restart(static(topology="none", memoryManagerPolicy="None"))
    node.check(isinstance(reply, StartFailed), "the node comes up with another policy", got=reply, allowed="failed")
