"""What the pictures of a machine share: its rows, and a symbol for each owner of CPUs."""

import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from ..cpuset import CpuSet, format_bits, iter_bits
from .model import Cpu, Machine, MemoryNode

CPUS_IN_A_ROW = 16
FREE = "-"
_FIXED = {"reserved": "R", "shared": "."}
_MARKS = "XYZ"
_LETTERS = string.ascii_lowercase + "".join(sorted(set(string.ascii_uppercase) - {"R", *_MARKS}))


@dataclass(frozen=True, slots=True)
class Row:
    """Cores of one cache within one NUMA node and one socket, each as its CPUs, ascending."""

    socket: int
    numa: int
    uncore: int | None
    cores: tuple[tuple[int, ...], ...]


def picture_rows(machine: Machine, most: int | None = None) -> list[Row]:
    """Return the rows, by socket, NUMA node, cache and lowest CPU of a core; a long one is cut into several.

    The machine alone says where rows are cut, so two pictures of one machine compare line by line. ``most`` cuts them
    after another number of cores.
    """
    blocks: dict[tuple[int, int, int | None], dict[tuple[str, int], list[Cpu]]] = {}
    for cpu in machine.cpus:
        cores = blocks.setdefault((cpu.socket, cpu.numa, cpu.uncore), {})
        cores.setdefault(("cpu", cpu.id) if cpu.core is None else ("core", cpu.core), []).append(cpu)
    widest = max((len(core) for cores in blocks.values() for core in cores.values()), default=1)
    step = most or max(1, CPUS_IN_A_ROW // widest)
    rows: list[Row] = []
    for place in sorted(blocks, key=lambda place: (*place[:2], place[2] is None, place[2])):
        listed = [tuple(cpu.id for cpu in core) for core in blocks[place].values()]
        rows.extend(Row(*place, tuple(listed[at : at + step])) for at in range(0, len(listed), step))
    return rows


def owner_symbols(labels: Iterable[str]) -> dict[str, str]:
    """Give each owner a symbol, in the order given: ``R`` and ``.`` for reserved and shared, else a letter.

    Beyond the letters there are numbers, in round brackets.
    """
    symbols: dict[str, str] = {}
    others = 0
    for label in labels:
        if label in _FIXED:
            symbols[label] = _FIXED[label]
            continue
        symbols[label] = _LETTERS[others] if others < len(_LETTERS) else f"({others + 1})"
        others += 1
    return symbols


def mark_symbols(labels: Iterable[str]) -> dict[str, str]:
    """Give each mark a symbol, in the order given: ``X``, ``Y``, ``Z``, else a number with a ``!``."""
    return {label: _MARKS[at] if at < len(_MARKS) else f"({at + 1}!)" for at, label in enumerate(labels)}


def owners_by_cpu(owners: Mapping[str, int]) -> dict[int, list[str]]:
    """Return, by CPU, the owners it has."""
    labels: dict[int, list[str]] = {}
    for label, bits in owners.items():
        for cpu in iter_bits(bits):
            labels.setdefault(cpu, []).append(label)
    return labels


def allocation_map(
    machine: Machine,
    owners: Mapping[str, int],
    *,
    marks: Mapping[str, int] | None = None,
    legend: bool = True,
    details: bool = False,
    width: int | None = None,
) -> str:
    """Draw a machine, one row for each cache (or part of one) in a NUMA node and socket.

    ``socket 0  numa 0  L3 0 | 0,64 R. | 1,65 aa |`` shows two cores. Of CPUs 0 and 64 the first is reserved, and the
    second is in the shared pool. CPUs 1 and 65 are both of owner ``a``. ``owners`` maps a label to CPUs as bits. A CPU
    of several owners shows all of them in square brackets, and one of none shows ``-``. ``marks`` are further CPUs by
    what they are, beside owners. Their symbols are ``X``, ``Y`` and ``Z``. With ``details``, memory, huge pages and
    devices of each NUMA node follow. A CPU that changes its owner changes one line. With a ``width``, rows are cut into
    equal parts that fit so many columns. No trailing newline.
    """
    symbols = {**owner_symbols(owners), **mark_symbols(marks or ())}
    owners = {**owners, **(marks or {})}
    by_cpu = {cpu: "".join(symbols[label] for label in labels) for cpu, labels in owners_by_cpu(owners).items()}
    held = {cpu: shown if shown in symbols.values() else f"[{shown}]" for cpu, shown in by_cpu.items()}
    lines = _cpu_lines(machine, held if owners else None, width)
    lines.extend(f"numa {node}: no CPUs" for node, bits in machine.numa_bits.items() if not bits)
    if machine.offline:
        lines.append(f"offline: {CpuSet(machine.offline)}")
    strangers = format_bits(reduce(or_, owners.values(), 0) & ~machine.online_bits)
    if strangers:
        lines.append(f"not online, and yet given away: {strangers}")
    if details:
        lines.extend(("", *_detail_lines(machine)))
    if legend and owners:
        width = max(map(len, symbols.values()))
        lines.extend(("", *(f"{symbol:<{width}} {label}" for label, symbol in symbols.items())))
        lines.append(f"{FREE:<{width}} nobody")
    return "\n".join(lines)


def legend_line(owners: Mapping[str, int], marks: Mapping[str, int]) -> str:
    """Return what the symbols of a picture mean, in one line."""
    symbols = {**owner_symbols(owners), **mark_symbols(marks)}
    return ", ".join([*(f"{symbol} {label}" for label, symbol in symbols.items()), f"{FREE} nobody"])


def _cpu_lines(machine: Machine, held: Mapping[int, str] | None, width: int | None) -> list[str]:
    lines = _drawn(picture_rows(machine), held)
    longest = max(map(len, lines), default=0)
    if width is None or longest <= width:
        return lines
    most = max(len(row.cores) for row in picture_rows(machine))
    # Rows are cut into equal parts, the fewest that fit.
    fitting = (_drawn(picture_rows(machine, -(-most // parts)), held) for parts in range(2, most + 1))
    return next((drawn for drawn in fitting if max(map(len, drawn)) <= width), lines)


def _drawn(rows: Sequence[Row], held: Mapping[int, str] | None) -> list[str]:
    places = [_place(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*places, strict=True)]
    names = max((len(_names(core)) for row in rows for core in row.cores), default=0)
    threads = max((len(core) for row in rows for core in row.cores), default=0)
    lines = []
    for row, place in zip(rows, places, strict=True):
        label = "  ".join(f"{part:<{width}}" for part, width in zip(place, widths, strict=True))
        cells = (f"{_names(core):<{names}}{_holders(core, held, threads)}" for core in row.cores)
        lines.append(f"{label} | {' | '.join(cells)} |")
    return lines


def _place(row: Row) -> tuple[str, str, str]:
    return f"socket {row.socket}", f"numa {row.numa}", "L3 -" if row.uncore is None else f"L3 {row.uncore}"


def _names(core: tuple[int, ...]) -> str:
    return ",".join(map(str, core))


def _holders(core: tuple[int, ...], held: Mapping[int, str] | None, threads: int) -> str:
    return "" if held is None else f" {''.join(held.get(cpu, FREE) for cpu in core):<{threads}}"


def _detail_lines(machine: Machine) -> list[str]:
    lines = [f"numa {node.node}: {_memory(node)}" for node in machine.memory]
    for resource in sorted({device.resource for device in machine.devices}):
        devices = (device for device in machine.devices if device.resource == resource)
        lines.append(
            f"{resource}: " + ", ".join(f"{d.id}{_where(d.numa)}{'' if d.healthy else ' unhealthy'}" for d in devices)
        )
    if machine.distances:
        lines.append("distances:")
        width = max(len(str(distance)) for row in machine.distances for distance in row)
        for node, row in zip(machine.memory, machine.distances, strict=True):
            lines.append(f"  numa {node.node:<4} " + " ".join(f"{distance:>{width}}" for distance in row))
    return lines


def _memory(node: MemoryNode) -> str:
    size = "memory unknown" if node.memory is None else f"{node.memory / 2**30:.2f} GiB"
    return ", ".join([size, *(f"{count} pages of {page}" for page, count in sorted(node.hugepages.items()))])


def _where(nodes: tuple[int, ...]) -> str:
    return f" (numa {','.join(map(str, nodes))})" if nodes else ""


@dataclass(frozen=True)
class PlacementMap:
    """CPUs by their holder on a machine, in an order that is kept.

    ``lines`` say more of it; left out, each holder has a line. ``str`` is the text.
    """

    machine: Machine
    held: Mapping[str, CpuSet]
    lines: Sequence[str] | None = None

    def __str__(self) -> str:
        """Return the lines, a blank one, and the map."""
        each = [f"{name}: {len(cpus)} CPUs on {cpus}" for name, cpus in self.held.items()]
        lines = [self.machine.name, *each] if self.lines is None else self.lines
        owners = {name: cpus.bits for name, cpus in self.held.items()}
        return "\n".join([*lines, "", allocation_map(self.machine, owners), ""])
