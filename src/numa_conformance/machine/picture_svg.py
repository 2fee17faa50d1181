"""A machine as a picture for a web page: self-contained, in the page's colours, readable without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from .model import Machine
from .picture_rows import FREE, Row, owner_symbols, owners_by_cpu, picture_rows

__all__ = ["machine_svg", "machine_svgs"]

_CPU, _GAP, _LINE, _LABEL, _MARGIN = 34, 8, 40, 190, 12
_HUES = 8
_STYLE = """
.numa-map{font:12px ui-monospace,monospace;color-scheme:light dark;color:var(--numa-ink,#1b1f24);
--numa-c0:#9ecae9;--numa-c1:#ffbf79;--numa-c2:#9fd8a0;--numa-c3:#f2a6a0;--numa-c4:#cdb5e3;--numa-c5:#e3cf8f;
--numa-c6:#8fd3cd;--numa-c7:#f0b3d3;--numa-cR:#c3c8ce;--numa-free:transparent}
@media (prefers-color-scheme:dark){.numa-map{color:var(--numa-ink,#e6e8eb);
--numa-c0:#2a5f86;--numa-c1:#8a5213;--numa-c2:#2f6b35;--numa-c3:#86352f;--numa-c4:#5f4382;--numa-c5:#6b5a16;
--numa-c6:#1f6661;--numa-c7:#7a3059;--numa-cR:#555b63}}
.numa-map text{fill:currentColor}.numa-map rect{stroke:currentColor;stroke-width:1}
.numa-map .core{fill:none;stroke-opacity:.55}.numa-map .cpu{stroke-opacity:.35}.numa-map .id{font-size:10px}
.numa-map .heading{font-size:15px;font-weight:700}.numa-map .who{font-weight:700;text-anchor:middle}
""".strip().replace("\n", "")


def machine_svg(machine: Machine, owners: Mapping[str, int]) -> str:
    """Return an ``<svg>`` element: rows as in ``allocation_map``, a box for each core, a field for each CPU.

    Every field carries its CPU number, the symbol of its owner and a title in words; colour only repeats them. Colours
    are the CSS variables ``--numa-c0`` to ``--numa-c7``, ``--numa-cR`` and ``--numa-ink``, which a page may set.
    """
    return machine_svgs(machine, [("", owners)])


def machine_svgs(machine: Machine, pictures: Sequence[tuple[str, Mapping[str, int]]]) -> str:
    """Return one ``<svg>`` element with pictures of a machine one below the other, each under its title.

    Give owners of the same name the same place in each, so that they have the same symbol and colour.
    """
    drawn = []
    width = below = 0
    for heading, owners in pictures:
        if heading:
            drawn.append(f'<text class="heading" x="{_MARGIN}" y="{below + _MARGIN + 12}">{escape(heading)}</text>')
            below += _LINE
        wide, high, body = _picture(machine, owners)
        drawn.append(f'<g transform="translate(0,{below})">{body}</g>' if below else body)
        width, below = max(width, wide), below + high
    title = escape(f"CPUs of {machine.name}")
    told = "; ".join(f"{heading}: {_owned(owners)}" if heading else _owned(owners) for heading, owners in pictures)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="numa-map" role="img" viewBox="0 0 {width} {below}"'
        f' width="{width}" height="{below}" aria-label="{title}">'
        f"<title>{title}</title>"
        f"<desc>{escape(f'{len(machine.cpus)} CPUs by socket, NUMA node, L3 cache and core: {told}')}</desc>"
        f"<style>{_STYLE}</style>{''.join(drawn)}</svg>\n"
    )


def _owned(owners: Mapping[str, int]) -> str:
    return "; ".join(f"{symbol} is {label}" for label, symbol in owner_symbols(owners).items()) or "no owners are shown"


def _picture(machine: Machine, owners: Mapping[str, int]) -> tuple[int, int, str]:
    """Return a picture's width, height and elements."""
    symbols = owner_symbols(owners)
    held = owners_by_cpu(owners)
    rows = picture_rows(machine)
    fills = _fills(symbols)
    widest = max((sum(len(core) * _CPU + _GAP for core in row.cores) for row in rows), default=0)
    body = [_row(row, at, held, symbols, fills) for at, row in enumerate(rows)]
    below = _MARGIN + len(rows) * _LINE + _GAP
    body.extend(_legend(symbols, fills, below))
    lines = len(symbols) + 1 if symbols else 0
    return 2 * _MARGIN + _LABEL + widest, below + 22 * lines + _MARGIN, "".join(body)


def _fills(symbols: Mapping[str, str]) -> dict[str, str]:
    """Give each owner a colour; nine owners and more share some, and their symbols tell them apart."""
    fills: dict[str, str] = {}
    for label, symbol in symbols.items():
        named = {"R": "var(--numa-cR)", ".": "var(--numa-free)"}.get(symbol)
        fills[label] = named or f"var(--numa-c{len(fills) % _HUES})"
    return fills


def _row(row: Row, at: int, held: Mapping[int, list[str]], symbols: Mapping[str, str], fills: Mapping[str, str]) -> str:
    top = _MARGIN + at * _LINE
    cache = "no L3" if row.uncore is None else f"L3 {row.uncore}"
    parts = [f'<g><text x="{_MARGIN}" y="{top + 20}">{escape(f"socket {row.socket}  numa {row.numa}  {cache}")}</text>']
    left = _MARGIN + _LABEL
    for core in row.cores:
        parts.append(
            f'<rect class="core" x="{left - 2}" y="{top - 2}" width="{len(core) * _CPU + 2}" height="34" rx="3"/>'
        )
        for cpu in core:
            parts.append(_cpu(cpu, left, top, held.get(cpu, []), symbols, fills))
            left += _CPU
        left += _GAP
    return "".join([*parts, "</g>"])


def _cpu(cpu: int, left: int, top: int, labels: list[str], symbols: Mapping[str, str], fills: Mapping[str, str]) -> str:
    who = "".join(symbols[label] for label in labels) or (FREE if symbols else "")
    words = f"CPU {cpu}: {' and '.join(labels) or 'nobody'}" if symbols else f"CPU {cpu}"
    fill = fills[labels[-1]] if labels else "var(--numa-free)"
    return (
        f'<g><title>{escape(words)}</title><rect class="cpu" x="{left}" y="{top}" width="{_CPU - 2}" height="30"'
        f' style="fill:{fill}"/><text class="id" x="{left + 3}" y="{top + 11}">{cpu}</text>'
        f'<text class="who" x="{left + _CPU // 2 - 1}" y="{top + 25}">{escape(who)}</text></g>'
    )


def _legend(symbols: Mapping[str, str], fills: Mapping[str, str], top: int) -> list[str]:
    if not symbols:
        return []
    entries = [(symbol, label, fills[label]) for label, symbol in symbols.items()]
    entries.append((FREE, "nobody", "var(--numa-free)"))
    return [
        f'<g><rect x="{_MARGIN}" y="{top + 22 * at}" width="26" height="16" style="fill:{fill}"/>'
        f'<text class="who" x="{_MARGIN + 13}" y="{top + 22 * at + 12}">{escape(symbol)}</text>'
        f'<text x="{_MARGIN + 36}" y="{top + 22 * at + 12}">{escape(label)}</text></g>'
        for at, (symbol, label, fill) in enumerate(entries)
    ]
