"""``/sys/bus/pci``: the PCI devices of a machine, with their NUMA nodes, drivers and virtual functions."""

from ....cpuset import format_bits
from ...model import Machine
from ...pci import pci_functions
from .tree import Tree, cpu_map

BUS, DRIVERS = "sys/bus/pci/devices", "sys/bus/pci/drivers"


def write_devices(machine: Machine, tree: Tree) -> None:
    """Write a folder for each function, by its address. The kernel has links there, into ``/sys/devices``."""
    for number, each in enumerate(pci_functions(machine)):
        folder, cpus = f"{BUS}/{each.address}", machine.numa_bits.get(each.node, machine.online_bits)
        vendor, device = each.vendor.upper(), each.device.upper()
        values = {
            "vendor": f"0x{each.vendor}", "device": f"0x{each.device}", "class": f"0x{each.kind}", "revision": "0x00",
            "subsystem_vendor": f"0x{each.vendor}", "subsystem_device": "0x0000", "enable": 1, "numa_node": each.node,
            "local_cpulist": format_bits(cpus), "local_cpus": cpu_map(cpus),
            "modalias": f"pci:v0000{vendor}d0000{device}sv0000{vendor}sd00000000bc{each.kind[:2]}sc{each.kind[2:4]}i00",
            "uevent": f"DRIVER={each.driver}\nPCI_ID={vendor}:{device}\nPCI_SLOT_NAME={each.address}",
            **dict.fromkeys(("sriov_totalvfs", "sriov_numvfs")[: 2 * bool(each.virtual)], len(each.virtual)),
        }  # fmt: skip
        links = {
            "driver": f"../../drivers/{each.driver}", "iommu_group": f"../../../../kernel/iommu_groups/{number}",
            **{f"virtfn{index}": f"../{address}" for index, address in enumerate(each.virtual)},
            **({"physfn": f"../{each.physical}"} if each.physical else {}),
        }  # fmt: skip
        tree.folder(f"{DRIVERS}/{each.driver}")
        for name, value in values.items():
            tree.write(f"{folder}/{name}", value)
        for name, goal in links.items():
            tree.link(f"{folder}/{name}", goal)
        if each.kind.startswith("02"):
            tree.write(f"{folder}/net/eth{number}/ifindex", number + 2)
