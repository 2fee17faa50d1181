"""A machine as a picture in a terminal: sockets, NUMA nodes, caches and cores, with an owner for each CPU."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..cpuset import CpuSet
from ..printable import folded_text
from .model import Machine
from .picture_layout import Box
from .picture_scene import FREE, Amounts, Scene

CPUS_IN_A_ROW = 16
FOLDED_ABOVE = 64
"""CPUs of a machine above which boxes that are alike are one, for people who look at it."""
_COLOURS = (36, 33, 32, 35, 34, 31)
_DIM = 2
_CELL = re.compile(r"(?<=\| )[0-9,]+ *([^| 0-9]\S*)?(?= *\|)")


def allocation_map(
    machine: Machine,
    owners: Mapping[str, int],
    *,
    marks: Mapping[str, int] | None = None,
    amounts: Mapping[str, Amounts] | None = None,
    legend: bool = True,
    details: bool = False,
    width: int | None = None,
    fold: int | None = None,
) -> str:
    """Draw a machine: what lies within a socket, NUMA node or cache is below it, further in.

    ``socket 0, NUMA 0, L3 0 | 0,64 R. | 1,65 aa | 2,66    |`` shows three cores. Of CPUs 0 and 64 the first is
    reserved, and the second is in the shared pool. CPUs 1 and 65 are both of owner ``a``. Nobody has 2 and 66.
    ``owners`` maps a label to CPUs as bits. A CPU of several owners shows all of them in square brackets, and a free
    one next to one that is held shows ``-``. ``marks`` are further CPUs by what they are, with the symbols ``X``, ``Y``
    and ``Z``. ``amounts``: memory and devices by owner. With ``amounts`` or ``details`` each NUMA node shows its
    memory, huge pages and devices. With ``details`` distances follow. A CPU that changes its owner changes one line.
    But of a machine of more than ``fold`` CPUs what is alike is one line. With a ``width``, rows are cut into equal
    parts that fit so many columns. No trailing newline.
    """
    scene = Scene(machine, owners, amounts or {}, marks or {})
    return scene_text(scene, legend=legend, details=details, width=width, fold=fold)


def scene_text(
    scene: Scene, *, legend: bool = True, details: bool = False, width: int | None = None, fold: int | None = None
) -> str:
    """Draw a scene as ``allocation_map`` does."""
    machine = scene.machine
    writer = _Writer(scene, details or bool(scene.amounts))
    lines = writer.lines(width, fold)
    if writer.details:
        lines.extend(f"no NUMA node: {stock.text}" for stock in scene.devices(None))
    lines.extend(scene.remarks)
    if details:
        lines.extend(_distance_lines(machine, width))
    if legend and scene.symbols:
        wide = max(map(len, scene.symbols.values()))
        lines.extend(("", *(f"{symbol:<{wide}} {label}" for label, symbol in scene.symbols.items())))
        lines.append(f"{FREE:<{wide}} free, as cores without a symbol")
    return "\n".join(line if "|" in line else folded_text(line, width) for line in lines)


def legend_line(owners: Mapping[str, int], marks: Mapping[str, int]) -> str:
    """Return what the symbols of a picture mean, in one line."""
    symbols = Scene(Machine("", (), ()), owners, marks=marks).symbols
    return f"symbols: {', '.join([*(f'{symbol} {label}' for label, symbol in symbols.items()), f'{FREE} free'])}"


def coloured(picture: str) -> str:
    """Return a picture with ANSI escapes: a colour for each symbol, dim cores that are free."""

    def colour(match: re.Match[str]) -> str:
        code = _COLOURS[ord(match[1].lstrip("[(-")[0]) % len(_COLOURS)] if match[1] else _DIM
        return f"\x1b[{code}m{match[0]}\x1b[0m"

    return _CELL.sub(colour, picture)


@dataclass(frozen=True)
class _Writer:
    """Writes the boxes of a scene as lines; ``details``: with memory and devices."""

    scene: Scene
    details: bool

    def lines(self, width: int | None, fold: int | None) -> list[str]:
        """Return the lines, with rows that fit ``width`` where any do."""
        threads = max((core.bit_count() for core in self.scene.machine.core_bits), default=1)
        most = max(1, CPUS_IN_A_ROW // threads)
        while True:
            lines = self._lines(self.scene.boxes(most, fold), threads)
            longest = max((len(line) for line in lines if line.endswith("|")), default=0)
            if width is None or longest <= width or most == 1:
                return lines
            most = max(1, min(most - 1, most * width // longest))

    def _lines(self, boxes: Sequence[Box], threads: int) -> list[str]:
        items = list(self._items(boxes, ""))
        rows = [(label, row.cores) for label, row in items if isinstance(row, Box)]
        wide = max((len(label) for label, _ in rows), default=0)
        names = max((len(_names(core)) for _, cores in rows for core in cores), default=0)
        lines = []
        for label, item in items:
            if isinstance(item, Box):
                cells = (f"{_names(core):<{names}}{self._symbols(core, threads)}" for core in item.cores)
                lines.append(f"{label:<{wide}} | {' | '.join(cells)} |")
            elif label.strip():
                lines.append(f"{label}: {item}" if item else label)
            else:
                lines.append(f"{label:<{wide}} | {item}")
        return lines

    def _items(self, boxes: Sequence[Box], indent: str, prefix: str = "") -> Iterator[tuple[str, Box | str]]:
        """Yield lines: their beginning, and the row or text behind it. A box of one box stands in its line."""
        for at, box in enumerate(boxes):
            name = self.scene.name(box)
            label = indent + (prefix + name if name or not at else "")
            details = [stock.text for stock in self.scene.stocks_in(box)] if self.details else []
            if box.is_folded:
                yield f"{label}{', each' if box.ids[1:] else ''}", self.scene.caption(box)
            elif box.kind == "cores":
                yield label, box
            elif details or not box.boxes:
                yield label, ", ".join([*([] if box.boxes else ["no CPUs"]), *details[:1]])
                yield from ((f"{indent}    {text}", "") for text in details[1:])
                yield from self._items(box.boxes, f"{indent}  ")
            elif len(box.boxes) == 1 and box.boxes[0].kind != "cores":
                yield from self._items(box.boxes, indent, f"{prefix}{name}, ")
            elif box.boxes[0].kind == "cores":
                yield from self._items(box.boxes, indent, prefix + name)
            else:
                yield label, ""
                yield from self._items(box.boxes, f"{indent}  ")

    def _symbols(self, core: Sequence[int], threads: int) -> str:
        if not self.scene.symbols:
            return ""
        held = [self.scene.symbols_of(self.scene.labels.get(cpu, ())) for cpu in core]
        return f" {''.join(symbol or FREE for symbol in held) if any(held) else '':<{threads}}"


def _names(core: Sequence[int]) -> str:
    return ",".join(map(str, core))


def _distance_lines(machine: Machine, width: int | None) -> Iterator[str]:
    if machine.distances and machine.distances[1:]:
        numbers = sorted({distance for row in machine.distances for distance in row})
        wide = len(str(numbers[-1]))
        if width is not None and 11 + len(machine.distances) * (wide + 1) > width:
            yield f"distances: from {numbers[0]} to {numbers[-1]} (--json lists them)"
            return
        yield "distances:"
        for node, row in zip(machine.memory, machine.distances, strict=True):
            yield f"  NUMA {node.node:<4} " + " ".join(f"{distance:>{wide}}" for distance in row)


@dataclass(frozen=True)
class PlacementMap:
    """CPUs by their holder on a machine, in an order that is kept.

    ``lines`` say more of it; left out, each holder has a line. ``str`` is the text.
    """

    machine: Machine
    held: Mapping[str, CpuSet]
    lines: Sequence[str] | None = None

    def __str__(self) -> str:
        each = [f"{name}: {len(cpus)} CPUs on {cpus}" for name, cpus in self.held.items()]
        lines = [self.machine.name, *each] if self.lines is None else self.lines
        owners = {name: cpus.bits for name, cpus in self.held.items()}
        return "\n".join([*lines, "", allocation_map(self.machine, owners), ""])
