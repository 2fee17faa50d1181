"""A machine as a picture for a web page: self-contained, in the page's colours, readable without them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from ..files import text_of
from .model import Machine
from .picture import FREE, Row, mark_symbols, owner_symbols, owners_by_cpu, picture_rows

_CPU, _GAP, _LINE, _LABEL, _MARGIN = 34, 8, 40, 190, 12
_HUES = 8
_STYLE = text_of(__package__, "picture.css").replace("\n", "")


@dataclass(frozen=True, slots=True)
class _Key:
    """What the symbols of a picture stand for: owners, each with a colour, and marks, each with a frame."""

    symbols: Mapping[str, str]
    fills: Mapping[str, str]
    marks: Mapping[str, int]

    def fill(self, labels: Sequence[str]) -> str:
        """Return the colour of a CPU with these labels: that of its last owner."""
        owned = [self.fills[label] for label in labels if label in self.fills]
        return owned[-1] if owned else "var(--numa-free)"

    def kind(self, labels: Sequence[str]) -> str:
        """Return the class of the field of a CPU with these labels."""
        return "cpu marked" if any(label in self.marks for label in labels) else "cpu"


def machine_svg(machine: Machine, owners: Mapping[str, int], marks: Mapping[str, int] | None = None) -> str:
    """Return an ``<svg>`` element: rows as in ``allocation_map``, a box for each core, a field for each CPU.

    Every field carries its CPU number, the symbol of its owner and a title in words; colour only repeats them.
    ``marks`` are further CPUs by what they are, framed. Colours are the CSS variables ``--numa-c0`` to ``--numa-c7``,
    ``--numa-cR``, ``--numa-mark`` and ``--numa-ink``, which a page may set.
    """
    width, height, body, legend = _picture(machine, owners, marks or {})
    return _element(machine, width, height, [body], legend)


def machine_svgs(machine: Machine, pictures: Mapping[str, Mapping[str, int]]) -> str:
    """Return one ``<svg>`` element with pictures of a machine, heading to owners, one below the other.

    Give owners of the same name the same place in each, so that they have the same symbol and colour.
    """
    drawn, tellings = [], []
    width = below = 0
    for heading, owners in pictures.items():
        wide, high, body, legend = _picture(machine, owners, {})
        drawn.append(f'<text class="heading" x="{_MARGIN}" y="{below + _MARGIN + 12}">{escape(heading)}</text>')
        drawn.append(f'<g transform="translate(0,{below + _LINE})">{body}</g>')
        tellings.append(f"{heading}: {legend}")
        width, below = max(width, wide), below + _LINE + high
    return _element(machine, width, below, drawn, "; ".join(tellings))


def _element(machine: Machine, width: int, height: int, body: Sequence[str], legend: str) -> str:
    title = escape(f"CPUs of {machine.name}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="numa-map" role="img" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" aria-label="{title}">'
        f"<title>{title}</title>"
        f"<desc>{escape(f'{len(machine.cpus)} CPUs by socket, NUMA node, L3 cache and core: {legend}')}</desc>"
        f"<style>{_STYLE}</style>{''.join(body)}</svg>\n"
    )


def _picture(machine: Machine, owners: Mapping[str, int], marks: Mapping[str, int]) -> tuple[int, int, str, str]:
    """Return a picture's width, height and elements, and what its symbols mean."""
    marks = {label: cpus for label, cpus in marks.items() if cpus and label not in owners}
    owned = owner_symbols(owners)
    key = _Key({**owned, **mark_symbols(marks)}, _fills(owned), marks)
    held = owners_by_cpu({**owners, **marks})
    rows = picture_rows(machine)
    widest = max((sum(len(core) * _CPU + _GAP for core in row.cores) for row in rows), default=0)
    body = [_row(row, at, held, key) for at, row in enumerate(rows)]
    below = _MARGIN + len(rows) * _LINE + _GAP
    body.extend(_legend(key, below))
    lines = len(key.symbols) + 1 if key.symbols else 0
    legend = "; ".join(f"{symbol} is {label}" for label, symbol in key.symbols.items()) or "no owners are shown"
    return 2 * _MARGIN + _LABEL + widest, below + 22 * lines + _MARGIN, "".join(body), legend


def _fills(symbols: Mapping[str, str]) -> dict[str, str]:
    """Give each owner a colour; nine owners and more share some, and their symbols tell them apart."""
    fills: dict[str, str] = {}
    for label, symbol in symbols.items():
        named = {"R": "var(--numa-cR)", ".": "var(--numa-free)"}.get(symbol)
        fills[label] = named or f"var(--numa-c{len(fills) % _HUES})"
    return fills


def _row(row: Row, at: int, held: Mapping[int, list[str]], key: _Key) -> str:
    top = _MARGIN + at * _LINE
    cache = "no L3" if row.uncore is None else f"L3 {row.uncore}"
    parts = [f'<g><text x="{_MARGIN}" y="{top + 20}">{escape(f"socket {row.socket}  numa {row.numa}  {cache}")}</text>']
    left = _MARGIN + _LABEL
    for core in row.cores:
        parts.append(
            f'<rect class="core" x="{left - 2}" y="{top - 2}" width="{len(core) * _CPU + 2}" height="34" rx="3"/>'
        )
        for cpu in core:
            parts.append(_cpu(cpu, left, top, held.get(cpu, []), key))
            left += _CPU
        left += _GAP
    return "".join([*parts, "</g>"])


def _cpu(cpu: int, left: int, top: int, labels: list[str], key: _Key) -> str:
    who = "".join(key.symbols[label] for label in labels) or (FREE if key.symbols else "")
    words = f"CPU {cpu}: {' and '.join(labels) or 'nobody'}" if key.symbols else f"CPU {cpu}"
    return (
        f'<g><title>{escape(words)}</title><rect class="{key.kind(labels)}" x="{left}" y="{top}" width="{_CPU - 2}"'
        f' height="30" style="fill:{key.fill(labels)}"/><text class="id" x="{left + 3}" y="{top + 11}">{cpu}</text>'
        f'<text class="who" x="{left + _CPU // 2 - 1}" y="{top + 25}">{escape(who)}</text></g>'
    )


def _legend(key: _Key, top: int) -> list[str]:
    if not key.symbols:
        return []
    entries = [(symbol, label, key.kind([label]), key.fill([label])) for label, symbol in key.symbols.items()]
    entries.append((FREE, "nobody", "cpu", key.fill([])))
    return [
        f'<g><rect class="{kind}" x="{_MARGIN}" y="{top + 22 * at}" width="26" height="16" style="fill:{fill}"/>'
        f'<text class="who" x="{_MARGIN + 13}" y="{top + 22 * at + 12}">{escape(symbol)}</text>'
        f'<text x="{_MARGIN + 36}" y="{top + 22 * at + 12}">{escape(label)}</text></g>'
        for at, (symbol, label, kind, fill) in enumerate(entries)
    ]
