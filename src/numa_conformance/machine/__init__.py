from .catalogue import catalogue_names, is_machine_file, load_machine, read_machine_file
from .codec import machine_from_dict, machine_to_dict, machine_to_yaml
from .data_files import data_folder
from .kubelet_view import KubeletView, ViewCpu, derive_view
from .model import Cpu, Device, Machine, MemoryNode
from .picture import allocation_map
from .picture_svg import machine_svg
from .summary import Summary, summarize

__all__ = [
    "Cpu",
    "Device",
    "KubeletView",
    "Machine",
    "MemoryNode",
    "Summary",
    "ViewCpu",
    "allocation_map",
    "catalogue_names",
    "data_folder",
    "derive_view",
    "is_machine_file",
    "load_machine",
    "machine_from_dict",
    "machine_svg",
    "machine_to_dict",
    "machine_to_yaml",
    "read_machine_file",
    "summarize",
]
