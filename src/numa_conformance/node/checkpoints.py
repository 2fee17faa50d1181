"""The node's three state files: read at start, checked, and written whenever what they hold has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import StartError
from ..hostfs import (
    CPU_FILE,
    DEVICE_FILE,
    MEMORY_FILE,
    CheckpointError,
    CpuCheckpoint,
    DeviceCheckpoint,
    DeviceRecord,
    MemoryBlockRecord,
    MemoryCheckpoint,
    MemoryNodeRecord,
    StateStore,
    decode_cpu_checkpoint,
    decode_device_checkpoint,
    decode_memory_checkpoint,
    encode_cpu_checkpoint,
    encode_device_checkpoint,
    encode_memory_checkpoint,
    restore_failure,
)
from ..kube.pod import Pod
from ..managers.cpu import CpuState
from ..managers.device import DeviceEntry
from ..managers.memory import Block, Blocks, NodeMemory, Table
from .bring_up import Managers

__all__ = ["Checkpoints"]

ContainerIds = Mapping[str, tuple[str, str]]
"""Container id to (pod uid, container name), for CPU Manager files of format v1."""


class Checkpoints:
    """Keeps a store in step with the managers.

    A file is written when the kubelet would write it: after a change, even one that is undone in the same step; an
    unchanged file keeps its bytes, also where a person edited them.
    """

    def __init__(self, store: StateStore, managers: Managers, containers: ContainerIds) -> None:
        """Take the store, and the containers that run when the node agent starts."""
        self._store = store
        self._managers = managers
        self._containers = containers
        self._cpu_changed = self._memory_changed = False
        self._before: object = None

    def restore(self) -> None:
        """Read the files and let the managers take them over; raises ``StartError`` as the kubelet exits."""
        self._restore_cpu()
        self._restore_memory()
        self._restore_devices()
        self.save()

    def settle(self, active: Callable[[str, str], bool]) -> None:
        """Release what belongs to containers that are gone.

        The device file follows only at the next write (DEV-CKPT-06).
        """
        cpu = self._managers.cpu
        held = sum(map(len, cpu.state.assignments.values()))
        cpu.remove_stale(active)
        if held != sum(map(len, cpu.state.assignments.values())):
            self._cpu_changed = True
        self._memory_changed |= self._managers.memory.remove_stale(active)
        self._managers.device.remove_stale(active)

    def before(self, pod: Pod) -> None:
        """Remember what a pod holds before it is admitted."""
        self._before = self._held(pod)

    def after(self, pod: Pod) -> None:
        """Notice what the admission changed, whether the pod was admitted or not.

        The device file is written at once: what is then taken back from a refused pod stays in it (DEV-CKPT-06).
        """
        cpu, memory, devices = self._held(pod)
        was = self._before
        assert isinstance(was, tuple)
        self._cpu_changed |= cpu != was[0]
        self._memory_changed |= memory != was[1]
        if devices != was[2]:
            self._store.write(DEVICE_FILE, self._device_text())

    def memory_released(self) -> None:
        """Notice that memory was released outside an admission."""
        self._memory_changed = True

    def _held(self, pod: Pod) -> tuple[object, object, object]:
        uid = pod.uid
        blocks = self._managers.memory.blocks.given.get(uid, {})
        return (
            dict(self._managers.cpu.state.assignments.get(uid, {})),
            {name: tuple(found) for name, found in blocks.items()},
            {name: dict(found) for name, found in self._managers.device.allocations.given.get(uid, {}).items()},
        )

    def save(self) -> None:
        """Write the files whose content has changed."""
        if self._cpu_changed:
            self._store.write(CPU_FILE, self._cpu_text())
        if self._memory_changed:
            self._store.write(MEMORY_FILE, self._memory_text())
        self._cpu_changed = self._memory_changed = False

    def files(self) -> dict[str, str]:
        """Return the files as they are: name to content."""
        found = {name: self._store.read(name) for name in (CPU_FILE, DEVICE_FILE, MEMORY_FILE)}
        return {name: text for name, text in found.items() if text is not None}

    def _restore_cpu(self) -> None:
        cpu = self._managers.cpu
        text = self._store.read(CPU_FILE)
        if text is None:
            content = CpuCheckpoint(cpu.policy)
            self._store.write(CPU_FILE, encode_cpu_checkpoint(content))
        else:
            try:
                content = decode_cpu_checkpoint(text, cpu.policy, self._containers)
            except CheckpointError as error:
                message = restore_failure(error.cause, "CPU", self._store.where(CPU_FILE))
                raise StartError("cpumanager-start", message) from error
        state = CpuState(content.default, {uid: dict(sets) for uid, sets in content.entries.items()})
        cpu.restore(state)
        if cpu.state.default != content.default:
            self._store.write(CPU_FILE, self._cpu_text())

    def _restore_memory(self) -> None:
        memory = self._managers.memory
        text = self._store.read(MEMORY_FILE)
        if text is None:
            content = MemoryCheckpoint(memory.policy)
            self._store.write(MEMORY_FILE, encode_memory_checkpoint(content))
        else:
            try:
                content = decode_memory_checkpoint(text, memory.policy)
            except CheckpointError as error:
                message = restore_failure(error.cause, "memory", self._store.where(MEMORY_FILE))
                raise StartError("memorymanager-start", message) from error
        if memory.restore(_books(content), _blocks(content)):
            self._memory_changed = True

    def _restore_devices(self) -> None:
        device = self._managers.device
        if not device.inventory.resources:
            return
        text = self._store.read(DEVICE_FILE)
        content = decode_device_checkpoint(text) if text is not None else None
        if content is not None:
            device.restore(DeviceEntry(one.uid, one.container, one.resource, one.devices) for one in content.entries)
        self._store.write(DEVICE_FILE, self._device_text())

    def _cpu_text(self) -> str:
        cpu = self._managers.cpu
        return encode_cpu_checkpoint(CpuCheckpoint(cpu.policy, cpu.state.default, cpu.state.assignments))

    def _memory_text(self) -> str:
        memory = self._managers.memory
        nodes = {
            node: MemoryNodeRecord(
                books.assignments,
                {
                    name: (one.total, one.system_reserved, one.allocatable, one.reserved, one.free)
                    for name, one in books.tables.items()
                },
                books.cells,
            )
            for node, books in memory.nodes.items()
        }
        entries = {
            uid: {
                name: tuple(MemoryBlockRecord(one.nodes, one.type, one.size) for one in blocks)
                for name, blocks in containers.items()
            }
            for uid, containers in memory.blocks.given.items()
        }
        return encode_memory_checkpoint(MemoryCheckpoint(memory.policy, nodes, entries))

    def _device_text(self) -> str:
        device = self._managers.device
        entries = tuple(DeviceRecord(one.uid, one.container, one.resource, one.devices) for one in device.entries())
        return encode_device_checkpoint(DeviceCheckpoint(entries, device.registered()))


def _books(content: MemoryCheckpoint) -> dict[int, NodeMemory]:
    return {
        node: NodeMemory(
            found.assignments, {name: Table(*table) for name, table in found.tables.items()}, tuple(found.cells)
        )
        for node, found in content.nodes.items()
    }


def _blocks(content: MemoryCheckpoint) -> Blocks:
    blocks = Blocks()
    for uid, containers in content.entries.items():
        for name, found in containers.items():
            blocks.give(uid, name, (Block(one.nodes, one.type, one.size) for one in found))
    return blocks
