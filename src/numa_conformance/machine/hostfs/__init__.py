"""The host's file systems: state files, host trees, cgroup trees."""

from .cgroup import CgroupTree as CgroupTree
from .cgroup import CgroupUpdate as CgroupUpdate
from .cgroup import Failure as Failure
from .cgroup import write_cgroup_tree as write_cgroup_tree
from .dumps import open_dump as open_dump
from .fake import write_tree as write_tree
from .kubelet_view import read_kubelet_view as read_kubelet_view
from .reader import read_machine as read_machine
from .stores import DirectoryStore as DirectoryStore
from .stores import JournalStore as JournalStore
from .stores import KubeletRoot as KubeletRoot
from .stores import MemoryStore as MemoryStore
from .stores import StateStore as StateStore
