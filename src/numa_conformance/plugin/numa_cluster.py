"""A cluster of real parts for tests of one's own: ``NumaCluster`` is what the fixture ``numa_cluster`` gives."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubernetes import client, config

from ..errors import Fault, UsageError
from ..judging.verdicts import Broken, judge_from_file
from ..lab.cluster import control as real_cluster
from ..lab.cluster.control import OpenCluster
from ..lab.cluster.pods import Api, make, refusal_of, scheduling_of
from ..wire.history.history import read_histories

_LOOK_SECONDS = 0.05
_PATIENCE = 60.0
_OURS = ("default", "kube-node-lease", "kube-public", "kube-system")
"""Namespaces that every cluster has."""


@dataclass(frozen=True)
class Decision:
    """What became of a pod. ``node``: empty where it fits none; ``reason``, ``message``: of who refused it."""

    pod: Mapping[str, Any]
    node: str
    admitted: bool
    reason: str = ""
    message: str = ""


class NumaCluster:
    """A cluster that is up, asked through the official client. ``api``: its ``CoreV1Api``; ``client``: for others."""

    def __init__(self, known: OpenCluster) -> None:
        self._known = known
        self.name = known.name
        self.kubeconfig = str(known.ask("status")["kubeconfig"])
        self.client = config.new_client_from_config(self.kubeconfig)
        self.api = client.CoreV1Api(self.client)
        keys = f"{known.ask('status')['folder']}/pki"
        # The official client refuses what the server takes, as a number of CPUs that is no text.
        self._raw = Api(self.client.configuration.host, f"{keys}/ca.crt", f"{keys}/own.crt", f"{keys}/own.key")

    def create(self, *manifests: Mapping[str, Any]) -> None:
        """Make objects of any kind, as ``kubectl create`` does; a pod without an image gets one."""
        for manifest in map(_whole, manifests):
            if not make(self._raw, manifest):
                raise UsageError(Fault("kind", f"the cluster knows no {manifest['kind']} of {manifest['apiVersion']}"))

    def until_decided(self, name: str, namespace: str = "default") -> Decision:
        """Wait until a pod runs, fits no node or is refused; raises ``TimeoutError`` after a minute."""
        in_time = self._known.ask("decided", self.pod(name, namespace)["metadata"]["uid"])
        pod = self.pod(name, namespace)
        if not in_time:
            raise TimeoutError(f"pod {name} is not decided after a minute: {pod.get('status')}")
        node = pod["spec"].get("nodeName") or ""
        if refusal := refusal_of(pod):
            return Decision(pod, node, False, *refusal)
        if node:
            return Decision(pod, node, True)
        scheduled = scheduling_of(pod)
        return Decision(pod, "", False, scheduled["reason"], scheduled.get("message", ""))

    def decide(self, manifest: Mapping[str, Any]) -> Decision:
        """Make a pod, and wait until it is decided."""
        self.create(manifest)
        metadata = manifest["metadata"]
        return self.until_decided(metadata["name"], metadata.get("namespace", "default"))

    def delete(self, *names: str, namespace: str = "default") -> None:
        """Delete pods at once, and wait until their nodes have let go of them."""
        uids = [self.pod(name, namespace)["metadata"]["uid"] for name in names]
        for name in names:
            self.api.delete_namespaced_pod(name, namespace, grace_period_seconds=0)
        if not self._known.ask("gone", *uids):
            raise TimeoutError(f"pods are still there after a minute: {', '.join(names)}")

    def pod(self, name: str, namespace: str = "default") -> dict[str, Any]:
        """Return a pod as the API server has it."""
        return dict(self.client.sanitize_for_serialization(self.api.read_namespaced_pod(name, namespace)))

    def held(self, name: str, namespace: str = "default") -> dict[str, dict[str, Any]]:
        """Return container to what it holds by the state files: ``cpus`` (as a kernel writes them), ``memory``, ...."""
        return dict(self._known.ask("held").get(self.pod(name, namespace)["metadata"]["uid"]) or {})

    def status(self) -> dict[str, Any]:
        """Return what ``numa-conformance cluster status --json`` tells."""
        return dict(self._known.ask("status"))

    def picture(self) -> str:
        """Return every node as text, with who has which CPUs."""
        return str(self._known.ask("picture"))

    def record(self) -> str:
        """Return what happened on every node since it came up, as histories for ``numa-conformance judge``."""
        return str(self._known.ask("record")["histories"])

    def broken(self) -> list[str]:
        """Return the nodes to which several pods came at once, whose record tells of now and no more of each pod."""
        return list(self._known.ask("record")["broken"])

    def unmet(self) -> list[Broken]:
        """Judge what happened on every node so far, and return where requirements were not met."""
        histories = read_histories(self.record().split("\n"))  # others are within texts
        return [broken for history in histories for broken in judge_from_file(history).broken]

    def on_node(self, node: str, *words: str, cgroups: bool = False, **popen: Any) -> subprocess.Popen[Any]:
        """Start a program where a node's kubelet lives; with ``cgroups`` it sees those of the node's containers."""
        command = [sys.executable, "-m", "numa_conformance", "cluster", "exec", "--name", self.name]
        command += ["--cgroups", node, "--", *words] if cgroups else [node, "--", *words]
        return subprocess.Popen(command, **popen)

    def reset(self) -> None:
        """Delete what tests made: workloads, pods, namespaces; wait until the kubelets have let go of the pods."""
        apps, batch = client.AppsV1Api(self.client), client.BatchV1Api(self.client)
        for space in self.api.list_namespace().items:
            name = space.metadata.name
            for kind in ("deployment", "stateful_set", "daemon_set", "replica_set"):
                getattr(apps, f"delete_collection_namespaced_{kind}")(name, propagation_policy="Background")
            batch.delete_collection_namespaced_job(name, propagation_policy="Background")
            if name not in _OURS:
                self.api.delete_namespace(name)
        end = time.monotonic() + _PATIENCE
        # Controllers may make a pod or two before they see that they are not to.
        while pods := self.api.list_pod_for_all_namespaces().items:
            if time.monotonic() > end:
                raise TimeoutError(f"{len(pods)} pods are still there after {_PATIENCE:.0f} s")
            for name in {pod.metadata.namespace for pod in pods}:
                self.api.delete_collection_namespaced_pod(name, grace_period_seconds=0)
            time.sleep(_LOOK_SECONDS)
        self._known.ask("gone")


def _whole(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest with what every pod needs and no test is about."""
    made = dict(manifest)
    made.setdefault("apiVersion", "v1")
    made.setdefault("kind", "Pod")
    if made["kind"] == "Pod":
        spec = dict(made["spec"])
        for kind in ("initContainers", "containers"):
            if kind in spec:
                spec[kind] = [{"image": "example", **container} for container in spec[kind]]
        made["spec"] = {"terminationGracePeriodSeconds": 0, **spec}
    return made


@contextlib.contextmanager
def bring_up(nodes: Path | None, options: Sequence[str]) -> Iterator[NumaCluster]:
    """Bring up a cluster for this process, and end it afterwards; raises ``RuntimeError`` with what it said."""
    with real_cluster.bring_up(nodes, options) as known:
        cluster = NumaCluster(known)
        with cluster.client:
            yield cluster
