"""A device plugin of GPUs: it looks for them on the PCI bus, and calls each by its address.

    python pci.py FOLDER HOST_ROOT [--minus-one | --first-node]

FOLDER is that of the kubelet's socket, HOST_ROOT is `/`, or a tree with the `sys` of a machine. A GPU of which the
kernel tells NUMA node -1 has no topology. Two options make it wrong in one way each: it tells -1 as a NUMA node, or the
first NUMA node of all GPUs.
"""

import json
import sys
import tempfile
from pathlib import Path

import plugin

RESOURCE, DISPLAY = "vendor.example/gpu", "0x03"


def main():
    folder, root, *options = sys.argv[1:]
    devices = {}
    for place in sorted((Path(root) / "sys/bus/pci/devices").glob("*")):
        if (place / "class").read_text().startswith(DISPLAY):
            node = int((place / "numa_node").read_text())
            devices[place.name] = {"numa": [node]} if node >= 0 or "--minus-one" in options else {}
    if "--first-node" in options:
        first = min((node for device in devices.values() for node in device.get("numa", ())), default=0)
        devices = {name: {"numa": [first]} for name in devices}
    if not devices:
        sys.exit(print("no GPU is here"))
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"resource": RESOURCE, "devices": devices}, file)
        file.flush()
        sys.argv[1:] = [folder, file.name]
        plugin.main()


if __name__ == "__main__":
    main()
