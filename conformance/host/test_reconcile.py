"""The reconcile loop into a cgroup tree."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.hostfs import CgroupTree, CgroupUpdate, write_cgroup_tree
from numa_conformance.machine import load_machine
from numa_conformance.protocol import Client, wire
from numa_conformance.suite.findings import Finding
from numa_conformance.suite.node_run import NodeRun, PodOnNode
from numa_conformance.suite.workloads import best_effort, guaranteed, static

requirement = pytest.mark.requirement

Driver = Literal["cgroupfs", "systemd"]
MACHINE = load_machine("t3-two-numa-per-socket")


def _run(node: NodeRun, name: str, cpus: int = 0) -> PodOnNode:
    answer = node.admit(guaranteed(name, cpus) if cpus else best_effort(name))
    node.run(name)
    return answer


def _tree(root: Path, pods: dict[str, CpuSet], version: int = 2, driver: Driver = "cgroupfs") -> CgroupTree:
    """Make the cgroups of containers as these were created."""
    write_cgroup_tree(MACHINE, root, {uid: ["c"] for uid in pods}, version=version, driver=driver)
    tree = CgroupTree.open(root)
    tree.apply(CgroupUpdate(uid, "c", cpus.bits) for uid, cpus in pods.items())
    return tree


def _check(requirements: tuple[str, ...], tree: CgroupTree, **wanted: CpuSet) -> None:
    for uid, cpus in wanted.items():
        got = CpuSet.from_bits(tree.read(uid, "c") or 0)
        if got != cpus:
            raise Finding(requirements, f"the cgroup of pod {uid} has another cpuset", got=str(got), allowed=str(cpus))


@requirement("host/reconcile/cpusets-reach-the-cgroups")
@pytest.mark.parametrize(("version", "driver"), [(2, "cgroupfs"), (2, "systemd"), (1, "cgroupfs")])
def test_cpusets_reach_the_cgroups(
    node: NodeRun, target: Client, requirements: tuple[str, ...], tmp_path: Path, version: int, driver: Driver
) -> None:
    node.start(MACHINE, static())
    pool = _run(node, "shared").pool
    own = _run(node, "own", 2)
    tree = _tree(tmp_path / "cgroup", {"shared": pool, "own": own.cpus()}, version, driver)
    target.ask(wire.HostReconcile(str(tmp_path / "cgroup")))
    _check(requirements, tree, shared=own.pool, own=own.cpus())
    pool = node.remove("own").pool
    target.ask(wire.HostReconcile(str(tmp_path / "cgroup")))
    _check(requirements, tree, shared=pool)


@requirement("host/reconcile/what-failed-is-tried-again")
def test_a_cgroup_that_comes_late_gets_its_cpuset(
    node: NodeRun, target: Client, requirements: tuple[str, ...], tmp_path: Path
) -> None:
    node.start(MACHINE, static())
    before = {uid: _run(node, uid).pool for uid in ("there", "late")}
    pool = _run(node, "own", 2).pool
    tree = _tree(tmp_path / "first", {"there": before["there"]})
    target.ask(wire.HostReconcile(str(tmp_path / "first")))
    _check(requirements, tree, there=pool)
    tree = _tree(tmp_path / "second", {"there": pool, "late": before["late"]})
    target.ask(wire.HostReconcile(str(tmp_path / "second")))
    _check(requirements, tree, there=pool, late=pool)
