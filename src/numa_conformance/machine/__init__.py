from .catalogue import catalogue_names, load_machine, read_machine_file
from .codec import machine_from_dict, machine_to_dict, machine_to_yaml
from .kubelet_view import KubeletView, ViewCpu, derive_view
from .model import Cpu, Device, Machine, MemoryNode
from .shipped import shipped

__all__ = [
    "Cpu",
    "Device",
    "KubeletView",
    "Machine",
    "MemoryNode",
    "ViewCpu",
    "catalogue_names",
    "derive_view",
    "load_machine",
    "machine_from_dict",
    "machine_to_dict",
    "machine_to_yaml",
    "read_machine_file",
    "shipped",
]
