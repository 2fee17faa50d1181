"""The node's state files: read at start, checked, and written whenever what they hold has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..hostfs import StateStore
from ..kube.pod import Pod
from ..managers.cpu import CpuStateFile
from ..managers.device import DeviceStateFile
from ..managers.memory import MemoryStateFile
from ..managers.state_file import StateFile
from .bring_up import Managers

__all__ = ["Checkpoints"]


class Checkpoints:
    """Keeps a store in step with the managers.

    A file is written when the kubelet would write it: after a change, even one that is undone in the same step; an
    unchanged file keeps its bytes, also where a person edited them.
    """

    def __init__(self, store: StateStore, managers: Managers) -> None:
        """Take the store and the managers whose state it keeps."""
        self._store = store
        self._managers = managers
        self._devices = DeviceStateFile(managers.device)
        self._cpus = CpuStateFile(managers.cpu)
        self._memory = MemoryStateFile(managers.memory)
        self._files: tuple[StateFile, ...] = (self._devices, self._cpus, self._memory)
        self._changed: set[StateFile] = set()

    def restore(self) -> None:
        """Read the files and let the managers take them over; raises ``StartError`` as the kubelet exits."""
        for file in sorted(self._files, key=lambda file: file.lags):
            if file.restore(self._store.read(file.name), self._store.where(file.name)):
                self._write(file)

    def settle(self, active: Callable[[str, str], bool]) -> None:
        """Release what belongs to containers that are gone."""
        cpu = self._managers.cpu
        held = sum(map(len, cpu.state.assignments.values()))
        cpu.remove_stale(active)
        if held != sum(map(len, cpu.state.assignments.values())):
            self._changed.add(self._cpus)
        if self._managers.memory.remove_stale(active):
            self._changed.add(self._memory)
        self._managers.device.remove_stale(active)

    @contextmanager
    def admitting(self, pod: Pod) -> Iterator[None]:
        """Notice what an admission changes, whether the pod is admitted or not."""
        before = self._held(pod)
        try:
            yield
        finally:
            for file, was, held in zip(self._files, before, self._held(pod), strict=True):
                if held == was:
                    continue
                if file.lags:
                    self._write(file)
                else:
                    self._changed.add(file)

    def memory_released(self) -> None:
        """Notice that memory was released outside an admission."""
        self._changed.add(self._memory)

    def _held(self, pod: Pod) -> tuple[object, object, object]:
        uid = pod.uid
        blocks = self._managers.memory.blocks.given.get(uid, {})
        return (
            {name: dict(devices) for name, devices in self._managers.device.allocations.given.get(uid, {}).items()},
            dict(self._managers.cpu.state.assignments.get(uid, {})),
            {name: tuple(held) for name, held in blocks.items()},
        )

    def save(self) -> None:
        """Write the files whose content has changed."""
        for file in self._files:
            if file in self._changed:
                self._write(file)
        self._changed.clear()

    def files(self) -> dict[str, str]:
        """Return the files as they are: name to content."""
        texts = {file.name: self._store.read(file.name) for file in self._files}
        return {name: text for name, text in sorted(texts.items()) if text is not None}

    def _write(self, file: StateFile) -> None:
        self._store.write(file.name, file.text())
