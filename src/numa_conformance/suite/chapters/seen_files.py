"""State files of a node at work, and what PodResources tells beside them: a kubelet must be able to start with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..judge.chapter import Judgement, Violation, applies, judges, violated
from ..judge.files import CPU_FILE, DEVICE_FILE, MEMORY_FILE
from ..judge.room import whole
from ..judge.seen import Sighting, blocks_told

__all__: list[str] = []


def has_file(seen: Sighting, name: str) -> None:
    """Return the guard that a state file is there."""
    applies(name in seen.files, f"the file {name} is not there")


@judges("cpu-manager/state-file/assignments-survive-a-restart", on=Sighting)
def cpu_file_can_be_read(seen: Sighting) -> Judgement:
    """Assignments survive a restart: the file that holds them can be read."""
    has_file(seen, CPU_FILE)
    return _readable(seen, CPU_FILE)


@judges("memory-manager/state-file/assignments-survive-a-restart", on=Sighting)
def memory_file_fits(seen: Sighting) -> Judgement:
    """Assignments survive a restart: the file can be read, and tells of the memory that the machine has."""
    has_file(seen, MEMORY_FILE)
    return list(_readable(seen, MEMORY_FILE)) or list(_wrong_books(seen))


@judges("device-manager/restart/keeps-devices", on=Sighting)
def device_file_can_be_read(seen: Sighting) -> Judgement:
    """Containers keep their devices when the node agent restarts: the file that holds them can be read."""
    has_file(seen, DEVICE_FILE)
    return _readable(seen, DEVICE_FILE)


def _readable(seen: Sighting, name: str) -> Iterator[Violation]:
    damage = seen.files[name].damage
    why = f"a kubelet that starts cannot use {name}"
    return violated(damage is None, why, got=damage, allowed="a sound file")


def _wrong_books(seen: Sighting) -> Iterator[Violation]:
    machine = {node.node: node for node in seen.world.machine.memory}
    about = (f"file:{MEMORY_FILE}",)
    for book in seen.memory or ():
        node, tables = book["node"], book["tables"]
        if node not in machine:
            yield Violation(f"the file tells of NUMA node {node}, which the machine does not have", about=about)
            continue
        yield from _missing_tables(node, tables, whole(machine[node]), about)
        yield from _wrong_tables(node, tables, about)
        yield from _wrong_sizes(node, tables, whole(machine[node]), about)
    yield from _wrong_sums(seen)


def _wrong_tables(node: int, tables: dict[str, Any], about: tuple[str, ...]) -> Iterator[Violation]:
    for kind, table in tables.items():
        if table["reserved"] + table["free"] != table["allocatable"]:
            yield Violation(
                f"the books of {kind} on NUMA node {node} do not add up",
                f"{table['reserved']} reserved and {table['free']} free",
                f"{table['allocatable']} bytes together",
                about=about,
            )


def _missing_tables(
    node: int, tables: dict[str, Any], whole: dict[str, int], about: tuple[str, ...]
) -> Iterator[Violation]:
    for kind, size in whole.items():
        if size and kind not in tables:
            yield Violation(
                f"the file does not tell of {kind} on NUMA node {node}, which the machine has",
                "nothing",
                f"{size} bytes",
                about=about,
            )


def _wrong_sizes(
    node: int, tables: dict[str, Any], whole: dict[str, int], about: tuple[str, ...]
) -> Iterator[Violation]:
    for kind, size in whole.items():
        total = tables.get(kind, {}).get("total")
        if total is not None and total != size and (size or kind != "memory"):
            yield Violation(
                f"the file tells of other {kind} on NUMA node {node} than the machine has",
                f"{total} bytes",
                f"{size} bytes",
                about=about,
            )


def _wrong_sums(seen: Sighting) -> Iterator[Violation]:
    """Compare what NUMA nodes have given by their books with what containers hold, over all nodes."""
    if seen.memory is None or not seen.settings.memory_static:
        return
    held: dict[str, int] = {}
    for container in seen.containers:
        for (kind, _), number in blocks_told(container.held.memory).items():
            held[kind] = held.get(kind, 0) + number
    booked: dict[str, int] = {}
    for book in seen.memory:
        for kind, table in book["tables"].items():
            booked[kind] = booked.get(kind, 0) + table["reserved"]
    for kind in sorted(held.keys() | booked.keys()):
        if held.get(kind, 0) != booked.get(kind, 0):
            yield Violation(
                f"the books say that other {kind} is given out than containers have",
                f"{booked.get(kind, 0)} bytes",
                f"{held.get(kind, 0)} bytes",
                about=(f"file:{MEMORY_FILE}",),
            )
