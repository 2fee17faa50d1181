from ..files import data_folder
from .catalogue import catalogue_names, is_machine_file, load_machine, read_machine_file
from .codec import machine_from_dict, machine_to_dict, machine_to_yaml
from .model import Cpu, Device, KubeletView, Machine, MemoryNode, ViewCpu, derive_view, summarize
from .picture import allocation_map
from .picture_scene import Amounts
from .picture_svg import machine_svg

__all__ = ["Amounts", "Cpu", "Device", "KubeletView", "Machine", "MemoryNode", "ViewCpu", "allocation_map"]
__all__ += ["catalogue_names", "data_folder", "derive_view", "is_machine_file", "load_machine", "machine_from_dict"]
__all__ += ["machine_svg", "machine_to_dict", "machine_to_yaml", "read_machine_file", "summarize"]
