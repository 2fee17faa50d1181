"""The reconcile loop into a cgroup tree: whatever stands there before a pass, each has what is assigned after it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from numa_conformance.asking.examples.node_run import NodeRun, pool_of
from numa_conformance.asking.findings.findings import Finding
from numa_conformance.asking.generators.events import Event, EventLot
from numa_conformance.asking.generators.workloads import best_effort, burstable, container, guaranteed, pod, static
from numa_conformance.cpuset import CpuSet
from numa_conformance.errors import CpuSetSyntaxError
from numa_conformance.machine import Machine, load_machine
from numa_conformance.plugin.run import Run
from numa_conformance.wire import Client
from numa_conformance.wire.messages.host import HostReconcile
from numa_conformance.wire.messages.node import Admitted, ContainerHolding, ReadmittedPod, ReadState, StartFailed

pytestmark = pytest.mark.surfaces("host")
requirement = pytest.mark.requirement

MACHINES = ("t3-two-numa-per-socket", "sparse-ids", "offline-cpus", "uneven-nodes", "intel-cascadelake-6230")
WORLDS, EVENTS, MOST_PODS = 5, 6, 5
WAYS = [(version, driver) for version in (2, 1) for driver in ("cgroupfs", "systemd")]
CONTAINER = {
    "cgroupfs": "kubepods/pod{uid}/{name}",
    "systemd": "kubepods.slice/kubepods-pod{uid}.slice/cri-{name}.scope",
}
"""The driver of cgroups to the folder of a pod's container, two levels below the folder of all pods."""
OTHERS = ("system.slice", "system.slice/kubelet.service", "user.slice")
GARBAGE = ("0-", "none", "7-3", "\x00\x01")
Key = tuple[str, str]
"""The uid of a pod, which a systemd slice has with underscores in the place of dashes, and the name of a container."""


class World:
    """A node whose pods come and go, and the cgroups of their containers; ``assigned``: their exclusive CPUs, or none.

    ``others``: cgroups that belong to no pod, and what they have. ``sent``: the CPUs with which containers were
    made, or which the last pass sent them.
    """

    def __init__(
        self, node: NodeRun, target: Client, machine: Machine, root: Path, way: tuple[int, str], lot: random.Random
    ) -> None:
        """Bring the node up with the lowest CPU reserved; then every cgroup above containers has every CPU."""
        self.node, self.target, self.machine, self.root, self.way, self.lot = node, target, machine, root, way, lot
        self.assigned: dict[Key, CpuSet] = {}
        self.others: dict[Path, str] = {}
        self.sent: dict[Key, CpuSet] = {}
        self.count, self.passes = 0, 1
        version, driver = way
        online = CpuSet.from_bits(machine.online_bits)
        self.pool = CpuSet.parse(self.node.start(self.machine, static(reserved=str(min(online)))).default_cpuset or "")
        self.every, self.top = str(online), self.root / "cpuset" if version == 1 else self.root
        self.pods = self.top / Path(CONTAINER[driver]).parts[0]
        for name in OTHERS:
            self.others[self.top / name] = str(CpuSet(cpu for cpu in online if self.lot.random() < 1 / 2))
        for folder, text in {self.top: self.every, self.pods: self.every, **self.others}.items():
            self._write(folder, text)
        if version == 2:
            (self.root / "cgroup.controllers").write_text("cpuset cpu memory\n")

    def come_and_go(self) -> None:
        """Let some pods go, and others come until there are enough."""
        uids = dict.fromkeys(uid for uid, _ in self.assigned)  # in order: the lot is the same in every process
        for uid in [uid for uid in uids if self.lot.random() < 1 / 3]:
            self.pool = pool_of(self.node.remove(uid))
            self.assigned = {key: cpus for key, cpus in self.assigned.items() if key[0] != uid}
        for _ in range(MOST_PODS - len({uid for uid, _ in self.assigned})):
            self.count += 1
            uid = f"p-{self.count}"
            answer = self.node.try_admit(self._pod(uid))
            self.pool = pool_of(answer)
            if isinstance(answer, Admitted):
                self.node.run(uid)
                self._take(uid, answer.containers)
                self.sent |= {key: cpus for key, cpus in self.assigned.items() if key[0] == uid and cpus}

    def restart(self) -> None:
        """Start the node agent anew; what it does not admit again is gone, and all where it fails to start."""
        answer, self.sent, self.passes = self.node.try_restart(), {}, 2
        if isinstance(answer, StartFailed):
            self.assigned = {}
            return
        self.pool, self.assigned = pool_of(answer), {}
        for each in answer.pods:
            if isinstance(each, ReadmittedPod):
                self._take(each.uid, each.containers)

    def _take(self, uid: str, containers: Mapping[str, ContainerHolding]) -> None:
        self.assigned |= {(uid, name): CpuSet.parse(held.cpus) for name, held in containers.items()}

    def _pod(self, uid: str) -> dict[str, Any]:
        """Draw a pod: exclusive, shared, with a sidecar, or with a container of each kind."""
        shares = {"cpu": "100m", "memory": "64Mi"}
        apps = [container(name, requests=shares) for name in ("first", "log-agent")]
        both = [container("alone", cpu="1", memory="64Mi"), container("shares", cpu="500m", memory="64Mi")]
        sidecar = container("sidecar", requests=shares, sidecar=True)
        pods = (guaranteed(uid, 1), guaranteed(uid, 2), best_effort(uid), burstable(uid, "500m"), pod(uid, both))
        return self.lot.choice((*pods, pod(uid, apps, init=[sidecar])))

    def spoil(self, missing: Iterable[Key] = ()) -> None:
        """Write by lot into the cgroups of containers, but those that are ``missing``.

        Those that were sent the same CPUs before have these: no page says that a node mends what others write.
        """
        contents = {key: cpus or self.pool for key, cpus in self.assigned.items() if key not in missing}
        folders = {self.folder(key) for key in contents}
        for folder in self.pods.glob("*/*/"):
            if folder not in folders and folder.is_dir():  # Python 3.10 yields files too
                shutil.rmtree(folder)
        for key, cpus in contents.items():
            self._write(self.folder(key).parent, self.every)
            self._write(self.folder(key), str(cpus) if self.sent.get(key) == cpus else self._content(cpus))

    def _content(self, cpus: CpuSet) -> str:
        """Draw a cpuset: what is assigned, a part of it, more, others, both, every CPU, none, or no cpuset at all."""
        beyond = sorted(CpuSet.parse(self.every) - cpus)
        part = CpuSet(self.lot.sample(sorted(cpus), self.lot.randint(1, max(1, len(cpus) - 1))))
        more = CpuSet(self.lot.sample(beyond, self.lot.randint(min(1, len(beyond)), len(beyond))))
        sets = (cpus, part, cpus | more, more, part | more, self.every, "", self.lot.choice(GARBAGE))
        return str(self.lot.choice(sets))

    def missing(self) -> list[Key]:
        """Draw containers whose cgroup is gone."""
        return self.lot.sample(sorted(self.assigned), len(self.assigned) // 3)

    def reconcile(self) -> None:
        """Have a pass made; two after a restart, as cpusets may shrink in one pass, and grow in the next."""
        for _ in range(self.passes):
            self.target.ask(HostReconcile(str(self.root)))
        self.passes = 1
        due = {key: cpus or self.pool for key, cpus in self.assigned.items()}
        self.sent = {key: cpus for key, cpus in due.items() if self.folder(key).exists() or self.sent.get(key) == cpus}

    def check(self, requirements: tuple[str, ...], keys: Iterable[Key]) -> None:
        """Raise a finding where a container has other CPUs in its cgroup than are assigned to it.

        A shared container may be kept to a part of the pool, that of its cpuset where the target tells it.
        """
        for key in keys:
            wanted, got = self.assigned[key] or self.pool, _cpus_in(self.text(self.folder(key)))
            if got != wanted and (self.assigned[key] or not got or not self._is_its_part(key, got)):
                why = f"the cgroup of container {key[1]} of pod {key[0]} has another cpuset than is assigned"
                raise self.finding(requirements, why, self.folder(key), str(wanted))

    def _is_its_part(self, key: Key, cpus: CpuSet) -> bool:
        held = self.target.ask(ReadState()).containers.get(key[0], {}).get(key[1])
        cpuset = CpuSet.parse(held.cpuset) if held is not None and isinstance(held.cpuset, str) else cpus
        return cpus == cpuset and not cpus - self.pool

    def finding(self, requirements: tuple[str, ...], why: str, folder: Path, allowed: str) -> Finding:
        """Make a finding of what a cgroup has."""
        place = f"{folder.relative_to(self.root)} on {self.machine.name}"
        return Finding(requirements, f"{why}: {place}", got=self.text(folder), allowed=allowed)

    def folder(self, key: Key) -> Path:
        """Return the folder of a container."""
        uid = key[0].replace("-", "_") if self.way[1] == "systemd" else key[0]
        return self.top / CONTAINER[self.way[1]].format(uid=uid, name=key[1])

    def _write(self, folder: Path, cpus: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cpuset.cpus").write_text(f"{cpus}\n")
        if not (folder / "cpuset.mems").exists():
            (folder / "cpuset.mems").write_text(f"{CpuSet(self.machine.numa_ids)}\n")

    def text(self, folder: Path) -> str:
        """Return what a cgroup has."""
        return (folder / "cpuset.cpus").read_text(errors="replace").strip()


def _cpus_in(text: str) -> CpuSet | None:
    try:
        return CpuSet.parse_kernel(text)
    except CpuSetSyntaxError:
        return None


Worlds = Iterator[World]


def life(lot: random.Random, *, restarts: bool) -> Iterator[str]:
    """Draw what happens to a node after its first pods came, pairs of events that it has not had yet before others."""
    events, possible = EventLot(lot, "come and go"), ("come and go", "pass", *(("restart",) if restarts else ()))
    for _ in range(EVENTS):
        yield events.draw(map(Event, possible)).name


@pytest.fixture
def worlds(request: pytest.FixtureRequest, node: NodeRun, conformance: Run, host_folder: Path) -> Worlds:
    """Yield worlds with their first pods, on chosen machines; where there is none, the case is left out."""

    def made() -> Worlds:
        ways = [request.node.callspec.params["way"]] if hasattr(request.node, "callspec") else WAYS
        machines = [load_machine(name) for name in MACHINES]
        chosen = [each for each in machines if conformance.machines.has(each)] or machines[:1]
        for number in range(WORLDS):
            lot = random.Random(f"{request.node.name} {number}")
            root = host_folder / str(number)
            world = World(node, conformance.client, chosen[number % len(chosen)], root, lot.choice(ways), lot)
            world.come_and_go()
            yield world

    return made()


@requirement("host/reconcile/cpusets-reach-the-cgroups")
@pytest.mark.parametrize("way", WAYS, ids=[f"{version}-{driver}" for version, driver in WAYS])
def test_cpusets_reach_the_cgroups(
    worlds: Worlds, requirements: tuple[str, ...], conformance: Run, way: tuple[int, str]
) -> None:
    for world in worlds:
        for event in life(world.lot, restarts="node/restart" in conformance.claimed):
            if event == "pass":
                missing = world.missing()
                world.spoil(missing)
                world.reconcile()
                world.check(requirements, world.assigned.keys() - missing)
            elif event == "come and go":
                world.come_and_go()
            else:
                world.restart()
            if not world.assigned:
                break


@requirement("host/reconcile/a-restart-mends-the-cgroups")
def test_the_first_passes_after_a_restart_write_every_cpuset(worlds: Worlds, requirements: tuple[str, ...]) -> None:
    for world in worlds:
        world.spoil()
        world.reconcile()
        world.come_and_go()
        world.restart()
        if world.assigned:
            world.spoil()
            world.reconcile()
            world.check(requirements, world.assigned)


@requirement("host/reconcile/what-failed-is-tried-again")
def test_a_cgroup_that_comes_late_gets_its_cpuset(worlds: Worlds, requirements: tuple[str, ...]) -> None:
    """Shared ones: it is not said whether the cgroup of a container with CPUs of its own was to be written at all."""
    for world in worlds:
        missing = sorted(key for key, cpus in world.assigned.items() if not cpus)[::2]
        world.spoil(missing)
        world.reconcile()
        world.spoil()
        world.reconcile()
        world.check(requirements, missing)


@requirement("host/reconcile/leaves-other-cgroups-alone")
def test_cgroups_of_no_pod_keep_their_cpusets(worlds: Worlds, requirements: tuple[str, ...]) -> None:
    for world in worlds:
        world.spoil(world.missing())
        before = _files_of_others(world)
        world.reconcile()
        after = _files_of_others(world)
        for file in sorted(before | after):
            if before.get(file) != after.get(file):
                why = f"a cgroup that belongs to no pod has another {file.name} than before"
                place = f"{file.relative_to(world.root)} on {world.machine.name}"
                was, got = (files.get(file, "no such file") for files in (before, after))
                raise Finding(requirements, f"{why}: {place}", got=got, allowed=was)


def _files_of_others(world: World) -> dict[Path, str]:
    files = (file for folder in world.others for file in folder.iterdir() if file.is_file())
    return {file: file.read_text(errors="replace").strip() for file in files}
