"""A served node for tests: a small machine with devices, and what its sockets answer. Needs the extra ``[node]``."""

from __future__ import annotations

import json
from pathlib import Path

from numa_conformance.hostfs import KubeletRoot
from numa_conformance.kubelet_apis.interfaces import POD_RESOURCES as V1
from numa_conformance.kubelet_apis.wire import ask
from numa_conformance.machine import load_machine, machine_from_dict, machine_to_dict
from numa_conformance.node import Node
from numa_conformance.node_agent.agent import NodeAgent
from numa_conformance.node_agent.pod_files import PodFiles
from numa_conformance.node_agent.root import AgentRoot
from numa_conformance.node_agent.serving import ServedNode

NIC = "vendor.example/nic"
STATIC = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0", "topologyManagerPolicy": "best-effort"}


def machine(*devices):
    described = machine_to_dict(load_machine("t3-two-numa-per-socket"))
    return machine_from_dict({**described, "devices": [{"resource": NIC, **device} for device in devices]}, "machine")


def pod(name, *, sidecar=None, init=None, **limits):
    """A Guaranteed pod whose containers ask for the same; ``nic`` is the device of the tests."""
    amounts = {{"nic": NIC}.get(key, key): value for key, value in {"cpu": 1, "memory": "1Gi", **limits}.items()}
    first = [{"name": init}] if init else []
    first += [{"name": sidecar, "restartPolicy": "Always"}] if sidecar else []
    spec = {"initContainers": first, "containers": [{"name": "c"}]}
    for container in (*first, *spec["containers"]):
        container["resources"] = {"limits": amounts}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


class Served:
    """A context: a node that is served below a folder, with the pods of ``put``. ``told``: what the person was told."""

    def __init__(self, folder, *, devices=(), config=STATIC, version="1.34", **more):
        self.told = []
        self.pods = folder / "pods"
        self.pods.mkdir()
        self.root = AgentRoot(folder / "root")
        node = Node(
            machine(*devices),
            config,
            kubernetes_version=version,
            store=KubeletRoot(self.root.folder),
            resource_fit=True,
        )
        self.agent = NodeAgent(node, self.told.append)
        self.node = ServedNode(self.agent, self.root, PodFiles([self.pods]), self.told.append, **more)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.node.close()

    def put(self, *manifests):
        """Add pods to the folder, and have them read."""
        for manifest in manifests:
            Path(self.pods, f"{manifest['metadata']['name']}.json").write_text(json.dumps(manifest))
        self.node.keep_up()

    def take(self, name):
        """Take a pod out of the folder, and have that seen."""
        Path(self.pods, f"{name}.json").unlink()
        self.node.keep_up()

    def ask(self, method, answer, request=None):
        request = V1.Empty() if request is None else request
        return ask(str(self.root.pod_resources), V1, f"PodResourcesLister/{method}", request, answer)

    def list(self):
        return self.ask("List", "ListPodResourcesResponse").pod_resources

    def containers(self, name):
        (found,) = (one for one in self.list() if one.name == name)
        return {container.name: container for container in found.containers}


def records(container):
    """The device records of a container: ids and NUMA nodes."""
    return [(list(one.device_ids), [node.ID for node in one.topology.nodes]) for one in container.devices]
