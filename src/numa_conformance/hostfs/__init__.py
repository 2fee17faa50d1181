"""The host's file systems: state files, host trees, cgroup trees."""

from .cgroup import CgroupTree, CgroupUpdate, Failure, write_cgroup_tree
from .checkpoint_error import CheckpointError, restore_failure
from .cpu_checkpoint import CPU_FILE, CpuCheckpoint, decode_cpu_checkpoint, encode_cpu_checkpoint
from .device_checkpoint import (
    DEVICE_FILE,
    DeviceCheckpoint,
    DeviceRecord,
    decode_device_checkpoint,
    device_checksum_fits,
    encode_device_checkpoint,
)
from .dumps import open_dump
from .kubelet_view import read_kubelet_view
from .memory_checkpoint import (
    MEMORY_FILE,
    MemoryBlockRecord,
    MemoryCheckpoint,
    MemoryNodeRecord,
    decode_memory_checkpoint,
    encode_memory_checkpoint,
)
from .reader import read_machine
from .stores import DirectoryStore, MemoryStore, StateStore
from .writer import write_tree

__all__ = [
    "CPU_FILE",
    "DEVICE_FILE",
    "MEMORY_FILE",
    "CgroupTree",
    "CgroupUpdate",
    "CheckpointError",
    "CpuCheckpoint",
    "DeviceCheckpoint",
    "DeviceRecord",
    "DirectoryStore",
    "Failure",
    "MemoryBlockRecord",
    "MemoryCheckpoint",
    "MemoryNodeRecord",
    "MemoryStore",
    "StateStore",
    "decode_cpu_checkpoint",
    "decode_device_checkpoint",
    "decode_memory_checkpoint",
    "device_checksum_fits",
    "encode_cpu_checkpoint",
    "encode_device_checkpoint",
    "encode_memory_checkpoint",
    "open_dump",
    "read_kubelet_view",
    "read_machine",
    "restore_failure",
    "write_cgroup_tree",
    "write_tree",
]
