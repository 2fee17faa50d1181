"""Time and peak memory of each command on an input as large as its bounds let through.

``python benchmarks/peak_memory.py [WORDS...]`` makes the inputs in a temporary folder, one after the other, and prints
a table; with words only the rows that hold one of them.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import yaml

from numa_conformance.asking.generators.workloads import container as described
from numa_conformance.asking.generators.workloads import guaranteed, pod, static

Row = Callable[[Path], list[str]]
MACHINE = "amd-milan-7763-nps4"
RECORDED = Path(__file__).parents[1] / "conformance" / "exact" / "recorded"


def handed_out(number: int) -> dict[str, Any]:
    """Describe a pod at the length at which kubectl prints one: 14 kB, 250 values."""
    variables = [{"name": f"VARIABLE_{index}", "value": f"{index} of {number}"} for index in range(50)]
    containers = [
        {**described("web", cpu="2", memory="1Gi"), "env": variables},
        {**described("proxy", cpu="500m", memory="128Mi"), "env": variables[:10]},
    ]
    labels = {f"example.com/label-{index}": f"{'value ' * 10}{number}" for index in range(40)}
    made = pod(f"web-{number}", containers)
    return {**made, "metadata": {**made["metadata"], "labels": labels, "resourceVersion": "1"}}


def pods_as_json(folder: Path, count: int = 18_000) -> str:
    """Write a List as ``kubectl get pods -o json`` prints it."""
    file = folder / "pods.json"
    with file.open("w") as stream:
        stream.write('{"apiVersion": "v1", "kind": "List", "items": [')
        for number in range(count):
            stream.write(("," if number else "") + json.dumps(handed_out(number), indent=4))
        stream.write("]}")
    return str(file)


def pods_as_yaml(folder: Path, count: int) -> str:
    """Write documents of one pod each."""
    file = folder / "pods.yaml"
    file.write_text("".join(f"---\n{json.dumps(guaranteed(f'p{number}', 1))}\n" for number in range(count)))
    return str(file)


def list_as_yaml(folder: Path, count: int) -> str:
    """Write one List of small pods, in YAML."""
    items = [guaranteed(f"p{number}", 1) for number in range(count)]
    file = folder / "list.yaml"
    file.write_text(yaml.dump({"kind": "List", "items": items}, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper)))
    return str(file)


def kubelet(folder: Path) -> str:
    """Write a KubeletConfiguration."""
    file = folder / "kubelet.json"
    file.write_text(json.dumps(static(reserved="0-1,128-129", topology="single-numa-node")))
    return str(file)


def cluster(folder: Path, nodes: int, pods: str) -> list[str]:
    """Ask what becomes of pods on a fleet."""
    kubelet(folder)
    group = {"nodes": "n*", "machine": MACHINE, "kubelet": "kubelet.json", "count": nodes}
    (folder / "fleet.json").write_text(json.dumps([group]))
    return [
        "simulate-cluster",
        "--fleet",
        str(folder / "fleet.json"),
        "--pods",
        pods,
        "--strategy",
        "LeastAllocated",
        "--json",
    ]


def deployments(folder: Path, replicas: int) -> str:
    """Write three Deployments, two of Guaranteed pods."""
    shared = pod("shared", [described("c", requests={"cpu": "500m", "memory": "1Gi"})])
    templates = {"big": guaranteed("big", 12, "4Gi"), "small": guaranteed("small", 4, "4Gi"), "shared": shared}
    items = [
        {"kind": "Deployment", "metadata": {"name": name}, "spec": {"replicas": replicas, "template": made}}
        for name, made in templates.items()
    ]
    (folder / "deployments.json").write_text(json.dumps({"kind": "List", "items": items}))
    return str(folder / "deployments.json")


def score(folder: Path, nodes: int, pods: int) -> list[str]:
    """Ask for the scores of pods on nodes."""
    allocatable = {"cpu": "256", "memory": "1Ti", "pods": "110"}
    items = [
        {"kind": "Node", "metadata": {"name": f"n{number}"}, "status": {"allocatable": allocatable}}
        for number in range(nodes)
    ]
    (folder / "nodes.json").write_text(json.dumps({"kind": "List", "items": items}))
    return ["score", "--nodes", str(folder / "nodes.json"), "--json", pods_as_yaml(folder, pods)]


def lint(folder: Path) -> list[str]:
    """Ask about a configuration as long as YAML may be."""
    entries = "".join(f"- {{numaNode: {node % 8}, limits: {{memory: 1Gi}}}}\n" for node in range(200_000))
    (folder / "kubelet.yaml").write_text(f"kind: KubeletConfiguration\nreservedMemory:\n{entries}")
    return ["lint", str(folder / "kubelet.yaml")]


def capture(folder: Path) -> list[str]:
    """Read a tree of ids only, of as many CPUs as a machine may have."""
    for cpu in range(8192):
        topology = folder / f"host/sys/devices/system/cpu/cpu{cpu}/topology"
        topology.mkdir(parents=True)
        (topology / "physical_package_id").write_text(f"{cpu // 64}\n")
        (topology / "core_id").write_text(f"{cpu // 2 % 32}\n")
    return ["machines", "capture", "--from-node", str(folder / "host")]


def show_machine(folder: Path) -> list[str]:
    """Draw a machine of as many CPUs and devices as one may have."""
    devices = [{"resource": "example.com/d", "id": f"d{number}", "numa": [number % 8]} for number in range(65_536)]
    layout = {"sockets": 8, "coresPerNuma": 512, "threads": 2, "memory": ["64Gi"] * 8}
    (folder / "machine.json").write_text(json.dumps({"name": "large", **layout, "devices": devices}))
    return ["machines", "show", str(folder / "machine.json")]


def decisions(folder: Path, count: int) -> str:
    """Write recorded decisions over and over."""
    file = folder / "recorded.jsonl"
    sources = (gzip.decompress(source.read_bytes()) for source in sorted(RECORDED.rglob("*.jsonl.gz")))
    lines = [line for source in sources for line in source.splitlines()]
    with file.open("wb") as stream:
        stream.writelines(line + b"\n" for line in islice(cycle(lines), count))
    return str(file)


ROWS: dict[str, Row] = {
    "simulate, 18,000 pods as kubectl prints them (JSON, 256 MB)": lambda folder: [
        *("simulate", "--machine", MACHINE, "--config", kubelet(folder), pods_as_json(folder))
    ],
    "cluster, the same pods on 400 nodes": lambda folder: cluster(folder, 400, pods_as_json(folder)),
    "cluster, 150,000 pods on 5,000 nodes": lambda folder: cluster(folder, 5000, deployments(folder, 50_000)),
    "simulate, one YAML List of 1.4 million keys and values": lambda folder: [
        *("simulate", "--machine", MACHINE, "--config", kubelet(folder), list_as_yaml(folder, 38_000))
    ],
    "simulate, YAML of 32 MB, a document for each pod": lambda folder: [
        *("simulate", "--machine", MACHINE, "--config", kubelet(folder), pods_as_yaml(folder, 140_000))
    ],
    "score, 20 pods on 5,000 nodes, as JSON": lambda folder: score(folder, 5000, 20),
    "lint, YAML of 1.4 million keys and values": lint,
    "capture, ids of 8,192 CPUs": capture,
    "machines show, 8,192 CPUs and 65,536 devices": show_machine,
    "replay, 20,000 recorded decisions": lambda folder: ["replay", decisions(folder, 20_000)],
}


def measured(argv: list[str]) -> tuple[float, float, int]:
    """Run a command; return its seconds of processor time, its peak in MiB and its exit code."""
    with open(os.devnull, "w") as nowhere:
        child = subprocess.Popen([sys.executable, "-m", "numa_conformance", *argv], stdout=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def main(words: list[str]) -> None:
    """Print the table."""
    sys.stdout.write("| input | processor time | peak memory | exit |\n|---|---:|---:|---:|\n")
    for name, make in ROWS.items():
        if not words or any(word in name for word in words):
            with tempfile.TemporaryDirectory() as folder:
                seconds, peak, code = measured(make(Path(folder)))
            sys.stdout.write(f"| {name} | {seconds:.0f} s | {peak:.0f} MiB | {code} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
