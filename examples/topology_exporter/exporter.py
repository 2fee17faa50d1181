"""Runs on a node: publishes its NodeResourceTopology, from sysfs and from what PodResources tells."""

import contextlib
import os
import sys
import time
from collections import Counter
from pathlib import Path

import yaml
from kubernetes import client, config

from numa_conformance.lab.kubelet_apis.interfaces import POD_RESOURCES, ask

SOCKET, CONFIG = "/var/lib/kubelet/pod-resources/kubelet.sock", Path("/var/lib/kubelet/config.yaml")
KIND = ("topology.node.k8s.io", "v1alpha2", "noderesourcetopologies")
FORGETS_RESERVED = "--forgets-reserved" in sys.argv


def ids(text):
    """The CPUs of a list as kernels write it."""
    ranges = (part.split("-") for part in text.strip().split(",") if part)
    return {cpu for first, *last in ranges for cpu in range(int(first), int((last or [first])[0]) + 1)}


def numa_nodes():
    folders = Path("/sys/devices/system/node").glob("node[0-9]*")
    return {int(folder.name[4:]): folder for folder in sorted(folders, key=lambda folder: int(folder.name[4:]))}


def capacity(folder):
    """What a NUMA node has: CPUs, memory, huge pages."""
    (total,) = (line.split()[3] for line in (folder / "meminfo").read_text().splitlines() if "MemTotal" in line)
    has = Counter({"cpu": len(ids((folder / "cpulist").read_text())), "memory": int(total) * 1024})
    for pages in folder.glob("hugepages/hugepages-*kB"):
        kilobytes = int(pages.name[10:-2])
        name = f"hugepages-{kilobytes >> 20}Gi" if kilobytes >> 20 else f"hugepages-{kilobytes >> 10}Mi"
        has[name] = kilobytes * 1024 * int((pages / "nr_hugepages").read_text())
    return has


def told(resources, cpus):
    """Sum up, for each NUMA node, what a message of PodResources tells; ``cpus`` are those of each NUMA node."""
    amounts = {node: Counter(cpu=len(own & set(resources.cpu_ids))) for node, own in cpus.items()}
    for device in resources.devices:
        for node in device.topology.nodes:
            amounts[node.ID][device.resource_name] += len(device.device_ids)
    for block in resources.memory:
        for node in block.topology.nodes[:1]:
            amounts[node.ID][block.memory_type] += block.size
    return amounts


def topology():
    nodes = numa_nodes()
    cpus = {node: ids((folder / "cpulist").read_text()) for node, folder in nodes.items()}
    method = "PodResourcesLister/"
    given = ask(
        SOCKET, POD_RESOURCES, f"{method}GetAllocatableResources", POD_RESOURCES.Empty(), "AllocatableResourcesResponse"
    )
    pods = ask(SOCKET, POD_RESOURCES, f"{method}List", POD_RESOURCES.Empty(), "ListPodResourcesResponse").pod_resources
    allocatable, held = told(given, cpus), {node: Counter() for node in nodes}
    for container in (container for pod in pods for container in pod.containers):
        for node, amounts in told(container, cpus).items():
            held[node].update(amounts)
    zones = []
    for node, folder in nodes.items():
        has, distances = capacity(folder), (folder / "distance").read_text().split()
        resources = [
            {
                "name": name,
                "capacity": str(has.get(name, amount)),
                "allocatable": str(has[name] if FORGETS_RESERVED and name == "cpu" else amount),
                "available": str((has[name] if FORGETS_RESERVED and name == "cpu" else amount) - held[node][name]),
            }
            for name, amount in sorted(allocatable[node].items())
        ]
        costs = [{"name": f"node-{other}", "value": int(cost)} for other, cost in zip(nodes, distances, strict=True)]
        zones.append({"name": f"node-{node}", "type": "Node", "costs": costs, "resources": resources})
    kubelet = yaml.safe_load(CONFIG.read_text())
    policy, scope = kubelet.get("topologyManagerPolicy", "none"), kubelet.get("topologyManagerScope", "container")
    attributes = [{"name": "topologyManagerPolicy", "value": policy}, {"name": "topologyManagerScope", "value": scope}]
    return {"zones": zones, "attributes": attributes}


def publish(api, content):
    name = os.environ["NODE_NAME"]
    body = {"apiVersion": "/".join(KIND[:2]), "kind": "NodeResourceTopology", "metadata": {"name": name}, **content}
    with contextlib.suppress(client.ApiException):
        api.create_cluster_custom_object(*KIND, body)
        return
    api.patch_cluster_custom_object(*KIND, name, content)


def main():
    config.load_kube_config(os.environ["KUBECONFIG"])
    api, last = client.CustomObjectsApi(), None
    while True:
        if (now := topology()) != last:
            publish(api, now)
            last = now
        time.sleep(0.2)


if __name__ == "__main__":
    main()
