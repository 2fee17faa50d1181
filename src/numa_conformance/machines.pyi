from .cpuset import CpuSet
from .machine import (
    Cpu,
    Device,
    KubeletView,
    Machine,
    MemoryNode,
    allocation_map,
    catalogue_names,
    derive_view,
    load_machine,
    machine_from_dict,
    machine_svg,
    machine_to_dict,
    machine_to_yaml,
    read_machine_file,
)
from .machine.hostfs import read_machine, write_tree

__all__ = [
    "Cpu",
    "CpuSet",
    "Device",
    "KubeletView",
    "Machine",
    "MemoryNode",
    "allocation_map",
    "catalogue_names",
    "derive_view",
    "load_machine",
    "machine_from_dict",
    "machine_svg",
    "machine_to_dict",
    "machine_to_yaml",
    "read_machine",
    "read_machine_file",
    "write_tree",
]
