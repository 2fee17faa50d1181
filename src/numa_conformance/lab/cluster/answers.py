"""The answers of a running cluster."""

import json
import os
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ...cpuset import CpuSet, format_bits
from ...errors import Fault, UsageError, closest
from ...machine import Amounts, allocation_map, machine_to_dict
from ...machine.picture import FOLDED_ABOVE
from ..kubelet.files import allocatable_cpus
from .node import ClusterNode
from .pods import Api, ApiError, Pod, PodWatch, is_decided, refusal_of, scheduling_of
from .programs import last_words
from .record import Recorder

KUBECONFIG = "kubeconfig"
NODES = "/api/v1/nodes"
PODS = "/api/v1/namespaces/default/pods"
NOT_FOUND = 404
_PATIENCE = 60.0
_LOOK_SECONDS = 1.0


def outside_path(folder: Path) -> str:
    """Return the path by which others see a folder that lies in mounts of this process, while it is there."""
    return f"/proc/{os.getpid()}/root{folder}"


def nodes_of(api: Api) -> list[dict[str, Any]]:
    """Return all nodes that are registered."""
    nodes: list[dict[str, Any]] = api.ask(NODES)["items"]
    return nodes


def is_ready(node: Mapping[str, Any]) -> bool:
    """Tell whether a node says that it is Ready."""
    conditions = node["status"].get("conditions") or ()
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


@dataclass(frozen=True)
class ClusterAnswers:
    """What a cluster is asked over its socket: each public method is a question. ``programs``: name to process."""

    nodes: Mapping[str, ClusterNode]
    server: Api
    watch: PodWatch
    recorder: Recorder
    folder: Path
    programs: Mapping[str, int]

    def status(self) -> dict[str, Any]:
        """Tell what there is: nodes, programs, and where their files are."""
        nodes = {node["metadata"]["name"]: node for node in nodes_of(self.server)}
        pods = Counter(pod["spec"].get("nodeName") for pod in self.watch.pods())
        return {
            "kubeconfig": f"{outside_path(self.folder)}/{KUBECONFIG}",
            "folder": outside_path(self.folder),
            "nodes": [
                {
                    "name": name, "machine": node.plan.machine.name, "pods": pods[name], "process": node.number,
                    "ready": name in nodes and is_ready(nodes[name]),
                    "kubelet": nodes[name]["status"]["nodeInfo"]["kubeletVersion"] if name in nodes else "",
                    "allocatable": nodes[name]["status"]["allocatable"] if name in nodes else {},
                }
                for name, node in self.nodes.items()
            ],
            "programs": dict(self.programs),
        }  # fmt: skip

    def node(self, name: str) -> dict[str, Any]:
        """Tell how a program gets where a node's kubelet lives; raises ``UsageError``."""
        node = self._node(name)
        others = [other.number for other in self.nodes.values() if other is not node and other.number]
        return {"process": node.number, "environment": dict(node.environment()), "others": others}

    def record(self) -> dict[str, Any]:
        """Return the histories of all nodes so far, and the nodes to which several pods came at once."""
        return {"histories": self.recorder.text(), "broken": self.recorder.broken()}

    def decided(self, uid: str) -> bool:
        """Wait until a pod is decided and the record tells of it, or its kubelet has ended; tell whether it is."""
        end = time.monotonic() + _PATIENCE
        decided = False
        while not decided and time.monotonic() < end and not self._has_no_kubelet(uid):
            decided = self.watch.wait_until(lambda pods: uid in pods and is_decided(pods[uid]), _LOOK_SECONDS)
        self.recorder.settle()
        return decided

    def _has_no_kubelet(self, uid: str) -> bool:
        name = str(((self.watch.pod(uid) or {}).get("spec") or {}).get("nodeName"))
        return name in self.nodes and not self.nodes[name].number

    def gone(self, *uids: str) -> bool:
        """Wait until pods are gone, all where none is named, and the record tells of it; tell whether they are."""
        gone = self.watch.wait_until(lambda pods: not pods.keys() & (uids or pods.keys()), _PATIENCE)
        self.recorder.settle()
        return gone

    def held(self) -> dict[str, dict[str, Any]]:
        """Return uid to container to what it holds, of every pod on a node that did not refuse it."""
        return {pod["metadata"]["uid"]: self._held(pod) for pod in self.watch.pods() if _is_on_node(pod)}

    def books(self, name: str) -> dict[str, Any]:
        """Return a kubelet's allocations: allocatable and exclusive CPUs, memory by NUMA node, devices."""
        node = self._node(name)
        files, kubelet = node.files(), node.plan.kubelet
        there = {
            pod["metadata"]["uid"]
            for pod in self.watch.pods()
            if pod["spec"].get("nodeName") == name and _is_on_node(pod)
        }
        return {
            "machine": machine_to_dict(node.plan.machine),
            "policy": kubelet.get("topologyManagerPolicy", "none"),
            "scope": kubelet.get("topologyManagerScope", "container"),
            "allocatable_cpus": format_bits(allocatable_cpus(node.folder)),
            "held_cpus": str(files.held(there)),
            "memory": files.books(there),
            "devices": files.all_devices(there),
        }

    def make(self, manifest: str) -> dict[str, Any]:
        """Make a pod of the namespace default, wait until it is decided, and return it."""
        uid = self.server.ask(f"{PODS}", json.loads(manifest))["metadata"]["uid"]
        self.decided(uid)
        return dict(self.watch.pod(uid) or {})

    def drop(self, *names: str) -> None:
        """Delete pods of the namespace default, and wait until their kubelets have let go."""
        uids = [self.server.ask(f"{PODS}/{name}")["metadata"]["uid"] for name in names]
        for name in names:
            self.server.ask(f"{PODS}/{name}", {"gracePeriodSeconds": 0}, "DELETE")
        if uids:
            self.gone(*uids)

    def api(self, path: str, body: str, method: str) -> Any:
        """Ask the API server as the administrator; None for what is not there."""
        try:
            return self.server.ask(path, json.loads(body), method)
        except ApiError as error:
            if error.code != NOT_FOUND:
                raise UsageError(Fault(path, str(error))) from error
            return None

    def containers(self, uid: str) -> dict[str, dict[str, Any]]:
        """Return a pod's containers by name: their cpuset, and what CDI devices add to their environment."""
        made = [item for node in self.nodes.values() for item in node.runtime.containers_of(uid).items()]
        return {
            name: {"cpuset": each.resources.cpuset_cpus, "mems": each.resources.cpuset_mems,
                   "environment": each.environment}
            for name, each in made
        }  # fmt: skip

    def registered(self) -> dict[str, Any]:
        """Tell of the first node what its daemons have registered as since they were started, and how one has ended."""
        return next(iter(self.nodes.values())).registered()

    def daemons(self) -> None:
        """End the daemons of all nodes, and start them again."""
        for node in self.nodes.values():
            node.start_daemons()

    def plans(self) -> dict[str, Any]:
        """Return each node's machine, configuration and kubelet's version."""
        versions = {
            node["metadata"]["name"]: node["status"]["nodeInfo"]["kubeletVersion"] for node in nodes_of(self.server)
        }
        plans = {name: node.plan for name, node in self.nodes.items()}
        machines = {name: machine_to_dict(plan.machine) for name, plan in plans.items()}
        return {
            name: {"machine": machines[name], "kubelet": dict(plan.kubelet), "version": versions.get(name, "")}
            for name, plan in plans.items()
        }

    def picture(self) -> str:
        """Draw every node's machine with who has which CPUs, and list the pods that run nowhere."""
        on_nodes = [pod for pod in self.watch.pods() if _is_on_node(pod)]
        parts = [
            f"node {name}: {node.plan.machine.name}\n{self._map(name, on_nodes)}" for name, node in self.nodes.items()
        ]
        elsewhere = [_explanation(pod) for pod in self.watch.pods() if not _is_on_node(pod)]
        return "\n\n".join([*parts, *(["\n".join(elsewhere)] if elsewhere else [])])

    def _node(self, name: str) -> ClusterNode:
        node = self.nodes.get(name)
        if node is None:
            raise UsageError(Fault("", f"there is no node {name!r}", ", ".join(self.nodes), closest(name, self.nodes)))
        if not node.number:
            words = last_words(node.folder / "kubelet.log")
            raise UsageError(Fault("", f"the kubelet of node {name!r} has ended: {words}"))
        return node

    def _held(self, pod: Pod) -> dict[str, Any]:
        node = self.nodes[pod["spec"]["nodeName"]]
        return dict(msgspec.to_builtins(node.holdings(pod, node.files())))

    def _map(self, name: str, pods: list[Pod]) -> str:
        held = {
            f"{pod['metadata']['name']}/{container}": holding
            for pod in pods
            if pod["spec"]["nodeName"] == name
            for container, holding in self._held(pod).items()
        }
        owners = {label: CpuSet.parse(holding["cpus"]).bits for label, holding in held.items() if holding["cpus"]}
        amounts = {label: Amounts.of_answer(holding) for label, holding in held.items()}
        shown = {label: each for label, each in amounts.items() if each.memory or each.devices}
        return allocation_map(self.nodes[name].plan.machine, owners, amounts=shown, fold=FOLDED_ABOVE)


def _is_on_node(pod: Pod) -> bool:
    return bool(pod["spec"].get("nodeName")) and pod["status"].get("phase") in ("Pending", "Running")


def _explanation(pod: Pod) -> str:
    """Say where a pod is that holds nothing, and why."""
    name, node = pod["metadata"]["name"], pod["spec"].get("nodeName")
    if (refusal := refusal_of(pod)) is not None:
        return f"pod {name}: refused by {node}: {refusal[0]}: {refusal[1]}"
    if node:
        return f"pod {name}: {pod['status'].get('phase')} on {node}"
    scheduled = scheduling_of(pod)
    return f"pod {name}: on no node: {scheduled.get('message', '') if scheduled else 'not looked at yet'}"
