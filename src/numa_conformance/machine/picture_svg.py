"""A machine as a picture for a web page: self-contained, in the page's colours, readable without them."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import groupby, pairwise
from typing import NamedTuple

from ..files import text_of
from ..printable import printable
from .model import Machine
from .picture import FOLDED_ABOVE
from .picture_layout import Box
from .picture_scene import Amounts, Scene, Stock

_CPU, _HIGH, _GAP, _PAD, _LINE, _LABEL, _MARGIN = 28, 30, 5, 7, 16, 42, 10
_CPUS_IN_A_ROW, _NARROWEST, _LETTER = 8, 290, 7.25
_MOST_IN_LEGEND = 40


class _Shape(NamedTuple):
    """A field with its title, or a text where it has no size; ``kind``: its CSS classes."""

    kind: str
    text: str
    left: int
    top: int
    width: int = 0
    height: int = 0

    def __str__(self) -> str:
        place, text = f'class="{self.kind}" x="{self.left}" y="{self.top}"', escape(printable(self.text))
        if not self.width:
            return f"<text {place}>{text}</text>\n"
        title = f"<title>{text}</title>" if text else ""
        return f'<rect {place} width="{self.width}" height="{self.height}">{title}</rect>\n'


@dataclass
class _Block:
    """A part of a picture that moves as a whole, next to none if ``is_wide``: shapes, and its height so far."""

    width: int
    is_wide: bool = False
    shapes: list[_Shape] = field(default_factory=list)
    height: int = 0

    def write(self, text: str, left: int, kind: str = "") -> None:
        """Write a text below what there is, in as many lines as it takes."""
        for line in textwrap.wrap(text, int((self.width - 2 * left) / _LETTER), break_on_hyphens=False):
            self.shapes.append(_Shape(kind, line, left, self.height + _LINE - 3))
            self.height += _LINE

    def drawn(self, left: int, top: int, below: int) -> str:
        """Return the element at its place, and its place where all blocks are one column, which a page may choose."""
        column = f"translate({_MARGIN}px,{below}px)"
        shapes = "".join(map(str, self.shapes))
        return f'<g class="block" transform="translate({left},{top})" style="--at:{column}">\n{shapes}</g>\n'


def machine_svg(
    machine: Machine,
    owners: Mapping[str, int],
    marks: Mapping[str, int] | None = None,
    *,
    amounts: Mapping[str, Amounts] | None = None,
    legend: bool = True,
) -> str:
    """Return an ``<svg>`` element: boxes as in ``allocation_map``, bars of memory, devices, fields of cores.

    Every core has its CPUs' numbers, the symbol of its owner and a title in words; colour only repeats them. ``marks``
    are further CPUs by what they are, framed. ``amounts``: memory and devices by owner. What is alike in a large
    machine is one box. Colours are the CSS variables ``--numa-c0`` to
    ``--numa-c7``, ``--numa-cR``, ``--numa-mark``, ``--numa-ink`` and ``--numa-paper``, which a page may set.
    Within an element of class ``numa-page`` the picture is one column wide on a narrow screen.
    """
    marks = {label: cpus for label, cpus in (marks or {}).items() if cpus and label not in owners}
    return scenes_svg({"": Scene(machine, owners, amounts or {}, marks)}, legend=legend)


def scenes_svg(scenes: Mapping[str, Scene], *, legend: bool = True) -> str:
    """Return one ``<svg>`` element with pictures, heading to scene, one below the other; the last has the legend."""
    blocks: list[_Block] = []
    writers = {heading: _Writer(scene) for heading, scene in scenes.items()}
    for heading, writer in writers.items():
        blocks += [*writer.heading(heading), *writer.blocks()]
    blocks += writer.legend() if legend else []
    wide = 1 + any(not (block.is_wide or after.is_wide) for block, after in pairwise(blocks))
    ends, below, places = [_MARGIN] * wide, _MARGIN, []
    for block in blocks:
        end = max(ends) if block.is_wide else min(ends)
        at = 0 if block.is_wide else ends.index(end)
        places.append((_MARGIN + at * (block.width + _MARGIN), end, below))
        ends[at] = end + block.height + _MARGIN
        ends = [ends[at]] * wide if block.is_wide else ends
        below += block.height + _MARGIN
    scene, size = writer.scene, (wide * (writer.width + _MARGIN) + _MARGIN, max(ends))
    owners = [f"{symbol} is {label}" for label, symbol in scene.symbols.items()][:_MOST_IN_LEGEND]
    cpus = f"{len(scene.machine.cpus)} CPUs by socket, NUMA node, L3 cache and core"
    description = escape(printable(f"{cpus}: {'; '.join(owners) or 'no owners are shown'}"))
    title = escape(printable(f"CPUs of {scene.machine.name}"))
    style = text_of(__package__, "picture.css").replace("\n", "")
    narrow = writer.width + 2 * _MARGIN
    body = (block.drawn(*place) for place, block in zip(places, blocks, strict=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="numa-map" role="img" viewBox="0 0 {size[0]} {size[1]}"'
        f' width="{size[0]}" height="{size[1]}" preserveAspectRatio="xMinYMin" aria-label="{title}"'
        f' style="--w:{narrow}px;--h:{below}px;--k:{size[0] / narrow:.4f}">\n<title>{title}</title>'
        f"<desc>{description}</desc><style>{style}</style>\n"
        f"<g>\n{''.join(body)}</g></svg>\n"
    )


@dataclass
class _Writer:
    """Writes the boxes of a scene into blocks."""

    scene: Scene

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """The boxes, with as many cores in a row as have eight CPUs."""
        threads = max((core.bit_count() for core in self.scene.machine.core_bits), default=1)
        return self.scene.boxes(max(1, _CPUS_IN_A_ROW // threads), FOLDED_ABOVE)

    @cached_property
    def width(self) -> int:
        """The width of every block."""
        return max([_NARROWEST, *map(_width, self.boxes)])

    def blocks(self) -> list[_Block]:
        """Return a block for each outermost box, and one for what is in none."""
        blocks = [_Block(self.width) for _ in self.boxes]
        for block, box in zip(blocks, self.boxes, strict=True):
            self._box(block, box, 0)
        rest = _Block(self.width)
        self._stocks(rest, self.scene.devices(None), 0)
        for remark in self.scene.remarks:
            rest.write(remark, 0)
        return [*blocks, *([rest] if rest.height else [])]

    def heading(self, text: str) -> list[_Block]:
        """Return a heading as a block, none of an empty one."""
        block = _Block(self.width, is_wide=True)
        block.write(text, 0, "heading")
        return [block] if text else []

    def legend(self) -> list[_Block]:
        """Return what the symbols mean as a block, none of a scene without owners."""
        block, symbols = _Block(self.width, is_wide=True), self.scene.symbols
        for label in [*symbols][:_MOST_IN_LEGEND]:
            block.shapes.append(_Shape(self._kind("core", [label]), "", 0, block.height, _CPU, 20))
            block.shapes.append(_Shape("who", symbols[label], _CPU // 2, block.height + 14))
            block.write(label, _CPU + 8)
            block.height += 6
        if (more := len(symbols) - _MOST_IN_LEGEND) > 0:
            block.write(f"and {more} more", _CPU + 8)
        return [block] if symbols else []

    def _kind(self, kind: str, labels: Sequence[str]) -> str:
        """Return the classes of a field: what it is, the colour of its last owner, and whether it is marked."""
        colours = [self.scene.colours[label] for label in labels if label in self.scene.colours]
        marked = ["marked"] if any(label in self.scene.marks for label in labels) else []
        return " ".join([kind, *(colours[-1:] or ["free"]), *marked])

    def _box(self, block: _Block, box: Box, left: int) -> None:
        """Write a box below what is in the block, with what is in it."""
        if box.kind == "cores" and not box.is_folded:
            self._cores(block, box, left)
            return
        name, top, frame = self.scene.name(box), block.height, len(block.shapes)
        title = f"{name}{', each' if box.ids[1:] else ''}: {self.scene.caption(box)}".removeprefix(": ")
        inner = left + _PAD
        block.height += _PAD - 3
        if box.is_folded:
            block.write(title, inner, "quiet")
        elif _is_labelled(box):
            block.height += 3
            block.shapes.append(_Shape("", name, inner, block.height + 19))
            inner += _LABEL
        else:
            block.write(name if box.cpus else f"{name}: no CPUs", inner, "name")
            block.height += 3
            self._stocks(block, self.scene.stocks_in(box), inner)
        for each in () if box.is_folded else box.boxes:
            self._box(block, each, inner)
        block.height += _PAD - _GAP
        if box.kind != "cores":
            size = block.width - 2 * left, block.height - top
            kind = f"{box.kind} folded" if box.is_folded else box.kind
            block.shapes.insert(frame, _Shape(kind, title, left, top, *size))
        block.height += _GAP

    def _cores(self, block: _Block, row: Box, left: int) -> None:
        """Write a row of cores: a field for each, or one for each CPU where owners differ."""
        top, labels_of = block.height, self.scene.labels
        for core in row.cores:
            for labels, group in groupby(core, key=lambda cpu: labels_of.get(cpu, ())):
                cpus = [*group]
                wide = len(cpus) * _CPU
                who = f": {' and '.join(labels) or 'free'}" if self.scene.symbols else ""
                title = f"CPU{'s' * (len(cpus) > 1)} {','.join(map(str, cpus))}{who}"
                block.shapes.append(_Shape(self._kind("core", labels), title, left, top, wide, _HIGH))
                if labels:
                    symbols = self.scene.symbols_of(labels)
                    kind = "who long" if len(symbols) > 3 * len(cpus) else "who"
                    block.shapes.append(_Shape(kind, symbols, left + wide // 2, top + 25))
                kind, below = ("id", 11) if labels else ("id free", 19)
                for cpu in cpus:
                    block.shapes.append(_Shape(kind, str(cpu), left + _CPU // 2, top + below))
                    left += _CPU
            left += _GAP
        block.height = top + _HIGH + _GAP

    def _stocks(self, block: _Block, stocks: Sequence[Stock], left: int) -> None:
        """Write memory, pages and devices as bars with the parts of owners."""
        room = block.width - 2 * left
        for stock in stocks:
            frame, top, at = len(block.shapes), block.height, left
            block.write(stock.text, left + 4, "amount")
            high = block.height - top
            fields = [_Shape("stock", stock.text, left, top, room, high)]
            for label, number in stock.parts:
                wide = min(max(2, room * number // stock.total), left + room - at) if stock.total else 0
                fields.append(_Shape(self._kind("part", [label]), label, at, top, wide, high))
                at += wide
            block.shapes[frame:frame] = [shape for shape in fields if shape.width]
            block.height += 3
        block.height += _GAP if stocks else 0


def _is_labelled(box: Box) -> bool:
    """Tell whether the name of a box stands next to its rows: that of a cache without NUMA nodes."""
    return box.kind == "L3" and not (box.is_folded or box.is_part) and all(row.kind == "cores" for row in box.boxes)


def _width(box: Box) -> int:
    if box.kind == "cores" or box.is_folded:
        return sum(len(core) * _CPU + _GAP for core in box.cores if not box.is_folded) - _GAP
    return max((_width(each) for each in box.boxes), default=0) + 2 * _PAD + (_LABEL if _is_labelled(box) else 0)
