"""Reading a host tree: literal trees beside this file, and what is in them by other people's tools or by hand."""

from __future__ import annotations

import random
from collections.abc import Hashable
from pathlib import Path
from typing import NamedTuple

import pytest

from numa_conformance.asking.findings.findings import Finding
from numa_conformance.cpuset import CpuSet
from numa_conformance.errors import UsageError
from numa_conformance.machine import Machine, machine_from_dict
from numa_conformance.wire import Client
from numa_conformance.wire.faults import BadReply
from numa_conformance.wire.messages.host import Discover

pytestmark = pytest.mark.surfaces("host")
requirement = pytest.mark.requirement

TREES = Path(__file__).parent / "trees"


class Host(NamedTuple):
    """What a tree holds: its online CPUs, and these by core, socket, NUMA node and L3, the sets apart by spaces."""

    online: str
    core: str
    socket: str
    numa: str
    uncore: str


HOSTS = {
    "one-socket": Host("0-2,4-6", "0,4 1,5 2,6", "0-2,4-6", "0-2,4-6", "0-2,4-6"),
    "two-caches": Host("0-7", "0,4 1,5 2,6 3,7", "0-7", "0-7", "0-1,4-5 2-3,6-7"),
    "interleaved-sockets": Host("0-7", "0,4 1,5 2,6 3,7", "0,2,4,6 1,3,5,7", "0,2,4,6 1,3,5,7", "0,2,4,6 1,3,5,7"),
    "two-nodes-per-socket": Host(
        "0-15",
        "0,8 1,9 2,10 3,11 4,12 5,13 6,14 7,15",
        "0-3,8-11 4-7,12-15",
        "0-1,8-9 2-3,10-11 4-5,12-13 6-7,14-15",
        "0-1,8-9 2-3,10-11 4-5,12-13 6-7,14-15",
    ),
    "two-sockets-one-node": Host("0-7", "0,4 1,5 2,6 3,7", "0-1,4-5 2-3,6-7", "0-7", "0-1,4-5 2-3,6-7"),
    "kvm-guest": Host("0-1", "0 1", "0-1", "0-1", "0-1"),
    "more-than-64-cpus": Host(
        "0-71",
        " ".join(f"{cpu},{cpu + 36}" for cpu in range(36)),
        "0-17,36-53 18-35,54-71",
        "0-17,36-53 18-35,54-71",
        "0-17,36-53 18-35,54-71",
    ),
    "nodes-with-gaps": Host("0-6", "0,4 1,5 2,6 3", "0,2,4,6 1,3,5", "0,2,4,6 1,3,5", "0,2,4,6 1,3,5"),
}


class Node(NamedTuple):
    """What a NUMA node holds: bytes of memory, huge pages by their size, and distances in the order of the nodes."""

    memory: int
    pages: dict[str, int]
    distances: tuple[int, ...]


GIB = 2**30
NODES = {
    "two-nodes-per-socket": {
        0: Node(4 * GIB, {}, (10, 12, 21, 21)),
        1: Node(4 * GIB, {}, (12, 10, 21, 21)),
        2: Node(4 * GIB, {}, (21, 21, 10, 12)),
        3: Node(4 * GIB, {}, (21, 21, 12, 10)),
    },
    "nodes-with-gaps": {
        0: Node(8 * GIB, {"2Mi": 512, "1Gi": 2}, (10, 21, 17)),
        4: Node(6 * GIB, {"1Gi": 1}, (21, 10, 28)),
        10: Node(16 * GIB, {"2Mi": 64, "32Mi": 4}, (14, 24, 10)),
    },
}


@requirement("host/finds-the-online-cpus", "host/finds-cores-sockets-and-numa-nodes")
@pytest.mark.parametrize("name", HOSTS)
def test_finds_what_the_host_has(target: Client, requirements: tuple[str, ...], host_folder: Path, name: str) -> None:
    host, machine = HOSTS[name], _laid_out(target, host_folder, name)
    online = CpuSet(cpu.id for cpu in machine.cpus)
    if online != CpuSet.parse(host.online):
        raise Finding(requirements, "other CPUs are found", got=str(online), allowed=host.online)
    for kind in ("core", "socket", "numa"):
        _require_groups(requirements, machine, kind, getattr(host, kind))


@requirement("host/finds-uncore-caches")
@pytest.mark.parametrize("name", HOSTS)
def test_finds_the_caches_of_the_last_level(
    target: Client, requirements: tuple[str, ...], host_folder: Path, name: str
) -> None:
    """What is not told is not held against a target: nothing is kept within caches on a machine without any.

    Who tells the caches of a tree tells them at whatever index they are listed.
    """
    plain, machine = _discovered(target, _plain(host_folder / "plain", name)), _laid_out(target, host_folder, name)
    if any(cpu.uncore is not None for cpu in (*plain.cpus, *machine.cpus)):
        _require_groups(requirements, machine, "uncore", HOSTS[name].uncore)


@requirement("host/finds-memory-and-distances")
@pytest.mark.parametrize("name", NODES)
def test_finds_the_memory_of_numa_nodes(
    target: Client, requirements: tuple[str, ...], host_folder: Path, name: str
) -> None:
    """What is not told is not held against a target: an allocator of CPUs need not know of memory."""
    nodes, machine = NODES[name], _laid_out(target, host_folder, name)
    for kind, answered, there in (
        (
            "memory",
            {entry.node: entry.memory for entry in machine.memory},
            {node: seen.memory for node, seen in nodes.items()},
        ),
        (
            "huge pages",
            {entry.node: {size: pages for size, pages in entry.hugepages.items() if pages} for entry in machine.memory},
            {node: seen.pages for node, seen in nodes.items()},
        ),
        ("distances", machine.distances, tuple(seen.distances for seen in nodes.values())),
    ):
        is_told = any(answered.values()) if isinstance(answered, dict) else answered
        if is_told and answered != there:
            raise Finding(requirements, f"NUMA nodes have other {kind}", got=str(answered), allowed=str(there))


def lay_out(listing: str, root: Path) -> None:
    """Make the files and links of a listing below ``root``; a line that begins with ``#`` is a comment.

    A line ``path:text`` is one line of that file; a file of several lines is named once for each.
    """
    files: dict[Path, list[str]] = {}
    for line in listing.splitlines():
        name, is_link, goal = line.partition(" -> ")
        if line.startswith("#"):
            continue
        if is_link:
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(goal)
        else:
            name, _, text = line.partition(":")
            files.setdefault(root / name, []).append(f"{text}\n")
    for place, lines in files.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(lines), encoding="ascii")


def _plain(root: Path, name: str) -> Path:
    lay_out((TREES / f"{name}.txt").read_text(encoding="ascii"), root)
    return root


def _laid_out(target: Client, folder: Path, name: str) -> Machine:
    root = folder / "host"
    listing = (TREES / f"{name}.txt").read_text(encoding="ascii")
    lay_out(varied(listing, random.Random(name)), root)
    return _discovered(target, root)


def varied(listing: str, lot: random.Random) -> str:
    """Change what says nothing of a machine: the index of caches of level 3, and how many huge pages are free."""
    index = 4 if "/cache/index2/" in listing else 2
    lines = []
    for line in listing.splitlines():
        lines.append(line.replace("/cache/index3/", f"/cache/index{index}/"))
        folder, is_pool, count = line.partition("/nr_hugepages:")
        if is_pool and f"{folder}/free_hugepages:" not in listing:
            lines.append(f"{folder}/free_hugepages:{lot.randint(0, int(count))}")
    return "\n".join(lines)


def _discovered(target: Client, root: Path) -> Machine:
    """Return the machine that a target finds; raises ``BadReply`` where it tells of none that can be."""
    try:
        return machine_from_dict(target.ask(Discover(str(root))).machine, "machine")
    except UsageError as error:
        raise BadReply(f"the answer to host.discover tells of no machine: {error}") from error


def _require_groups(requirements: tuple[str, ...], machine: Machine, kind: str, wanted: str) -> None:
    groups = _groups(machine, kind)
    if groups != {CpuSet.parse(text) for text in wanted.split()}:
        names = sorted(map(str, groups))
        raise Finding(requirements, f"CPUs are grouped otherwise by {kind}", got=names, allowed=wanted)


def _groups(machine: Machine, kind: str) -> set[CpuSet]:
    groups: dict[Hashable, set[int]] = {}
    for cpu in machine.cpus:
        key = (cpu.numa, cpu.socket, cpu.core) if kind == "core" else getattr(cpu, kind)
        groups.setdefault(key, set()).add(cpu.id)
    return {CpuSet(cpus) for cpus in groups.values()}
