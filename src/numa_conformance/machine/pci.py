"""The GPUs, network adapters and FPGAs of a machine on its PCI bus.

A machine's devices tell neither address nor maker. Addresses ascend in their order. The maker is that of the resource's
domain, such as ``amd.com``; those of other domains take turns. ``pci.txt`` has by kind, the last part of the resource,
its class and number of virtual functions, and by maker the ids of vendor and device, and the driver.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ..files import parts_of, text_of
from .model import Device, Machine


class PciFunction(NamedTuple):
    """A function at an address (``0000:01:00.0``): a device of the machine, or a virtual one of that at ``physical``.

    Ids and class as the kernel prints them, without ``0x``. ``node``: -1 for a device that is near none, or several.
    """

    address: str
    place: Device
    node: int
    kind: str
    vendor: str
    device: str
    driver: str
    virtual: tuple[str, ...] = ()
    physical: str = ""


_KINDS = {
    name: (kind, int(virtual), [line.split() for line in makers])
    for heading, makers in parts_of(text_of(__package__, "pci.txt"))
    for name, kind, virtual in [heading.split()]
}


def pci_functions(machine: Machine) -> Iterator[PciFunction]:
    """Yield the functions of a machine, each before its virtual ones."""
    turns = Counter[str]()
    for place in machine.devices:
        domain, _, name = place.resource.partition("/")
        if name not in _KINDS:
            continue
        kind, virtual, makers = _KINDS[name]
        maker = next((maker for maker in makers if maker[0] == domain), makers[turns[name] % len(makers)])
        turns[name] += 1
        slot = f"{turns.total() >> 8:04x}:{turns.total() & 0xFF:02x}:00"
        below = tuple(f"{slot}.{function}" for function in range(1, virtual + 1))
        node = place.numa[0] if len(place.numa) == 1 else -1
        _, vendor, device, driver = maker
        whole = PciFunction(f"{slot}.0", place, node, kind, vendor, device, driver, below)
        yield whole
        yield from (whole._replace(address=each, virtual=(), physical=whole.address) for each in below)
