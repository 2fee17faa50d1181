"""The host's file systems: state files, host trees, cgroup trees."""

from .cgroup import CgroupTree, CgroupUpdate, Failure, write_cgroup_tree
from .dumps import open_dump
from .kubelet_view import read_kubelet_view
from .reader import read_machine
from .stores import DirectoryStore, JournalStore, MemoryStore, StateStore
from .writer import write_tree

__all__ = [
    "CgroupTree",
    "CgroupUpdate",
    "DirectoryStore",
    "Failure",
    "JournalStore",
    "MemoryStore",
    "StateStore",
    "open_dump",
    "read_kubelet_view",
    "read_machine",
    "write_cgroup_tree",
    "write_tree",
]
