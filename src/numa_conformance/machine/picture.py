"""A machine as text, with who has which CPUs: for people, and for diffs that people read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from ..cpuset import CpuSet, format_bits
from .model import Machine, MemoryNode
from .picture_rows import FREE, Row, mark_symbols, owner_symbols, owners_by_cpu, picture_rows


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
