"""What is done inside a real kernel with several NUMA nodes; the test beside it judges what this prints."""

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from numa_conformance.cli import main
from numa_conformance.reference.target.reference_target import ReferenceTarget
from numa_conformance.wire.messages.host import Discover, HostReconcile
from numa_conformance.wire.messages.node import AdmitPod, Admitted, ReadCheckpoints, ReadState, RunPod, StartNode

GROUPS, STATE = Path("/sys/fs/cgroup"), Path("/var/lib/kubelet")
KUBELET = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "kind": "KubeletConfiguration",
    "cpuManagerPolicy": "static",
    "reservedSystemCPUs": "0-1",
    "cpuManagerPolicyOptions": {"full-pcpus-only": "true"},
    "topologyManagerPolicy": "single-numa-node",
    "cpuManagerReconcilePeriod": "1s",
    "memoryManagerPolicy": "Static",
    "evictionHard": {},
    "systemReserved": {"memory": "64Mi"},
    "reservedMemory": [{"numaNode": 0, "limits": {"memory": "64Mi"}}],
}
SLEEP = "import threading, time\nthreading.Thread(target=time.sleep, args=(900,), daemon=True).start()\ntime.sleep(900)"


def command(*args: object) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        try:
            main([str(arg) for arg in args])
        except SystemExit as ended:
            return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def findings(root: str = "/") -> list[list[str]]:
    _, out = command("check-node", "--json", "--from-node", root)
    told = json.loads(out)
    return sorted([one["requirement"], one["message"], one["evidence"][0]["file"]] for one in told["findings"])


def pod(name: str, cpu: str) -> dict:
    limits = {"limits": {"cpu": cpu, "memory": "16Mi"}}
    return {"metadata": {"name": name, "uid": name}, "spec": {"containers": [{"name": "main", "resources": limits}]}}


def start_pod(name: str) -> subprocess.Popen:
    """Put a process of two threads into a container's cgroup, as a runtime does."""
    slice_of = GROUPS / "kubepods.slice" / f"kubepods-pod{name}.slice"
    scope = slice_of / "cri-main.scope"
    slice_of.mkdir()
    (slice_of / "cgroup.subtree_control").write_text("+cpuset")
    scope.mkdir()
    process = subprocess.Popen([sys.executable, "-c", SLEEP])
    (scope / "cgroup.procs").write_text(str(process.pid))
    return process


def start_kubelet() -> subprocess.Popen:
    program = "open('/proc/self/comm', 'w').write('kubelet')\nimport time\ntime.sleep(900)"
    words = ["kubelet", "-c", program, "--config", str(STATE / "config.json"), "--token=a-token"]
    return subprocess.Popen(words, executable=sys.executable)


def run() -> dict:
    target = ReferenceTarget()
    machine = target.host_discover(Discover(root="/")).machine
    told: dict = {"machine": machine}
    (GROUPS / "cgroup.subtree_control").write_text("+cpuset")
    (GROUPS / "kubepods.slice").mkdir()
    (GROUPS / "kubepods.slice" / "cgroup.subtree_control").write_text("+cpuset")
    STATE.mkdir(parents=True)
    (STATE / "config.json").write_text(json.dumps(KUBELET))
    target.node_start(StartNode(machine=machine, kubelet=KUBELET))
    pods = {"log": "500m", "db": "2", "web": "2"}
    processes = {name: start_pod(name) for name in pods}
    for name, cpu in pods.items():
        admitted = target.node_admit(AdmitPod(pod=pod(name, cpu)))
        assert isinstance(admitted, Admitted)
        target.node_run(RunPod(uid=name))
        created_with = admitted.containers["main"].cpus or admitted.default_cpuset
        (scope(name) / "cpuset.cpus").write_text(created_with)
    for name, text in target.node_checkpoints(ReadCheckpoints()).checkpoints.items():
        (STATE / name).write_text(text)
    start_kubelet()
    time.sleep(4)  # three passes of the reconcile loop
    told["before"] = findings()
    told["updates"] = [one.cpus for one in target.host_reconcile(HostReconcile(root=str(GROUPS))).updates]
    for name, held in target.node_state(ReadState()).containers.items():
        (scope(name) / "cpuset.mems").write_text(str(held["main"].memory[0].nodes[0]))
    told["statuses"] = {name: status(process.pid) for name, process in processes.items()}
    told["planted"] = {}
    for name, (plant, undo) in faults(processes).items():
        plant()
        told["planted"][name] = findings()
        undo()
    processes["web"].kill()
    processes["web"].wait()
    told["after"] = findings()
    command("collect-node", "/tmp/dump")
    told["dump"] = findings("/tmp/dump")
    grep = ["/bin/busybox", "grep", "-rl", "a-token", "/tmp/dump"]
    told["secrets"] = subprocess.run(grep, capture_output=True, text=True, check=False).stdout
    return told


def scope(name: str) -> Path:
    return GROUPS / "kubepods.slice" / f"kubepods-pod{name}.slice" / "cri-main.scope"


def status(pid: int) -> dict:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: rest.strip() for name, _, rest in (line.partition(":") for line in lines) if "allowed_list" in name}


def faults(processes: dict) -> dict:
    """What is planted in the real kernel: plant and undo."""
    cpus = {name: (scope(name) / "cpuset.cpus").read_text() for name in processes}
    mems = (scope("db") / "cpuset.mems").read_text()
    state = (STATE / "cpu_manager_state").read_text()

    def write(path: Path, text: str):
        return lambda: path.write_text(text)

    return {
        "other cpuset": (write(scope("db") / "cpuset.cpus", "0-15"), write(scope("db") / "cpuset.cpus", cpus["db"])),
        "shared on all": (
            write(scope("log") / "cpuset.cpus", "0-15"),
            write(scope("log") / "cpuset.cpus", cpus["log"]),
        ),
        "narrowed from above": (
            write(GROUPS / "kubepods.slice" / "cpuset.cpus", "0-7"),
            write(GROUPS / "kubepods.slice" / "cpuset.cpus", "0-15"),
        ),
        "damaged file": (
            write(STATE / "cpu_manager_state", state.replace('"checksum":', '"checksum":1')),
            write(STATE / "cpu_manager_state", state),
        ),
        "a CPU offline": (
            write(Path("/sys/devices/system/cpu/cpu15/online"), "0"),
            write(Path("/sys/devices/system/cpu/cpu15/online"), "1"),
        ),
        "memory from anywhere": (write(scope("db") / "cpuset.mems", "0-3"), write(scope("db") / "cpuset.mems", mems)),
    }


if __name__ == "__main__":
    os.environ["NUMA_CONFORMANCE_DEBUG"] = "1"
    began = time.monotonic()
    answer = run()
    sys.stdout.write(json.dumps({**answer, "seconds": time.monotonic() - began}))
