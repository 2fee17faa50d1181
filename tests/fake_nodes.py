"""Nodes at work as folders: what a kernel, a kubelet and a container runtime leave on a machine of the catalogue."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from numa_conformance.cpuset import CpuSet, format_bits
from numa_conformance.machine import load_machine
from numa_conformance.machine.hostfs import write_tree
from numa_conformance.machine.hostfs.fake.tree import Tree
from numa_conformance.reference.managers.cpu import state_file as cpu_file
from numa_conformance.reference.managers.cpu.cpu_state import CpuState
from numa_conformance.reference.managers.device import state_file as device_file
from numa_conformance.reference.managers.memory import state_file as memory_file
from numa_conformance.reference.node import Node
from numa_conformance.sources.quirks import Quirks

KUBELET, ROOT_DIR, PID = "proc/4242", "var/lib/kubelet", 4242
STATIC = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}
MEMORY = {
    "memoryManagerPolicy": "Static",
    "evictionHard": {},
    "systemReserved": {"memory": "1Gi"},
    "reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi"}}],
}


def container(name: str, cpu: object = None, memory: str = "1Gi", *, limits: bool = True, **more: object) -> dict:
    """A container; without ``limits`` of a Burstable pod, without cpu of a BestEffort one."""
    wanted = {} if cpu is None else {"cpu": str(cpu), "memory": memory, **more}
    return {"name": name, "resources": ({"limits": wanted} if limits else {"requests": wanted}) if wanted else {}}


def pod(name: str, *containers: dict, init: tuple[dict, ...] = ()) -> dict:
    spec = {"containers": list(containers), **({"initContainers": list(init)} if init else {})}
    return {"metadata": {"name": name, "namespace": "default", "uid": f"{name}-uid"}, "spec": spec}


PODS = (
    pod("db", container("main", 2)),
    pod("web", container("app", 2), container("log", "500m")),
    pod("batch", container("work", 1, limits=False)),
    pod("idle", container("rest")),
)


class EmptyNode:
    """A machine below ``root`` with the cgroup of a kubelet and no pods."""

    def __init__(
        self,
        root: Path,
        machine: str = "t3-two-numa-per-socket",
        cgroups: int = 2,
        driver: str = "systemd",
        above: str = "",
    ) -> None:
        self.root, self.cgroups, self.driver, self.above = root, cgroups, driver, above
        self.machine = load_machine(machine)
        write_tree(self.machine, root)
        self._threads = 5000
        self.paths: dict[tuple[str, str], str] = {}
        self._tops()

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        os.utime(place, (1_700_000_000, 1_700_000_000))  # long ago, so that the reconcile loop has had time

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def _tops(self) -> None:
        base = "sys/fs/cgroup" if self.cgroups == 2 else "sys/fs/cgroup/cpuset"
        if self.cgroups == 2:
            self.write(f"{base}/cgroup.controllers", "cpuset cpu memory\n")
        self._cpuset(base)
        outer = base
        self.top = f"{base}/{'kubepods.slice' if self.driver == 'systemd' else 'kubepods'}"
        if self.above:
            outer = f"{base}/{self.above}.slice" if self.driver == "systemd" else f"{base}/{self.above}"
            self._cpuset(outer)
            self.top = f"{outer}/{self.above}-kubepods.slice" if self.driver == "systemd" else f"{outer}/kubepods"
        self._cpuset(self.top)
        self._cpuset(f"{base}/system.slice")

    def _cpuset(self, folder: str, cpus: str = "", mems: str = "") -> None:
        every = format_bits(self.machine.online_bits)
        nodes = format_bits(sum(1 << node for node in self.machine.numa_ids))
        one = self.cgroups == 1
        self.write(f"{folder}/cpuset.cpus", (cpus or (every if one else "")) + "\n")
        self.write(f"{folder}/cpuset.mems", (mems or (nodes if one else "")) + "\n")
        self.write(f"{folder}/cpuset.{'effective_cpus' if one else 'cpus.effective'}", (cpus or every) + "\n")

    def _folder(self, uid: str, qos: str) -> str:
        level = {"Guaranteed": "", "Burstable": "burstable", "BestEffort": "besteffort"}[qos]
        if self.driver == "cgroupfs":
            return f"{self.top}/{level}/pod{uid}".replace("//", "/")
        name = self.top.rpartition("/")[2].removesuffix(".slice")
        level_folder = f"{self.top}/{name}-{level}.slice" if level else self.top
        inner = f"{name}-{level}" if level else name
        return f"{level_folder}/{inner}-pod{uid.replace('-', '_')}.slice"

    def put(self, pod: str, uid: str, qos: str, name: str, cpus: str, mems: str, quota: int | None) -> None:
        """Put a container on the node as a runtime does, beside its pod's sandbox."""
        folder = self._folder(uid, qos)
        self._cpuset(folder)
        if not any(known == uid for known, _ in self.paths):
            self._cgroup(folder, self.id_of(uid, "sandbox"), "", "", None)
        self.paths[uid, name] = self._cgroup(folder, self.id_of(uid, name), cpus, mems, quota)
        self._name(pod, uid, name)

    @staticmethod
    def id_of(uid: str, name: str) -> str:
        return hashlib.sha256(f"{uid}/{name}".encode()).hexdigest()

    def _name(self, pod_name: str, uid: str, name: str) -> None:
        goal = f"/var/log/pods/default_{pod_name}_{uid}/{name}/0.log"
        Tree(self.root).link(f"var/log/containers/{pod_name}_default_{name}-{self.id_of(uid, name)}.log", goal)

    def _cgroup(self, folder: str, id: str, cpus: str, mems: str, quota: int | None) -> str:
        path = f"{folder}/cri-containerd-{id}.scope" if self.driver == "systemd" else f"{folder}/{id}"
        self._cpuset(path, cpus, mems)
        threads = [self._threads, self._threads + 1]
        self._threads += 2
        listed = "".join(f"{thread}\n" for thread in threads)
        self.write(f"{path}/{'cgroup.threads' if self.cgroups == 2 else 'tasks'}", listed)
        for thread in threads:
            self.thread(thread, cpus, mems)
        if self.cgroups == 2:
            self.write(f"{path}/cpu.max", f"{'max' if quota is None else quota} 100000\n")
        else:
            below = path.replace("sys/fs/cgroup/cpuset", "sys/fs/cgroup/cpu,cpuacct")
            self.write(f"{below}/cpu.cfs_quota_us", f"{-1 if quota is None else quota}\n")
            self.write(f"{below}/cpu.cfs_period_us", "100000\n")
        return path

    def thread(self, thread: int, cpus: str = "", mems: str = "") -> None:
        """Write what a kernel tells of a thread; of a process there is a name and more, which nobody is to keep."""
        cpus = cpus or format_bits(self.machine.online_bits)
        mems = mems or format_bits(sum(1 << node for node in self.machine.numa_ids))
        bits = CpuSet.parse(cpus).bits
        self.write(
            f"proc/{thread}/status",
            f"Name:\tsecret-name\nPid:\t{thread}\nCpus_allowed:\t{bits:x}\nCpus_allowed_list:\t{cpus}\n"
            f"Mems_allowed_list:\t{mems}\n",
        )
        self.write(f"proc/{thread}/environ", "TOKEN=a-token\0")


class FakeNode(EmptyNode):
    """A node below ``root`` that is as documented, until something is planted."""

    def __init__(
        self,
        root: Path,
        machine: str = "t3-two-numa-per-socket",
        kubelet: Mapping[str, Any] = STATIC,
        pods: tuple[dict, ...] = PODS,
        *,
        cgroups: int = 2,
        driver: str = "systemd",
        version: str = "1.32",
        above: str = "",
        quirks: Quirks | None = None,
    ) -> None:
        super().__init__(root, machine, cgroups, driver, above)
        self.node = Node(self.machine, kubelet, kubernetes_version=version, quirks=quirks)
        self.write(f"{KUBELET}/comm", "kubelet\n")
        self.flags("--config=/var/lib/kubelet/config.yaml", "--kubeconfig", "/secret/kubeconfig", "--v=2")
        self.configure(kubelet)
        for one in pods:
            admitted = self.node.admit(one)
            assert admitted.admitted, admitted.message
            self.node.run(one["metadata"]["uid"])
        self.node.reconcile()
        for name, text in self.node.checkpoints().items():
            self.state(name, text)
        for one in pods:
            self._pod(one)

    def flags(self, *words: str) -> None:
        self.write(f"{KUBELET}/cmdline", "\0".join(["/usr/bin/kubelet", *words]) + "\0")

    def program(self, *told: str) -> None:
        """Let the program of the kubelet that runs tell these versions, as Go's linker lays them down."""
        content = b"\x7fELF and v1.99.0 of a module" + b"".join(b"\0" + text.encode() + b"\0" for text in told)
        place = self.root / "usr/bin/kubelet"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        link = self.root / KUBELET / "exe"
        link.unlink(missing_ok=True)
        link.symlink_to("../../usr/bin/kubelet")

    def configure(self, kubelet: Mapping[str, Any]) -> None:
        head = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
        secret = {"staticPodURLHeader": {"Authorization": ["a-token"]}}
        self.write(f"{ROOT_DIR}/config.yaml", yaml.safe_dump({**head, **kubelet, **secret}, sort_keys=False))

    def state(self, name: str, text: str) -> None:
        folder = "device-plugins/" if name == device_file.DEVICE_FILE else ""
        self.write(f"{ROOT_DIR}/{folder}{name}", text)

    def change_cpus(self, change: Callable[[CpuState], object], policy: str = "static") -> None:
        """Plant something in the CPU Manager's state file, with a checksum that fits."""
        path = f"{ROOT_DIR}/cpu_manager_state"
        state = cpu_file.decode(self.read(path), json.loads(self.read(path))["policyName"])
        change(state)
        self.write(path, cpu_file.encode(policy, state))

    def change_memory(self, change: Callable[[dict, Any], object], policy: str = "Static") -> None:
        path = f"{ROOT_DIR}/memory_manager_state"
        nodes, blocks = memory_file.decode(self.read(path), json.loads(self.read(path))["policyName"])
        change(nodes, blocks)
        self.write(path, memory_file.encode(policy, nodes, blocks))

    def change_devices(self, change: Callable[[list], object]) -> None:
        path = f"{ROOT_DIR}/device-plugins/{device_file.DEVICE_FILE}"
        entries = list(device_file.decode(self.read(path)) or ())
        registered = json.loads(self.read(path))["Data"]["RegisteredDevices"]
        change(entries)
        self.write(path, device_file.encode(entries, registered))

    def _pod(self, described: dict) -> None:
        uid, qos = described["metadata"]["uid"], str(self.node.pods[described["metadata"]["uid"]].qos)
        placements = self.node.state().pods[uid]
        pool = self.node.pools.default if self.node.config.cpu_manager_policy == "static" else 0
        for one in described["spec"]["containers"]:
            placed = placements[one["name"]]
            mems = format_bits(sum({1 << node for block in placed.memory or () for node in block.nodes}))
            cpus = format_bits(placed.cpus or pool)
            self.put(described["metadata"]["name"], uid, qos, one["name"], cpus, mems, placed.cpu_quota)

    def threads(self, uid: str, name: str) -> list[int]:
        path = f"{self.paths[uid, name]}/{'cgroup.threads' if self.cgroups == 2 else 'tasks'}"
        return [int(word) for word in self.read(path).split()]

    def stop(self, uid: str, name: str) -> None:
        """Let a container's processes end; its cgroup stays a moment longer."""
        self.write(f"{self.paths[uid, name]}/{'cgroup.threads' if self.cgroups == 2 else 'tasks'}", "")

    def rename(self, uid: str, name: str, other: str) -> None:
        """Let another container run in place of one."""
        folder = self.root / "var/log/containers"
        (link,) = (one for one in folder.iterdir() if one.name.endswith(f"_{name}-{self.id_of(uid, name)}.log"))
        goal = os.readlink(link).replace(f"/{name}/", f"/{other}/")
        (folder / link.name.replace(f"_{name}-", f"_{other}-")).symlink_to(goal)
        link.unlink()

    def moves(self, uid: str, name: str, cpus: str) -> None:
        """Let a container's cgroup, and so its threads, have other CPUs."""
        path = self.paths[uid, name]
        self.write(f"{path}/cpuset.cpus", f"{cpus}\n")
        self.write(f"{path}/cpuset.{'cpus.effective' if self.cgroups == 2 else 'effective_cpus'}", f"{cpus}\n")
        for thread in self.threads(uid, name):
            self.thread(thread, cpus, self.read(f"{path}/cpuset.mems").strip())
