"""``collect``: a dump of a node, which ``check-node`` reads in its place. It holds what is judged, and no secrets."""

import json
import posixpath
import re
import time
from dataclasses import replace
from pathlib import Path

import msgspec

from .. import __version__
from ..cpuset import format_bits
from ..errors import Fault, UsageError
from ..files import refuse_filled
from ..machine.hostfs.fake.tree import Tree
from ..machine.hostfs.stores import STATE_FILES
from ..reference.managers.device.state_file import DEVICE_FILE
from ..reference.managers.device.state_file import encode as encode_devices
from .cgroups import BASE, FOLDER, Hierarchy
from .configuration import PLACES, USUAL
from .disturbances import INTERRUPTS, affinity_of, handlers_of
from .look import ContainerSight, NodeSource, Sight, look
from .pod_resources import DUMPED, FILE, FORMAT, DumpManifest
from .state_files import SavedFile
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
    if (text := tree.text(path)) is not None:
        dump.write_whole(path, text)


_MODE = 0o700
"""Of the dump's folder: what pods there are is nobody's business on the node."""
CONFIG = USUAL[0]


def collect(source: NodeSource, folder: Path) -> Sight:
    """Write a dump of a node into an empty folder, or one that is made; return what was seen.

    Of the kubelet's flags and configuration it has only what concerns the resource managers. It has no environments and
    no other command lines. Of devices it has nothing that their plugin handed to containers. Raises ``UsageError``.
    """
    refuse_filled(folder)
    sight = look(source)
    try:
        folder.mkdir(mode=_MODE, parents=True, exist_ok=True)
        dump = Tree(folder)
        copy_host(sight.tree, dump)
        _write_kubelet(sight, dump)
        for name, file in sight.state.files.items():
            text = _without_answers(sight, file) if name == DEVICE_FILE else file.text
            dump.write_whole(f"{_inside(sight.configured.root_dir)}/{STATE_FILES[name]}", text)
        if sight.hierarchy is not None:
            _write_hierarchy(sight, dump, sight.hierarchy)
            _write_limit(sight, dump, sight.hierarchy, sight.hierarchy.top)
            for pod in sight.pods:
                _write_cpuset(sight, dump, pod.path, pod.hierarchy)
                _write_limit(sight, dump, pod.hierarchy, pod.path)
            for container in (*sight.running, *sight.nameless):
                _write_container(sight, dump, container)
        if sight.listed is not None:
            dump.write_whole(DUMPED, msgspec.json.encode(sight.listed).decode() + "\n")
        version = None if sight.version is None else str(sight.version)
        manifest = DumpManifest(FORMAT, time.time(), sight.state.changed, version, f"numa-conformance {__version__}")
        dump.write_whole(FILE, msgspec.json.encode(manifest).decode() + "\n")
    except OSError as error:
        raise UsageError(Fault(str(folder), f"cannot be written: {error.strerror or error}")) from error
    return sight


def _write_kubelet(sight: Sight, dump: Tree) -> None:
    """Write the configuration in force in one file, and the flags that go beside it."""
    configured = sight.configured
    head = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
    dump.write_whole(_inside(CONFIG), json.dumps({**head, **sight.configured.written}, indent=2) + "\n")
    if configured.process is None:
        return
    flags = [f"--{name}={value}" for name, value in configured.process.flags if name not in PLACES]
    places = [f"--config={CONFIG}", f"--root-dir={_absolute(configured.root_dir)}"]
    places += [f"--cgroup-root={configured.cgroup_root}"] if configured.cgroup_root else []
    words = ["kubelet", *places, *(() if configured.from_configz else flags)]
    dump.write_whole(f"proc/{configured.process.pid}/comm", "kubelet\n")
    dump.write_whole(configured.process.file, "".join(f"{word}\0" for word in words))


def _without_answers(sight: Sight, file: SavedFile) -> str:
    """Return the Device Manager's file without what plugins answered, which may be environments; with its checksum.

    A damaged file stays damaged.
    """
    if sight.state.devices is None:
        return json.dumps({"Data": {}, "Checksum": 0})
    entries = [replace(entry, response=b"") for entry in sight.state.devices]
    registered = json.loads(file.text)["Data"].get("RegisteredDevices") or {}
    return encode_devices(entries, {name: tuple(ids or ()) for name, ids in registered.items()})


def _write_hierarchy(sight: Sight, dump: Tree, hierarchy: Hierarchy) -> None:
    if hierarchy.version == 2:
        dump.write(f"{BASE}/cgroup.controllers", sight.tree.line(f"{BASE}/cgroup.controllers") or "cpuset")
    _write_cpuset(sight, dump, hierarchy.folder, hierarchy)
    place = hierarchy.folder
    for name in hierarchy.top.removeprefix(hierarchy.folder).strip("/").split("/"):
        place = f"{place}/{name}"
        _write_cpuset(sight, dump, place, hierarchy)


def _write_cpuset(sight: Sight, dump: Tree, folder: str, hierarchy: Hierarchy) -> None:
    effective = "cpuset.cpus.effective" if hierarchy.version == 2 else "cpuset.effective_cpus"
    for name in ("cpuset.cpus", "cpuset.mems", effective):
        _copy_file(sight.tree, dump, f"{folder}/{name}")


def _write_container(sight: Sight, dump: Tree, container: ContainerSight) -> None:
    """Write a container's cgroup as it was seen, those above it, its threads and its names."""
    cgroup = container.cgroup
    above = cgroup.path
    while (above := above.rpartition("/")[0]) not in (cgroup.hierarchy.top, ""):
        _write_cpuset(sight, dump, above, cgroup.hierarchy)
    sets = (
        (cgroup.cpus_file, container.written),
        (cgroup.effective_file, container.effective),
        (cgroup.mems_file, container.mems),
    )
    for file, bits in sets:
        if bits is not None:
            dump.write(file, format_bits(bits))
    ids = [thread for threads in container.threads for thread in threads.ids]
    file = "cgroup.threads" if cgroup.hierarchy.version == 2 else "tasks"
    dump.write_whole(f"{cgroup.path}/{file}", "".join(f"{thread}\n" for thread in ids))
    for threads in container.threads:
        mems = "" if threads.mems is None else f"Mems_allowed_list:\t{format_bits(threads.mems)}\n"
        for thread in threads.ids:
            dump.write_whole(f"proc/{thread}/status", f"Cpus_allowed_list:\t{format_bits(threads.cpus)}\n{mems}")
    _write_limit(sight, dump, cgroup.hierarchy, cgroup.path)
    if (names := sight.names.get(cgroup.id)) is not None:
        goal = f"/var/log/pods/{names.namespace}_{names.pod}_{container.uid}/{names.container}/0.log"
        dump.link(f"{FOLDER}/{names.pod}_{names.namespace}_{names.container}-{cgroup.id}.log", goal)


def _write_limit(sight: Sight, dump: Tree, hierarchy: Hierarchy, path: str) -> None:
    for file in hierarchy.limit_files(path):
        _copy_file(sight.tree, dump, file)
        if file.endswith("quota_us"):
            _copy_file(sight.tree, dump, f"{file.rpartition('/')[0]}/cpu.cfs_period_us")


def _absolute(path: str) -> str:
    return posixpath.normpath("/" + path.lstrip("/"))


def _inside(path: str) -> str:
    return _absolute(path).lstrip("/")
