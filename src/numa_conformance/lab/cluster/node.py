"""One node of a cluster of real parts: an unmodified kubelet on its machine, and the programs beside it."""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...machine import machine_to_dict
from ..kubelet.cri_objects import NOWHERE, CriContainer, nobody
from ..kubelet.device_plugin import plugins_of
from ..kubelet.files import StateFiles, holdings
from ..kubelet.launcher import HOME, Launcher
from ..kubelet.process import SETTINGS, configuration
from ..kubelet.runtime import FakeRuntime
from ..nri.of_cri import RuntimePlugins
from ..nri.runtime_side import built
from .binaries import LOOPBACK
from .cgroups import NodeCgroups
from .control_plane import write_secret
from .image_programs import ImagePrograms
from .nodes_file import PlannedNode
from .pods import Pod, PodWatch
from .programs import ClusterProgram, last_words

RUN_SECONDS = "numa-conformance/run-seconds"
"""An annotation of a pod: its containers end well after so many seconds. Without it they run until they are ended."""


OF_ALL_PROGRAMS = {"HWLOC_COMPONENTS": "-x86"}
"""Variables of each program on a simulated machine: without it hwloc asks the processor."""
_SERVICE_PORTS = ("KUBERNETES_SERVICE_PORT", "KUBERNETES_SERVICE_PORT_HTTPS")


class ClusterNode:
    """A node below ``folder``, which is made. ``number``: its kubelet's process.

    ``admitted`` is called with the uid of a pod that was admitted, before its first container is made, and for others.
    """

    def __init__(self, plan: PlannedNode, folder: Path, launcher: Launcher, watch: PodWatch, server: str) -> None:
        """Make its folder, and serve its container runtime; ``server``: the API server."""
        self.plan = plan
        self.folder = folder
        self.number = 0
        self.admitted: Callable[[str], None] = lambda uid: None
        self._launcher = launcher
        self._watch = watch
        self._began, self._plugins_before = 0.0, 0
        self._daemons = [
            ClusterProgram(
                f"{words[0]} on node {plan.name}", folder / f"daemon-{index}.log", launcher, self._run(words)
            )
            for index, words in enumerate(plan.daemons)
        ]
        for name in ("device-plugins", "logs"):
            (folder / name).mkdir(parents=True)
        self._cgroups = NodeCgroups(folder, plan.machine, self._qos)
        self._nri = RuntimePlugins(built(), folder / "nri", self._qos, self._follow) if plan.nri else None
        host, port = server.rpartition("/")[2].split(":")
        ports = {"KUBERNETES_SERVICE_HOST": host, **dict.fromkeys(_SERVICE_PORTS, port), **OF_ALL_PROGRAMS}
        self._images = ImagePrograms(
            plan.images, (folder, plan.folder), launcher, ports, lambda: self.number,
            lambda uid, name, code: self.runtime.end(uid, name, code),
        )  # fmt: skip
        self.runtime = FakeRuntime(
            folder, self._ends_at_once, self._may_run, self._follow, self._cgroups.forget, self._nri or nobody,
            self._images, LOOPBACK if plan.images else NOWHERE,
        )  # fmt: skip
        if self._nri is not None:
            self._nri.listen()
        self.plugins = plugins_of(plan.machine, str(folder / "device-plugins"))

    def start(self, binary: str, port: int, address: str | None, files: Mapping[str, bytes]) -> None:
        """Start the kubelet: it joins a cluster, and serves at a port of the loopback address.

        ``files``: kubeconfigs, certificates and keys by the names that its configuration has for them.
        """
        for name, content in files.items():
            write_secret(self.folder / name, content)
        write_secret(self.folder / "config.yaml", json.dumps(self._configuration(port)).encode())
        flags = [f"--config={HOME}/config.yaml", f"--root-dir={HOME}", f"--kubeconfig={HOME}/kubeconfig",
                 f"--hostname-override={self.plan.name}"]  # fmt: skip
        if address is not None:
            flags.append(f"--node-ip={address}")
        self.number = self._launcher.start(machine_to_dict(self.plan.machine), self.folder, binary, flags)

    def _configuration(self, port: int) -> dict[str, Any]:
        tested = self.plan.kubelet
        config = configuration(tested, HOME, 0)
        del config["staticPodPath"]
        config |= SETTINGS["node_of_a_cluster"]
        config |= {name: tested.get(name, value) for name, value in SETTINGS["node_of_a_cluster_unless_tested"].items()}
        taints = [*(tested.get("registerWithTaints") or ()), *self.plan.taints]
        return {**config, "port": port, "registerWithTaints": taints}

    def start_daemons(self) -> None:
        """Start the programs of the plan, each with a log of its own, where the kubelet lives."""
        self._began = time.time()
        self._plugins_before = self._nri.registrations if self._nri is not None else 0
        for daemon in self._daemons:
            daemon.start()

    def _run(self, words: Sequence[str]) -> Callable[[Path], int]:
        return lambda log: self._launcher.run(log, words, self.environment(), place=(self.number, self.plan.folder))

    def registered(self) -> dict[str, Any]:
        """Tell whether a DRA driver and a plugin of NRI have registered since, and how a daemon has ended."""
        sockets = [socket.stat().st_mtime for socket in (self.folder / "plugins_registry").glob("*.sock")]
        return {
            "dra": any(made >= self._began for made in sockets),
            "nri": self._nri is not None and self._nri.registrations > self._plugins_before,
            "ended": next((daemon.fallen for daemon in self._daemons if daemon.fallen), ""),
            "restarts": sum(daemon.restarts for daemon in self._daemons),
        }

    def environment(self) -> Mapping[str, str]:
        """Return what a program on the node finds in its environment."""
        return {"KUBECONFIG": f"{HOME}/admin.kubeconfig", "NODE_NAME": self.plan.name, **OF_ALL_PROGRAMS}

    def ended(self) -> list[str]:
        """Say which programs have ended since: the kubelet, daemons.

        It is asked again and again: what plugins of NRI have changed unasked is taken over too.
        """
        if self._nri is not None:
            self._nri.take_updates()
        ended = [text for daemon in self._daemons if (text := daemon.look())]
        if self.number and self._launcher.has_ended(self.number):
            self.number = 0
            ended.append(f"the kubelet of node {self.plan.name} has ended: {last_words(self.folder / 'kubelet.log')}")
        return ended

    def files(self) -> StateFiles:
        """Return the kubelet's state files as they are now."""
        return StateFiles(self.folder)

    def holdings(self, pod: Pod, files: StateFiles) -> dict[str, Any]:
        """Return container to what it holds, of a pod on this node."""
        uid, spec = pod["metadata"]["uid"], pod["spec"]
        names = [container["name"] for container in (*(spec.get("initContainers") or ()), *spec["containers"])]
        return dict(holdings(uid, names, self.runtime.containers_of(uid), files, 0, has_devices=bool(self.plugins)))

    def close(self) -> None:
        """End what serves the kubelet, and the kubelet."""
        for number in (*(daemon.number for daemon in self._daemons), self.number):
            self._launcher.end(number)
        for plugin in self.plugins:
            plugin.close()
        self._images.close()
        self.runtime.close()
        if self._nri is not None:
            self._nri.close()

    def _follow(self, container: CriContainer) -> None:
        """Keep its cgroup, and its log: the kubelet links to a log that is there, by which others know containers."""
        log = self.folder / container.log.removeprefix(f"{HOME}/")
        if log.parent.is_dir():
            log.touch()
        self._cgroups.follow(container)

    def _qos(self, uid: str) -> str:
        pod = self._watch.pod(uid) or {}
        return str((pod.get("status") or {}).get("qosClass") or "BestEffort")

    def _may_run(self, uid: str) -> bool:
        self.admitted(uid)
        return True

    def _ends_at_once(self, uid: str, container: str) -> bool:
        """Tell whether a container ends when it starts: an ordinary init container does."""
        pod = self._watch.pod(uid) or {"spec": {}}
        for init in pod["spec"].get("initContainers") or ():
            if init["name"] == container:
                return bool(init.get("restartPolicy") != "Always")
        seconds = ((pod.get("metadata") or {}).get("annotations") or {}).get(RUN_SECONDS)
        if seconds is not None and seconds.replace(".", "", 1).isdecimal():
            timer = threading.Timer(float(seconds), self.runtime.end, (uid, container))
            timer.daemon = True
            timer.start()
        return False
