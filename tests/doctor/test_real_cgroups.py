"""Real cpusets of the kernel that runs the tests, where this user may write them."""

import contextlib
import json
import os
import subprocess
from pathlib import Path

import pytest

from asked_in_full import deep
from numa_conformance.cpuset import format_bits
from numa_conformance.doctor.findings import check
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.machine.hostfs import read_machine
from numa_conformance.reference.managers.cpu.cpu_state import CpuState
from numa_conformance.reference.managers.cpu.state_file import encode
from processes import wait_until

BASE = Path("/sys/fs/cgroup")
TOP = BASE / "cpuset" if (BASE / "cpuset" / "cpuset.cpus").exists() else BASE
RECONCILE = "cpu-manager/reconcile/running-containers-get-their-cpusets"


class Pods:
    """Cgroups of pods in the kernel's own hierarchy, with processes in them; all of it goes again."""

    def __init__(self):
        self.top = TOP / f"numa-conformance-{os.getpid()}"
        self._processes, self._folders = [], []
        self._make(self.top, BASE_CPUS, BASE_MEMS)
        self._make(self.top / "kubepods", BASE_CPUS, BASE_MEMS)

    def _make(self, folder, cpus, mems):
        folder.mkdir()
        self._folders.append(folder)
        (folder / "cpuset.mems").write_text(mems)
        (folder / "cpuset.cpus").write_text(cpus)

    def put(self, uid, name, cpus):
        pod = self.top / "kubepods" / f"pod{uid}"
        for folder, own in ((pod, BASE_CPUS), (pod / name, cpus)):
            self._enable(folder.parent)
            self._make(folder, own, BASE_MEMS)
        process = subprocess.Popen(["sleep", "300"])
        self._processes.append(process)
        (pod / name / "cgroup.procs").write_text(str(process.pid))
        return pod / name

    @staticmethod
    def _enable(folder):
        if (folder / "cgroup.subtree_control").exists():
            (folder / "cgroup.subtree_control").write_text("+cpuset")

    def close(self):
        for process in self._processes:
            process.kill()
            process.wait()
        for folder in reversed(self._folders):
            wait_until(lambda folder=folder: _is_removed(folder))


def _is_removed(folder):
    """Remove a cgroup, which takes a moment to be empty."""
    with contextlib.suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def _text(name):
    with contextlib.suppress(OSError):
        return (TOP / name).read_text().strip()
    return ""


BASE_CPUS = _text("cpuset.cpus") or _text("cpuset.cpus.effective")
BASE_MEMS = _text("cpuset.mems") or _text("cpuset.mems.effective")


@pytest.fixture
def pods():
    made = None
    try:
        made = Pods()
    except OSError as error:
        pytest.skip(f"cpusets cannot be written here: {error}")
    yield made
    made.close()


@pytest.fixture
def asked(tmp_path):
    """A node of which one CPU is reserved and one exclusive, told by files of its own."""
    machine = read_machine("/")
    if machine.online_bits.bit_count() < 2:
        pytest.skip("an exclusive CPU beside a shared one needs two")
    first = machine.online_bits & -machine.online_bits
    own = (machine.online_bits ^ first) & -(machine.online_bits ^ first)
    kubelet = {"cpuManagerPolicy": "static", "reservedSystemCPUs": format_bits(first)}
    head = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
    (tmp_path / "config.json").write_text(
        json.dumps({**head, **kubelet, "cgroupRoot": f"/numa-conformance-{os.getpid()}"})
    )
    state = CpuState(machine.online_bits & ~own, {"db": {"main": own}})
    (tmp_path / "cpu_manager_state").write_text(encode("static", state))
    os.utime(tmp_path / "cpu_manager_state", (1_700_000_000, 1_700_000_000))
    told = NodeSource(Path("/"), config=tmp_path / "config.json", state_dir=str(tmp_path))
    return told, format_bits(own), format_bits(state.default)


def found(told):
    return [(one.requirement, one.message) for one in check(look(told)).findings]


@deep
def test_real_cpusets_are_read_and_a_real_fault_is_found(pods, asked):
    told, own, shared = asked
    main = pods.put("db", "main", own)
    log = pods.put("web", "log", shared)
    assert found(told) == []
    (log / "cpuset.cpus").write_text(BASE_CPUS)
    assert found(told) == [(RECONCILE, "the cgroup of container web/log has another cpuset than is assigned")]
    (log / "cpuset.cpus").write_text(shared)
    (main / "cpuset.cpus").write_text(shared.split(",")[0].split("-")[0])
    assert found(told) == [(RECONCILE, "the cgroup of container db/main has another cpuset than is assigned")]


@deep
def test_a_container_that_ended_is_not_judged(pods, asked):
    told, _, _ = asked
    pods.put("db", "main", BASE_CPUS)
    assert found(told) != []
    pods._processes[0].kill()
    pods._processes[0].wait()
    assert found(told) == []
