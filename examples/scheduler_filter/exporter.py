"""Runs on a node: tells the API server how many CPUs each NUMA node can still give to one container."""

import json
import os
import time
from pathlib import Path

from kubernetes import client, config

ANNOTATION = "example.com/free-cpus-by-numa-node"
STATE = Path("/var/lib/kubelet/cpu_manager_state")
RESERVED = {0, 128}


def ids(text):
    """The CPUs of a list as kernels and kubelets write it."""
    ranges = (part.split("-") for part in text.strip().split(",") if part)
    return {cpu for first, *last in ranges for cpu in range(int(first), int((last or [first])[0]) + 1)}


def free_by_numa_node():
    free = ids(json.loads(STATE.read_text())["defaultCpuSet"]) - RESERVED
    nodes = sorted(Path("/sys/devices/system/node").glob("node[0-9]*"), key=lambda node: int(node.name[4:]))
    return [len(free & ids((node / "cpulist").read_text())) for node in nodes]


def main():
    config.load_kube_config(os.environ["KUBECONFIG"])
    api, last = client.CoreV1Api(), None
    while True:
        if (free := free_by_numa_node()) != last:
            api.patch_node(os.environ["NODE_NAME"], {"metadata": {"annotations": {ANNOTATION: json.dumps(free)}}})
            last = free
        time.sleep(0.1)


if __name__ == "__main__":
    main()
