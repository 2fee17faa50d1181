"""One node with a real kubelet: its folder, runtime, device plugins and the pods that were put on it."""

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...cpuset import bits_of, format_bits
from ...errors import Fault, UsageError
from ...machine import Machine, machine_to_dict
from ...machine.hostfs.stores import STATE_FILES
from ...wire.messages.node import ContainerHolding, Update
from .cri_objects import CriContainer, Hears, nobody
from .device_plugin import plugins_of
from .files import StateFiles, holdings
from .launcher import Launcher
from .manifests import KubeletPod
from .process import RunningKubelet
from .runtime import FakeRuntime

WAIT_SECONDS = 30
_ASKS_FOR_NOTHING = "asks-for-nothing"
_PASS_SECONDS = 5.0
"""In which the reconcile loop makes a pass, also on a busy machine; its period is 0.2 s."""


class RealNode:
    """A node below ``folder``, which is made.

    ``pods``: by the uid they are known by outside, in order of admission. ``is_changed``: whether its configuration or
    state files were replaced since it came up.
    """

    def __init__(
        self,
        launcher: Launcher,
        binary: str,
        folder: Path,
        machine: Machine,
        config: Mapping[str, Any],
        files: Mapping[str, str],
        *,
        keeps_newest: bool,
        hears: Hears = nobody,
    ) -> None:
        """Bring it up; raises ``StartError``.

        ``keeps_newest``: whether this kubelet lets go of the pod that was admitted last only when the next one comes.
        ``hears``: who stands beside the container runtime, as a ``FakeRuntime`` has it.
        """
        self._launcher = launcher
        self._machine = machine_to_dict(machine)
        memory = bits_of(node.node for node in machine.memory if node.memory)
        self._whole = (format_bits(machine.online_bits), format_bits(memory))
        self._sent: dict[tuple[str, str], str] = {}
        self.pods: dict[str, KubeletPod] = {}
        self.is_changed = False
        self._binary = binary
        self.folder = folder
        self._config = config
        self._made = 0
        self._used: set[str] = set()
        self._may_run: set[str] = set()
        self._keeps_newest = keeps_newest
        self._newest = ""
        self._holds_what_is_gone = False
        for name in ("manifests", "device-plugins", "logs"):
            (folder / name).mkdir(parents=True)
        self.write_files(files)
        self._runtime = FakeRuntime(
            folder,
            lambda uid, name: any(pod.uid == uid and (name, "init") in pod.kinds() for pod in [*self.pods.values()]),
            lambda uid: uid in self._may_run if uid in [pod.uid for pod in [*self.pods.values()]] else None,
            hears=hears,
        )
        self._plugins = plugins_of(machine, str(folder / "device-plugins"))
        self._healthy = sum(device.healthy for device in machine.devices)
        self._kubelet: RunningKubelet | None = None
        self._start()

    def _start(self) -> None:
        self._started = time.time_ns()
        self._kubelet = RunningKubelet(self._launcher, self._binary, self.folder, self._machine, self._config)
        for plugin in self._plugins:
            plugin.register()
        if self._plugins:
            self._until(lambda: self.files().registered() == self._healthy, "the kubelet knows the devices")

    def restart(self, config: Mapping[str, Any] | None, files: Mapping[str, str | None]) -> None:
        """End the kubelet, and start one on the same folder; raises ``StartError``."""
        self.is_changed |= config is not None or bool(files)
        # Plugins come back after the pods: what runs keeps its devices, what has not started would be refused.
        for uid in self.pods:
            if any(holding.devices for holding in self.holdings(uid).values()):
                self.run(uid)
        self.kubelet.stop()
        self._config = self._config if config is None else config
        self.write_files(files)
        self._start()
        uids = [pod.uid for pod in self.pods.values()]
        self._until(lambda: all(self.decided(uid) for uid in uids), "the kubelet admitted its pods again")
        self._newest = uids[-1] if uids else ""
        # Until a pass of the reconcile loop containers have the CPUs of before, and so have pods that are gone.
        self._in_a_pass(lambda: all(map(self._has_its_cpus, uids)) and self.files().holders() <= {*uids})

    def close(self) -> None:
        """End the kubelet and what serves it."""
        if self._kubelet is not None:
            self._kubelet.stop()
        for plugin in self._plugins:
            plugin.close()
        self._runtime.close()

    @property
    def kubelet(self) -> RunningKubelet:
        """The kubelet, which is up."""
        assert self._kubelet is not None
        return self._kubelet

    def files(self) -> StateFiles:
        """Return the state files as they are now."""
        return StateFiles(self.folder)

    def write_files(self, files: Mapping[str, str | None]) -> None:
        """Write state files, delete those without a text."""
        for name, text in files.items():
            place = self.folder / STATE_FILES.get(name, name)
            if text is None:
                place.unlink(missing_ok=True)
            else:
                place.write_text(text)

    def put(self, uid: str, pod: Mapping[str, Any]) -> KubeletPod:
        """Give the kubelet a pod, and wait until it has admitted or refused it.

        A uid that was there before gets another in the kubelet. The kubelet never asks again for one that it has
        refused. One that has ended it takes for gone, CPUs and all. Raises ``UsageError`` where it is no pod to it.
        """
        self._made += 1
        inside = uid
        while inside in self._used:
            inside = f"{inside}-{self._made}"
        name = f"pod-{self._made}"
        known = KubeletPod.of(pod, name, inside, self._made, self.folder)
        self._used.add(inside)
        self.pods[uid] = known
        known.write()
        self._newest, self._holds_what_is_gone = inside, False
        self._until(lambda: self.decided(inside) or self._fault_in(name) != "", f"the kubelet admits or refuses {uid}")
        if fault := self._fault_in(name):
            self.pods.pop(uid).file.unlink()
            raise UsageError(Fault("pod", fault))
        if self.refusal(inside) is None:
            self._in_a_pass(lambda: bool(self._runtime.containers_of(inside)))
        return known

    def _fault_in(self, name: str) -> str:
        """Return why the kubelet takes a manifest for no pod, in its words; empty where it takes it for one."""
        line = re.search(rf'/{name}\.json\\*": (invalid pod: .*)"$', self.kubelet.log, re.MULTILINE)
        return line[1].replace('\\"', '"') if line else ""

    def take(self, *uids: str) -> None:
        """Take pods away, and wait until the kubelet has let go of them.

        A kubelet that never frees their CPUs in its reconcile loop is not waited for longer: its state counts as it is.
        """
        pods = [self.pods.pop(uid) for uid in uids]
        held = self.files().held({pod.uid for pod in pods})
        for pod in pods:
            pod.file.unlink()
        self._runtime.tell()
        gone = {pod.uid for pod in pods}
        self._until(lambda: gone.isdisjoint(self.kubelet.pods()), f"the kubelet lets go of {', '.join(uids)}")
        self._holds_what_is_gone = _ASKS_FOR_NOTHING not in uids
        if self._keeps_newest and self._newest in gone:
            self.let_go()
        self._in_a_pass(lambda: self.files().has_freed(gone, held))

    def until_ended(self, inside: str) -> None:
        """Wait until the containers of a pod that was taken away have ended."""
        containers = self._runtime.containers_of
        self._until(lambda: not any(made.is_running for made in containers(inside).values()), f"{inside} has ended")

    def let_go(self) -> None:
        """Have the kubelet let go of all that pods held which are gone: it does so when the next pod comes.

        That one asks for nothing, and goes again.
        """
        if self._holds_what_is_gone:
            self.put(_ASKS_FOR_NOTHING, {"spec": {"containers": [{"name": "c"}]}})
            self.take(_ASKS_FOR_NOTHING)

    def decided(self, uid: str) -> bool:
        """Tell whether a pod has been admitted or refused.

        An admitted one has a sandbox, which may be of before a restart, and conditions, which its file has not.
        """
        if self.refusal(uid) is not None:
            return True
        return self._runtime.sandboxes_of(uid) > 0 and bool(self.status(uid).get("conditions"))

    def refusal(self, uid: str) -> dict[str, Any] | None:
        """Return the status of a pod that was refused, None where it was not."""
        status = self.status(uid)
        return status if status.get("phase") == "Failed" and status.get("reason") else None

    def status(self, uid: str) -> dict[str, Any]:
        """Return a pod's status."""
        return (self.kubelet.pods().get(uid) or {}).get("status") or {}

    def run(self, uid: str) -> str | None:
        """Let a pod run, and wait until its containers have started; returns why one cannot be made."""
        inside, refused = self.pods[uid].uid, self._runtime.refused
        self._may_run.add(inside)
        self._runtime.tell()
        names = [name for name, _ in self.pods[uid].kinds()]

        def started() -> bool:
            containers = self._runtime.containers_of(inside)
            return inside in refused or all(name in containers and containers[name].has_started for name in names)

        self._until(started, f"the containers of {uid} have started")
        return refused.get(inside)

    def made(self, uid: str) -> dict[str, CriContainer]:
        """Return a pod's containers by name, as the runtime has them."""
        return self._runtime.containers_of(self.pods[uid].uid)

    def holdings(self, uid: str) -> dict[str, ContainerHolding]:
        """Return container to what it holds: by the state files, and as the runtime was told where it was.

        The NUMA nodes of containers that were made before the kubelet was started anew are those of then: no call
        tells the runtime of others.
        """
        pod = self.pods[uid]
        names = [name for name, _ in pod.kinds()]
        made = self._runtime.containers_of(pod.uid)
        has_devices = bool(self._plugins)
        return holdings(pod.uid, names, made, self.files(), self._started, has_devices=has_devices, whole=self._whole)

    def sent(self) -> list[Update]:
        """Wait for the pass that brings running containers their CPUs; return the cpusets sent since it was asked last.

        Where a pass does not bring them, what was sent is told as it is.
        """
        self._in_a_pass(lambda: all(self._has_its_cpus(pod.uid) for pod in self.pods.values()))
        before = self._sent
        self._sent = {
            (uid, made.name): made.resources.cpuset_cpus
            for uid, pod in self.pods.items()
            for made in self._runtime.containers_of(pod.uid).values()
            if made.is_running
        }
        return [
            Update(uid, name, cpus)
            for (uid, name), cpus in self._sent.items()
            if cpus and before.get((uid, name), cpus) != cpus
        ]

    def _has_its_cpus(self, uid: str) -> bool:
        """Tell whether the running containers of a pod have the CPUs that the state files assign to them.

        Those that share theirs have the pool; none can be sent where it is empty, or where there is no such file.
        """
        files = self.files()
        made, assigned, pool = self._runtime.containers_of(uid), files.cpus(uid), files.shared_pool
        return all(
            container.resources.cpuset_cpus == assigned.get(name, pool)
            for name, container in made.items()
            if container.is_running and (name in assigned or pool)
        )

    def _in_a_pass(self, holds: Callable[[], bool]) -> None:
        """Wait for the effect of one pass of the reconcile loop; without the effect, go on."""
        end = time.monotonic() + _PASS_SECONDS
        while time.monotonic() < end and not holds():
            time.sleep(0.02)

    def _until(self, holds: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + WAIT_SECONDS
        while not holds():
            self.kubelet.check()
            if time.monotonic() > end:
                raise TimeoutError(f"{WAIT_SECONDS} s, and not yet: {what}. The kubelet: {self.kubelet.log[-2000:]}")
            with self._runtime.changed:
                self._runtime.changed.wait(0.02)
