"""The reconcile loop into a cgroup tree."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from numa_conformance.asking.examples.node_run import NodeRun, cpus_of, pool_of
from numa_conformance.asking.findings.findings import Finding
from numa_conformance.asking.generators.workloads import best_effort, container, guaranteed, pod, static
from numa_conformance.cpuset import CpuSet
from numa_conformance.errors import CpuSetSyntaxError
from numa_conformance.machine import load_machine
from numa_conformance.wire import Client
from numa_conformance.wire.messages.host import HostReconcile
from numa_conformance.wire.messages.node import Admitted

pytestmark = pytest.mark.surfaces("host")
requirement = pytest.mark.requirement

MACHINE = load_machine("t3-two-numa-per-socket")
CPUS, NODES = "0-31\n", "0-3\n"
SHARED, OWN = "0b5e-shared", "0b5e-own"
"""Uids of pods; a systemd slice is named with underscores in the place of their dashes."""
CONTAINER = {
    "cgroupfs": "kubepods/pod{uid}/{name}",
    "systemd": "kubepods.slice/kubepods-pod{uid}.slice/cri-{name}.scope",
}
"""The driver of cgroups to the folder of a pod's container, two levels below the folder of all pods."""


def _run(node: NodeRun, name: str, cpus: int = 0) -> Admitted:
    answer = node.admit(guaranteed(name, cpus) if cpus else best_effort(name))
    node.run(name)
    return answer


class Cgroups:
    """A cpuset hierarchy with the containers of some pods; without names one container ``c`` of each."""

    def __init__(
        self,
        root: Path,
        pods: dict[str, CpuSet],
        version: int = 2,
        driver: str = "cgroupfs",
        names: tuple[str, ...] = ("c",),
    ) -> None:
        """Make the cgroups as these containers were created: each with its own CPUs, all above with every CPU."""
        self.root = str(root)
        self._top, self._container = root / "cpuset" if version == 1 else root, CONTAINER[driver]
        self._names = names
        for (uid, cpus), name in product(pods.items(), names):
            own = self._cpus_file(uid, name).parent
            own.mkdir(parents=True)
            for folder in (own, *own.parents[:3]):
                (folder / "cpuset.cpus").write_text(f"{cpus}\n" if folder == own else CPUS)
                (folder / "cpuset.mems").write_text(NODES)
        if version == 2:
            (root / "cgroup.controllers").write_text("cpuset cpu memory\n")

    def _cpus_file(self, uid: str, name: str) -> Path:
        uid = uid.replace("-", "_") if "slice" in self._container else uid
        return self._top / self._container.format(uid=uid, name=name) / "cpuset.cpus"

    def check(self, requirements: tuple[str, ...], node: NodeRun, wanted: dict[str, CpuSet]) -> None:
        """Raise a finding where a container of a pod has other CPUs than its exclusive ones, or than in this pool.

        Where the node tells on which CPUs of the pool a shared container may run, it has these.
        """
        cpusets = node.cpusets()
        for (uid, cpus), name in product(wanted.items(), self._names):
            text = self._cpus_file(uid, name).read_text(errors="replace").strip()
            has = _cpus_in(text)
            is_part = uid != OWN and has and not has - cpus and has == cpusets.get((uid, name), has)
            if has != cpus and not is_part:
                why = f"the cgroup of container {name} of pod {uid} has another cpuset"
                raise Finding(requirements, why, got=text, allowed=str(cpus) if uid == OWN else f"some of {cpus}")


def _cpus_in(text: str) -> CpuSet | None:
    try:
        return CpuSet.parse_kernel(text)
    except CpuSetSyntaxError:
        return None


@requirement("host/reconcile/cpusets-reach-the-cgroups")
@pytest.mark.parametrize(("version", "driver"), [(2, "cgroupfs"), (2, "systemd"), (1, "cgroupfs"), (1, "systemd")])
def test_cpusets_reach_the_cgroups(
    node: NodeRun, target: Client, requirements: tuple[str, ...], tmp_path: Path, version: int, driver: str
) -> None:
    node.start(MACHINE, static())
    pool = pool_of(_run(node, SHARED))
    exclusive = _run(node, OWN, 2)
    cgroups = Cgroups(tmp_path / "cgroup", {SHARED: pool, OWN: cpus_of(exclusive)}, version, driver)
    target.ask(HostReconcile(cgroups.root))
    cgroups.check(requirements, node, {SHARED: pool_of(exclusive), OWN: cpus_of(exclusive)})
    pool = pool_of(node.remove(OWN))
    target.ask(HostReconcile(cgroups.root))
    cgroups.check(requirements, node, {SHARED: pool})


@requirement("host/reconcile/cpusets-reach-the-cgroups")
@pytest.mark.parametrize(("version", "driver"), [(2, "cgroupfs"), (1, "systemd")])
def test_cpusets_of_all_containers_reach_the_cgroups(
    node: NodeRun, target: Client, requirements: tuple[str, ...], tmp_path: Path, version: int, driver: str
) -> None:
    """Sidecars run for as long as the containers beside them."""
    node.start(MACHINE, static())
    asked = {"cpu": "100m", "memory": "64Mi"}
    apps = [container(name, requests=asked) for name in ("first", "second")]
    pool = pool_of(node.admit(pod("shared", apps, init=[container("beside", requests=asked, sidecar=True)])))
    node.run("shared")
    left = pool_of(_run(node, "own", 2))
    cgroups = Cgroups(tmp_path / "cgroup", {"shared": pool}, version, driver, names=("beside", "first", "second"))
    target.ask(HostReconcile(cgroups.root))
    cgroups.check(requirements, node, {"shared": left})


@requirement("host/reconcile/a-restart-mends-the-cgroups")
def test_the_first_pass_after_a_restart_writes_every_cpuset(
    node: NodeRun, target: Client, requirements: tuple[str, ...], tmp_path: Path
) -> None:
    """Containers run with every CPU, as if another had updated them while the node agent was down."""
    node.start(MACHINE, static())
    _run(node, SHARED)
    exclusive = _run(node, OWN, 2)
    node.restart()
    every = CpuSet.from_bits(MACHINE.online_bits)
    cgroups = Cgroups(tmp_path / "cgroup", {SHARED: every, OWN: every})
    target.ask(HostReconcile(cgroups.root))
    cgroups.check(requirements, node, {SHARED: pool_of(exclusive), OWN: cpus_of(exclusive)})


@requirement("host/reconcile/what-failed-is-tried-again")
def test_a_cgroup_that_comes_late_gets_its_cpuset(
    node: NodeRun, target: Client, requirements: tuple[str, ...], tmp_path: Path
) -> None:
    node.start(MACHINE, static())
    before = {uid: pool_of(_run(node, uid)) for uid in ("early", "late")}
    pool = pool_of(_run(node, "own", 2))
    cgroups = Cgroups(tmp_path / "first", {"early": before["early"]})
    target.ask(HostReconcile(cgroups.root))
    cgroups.check(requirements, node, {"early": pool})
    cgroups = Cgroups(tmp_path / "second", {"early": pool, "late": before["late"]})
    target.ask(HostReconcile(cgroups.root))
    cgroups.check(requirements, node, {"early": pool, "late": pool})
