"""The part of a host tree that tells of CPUs, NUMA nodes, caches and memory, copied into a dump."""

import re

from ..machine.hostfs.fake.tree import Tree
from .disturbances import INTERRUPTS, affinity_of, handlers_of
from .tree import NodeTree

_CPU, _NODE = "sys/devices/system/cpu", "sys/devices/system/node"
_WANTED = re.compile(
    r"""sys/devices/system/(?:
        cpu/(?:online|offline|possible|present|isolated)
      | cpu/cpu[0-9]+/(?:
            online
          | topology/[a-z_]+
          | cache/index[0-9]+/(?:id|level|size|type|shared_cpu_list|shared_cpu_map)
        )
      | node/(?:online|possible|has_[a-z_]+)
      | node/node[0-9]+/(?:cpulist|cpumap|meminfo|distance|hugepages/hugepages-[0-9]+kB/nr_hugepages)
    )
    | sys/kernel/mm/hugepages/hugepages-[0-9]+kB/nr_hugepages""",
    re.VERBOSE | re.ASCII,
)
_FOLDERS = re.compile(
    r"(?:cpu/cpu[0-9]+(?:/topology|/cache|/cache/index[0-9]+)?|node/node[0-9]+(?:/hugepages(?:/hugepages-[0-9]+kB)?)?)",
    re.ASCII,
)
_LINKS = re.compile(r"cpu[0-9]+", re.ASCII)
_CPUINFO = ("processor", "vendor_id", "physical id", "siblings", "core id", "cpu cores")


def copy_host(tree: NodeTree, dump: Tree) -> None:
    """Copy what readers of the hardware open; of ``cpuinfo`` the lines that tell of the layout."""
    for base in (_CPU, _NODE):
        _copy(tree, dump, base)
    for name in tree.folders("sys/kernel/mm/hugepages"):
        _copy_file(tree, dump, f"sys/kernel/mm/hugepages/{name}/nr_hugepages")
    for node in tree.folders(_NODE):
        for name in tree.names(f"{_NODE}/{node}"):
            if _LINKS.fullmatch(name) and tree.goal(f"{_NODE}/{node}/{name}"):
                dump.link(f"{_NODE}/{node}/{name}", f"../../cpu/{name}")
    for number in tree.folders(INTERRUPTS):
        affinity, handlers = affinity_of(tree, number), handlers_of(tree, number)
        if affinity is not None and handlers:
            dump.write_whole(affinity.file, f"{affinity}\n")
            for handler in handlers:
                dump.folder(f"{INTERRUPTS}/{number}/{handler}")
    info = tree.text("proc/cpuinfo") or ""
    lines = [line for line in info.splitlines() if not line or line.partition(":")[0].strip() in _CPUINFO]
    dump.write_whole("proc/cpuinfo", "\n".join(lines) + "\n")
    dump.write_whole("proc/meminfo", tree.text("proc/meminfo") or "")


def _copy(tree: NodeTree, dump: Tree, folder: str) -> None:
    for name in tree.names(folder):
        path = f"{folder}/{name}"
        if _WANTED.fullmatch(path):
            _copy_file(tree, dump, path)
        elif _FOLDERS.fullmatch(path.removeprefix("sys/devices/system/")) and not tree.goal(path):
            dump.folder(path)
            _copy(tree, dump, path)


def _copy_file(tree: NodeTree, dump: Tree, path: str) -> None:
    text = tree.text(path)
    if text is not None:
        dump.write_whole(path, text)
