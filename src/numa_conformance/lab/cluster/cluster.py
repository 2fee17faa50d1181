"""A cluster of real parts, brought up, watched and ended."""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...namespaces import enter_mount_namespace, mount_memory_around
from ..daemon.daemon import filled_in
from ..kubelet.launcher import Launcher
from ..kubelet.process import free_ports
from ..nri.runtime_side import built
from .answers import KUBECONFIG, NODES, ClusterAnswers, is_ready, nodes_of, outside_path
from .binaries import LOOPBACK, Binaries, host_address
from .control_plane import ControlPlane, write_secret
from .node import ClusterNode
from .nodes_file import KUBECONFIG_PLACE, ClusterError, PlannedNode, Scheduler, Stopped
from .pods import Api, ApiError, Pod, PodWatch, make
from .programs import STARTED_AGAIN, ClusterProgram, last_words, met_a_port_in_use
from .record import NodeRecord, Recorder

_WORKSHOP = Path("/dev/shm")
_MEBIBYTES, _MEBIBYTES_EACH = 2048, 64
_TRIES = 4
_PATIENCE, _PATIENCE_EACH = 120.0, 10.0
"""Seconds in which a part is to come up, the machine being busy; and as many more for each node."""
_LOOK_SECONDS = 0.1


@dataclass
class RealCluster:
    """etcd, API server, controller manager, schedulers, and a kubelet for each node.

    ``extras``: the words of further programs of a control plane, in which ``{kubeconfig}`` is an administrator's.
    All its files lie in a file system in memory. Only this process and what it starts see that. All that it starts ends
    with this process, however it ends, and nothing remains. The process must have one thread when it ``start``s.
    """

    plans: Sequence[PlannedNode]
    binaries: Binaries
    schedulers: Sequence[Scheduler]
    say: Callable[[str], None]
    manifests: Sequence[Mapping[str, Any]] = ()
    folder: Path = _WORKSHOP / "numa-conformance"
    stop: threading.Event = field(default_factory=threading.Event)
    nodes: dict[str, ClusterNode] = field(default_factory=dict)
    server: str = ""
    extras: Sequence[Sequence[str]] = ()
    _programs: list[ClusterProgram] = field(default_factory=list)
    _extras: list[ClusterProgram] = field(default_factory=list)
    _recorder: Recorder | None = None

    def start(self) -> None:
        """Bring it up; raises ``UsageError`` for what the system does not allow, and ``ClusterError``."""
        if any(plan.nri for plan in self.plans):
            built()
        address = host_address()
        os.umask(0o077)
        enter_mount_namespace(become_root=True, harmless=True)
        mount_memory_around(str(_WORKSHOP), _MEBIBYTES + _MEBIBYTES_EACH * len(self.plans))
        self._launcher = Launcher()
        self._began = time.monotonic()
        (self.folder / "logs").mkdir(parents=True)
        self._plane = ControlPlane(self.folder / "pki", address)
        self._start_storage()
        plane, server = self._plane, self.server
        self._run("kube-controller-manager", plane.controller_manager(self.binaries.controller_manager, server))
        for number, scheduler in enumerate(self.schedulers, 1):
            name = "kube-scheduler" if number == 1 else f"kube-scheduler-{number}"
            self._run(name, plane.scheduler(name, scheduler.program, server, scheduler.config, scheduler.flags))
        self._start_nodes(address)
        self._settle()

    @property
    def kubeconfig(self) -> str:
        """The administrator's kubeconfig, by a path that others see while this process is there."""
        return f"{outside_path(self.folder)}/{KUBECONFIG}"

    def ended(self) -> list[str]:
        """Say which programs have ended since the last look; raises ``ClusterError`` where it was one of the plane.

        Daemons, and what is beside the plane, are started again.
        """
        for program in self._programs:
            if self._launcher.has_ended(program.number):
                raise ClusterError(f"{program.name} has ended: {last_words(program.log)}")
        extras = [text for program in self._extras if (text := program.look())]
        return [*extras, *(text for node in self.nodes.values() for text in node.ended())]

    def answers(self) -> dict[str, Callable[..., Any]]:
        """Return what answers who asks a cluster that is up, by what is asked."""
        assert self._recorder is not None
        numbers = {program.name: program.number for program in self._programs}
        answers = ClusterAnswers(self.nodes, self._api, self._watch, self._recorder, self.folder, numbers)
        return {name: getattr(answers, name) for name in vars(ClusterAnswers) if not name.startswith("_")}

    def close(self) -> None:
        """End it all."""
        if hasattr(self, "_watch"):
            self._watch.close()
        for node in self.nodes.values():
            node.close()
        for program in (*self._extras, *reversed(self._programs)):
            self._launcher.end(program.number)

    def _tell(self, text: str) -> None:
        self.say(f"{time.monotonic() - self._began:6.1f} s  {text}")

    def _run(self, name: str, words: Sequence[str], settings: Mapping[str, str] | None = None) -> None:
        """Start a program; one with settings is an extra one."""
        log = self.folder / "logs" / f"{name}.log"
        program = ClusterProgram(name, log, self._launcher, lambda log: self._launcher.run(log, words, settings))
        program.start()
        (self._programs if settings is None else self._extras).append(program)

    def _start_storage(self) -> None:
        """Start etcd and the API server, at other ports where somebody took theirs meanwhile."""
        for last in range(_TRIES):
            client, peer, port = free_ports(3)
            self.server = f"https://{LOOPBACK}:{port}"
            self._api: Api = self._plane.api(self.server)
            self._run("etcd", self._plane.etcd(self.binaries.etcd, client, peer))
            self._run("kube-apiserver", self._plane.apiserver(self.binaries.apiserver, port, client))
            try:
                self._until("kube-apiserver is ready", lambda: self._api.ask("/readyz") == "ok")
            except ClusterError:
                if last == _TRIES - 1 or not any(met_a_port_in_use(program.log) for program in self._programs):
                    raise
                for program in self._programs:
                    self._launcher.end(program.number)
                self._programs.clear()
            else:
                break
        self._admin = self._plane.authority.kubeconfig(self.server, "admin", ("system:masters",))
        write_secret(self.folder / KUBECONFIG, self._admin)

    def _start_nodes(self, address: str | None) -> None:
        self._watch = PodWatch(self._api, self._heard)
        ports = free_ports(len(self.plans))
        authority = self._plane.authority
        for plan, port in zip(self.plans, ports, strict=True):
            node = ClusterNode(plan, self.folder / "nodes" / plan.name, self._launcher, self._watch, self.server)
            self.nodes[plan.name] = node
            files = {
                "kubeconfig": authority.kubeconfig(self.server, f"system:node:{plan.name}", ("system:nodes",)),
                "admin.kubeconfig": self._admin,
                "ca.crt": authority.signed.certificate,
                "server.crt": self._plane.kubelet_server.certificate,
                "server.key": self._plane.kubelet_server.key,
            }
            node.start(plan.binary or self.binaries.kubelet, port, address, files)

    def _settle(self) -> None:
        """Wait until every node is Ready, has its labels and its devices, and pods can be made."""
        count = len(self.plans)
        self._until(f"{count} nodes are registered", lambda: len(self._nodes()) == count)
        for plan in self.plans:
            if plan.labels:
                patch = {"metadata": {"labels": dict(plan.labels)}}
                self._api.ask(f"{NODES}/{plan.name}", patch, "PATCH", "application/merge-patch+json")
        self._until(f"{count} nodes are Ready", lambda: all(map(is_ready, self._nodes())))
        devices = sum(len(node.plugins) for node in self.nodes.values())
        for node in self.nodes.values():
            for plugin in node.plugins:
                plugin.register()
        if devices:
            self._until(f"{devices} kinds of devices are there", lambda: all(map(self._has_devices, self._nodes())))
        for manifest in self.manifests:
            self._make(manifest)
        versions = {node["metadata"]["name"]: node["status"]["nodeInfo"]["kubeletVersion"] for node in self._nodes()}
        records = {name: NodeRecord(node, versions[name], self._watch) for name, node in self.nodes.items()}
        self._recorder = Recorder(records)
        config = str(self.folder / KUBECONFIG)
        for index, words in enumerate(self.extras):
            filled = [filled_in(word, {KUBECONFIG_PLACE: config}) for word in words]
            self._run(f"{Path(words[0]).name}-{index}", filled, {"KUBECONFIG": config})
        for node in self.nodes.values():
            node.start_daemons()
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        self._until("pods can be made", lambda: bool(self._api.ask(account)))

    def _make(self, manifest: Mapping[str, Any]) -> None:
        """Make an object before daemons start; one of a kind that was defined just now, as soon as it is there."""
        name = f"{manifest['kind']} {manifest['metadata']['name']}"
        self._until(f"{name} is made", lambda: make(self._api, manifest))

    def _nodes(self) -> list[dict[str, Any]]:
        return nodes_of(self._api)

    def _has_devices(self, node: Mapping[str, Any]) -> bool:
        plugins = self.nodes[node["metadata"]["name"]].plugins
        return all(plugin.resource in node["status"]["allocatable"] for plugin in plugins)

    def _heard(self, kind: str, pod: Pod) -> None:
        if self._recorder is not None:
            self._recorder.hear(kind, pod)

    def _until(self, what: str, holds: Callable[[], bool]) -> None:
        patience = _PATIENCE + _PATIENCE_EACH * len(self.plans)
        end = time.monotonic() + patience
        failure = ""
        while True:
            for text in self.ended():
                if not text.endswith(STARTED_AGAIN):
                    raise ClusterError(text)
                self._tell(text)
            try:
                if holds():
                    self._tell(what)
                    return
            except (ApiError, OSError) as error:
                failure = f" ({error})"
            if time.monotonic() > end:
                raise ClusterError(f"after {patience:.0f} s not yet: {what}{failure}")
            if self.stop.wait(_LOOK_SECONDS):
                raise Stopped
