"""A device plugin that reads its host: two slots of each NUMA node, `vendor.example/slot`.

    python slots.py FOLDER HOST_ROOT [--counting]

FOLDER is that of the kubelet's socket, HOST_ROOT is `/`, or a tree with the `sys` of a machine. With `--counting` it is
wrong in one way: it takes NUMA nodes to be numbered from 0 without gaps, as most machines have them.
"""

import json
import sys
import tempfile
from pathlib import Path

import plugin

RESOURCE = "vendor.example/slot"


def nodes_of(root, counting):
    """The NUMA nodes that are online."""
    listed = (Path(root) / "sys/devices/system/node/online").read_text().strip()
    spans = [part.split("-") for part in listed.split(",")]
    nodes = [node for span in spans for node in range(int(span[0]), int(span[-1]) + 1)]
    return list(range(len(nodes))) if counting else nodes


def main():
    folder, root, *options = sys.argv[1:]
    nodes = nodes_of(root, "--counting" in options)
    devices = {f"slot-{node}-{number}": {"numa": [node]} for node in nodes for number in range(2)}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"resource": RESOURCE, "devices": devices}, file)
        file.flush()
        sys.argv[1:] = [folder, file.name]
        plugin.main()


if __name__ == "__main__":
    main()
