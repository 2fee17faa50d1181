"""Lines and tables: lscpu, numactl -H, /proc/cpuinfo. What a text lacks is a plain Python error."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from ...cpuset import CpuSet, bit_of
from ...errors import Fault, UsageError
from .facts import CACHE, CORE, COUNTS, DISTANCE, MEMORY, NUMA, SIZE, SOCKET, THREADS, Facts
from .objects import json_of

CORES, NODES, SOME_CACHE, ADJACENT = "cores", "NUMA nodes", "last-level cache", "siblings in a row"
_LABEL = re.compile(r"^[ \t]*([^:\n]{1,80}?)[ \t]*:[ \t]*(.*)$", re.M)
_LIST = re.compile(r"[0-9]{1,5}(?:-[0-9]{1,5})?(?:,[0-9]{1,5}(?:-[0-9]{1,5})?)*", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,5}", re.ASCII)
_NODE_LABEL = re.compile(r"[^0-9]{0,40}?NUMA[^0-9]{1,40}([0-9]{1,5})[^0-9]*", re.ASCII)
_COLUMNS: Mapping[str, str] = {"node": NUMA, "socket": SOCKET, "core": CORE, "l3": CACHE}
_USUAL = "cpu,core,socket,node,,l1d,l1i,l2,l3"
_NODE_LINE = re.compile(r"^[ \t#]*node ([0-9]{1,5}) (cpus|size):[ \t]*([0-9 ]*)", re.M | re.ASCII)
_DISTANCE_LINE = re.compile(r"^[ \t#]*(node|[0-9]{1,5}:)((?:[ \t]+[0-9]{1,5})+)[ \t]*(?:[<(#].*)?$", re.M | re.ASCII)


def read_summary(text: str, facts: Facts) -> None:
    """Read plain lscpu in any language: what a label does not tell, the order and the numbers do."""
    lines = [(match[1], match[2].strip()) for match in _LABEL.finditer(text)]
    nodes = [(match[1], value) for label, value in lines if (match := _NODE_LABEL.fullmatch(label))]
    for node, value in nodes:
        for cpu in CpuSet.parse(value.removesuffix("None")):
            facts.put(cpu, {NUMA: int(node)})
        facts.say(CpuSet.parse(value.removesuffix("None")).bits.bit_count(), SIZE, int(node))
    listed, facts.cpus = facts.cpus, facts.cpus or 0
    for (_, count), (_, online), (_, offline) in zip(lines, lines[1:], [*lines[2:], ("", "")], strict=False):
        if _NUMBER.fullmatch(count) and _LIST.fullmatch(online):
            cpus, others = CpuSet.parse(online), CpuSet.parse(offline if _LIST.fullmatch(offline) else "")
            if int(count) in (len(cpus), len(cpus) + len(others)):
                facts.cpus, facts.offline = cpus.bits, others.bits if int(count) > len(cpus) else 0
                break
    _read_counts(lines, facts)
    named = facts.says.get((NODES,), 0)
    if (named > 1 or nodes) and (len(nodes) != named > 0 or listed != facts.cpus):
        raise UsageError(
            Fault(facts.place, f"lists {len(nodes)} of {named} NUMA nodes, or not all CPUs", "the whole text")
        )


def _read_counts(lines: Sequence[tuple[str, str]], facts: Facts) -> None:
    """Read threads, cores, sockets, NUMA nodes and caches."""

    def first(beginning: str) -> int | None:
        return next(
            (int(value) for label, value in lines if label.startswith(beginning) and _NUMBER.fullmatch(value)), None
        )

    threads, cores, sockets = first("Thread(s) per core"), first("Core(s) per"), first("Socket(s)")
    if first("Book(s)"):
        sockets = None  # of a mainframe, in which most are those of others
    if not threads:
        threads, cores, sockets = _fitting(lines, facts.cpus.bit_count())
    facts.say(threads, THREADS)
    facts.say(sockets, COUNTS[SOCKET])
    facts.say(cores * sockets if cores and sockets else None, CORES)
    for label, value in lines:
        if "NUMA" in label and _NUMBER.fullmatch(value) and not _NODE_LABEL.fullmatch(label):
            facts.say(int(value), NODES)
        instances = re.search(r"\(([0-9]{1,5}) ", value)
        if re.match(r"(?:Cache )?L3", label):
            facts.say(int(instances[1]) if instances else 1, *((COUNTS[CACHE],) if instances else (SOME_CACHE,)))
    if not any(re.match(r"(?:Cache )?L3", label) for label, _ in lines) and any("L1d" in label for label, _ in lines):
        facts.say(0, COUNTS[CACHE])
    if any(re.match("ppc|s390", value) for _, value in lines):
        facts.say(1, ADJACENT)


def _fitting(lines: Sequence[tuple[str, str]], online: int) -> Sequence[int | None]:
    """Return threads, cores and sockets, in whatever language: numbers in this order that make so many CPUs.

    Where several do, those that follow the processor's family and model, as new versions print them, or go first in
    their row, as with old ones.
    """
    words = (value if _NUMBER.fullmatch(value) and "NUMA" not in label else "|" for label, value in lines)
    rows = [[int(word) for word in row.split()] for row in " ".join(words).split("|")]
    fitting = [
        (at != min(len(row) - 3, 2), row[at : at + 3])
        for row in rows for at in range(len(row) - 2) if prod(row[at : at + 3]) == online
    ]  # fmt: skip
    return min(fitting)[1] if fitting else (None, None, None)


def read_rows(text: str, facts: Facts) -> None:
    """Read the table of lscpu -e or -p."""
    header: list[str] = []
    for line in text.lower().splitlines():
        commas = re.match("[ \t#]*(?:cpu|[0-9]{1,5}),", line)
        cells = [cell.strip() for cell in line.strip(" \t#").split("," if commas else None)]
        if cells and cells[0] == "cpu" and any(name in cells for name in _COLUMNS):
            header = cells
        elif cells and _NUMBER.fullmatch(cells[0]) and (header or commas):
            _read_row(header or _USUAL.split(","), cells, facts)


def read_json(text: str, facts: Facts) -> None:
    """Read lscpu -J, with -e too."""
    document = json_of(text, facts)
    for row in document.get("cpus", ()):
        _read_row([key.lower() for key in row], [str(cell).lower() for cell in row.values()], facts)
    lines = [f"{field}: {data}" for field, data in _fields(document.get("lscpu", ()))]
    if lines:
        read_summary("\n".join(lines), facts)


def _fields(rows: Sequence[Any]) -> list[tuple[str, str]]:
    """Return the fields of lscpu -J, those below others after these."""
    fields = []
    for row in rows:
        fields.append((row["field"].rstrip(" :"), " ".join(str(row.get("data")).split())))
        fields += _fields(row.get("children") or ())
    return fields


def _read_row(header: Sequence[str], row: Sequence[str], facts: Facts) -> None:
    cells: dict[str, str] = {}
    for names, values in zip(header, row, strict=False):
        cells.update(zip(names.split(":"), values.split(":"), strict=False))
    groups = {
        relation: int(cells[name]) for name, relation in _COLUMNS.items() if _NUMBER.fullmatch(cells.get(name, ""))
    }
    if CORE in groups:
        groups[CORE] |= groups.get(SOCKET, 0) << 32  # some versions number cores within their socket
    if cells.get("online", "yes") in ("no", "n", "false"):
        facts.offline |= bit_of(int(cells["cpu"]))
    else:
        facts.put(int(cells["cpu"]), groups)


def read_nodes(text: str, facts: Facts) -> None:
    """Read numactl -H."""
    for node, what, values in _NODE_LINE.findall(text):
        for cpu in values.split() if what == "cpus" else ():
            facts.put(int(cpu), {NUMA: int(node)})
        facts.say(int(values.split()[0]) << 20 if what == "size" and values.strip() else None, MEMORY, int(node))
        facts.say(len(values.split()) if what == "cpus" else None, SIZE, int(node))
    available = re.search(r"^[ \t#]*available: ([0-9]{1,5}) nodes?", text, re.M)
    if available and int(available[1]) != len(facts.column(SIZE)):
        raise UsageError(
            Fault(facts.place, f"lists {len(facts.column(SIZE))} of {available[1]} NUMA nodes", "the whole text")
        )
    columns: list[str] = []
    for row, values in _DISTANCE_LINE.findall(text):
        columns = values.split() if row == "node" else columns
        for column, value in zip(columns, values.split() if row != "node" else (), strict=False):
            facts.say(int(value), DISTANCE, int(row[:-1]), int(column))


def read_cpuinfo(text: str, facts: Facts) -> None:
    """Read /proc/cpuinfo: of most processors but Intel's and AMD's it has no cores."""
    cpu, socket, counts = -1, 0, {"siblings": 0, "cpu cores": 0}
    name = "cpu number" if re.search(r"^processor [0-9]", text, re.M) else "processor"  # of a mainframe and of others
    for match in _LABEL.finditer(text):
        label, value = match[1], match[2].strip()
        if label == name and value.isdigit():
            cpu, socket = int(value), 0
            facts.put(cpu, {})
        elif re.fullmatch("processor [0-9]{1,5}", label):
            facts.put(int(label.split()[1]), {})
        elif cpu >= 0 and label in ("physical id", "core id"):
            socket = int(value) if label == "physical id" else socket
            facts.say(
                int(value) | (socket << 32 if label == "core id" else 0), CORE if label == "core id" else SOCKET, cpu
            )
        elif label in counts:
            counts[label] = int(value)
    cores = len(set(facts.column(SOCKET).values())) * counts["cpu cores"]
    if len(set(facts.column(CORE).values())) < cores:  # processors of two dies count their cores twice
        facts.says = {subject: value for subject, value in facts.says.items() if subject[0] != CORE}
        facts.say(max(counts["siblings"] // counts["cpu cores"], 1), THREADS)
