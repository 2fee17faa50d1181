"""A host tree that is not there: what the kernel of a ``Machine`` would show below ``/sys`` and ``/proc``."""

from pathlib import Path

from ....files import refuse_filled
from ...model import Machine
from .cpus import write_cpus
from .nodes import write_nodes
from .pci import write_devices
from .proc import cpuinfo, interrupts, meminfo, write_speeds
from .tree import Tree


def write_tree(machine: Machine, root: Path) -> None:
    """Write the tree into ``root``, which must be empty or absent; reading it back gives the same hardware.

    Works in a real folder and under pyfakefs. Of devices it has those on the PCI bus, and no names, descriptions and
    notes. Raises ``UsageError`` for a folder that is not empty.
    """
    refuse_filled(root)
    write_machine(machine, Tree(root))


def write_machine(machine: Machine, tree: Tree, cpuinfo_of_the_host: str = "") -> None:
    """Write everything of a machine into a tree; ``cpuinfo_of_the_host`` tells the kind of CPU."""
    write_cpus(machine, tree)
    write_nodes(machine, tree)
    write_speeds(machine, tree)
    write_devices(machine, tree)
    tree.write_whole("proc/cpuinfo", cpuinfo(machine, cpuinfo_of_the_host))
    tree.write_whole("proc/meminfo", meminfo(machine))
    tree.write_whole("proc/interrupts", interrupts(machine))
