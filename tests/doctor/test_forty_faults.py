"""Forty faults and thirty healthy oddities of whole nodes: faults are told of, of the healthy nothing is said."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asked_in_full import DEEP
from fake_nodes import KUBELET, MEMORY, PODS, ROOT_DIR, STATIC, FakeNode, container, pod
from numa_conformance.doctor.collect import collect
from numa_conformance.doctor.findings import Findings, check
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.reference.managers.memory.memory_state import Table
from numa_conformance.sources.versions import KubernetesVersion

PINNED = {**STATIC, **MEMORY}
QUOTA, LEFT = "exclusive-cpus-have-no-quota", "regains-cpus-on-removal"
CPUSET, MEMS, BOOKS = (
    "running-containers-get-their-cpusets",
    "guarantees-memory",
    "memory-manager/state-file/assignments",
)
TWO = (pod("db", container("main", 2), container("log", "500m")), *PODS[1:])
HEAD = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration"
GATE_OFF = {**STATIC, "featureGates": {"DisableCPUQuotaWithExclusiveCPUs": False}}
CPUS = f"{ROOT_DIR}/cpu_manager_state"
NEW = {"version": "1.34"}
WHOLE = {**PINNED, "featureGates": {"PodLevelResourceManagers": True}}
WHOLE |= {"topologyManagerPolicy": "single-numa-node", "topologyManagerScope": "pod"}
AS_A_WHOLE = pod("db", container("main", 2), container("rest"))
AS_A_WHOLE["spec"]["resources"] = {"limits": {"cpu": "4", "memory": "4Gi"}, "requests": {"cpu": "4", "memory": "4Gi"}}
WHOLE_CORES = "cpuManagerPolicyOptions: {full-pcpus-only: 'true'}\nreservedSystemCPUs: '0,16'"
JUST_NOW = '{"format": 1, "time": 1000, "state_changed": 995}'
IRQ = "proc/irq/24"
Plant = Callable[[FakeNode], object]


def folder(node: FakeNode, uid: str = "db-uid", name: str = "main") -> str:
    return node.paths[uid, name].rpartition("/")[0]


def pod_quota(text: str, uid: str = "db-uid", name: str = "main") -> Plant:
    def plant(node: FakeNode) -> None:
        place = folder(node, uid, name)
        if node.cgroups == 2:
            node.write(f"{place}/cpu.max", f"{text} 100000\n")
        else:
            place = place.replace("sys/fs/cgroup/cpuset", "sys/fs/cgroup/cpu,cpuacct")
            node.write(f"{place}/cpu.cfs_quota_us", f"{text}\n")
            node.write(f"{place}/cpu.cfs_period_us", "100000\n")

    return plant


def assign(uid: str, cpus: int, *, follow: bool = True) -> Plant:
    """Assign CPUs to a pod that is not there; with ``follow`` the shared containers make room."""

    def plant(node: FakeNode) -> None:
        node.change_cpus(lambda state: state.assign(uid, "main", cpus))
        pool = [cpu for cpu in range(32) if cpu not in (1, 17, 2, 18) and not cpus >> cpu & 1]
        for key in node.paths if follow else ():
            if key not in (("db-uid", "main"), ("web-uid", "app")):
                node.moves(*key, ",".join(map(str, pool)))

    return plant


def vanish(node: FakeNode, uid: str = "db-uid") -> None:
    """Take a pod's cgroup and logs away, and leave what was assigned to it."""
    shutil.rmtree(node.root / folder(node, uid))
    for link in list((node.root / "var/log/containers").iterdir()):
        if uid in os.readlink(link):
            link.unlink()


def pages(numa: int, count: int, size: int = 2048) -> Plant:
    place = f"sys/devices/system/node/node{numa}/hugepages/hugepages-{size}kB/nr_hugepages"
    return lambda node: node.write(place, f"{count}\n")


def table(numa: int, kind: str, size: int) -> Plant:
    def change(nodes: dict, blocks: Any) -> None:
        nodes[numa].tables[kind] = Table(size, 0, size, 0, size)

    return lambda node: node.change_memory(change)


def both(*plants: Plant) -> Plant:
    return lambda node: [plant(node) for plant in plants]


def write(path: str, text: str) -> Plant:
    return lambda node: node.write(path, text)


def moves(uid: str, name: str, cpus: str) -> Plant:
    return lambda node: node.moves(uid, name, cpus)


def below(name: str, text: str, uid: str = "db-uid", of: str = "main") -> Plant:
    return lambda node: node.write(f"{node.paths[uid, of]}/{name}", text)


def interrupt(affinity: str, *, effective: str = "", handler: str = "nvme0q1") -> Plant:
    def plant(node: FakeNode) -> None:
        node.write(f"{IRQ}/smp_affinity_list", f"{affinity}\n")
        if effective:
            node.write(f"{IRQ}/effective_affinity_list", f"{effective}\n")
        if handler:
            (node.root / IRQ / handler).mkdir()

    return plant


def drop_in(text: str, name: str = "20-more.conf") -> Plant:
    def plant(node: FakeNode) -> None:
        node.flags("--config=/var/lib/kubelet/config.yaml", "--config-dir=/etc/kubelet.d")
        node.write(f"etc/kubelet.d/{name}", f"{HEAD}\n{text}\n")

    return plant


def flag(*words: str) -> Plant:
    return lambda node: node.flags("--config=/var/lib/kubelet/config.yaml", *words)


def on_all_pods(text: str, below: str = "") -> Plant:
    return lambda node: node.write(f"{node.top}{below}/cpu.max", f"{text} 100000\n")


def isolate(cpus: str) -> Plant:
    return write("sys/devices/system/cpu/isolated", f"{cpus}\n")


def stopped(node: FakeNode) -> None:
    shutil.rmtree(node.root / KUBELET)


OF_A_WHOLE = {"kubelet": WHOLE, "pods": (AS_A_WHOLE,), "version": "1.37"}
V1, V1_FOLDERS = {"cgroups": 1}, {"cgroups": 1, "driver": "cgroupfs"}
FAULTS: dict[str, tuple[str, Plant, dict[str, Any]]] = {
    "quota on a pod": (QUOTA, pod_quota("200000"), NEW),
    "quota on a pod, v1": (QUOTA, pod_quota("200000"), {**NEW, **V1}),
    "quota on a pod, v1 folders": (QUOTA, pod_quota("200000"), {**NEW, **V1_FOLDERS}),
    "quota on a pod, v2 folders": (QUOTA, pod_quota("200000"), {**NEW, "driver": "cgroupfs"}),
    "quota on a pod, larger than its CPUs": (QUOTA, pod_quota("900000"), NEW),
    "quota on a pod of a half-exclusive pair": (QUOTA, pod_quota("250000"), {**NEW, "pods": TWO}),
    "quota on a pod whose second container is shared": (QUOTA, pod_quota("250000", "web-uid", "app"), NEW),
    "quota on a pod and on its container": (
        QUOTA, both(pod_quota("200000"), below("cpu.max", "200000 100000\n")), NEW),
    "quota of a short period": (
        QUOTA, lambda node: node.write(f"{folder(node)}/cpu.max", "20000 10000\n"), NEW),
    "CPUs of a pod that is gone": (LEFT, assign("old-uid", 1 << 9), {}),
    "CPUs of a pod that is gone, in the pool's cgroups": (LEFT, assign("old-uid", 1 << 9, follow=False), {}),
    "CPUs of two pods that are gone": (LEFT, both(assign("a-uid", 1 << 9), assign("b-uid", 1 << 10, follow=False)), {}),
    "CPUs of a pod that is gone, v1": (LEFT, assign("old-uid", 1 << 9), V1),
    "CPUs of a pod whose uid begins as another's": (LEFT, assign("db-ui", 1 << 9), {}),
    "a pod that vanished": (LEFT, vanish, {}),
    "CPUs of a pod as a whole that is gone": (LEFT, vanish, OF_A_WHOLE),
    "huge pages that the file does not know": (BOOKS, pages(0, 512), {"kubelet": PINNED}),
    "huge pages of 1 GiB that the file does not know": (BOOKS, pages(2, 4, 1 << 20), {"kubelet": PINNED}),
    "huge pages given back": (
        BOOKS, both(pages(0, 0), table(0, "hugepages-2Mi", 1 << 30)), {"kubelet": PINNED}),
    "fewer huge pages than were": (
        BOOKS, both(pages(1, 256), table(1, "hugepages-2Mi", 1 << 30)), {"kubelet": PINNED}),
    "huge pages moved to another NUMA node": (
        BOOKS, both(pages(0, 0), pages(1, 512), table(0, "hugepages-2Mi", 1 << 30)), {"kubelet": PINNED}),
    "isolated CPUs in the pool": ("isolcpus", isolate("8-9"), {}),
    "isolated CPUs, some of them exclusive": ("CPUs 3 are isolated", isolate("1-3,17-18"), {}),
    "an interrupt on an exclusive CPU": ("24 (nvme0q1)", interrupt("1"), {}),
    "an interrupt that comes to an exclusive CPU": ("24 (nvme0q1)", interrupt("0-31", effective="17"), {}),
    "quota on all pods": ("bounded by CFS quota to 8 CPUs", on_all_pods("800000"), {}),
    "containers that changed places": (
        CPUSET, both(moves("db-uid", "main", "2,18"), moves("web-uid", "app", "1,17")), {}),
    "a shared container that lacks a CPU": (CPUSET, moves("idle-uid", "rest", "0,3-15,19-31"), {}),
    "a shared container on reserved CPUs alone": (CPUSET, moves("batch-uid", "work", "0"), {}),
    "half of a core missing": (CPUSET, moves("db-uid", "main", "1"), {}),
    "a neighbour's thread beside it": (CPUSET, moves("db-uid", "main", "1,16-17"), {}),
    "an exclusive container without a cpuset": (CPUSET, below("cpuset.cpus", "\n"), {}),
    "memory of a NUMA node more": (MEMS, below("cpuset.mems", "0-1\n"), {"kubelet": PINNED}),
    "memory of all, v1": (MEMS, below("cpuset.mems", "0-3\n"), {"kubelet": PINNED, **V1}),
    "an empty CPU file": ("cpu-manager/state-file/assignments", write(CPUS, ""), {}),
    "a drop-in that reserves exclusive CPUs": ("is-never-exclusive", drop_in('reservedSystemCPUs: "0-1"'), {}),
    "a drop-in with another policy": ("policy-change-is-refused", drop_in("cpuManagerPolicy: none"), {}),
    "a flag with another policy": ("policy-change-is-refused", flag("--cpu-manager-policy=none"), {}),
    "an option that was not there": (
        "full-pcpus-only", both(assign("db-uid", 0b110, follow=False), drop_in(WHOLE_CORES)), {}),
    "a CPU beyond the machine": (
        "changed-cpus-are-refused", assign("db-uid", 1 << 40, follow=False), {}),
}  # fmt: skip

IN_DUMPS = (
    "quota on a pod",
    "quota on a pod, v1",
    "CPUs of a pod that is gone",
    "huge pages given back",
    "isolated CPUs in the pool",
    "an interrupt that comes to an exclusive CPU",
    "quota on all pods",
)
"""Those whose evidence a dump has since they are found."""


def links_of(other: str) -> Plant:
    """Name the cgroups of containers as another runtime does."""

    def plant(node: FakeNode) -> None:
        for path in list(node.paths.values()):
            place = node.root / path
            place.rename(place.with_name(place.name.replace("cri-containerd-", other)))

    return plant


HEALTHY: dict[str, tuple[Plant, dict[str, Any]]] = {
    "quota on a pod where the gate is off": (pod_quota("200000"), {"kubelet": GATE_OFF, **NEW}),
    "quota on a pod before 1.33": (pod_quota("200000"), {"version": "1.32"}),
    "quota on a pod of an unknown version": (pod_quota("200000"), {"asked": None}),
    "quota on a Burstable pod": (pod_quota("100000", "batch-uid", "work"), NEW),
    "quota on a pod under policy none": (pod_quota("200000"), {"kubelet": {}, **NEW}),
    "no quota on any pod": (pod_quota("max"), NEW),
    "no quota on all pods": (on_all_pods("max"), NEW),
    "quota on system services": (write("sys/fs/cgroup/system.slice/cpu.max", "100000 100000\n"), NEW),
    "CPUs of a pod without a container yet": (
        both(assign("new-uid", 1 << 9), on_all_pods("max", "/kubepods-podnew_uid.slice")), {}),
    "CPUs of a pod whose containers are made again": (lambda node: node.stop("db-uid", "main"), {}),
    "CPUs of a pod that has logs alone": (lambda node: shutil.rmtree(node.root / folder(node)), {}),
    "CPUs of a pod that is gone while no kubelet runs": (both(assign("old-uid", 1 << 9), stopped), {}),
    "CPUs of a pod that came just now": (
        both(assign("new-uid", 1 << 9), write("numa-conformance/dump.json", JUST_NOW)), {}),
    "a static pod": (lambda node: None, {"pods": (pod("8f3c0bd1e2a94c55b1d0", container("main", 2)),)}),
    "a folder of huge pages with none": (pages(0, 0), {"kubelet": PINNED}),
    "a table of huge pages with none": (table(0, "hugepages-2Mi", 0), {"kubelet": PINNED}),
    "huge pages that the file knows": (both(pages(0, 512), table(0, "hugepages-2Mi", 1 << 30)), {"kubelet": PINNED}),
    "huge pages without a Memory Manager": (pages(0, 512), {}),
    "isolated CPUs that are exclusive": (isolate("1-2,17-18"), {}),
    "no isolated CPUs": (isolate(""), {}),
    "isolated CPUs under policy none": (isolate("4-7"), {"kubelet": {}}),
    "an interrupt without a handler": (interrupt("1", handler=""), {}),
    "an interrupt on shared CPUs": (interrupt("3-7"), {}),
    "an interrupt that may come anywhere and comes elsewhere": (interrupt("0-31", effective="5"), {}),
    "an interrupt under policy none": (interrupt("1"), {"kubelet": {}}),
    "CRI-O": (links_of("crio-"), {}),
    "docker": (links_of("docker-"), {}),
    "a drop-in of another ending": (drop_in("cpuManagerPolicy: none", "20-more.conf.bak"), {}),
    "a drop-in that says the same": (drop_in('reservedSystemCPUs: "0"'), {}),
    "a kubelet in a slice of its own, v1": (lambda node: None, {"above": "kubelet", **V1}),
}  # fmt: skip


PAUSE = re.compile(r"pause containers, \d+ here, may run on exclusive CPUs [0-9,-]+: a container runtime gives")
"""Any runtime does so, which is no fault of a node."""


def node_of(root: Path, described: dict[str, Any]) -> FakeNode:
    return FakeNode(root, **{key: value for key, value in described.items() if key != "asked"})


def told_of(root: Path, described: dict[str, Any]) -> Findings:
    version = described.get("asked", described.get("version"))
    return check(look(NodeSource(root, version=KubernetesVersion.parse(version) if version else None)))


@pytest.mark.parametrize("name", FAULTS if DEEP else [*FAULTS][::3])
def test_a_fault_is_found(tmp_path, name):
    expected, plant, described = FAULTS[name]
    node = node_of(tmp_path / "node", described)
    plant(node)
    assert expected in texts(told_of(node.root, described))


@pytest.mark.parametrize("name", IN_DUMPS if DEEP else IN_DUMPS[::4])
def test_a_fault_is_found_in_a_dump_too(tmp_path, name):
    _, plant, described = FAULTS[name]
    node = node_of(tmp_path / "node", described)
    plant(node)
    collect(NodeSource(node.root), tmp_path / "dump")
    assert texts(told_of(tmp_path / "dump", described)) == texts(told_of(node.root, described))


@pytest.mark.parametrize("name", HEALTHY if DEEP else [*HEALTHY][::3])
def test_nothing_is_said_of_what_is_healthy(tmp_path, name):
    plant, described = HEALTHY[name]
    node = node_of(tmp_path / "node", described)
    plant(node)
    findings = told_of(node.root, described)
    assert (findings.findings, [note for note in findings.worth_knowing if not PAUSE.match(note)]) == ((), [])


def texts(findings: Findings) -> str:
    return "\n".join([*(one.requirement for one in findings.findings), *findings.worth_knowing])


def test_there_are_forty_and_thirty():
    assert (len(FAULTS), len(HEALTHY)) == (40, 30)
