"""Machines: the catalogue, files and host trees, what the kubelet makes of one, and its picture. Public."""

from .lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "cpuset": "CpuSet",
        "machine": "Amounts Cpu Device KubeletView Machine MemoryNode allocation_map derive_view machine_svg",
        "machine.catalogue": "catalogue_names load_machine read_machine_file",
        "machine.codec": "machine_from_dict machine_to_dict machine_to_yaml",
        "machine.hostfs": "read_machine write_tree",
    },
)
