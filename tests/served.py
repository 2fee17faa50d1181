"""A served node for tests: a small machine with devices, and what its sockets answer. Needs the extra ``[lab]``."""

from __future__ import annotations

import json
import queue
from pathlib import Path

from numa_conformance.lab.kubelet_apis.interfaces import DEVICE_PLUGINS as V1BETA1
from numa_conformance.lab.kubelet_apis.interfaces import POD_RESOURCES as V1
from numa_conformance.lab.kubelet_apis.interfaces import ask, serve, service
from numa_conformance.lab.node_agent.agent import NodeAgent, providers_with
from numa_conformance.lab.node_agent.root import AgentRoot
from numa_conformance.lab.node_agent.serving import PodFiles, ServedNode
from numa_conformance.machine import load_machine, machine_from_dict, machine_to_dict
from numa_conformance.machine.hostfs import KubeletRoot
from numa_conformance.reference.node import Node

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

    def __init__(self, folder, *, devices=(), config=STATIC, version="1.34"):
        self.told = []
        self.pods = folder / "pods"
        self.pods.mkdir(exist_ok=True)
        self.root = AgentRoot(folder / "root")
        plugins = {}
        node = Node(
            machine(*devices),
            config,
            kubernetes_version=version,
            store=KubeletRoot(self.root.folder),
            resource_fit=True,
            providers=providers_with(plugins),
        )
        self.agent = NodeAgent(node, self.told.append, plugins)
        self.node = ServedNode(self.agent, self.root, PodFiles([self.pods]), self.told.append)

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


def device(name, *nodes, health="Healthy"):
    topology = V1BETA1.TopologyInfo(nodes=[V1BETA1.NUMANode(ID=node) for node in nodes]) if nodes else None
    return V1BETA1.Device(ID=name, health=health, topology=topology)


class Plugin:
    """A device plugin that lists what it is told to. ``asked``: the calls that came, in order, with what they said.

    ``answers`` take the place of its own, by method.
    """

    def __init__(self, served, *devices, prefers=False, pre_start=False, endpoint="plugin.sock", **answers):
        self.folder = served.root.device_plugins
        self.endpoint = endpoint
        self.asked = []
        self._lists = queue.Queue()
        self._options = V1BETA1.DevicePluginOptions(
            get_preferred_allocation_available=prefers, pre_start_required=pre_start
        )
        methods = {
            "GetDevicePluginOptions": lambda *_: self._options,
            "ListAndWatch": lambda *_: iter(self._lists.get, None),
            "GetPreferredAllocation": self._prefer,
            "Allocate": self._allocate,
            "PreStartContainer": self._pre_start,
            **answers,
        }
        takes = {"GetDevicePluginOptions": "Empty", "ListAndWatch": "Empty"}
        self._server = serve(f"{self.folder}/{endpoint}", service(V1BETA1, "DevicePlugin", methods, takes))
        self.list(*devices)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._lists.put(None)
        self._server.stop(None).wait()

    def list(self, *devices):
        self._lists.put(V1BETA1.ListAndWatchResponse(devices=devices))

    def register(self, resource=NIC, version="v1beta1", endpoint=None):
        request = V1BETA1.RegisterRequest(
            version=version, endpoint=endpoint or self.endpoint, resource_name=resource, options=self._options
        )
        ask(f"{self.folder}/kubelet.sock", V1BETA1, "Registration/Register", request, "Empty")
        return self

    def _prefer(self, request, _):
        (one,) = request.container_requests
        self.asked.append(
            ("prefer", list(one.available_deviceIDs), list(one.must_include_deviceIDs), one.allocation_size)
        )
        chosen = sorted(one.available_deviceIDs)[-one.allocation_size :]
        response = V1BETA1.ContainerPreferredAllocationResponse(deviceIDs=chosen)
        return V1BETA1.PreferredAllocationResponse(container_responses=[response])

    def _allocate(self, request, _):
        self.asked.append(("allocate", list(request.container_requests[0].devices_ids)))
        return V1BETA1.AllocateResponse(container_responses=[V1BETA1.ContainerAllocateResponse(envs={"NIC": "1"})])

    def _pre_start(self, request, _):
        self.asked.append(("start", list(request.devices_ids)))
        return V1BETA1.Empty()
