"""CPU time of decisions, the kubelet's own code beside the reference, in one run.

    python benchmarks/beside_the_kubelet.py                   # builds the newest kubelet's managers (needs Go)
    python benchmarks/beside_the_kubelet.py ./kubelet-1.37    # these, as go/kubelet/ask.py built them

The kubelet's time is that of its process over many questions, less that of the same questions with nothing to decide
(no CPUs asked for, policy none): reading them is not counted, nor is what deciding nothing costs. The reference's is
that of a decision of its managers. Admissions write state files on both sides, to the file system of ``TMPDIR``: most
of their time is the disk's, and with ``TMPDIR=/dev/shm`` it is that of the decisions alone. Linux only.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

from test_cpu_decisions import OPTIONS, big_machine, free_cpus
from test_merge import every_hint

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.cpuset import format_bits
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import Cpu, Machine, MemoryNode, load_machine, machine_to_dict
from numa_conformance.machine.hostfs.stores import DirectoryStore
from numa_conformance.reference.managers.cpu import CpuAllocator, CpuTopology, HintRequest
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.topology import policy_of
from numa_conformance.reference.node import Node
from numa_conformance.sources.options import TopologyOptions
from numa_conformance.sources.quirks.areas import CpuQuirks, TopologyQuirks
from numa_conformance.sources.versions import DEFAULT

TICK = 1 / os.sysconf("SC_CLK_TCK")
LEAST = 0.5
"""Seconds of CPU time that are measured at least."""
TURNS = 3
"""How often both sides of an admission are measured, in turn: what else writes to the disk counts in both."""
Rows = Iterator[tuple[str, float, float]]


class Kubelet:
    """The program, and what CPU time it has had."""

    def __init__(self, command: str) -> None:
        self._process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0

    def ask(self, method: str, **params: object) -> Any:
        """Return the answer to one question."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())["result"]

    def spent(self) -> float:
        """Return its CPU time in seconds."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def per_call(call: Callable[[], object], spent: Callable[[], float]) -> float:
    """Return the CPU time of a call in seconds: the mean of as many as take long enough to be measured."""
    call()
    rounds = 1
    while True:
        began = spent()
        for _ in range(rounds):
            call()
        if (took := spent() - began) >= LEAST:
            return took / rounds
        rounds *= 2


def as_machine(topology: CpuTopology, memory: int = 64 << 30) -> Machine:
    """Return the machine of a view."""
    cpus = tuple(Cpu(cpu.id, cpu.core, cpu.socket, cpu.numa, cpu.uncore) for cpu in topology.view.cpus)
    nodes = sorted({cpu.numa for cpu in cpus})
    return Machine("256 CPUs", cpus, memory=tuple(MemoryNode(node, memory) for node in nodes))


def allocations(kubelet: Kubelet) -> Rows:
    """Choices of CPUs."""
    for name, count, option, fragmented in (
        ("16 of 256 CPUs, empty", 16, "default", False),
        ("1 of 256 CPUs, empty", 1, "default", False),
        ("64, half fragmented, 16 caches, prefer-align-cpus-by-uncorecache", 64, "uncore", True),
        ("64, half fragmented, distribute-cpus-across-numa", 64, "across-numa", True),
    ):
        topology = big_machine(caches=16 if option == "uncore" else 2)
        free = free_cpus(topology, fragmented=fragmented)
        asked = {
            "machine": machine_to_dict(as_machine(topology)) | {"uncoreSource": "reported"},
            "available": format_bits(free),
            "options": {one: True for one, on in vars_of(OPTIONS[option]).items() if on},
        }
        whole = per_call(lambda asked=asked, count=count: kubelet.ask("pick", **asked, count=count), kubelet.spent)
        nothing = per_call(lambda asked=asked: kubelet.ask("pick", **asked, count=0), kubelet.spent)
        allocator = CpuAllocator.of(CpuQuirks.of(DEFAULT))(topology, OPTIONS[option])
        ours = per_call(lambda take=allocator.allocate, free=free, count=count: take(free, count), time.process_time)
        yield name, whole - nothing, ours


def vars_of(options: object) -> dict[str, bool]:
    """Return options of the static policy by the names that configurations have."""
    return {name.replace("_", "-"): bool(getattr(options, name)) for name in options.__slots__}  # type: ignore[attr-defined]


def hints(kubelet: Kubelet) -> Rows:
    """Lists of CPU hints."""
    topology = big_machine(8)
    machine = machine_to_dict(as_machine(topology))
    config, free = static(reserved="0,128"), topology.all & ~(1 | 1 << 128)
    state = {"default": format_bits(topology.all), "assignments": {}}

    def ask(pod: Any) -> Any:
        return kubelet.ask("hints", machine=machine, kubelet=config, state=state, pod=pod, container="c")

    asking, idle = guaranteed("p", 16), guaranteed("p", "500m")
    theirs = per_call(lambda: ask(asking), kubelet.spent) - per_call(lambda: ask(idle), kubelet.spent)
    ours = per_call(lambda: HintRequest.of(topology, 16, free).hints(), time.process_time)
    yield "CPU hints of 16 CPUs, 8 NUMA nodes", theirs, ours


def merges(kubelet: Kubelet) -> Rows:
    """Merges of three providers that offer all sets of 8 NUMA nodes."""
    sets = [list(one) for size in range(1, 9) for one in combinations(range(8), size)]
    for policy, preferred in (("single-numa-node", 0), ("single-numa-node", 1), ("best-effort", 0)):
        offered = [{"nodes": nodes, "preferred": len(nodes) <= preferred} for nodes in sets]
        providers = [{name: offered} for name in ("devices", "cpu", "memory")]
        asked = {"policy": policy, "options": {}, "nodes": list(range(8)), "distances": None}
        whole = per_call(lambda a=asked, p=providers: kubelet.ask("merge", **a, providers=p), kubelet.spent)
        idle = {**asked, "policy": "none"}
        nothing = per_call(lambda a=idle, p=providers: kubelet.ask("merge", **a, providers=p), kubelet.spent)
        merge = policy_of(policy, "container", TopologyOptions(), range(8), None, TopologyQuirks()).merge
        own = [Hint(hint.mask, hint.mask.bit_count() <= preferred) for hint in every_hint(8)]
        ours = per_call(lambda m=merge, h=own: m([{"devices": h}, {"cpu": h}, {"memory": h}]), time.process_time)
        how = ", single nodes preferred" if preferred else ", none preferred"
        yield f"merge of 3 x 255 hints, {policy}{how}", whole - nothing, ours


def admissions(kubelet: Kubelet) -> Rows:
    """A pod comes and goes, all managers static, state files written."""
    machine = load_machine("intel-sapphirerapids-8480")
    memory = {
        "memoryManagerPolicy": "Static",
        "kubeReserved": {"memory": "256Mi"},
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": "356Mi"}}],
    }
    document = guaranteed("a", 16, "1Gi")
    for policy in ("none", "best-effort", "single-numa-node"):
        config = static(reserved="0,112", topology=policy, more=memory)
        kubelet.ask("node.start", machine=machine_to_dict(machine), kubelet=config)

        def theirs() -> None:
            assert kubelet.ask("node.admit", pod=document)["result"] == "admitted"
            kubelet.ask("node.remove", uid="a")

        with tempfile.TemporaryDirectory() as folder:
            store = DirectoryStore(Path(folder))
            node = Node(machine, KubeletConfiguration.from_dict(config), store=store)
            pod = Pod.from_dict(document)

            def ours(node: Node = node, pod: Pod = pod) -> None:
                assert node.admit(pod).admitted
                node.remove("a")

            times = [(per_call(theirs, kubelet.spent), per_call(ours, time.process_time)) for _ in range(TURNS)]
            yield (
                f"admission and removal, 16 CPUs, {policy}",
                *(statistics.median(each) for each in zip(*times, strict=True)),
            )


@contextmanager
def started(command: str) -> Iterator[Kubelet]:
    """Run the program for a while."""
    kubelet = Kubelet(command)
    try:
        yield kubelet
    finally:
        kubelet.close()


def told(seconds: float) -> str:
    """Return a time with its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"


def newest() -> str:
    """Return the program of the newest kubelet's managers, built where it is not there yet."""
    if shutil.which("go") is None:
        sys.exit("the kubelet's managers are built with Go, which is not installed; or name a program that is built")
    sys.path.insert(0, str(Path(__file__).parents[1] / "go" / "kubelet"))
    import ask

    return str(ask.build(list(ask.patches())[-1]))


def program(words: list[str]) -> str:
    """Return the program that is named, else the newest."""
    if len(words) > 1:
        sys.exit(f"one program is asked at a time, not {len(words)}: {' '.join(words)}")
    named = os.path.abspath(words[0]) if words else newest()
    if not os.access(named, os.X_OK) or os.path.isdir(named):
        sys.exit(f"{named} is no program that can be started")
    return named


def main(command: str) -> None:
    """Print the table."""
    sys.stdout.write("| decision | kubelet | here | ratio |\n|---|---:|---:|---:|\n")
    with started(command) as kubelet:
        for part in (allocations, hints, admissions, merges):
            for name, theirs, ours in part(kubelet):
                beside = f"{told(theirs)} | {told(ours)} | {theirs / ours:.3g}"
                sys.stdout.write(f"| {name} | {beside if theirs > ours else f'too little | {told(ours)} | -'} |\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main(program(sys.argv[1:]))
