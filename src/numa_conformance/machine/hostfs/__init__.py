"""The host's file systems: state files, host trees, cgroup trees."""

from .cgroup import CgroupTree, CgroupUpdate, Failure, write_cgroup_tree
from .dumps import open_dump
from .fake import write_tree
from .kubelet_view import read_kubelet_view
from .reader import read_machine
from .stores import DirectoryStore, JournalStore, KubeletRoot, MemoryStore, StateStore

__all__ = ["CgroupTree", "CgroupUpdate", "DirectoryStore", "Failure", "JournalStore", "KubeletRoot", "MemoryStore"]
__all__ += ["StateStore", "open_dump", "read_kubelet_view", "read_machine", "write_cgroup_tree", "write_tree"]
