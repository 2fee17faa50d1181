"""``/sys/bus/pci``: the PCI devices of a machine, with their NUMA nodes, drivers and virtual functions."""

from ....cpuset import format_bits
from ...model import Machine
from ...pci import pci_functions
from .tree import Tree, cpu_map

BUS, DRIVERS, DEVICES = "sys/bus/pci/devices", "sys/bus/pci/drivers", "sys/devices"
_FIRST_ROOT = 0x80
"""The bus of NUMA node 0's PCIe root complex: those of the host itself have lower numbers."""


def write_devices(machine: Machine, tree: Tree) -> None:
    """Write a folder for each function below its NUMA node's PCIe root complex, and a link to it by its address."""
    for number, each in enumerate(pci_functions(machine)):
        below = f"devices/pci0000:{_FIRST_ROOT + each.node % _FIRST_ROOT:02x}/{each.address}"
        tree.link(f"{BUS}/{each.address}", f"../../../{below}")
        folder = f"sys/{below}"
        cpus = machine.numa_bits.get(each.node, machine.online_bits)
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
            "driver": f"../../../bus/pci/drivers/{each.driver}",
            "iommu_group": f"../../../kernel/iommu_groups/{number}",
            **{f"virtfn{index}": f"../{address}" for index, address in enumerate(each.virtual)},
            **({"physfn": f"../{each.physical}"} if each.physical else {}),
        }  # fmt: skip
        tree.link(f"{DRIVERS}/{each.driver}/{each.address}", f"../../../../{below}")
        for name, value in values.items():
            tree.write(f"{folder}/{name}", value)
        for name, goal in links.items():
            tree.link(f"{folder}/{name}", goal)
        if each.kind.startswith("02"):
            tree.write(f"{folder}/net/eth{number}/ifindex", number + 2)
