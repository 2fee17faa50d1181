"""The containers that use claims, and the CPUs that each may run on: by the environment of CDI devices, or by NRI."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...cpuset import CpuSet
from ..kubelet.cri_objects import RefusedError, environment
from ..nri.runtime_side import NriError, RuntimeSide
from .target import DriverRefusedError

NOBODY_DECIDES = "no plugin of NRI decides what a container without a claim may run on"
VARIABLE = "CPUSET"
"""What stands in the name of a variable that tells a container its CPUs."""


class Containers:
    """A container runtime with a container for each claim, and some without. CPUs that a plugin of NRI gives count."""

    def __init__(self, home: Path, online: CpuSet) -> None:
        """Take a folder, below which CDI devices lie in ``cdi`` and NRI's socket in ``nri``, and the online CPUs."""
        self.cdi, self.nri, self._none = home / "cdi", home / "nri", home / "none"
        for folder in (self.cdi, self.nri, self._none):
            folder.mkdir(parents=True)
        self._online = online
        self._runtime: RuntimeSide | None = None
        self._has_plugin = False
        self._made: dict[str, dict[str, Any]] = {}
        self._shared: set[str] = set()
        self._count = 0

    def listen(self, program: Path | None) -> None:
        """Serve NRI by its program, to plugins that come from now on; None: serve none."""
        self.close()
        if program is not None:
            self._runtime = RuntimeSide(program, self.nri / "nri.sock", self._none)
            self._runtime.call("Listen", pods=list(map(_pod, self._made)), containers=list(self._made.values()))

    def met(self, seconds: float) -> bool:
        """Wait for a plugin; False where none has registered. Raises ``DriverRefusedError`` where it refuses."""
        if self._runtime is None:
            return False
        try:
            self._has_plugin = self._runtime.registered(seconds)
        except NriError as error:
            raise DriverRefusedError(f"its NRI plugin has not taken what is there: {error}") from error
        self._take(self._runtime.updates())
        return self._has_plugin

    @property
    def shared(self) -> dict[str, str] | None:
        """What containers without a claim may run on; None where no plugin decides that."""
        if self._runtime is None or not self._has_plugin:
            return None
        self._take(self._runtime.updates())
        return {name: _cpus(self._made[name]) or str(self._online) for name in sorted(self._shared)}

    def run(self, uid: str, devices: Sequence[str]) -> tuple[str, str | None]:
        """Start a claim's container, anew where there is one, and return its CPUs and NUMA nodes.

        Raises ``DriverRefusedError``.
        """
        try:
            variables = environment(self.cdi, devices)
        except RefusedError as error:
            raise DriverRefusedError(str(error)) from error
        self.end(uid)
        made = self._make(uid, variables)
        return _cpus(made) or str(environment_cpus(variables)), made["linux"]["resources"]["cpu"].get("mems")

    def run_shared(self, name: str) -> None:
        """Start a container without a claim; raises ``DriverRefusedError``."""
        if not self._has_plugin:
            raise DriverRefusedError(NOBODY_DECIDES)
        self._make(name, [])
        self._shared.add(name)

    def _make(self, name: str, variables: list[str]) -> dict[str, Any]:
        self._count += 1
        made = {
            "id": f"{name}-{self._count}", "podSandboxId": f"sandbox-{name}", "name": "c", "state": "CONTAINER_CREATED",
            "env": variables,
            "linux": {"resources": {"cpu": {}}, "cgroupsPath": f"/kubepods/pod-{name}/{self._count}"},
        }  # fmt: skip
        self._call("RunPodSandbox", pod=_pod(name))
        answer = self._call("CreateContainer", pod=_pod(name), container=made)
        self._made[name] = made
        _adjust(made, (answer.get("adjust") or {}).get("linux") or {})
        self._take(answer.get("update") or ())
        for call in ("PostCreateContainer", "StartContainer", "PostStartContainer"):
            self._call(call, pod=_pod(name), container=made)
        made["state"] = "CONTAINER_RUNNING"
        return made

    def end(self, name: str) -> None:
        """Stop and remove a container by its claim or its name, where it is there; raises ``DriverRefusedError``."""
        made = self._made.pop(name, None)
        self._shared.discard(name)
        if made is None:
            return
        self._take(self._call("StopContainer", pod=_pod(name), container=made).get("update") or ())
        self._call("RemoveContainer", pod=_pod(name), container=made)
        for call in ("StopPodSandbox", "RemovePodSandbox"):
            self._call(call, pod=_pod(name))

    def _call(self, name: str, **message: Any) -> Mapping[str, Any]:
        if self._runtime is None:
            return {}
        try:
            return self._runtime.call(name, **message)
        except NriError as error:
            raise DriverRefusedError(f"{name}, by its NRI plugin: {error}") from error

    def _take(self, updates: Iterable[Mapping[str, Any]]) -> None:
        by_id = {made["id"]: made for made in self._made.values()}
        for update in updates:
            if update.get("containerId") in by_id:
                _adjust(by_id[str(update["containerId"])], update.get("linux") or {})

    def close(self) -> None:
        """Serve NRI no longer."""
        if self._runtime is not None:
            self._runtime.close()
        self._runtime, self._has_plugin = None, False


def _pod(uid: str) -> dict[str, Any]:
    name = f"pod-{uid}"
    linux = {"cgroupParent": f"/kubepods/{name}"}  # runtimes always report it, and plugins rely on that
    return {"id": f"sandbox-{uid}", "name": name, "uid": name, "namespace": "default", "linux": linux}


def _cpus(made: Mapping[str, Any]) -> str:
    return str(made["linux"]["resources"]["cpu"].get("cpus") or "")


def _adjust(made: dict[str, Any], linux: Mapping[str, Any]) -> None:
    cpu = (linux.get("resources") or {}).get("cpu") or {}
    made["linux"]["resources"]["cpu"].update({name: cpu[name] for name in ("cpus", "mems") if cpu.get(name)})


def environment_cpus(variables: Iterable[str]) -> CpuSet:
    """Return the CPUs that an environment tells, none of a claim of other devices; raises ``DriverRefusedError``."""
    texts = [value for name, _, value in (text.partition("=") for text in variables) if VARIABLE in name.upper()]
    cpus = CpuSet()
    for text in texts:
        try:
            cpus |= CpuSet.parse(text)
        except ValueError as error:
            raise DriverRefusedError(f"a variable of its CDI devices is no set of CPUs: {text!r}") from error
    return cpus
