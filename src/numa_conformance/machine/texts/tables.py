"""Lines and tables: lscpu, numactl -H, /proc/cpuinfo. What a text lacks is a plain Python error."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod

from ...cpuset import CpuSet, bit_of
from ...errors import Fault, UsageError
from ..model import UNSEEN
from .facts import CACHE, CORE, COUNTS, DISTANCE, MEMORY, NUMA, SIZE, SOCKET, THREADS, Facts

CORES, NODES, SOME_CACHE, ADJACENT = "cores", "NUMA nodes", "last-level cache", "siblings in a row"
_LABEL = re.compile(r"^[ \t]*([^:\n]{1,80}?)[ \t]*:[ \t]*(.*)$", re.M)
_LIST = re.compile(r"[0-9]{1,5}(?:-[0-9]{1,5})?(?:,[0-9]{1,5}(?:-[0-9]{1,5})?)*", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,5}", re.ASCII)
_NODE_LABEL = re.compile(r"[^0-9]{0,40}?NUMA[^0-9]{1,40}([0-9]{1,5})[^0-9]*", re.ASCII)
_COLUMNS: Mapping[str, str] = {"node": NUMA, "socket": SOCKET, "core": CORE, "l3": CACHE}
_USUAL = "cpu,core,socket,node,,l1d,l1i,l2,l3"
_NODE_LINE = re.compile(r"^[ \t#]*node (\d{1,5}) (cpus|size):[ \t]*([^<(#\n]*(?:\n[ \t]*\d[\d ]*$)*)", re.M | re.ASCII)
"""A terminal or a mail may have cut the list into several lines."""
_DISTANCE_LINE = re.compile(r"^[ \t#]*(node|[0-9]{1,5}:)((?:[ \t]+[0-9]{1,5})+)[ \t]*(?:[<(#].*)?$", re.M | re.ASCII)

_DETECTED = re.compile(
    r"\b([0-9]{1,5}):\{(?:NUMANodeID:([0-9]{1,5}) )?(?:SocketID:)?([0-9]{1,5}) (?:CoreID:)?([0-9]{1,5})"
    r"(?: UncoreCacheID:([0-9]{1,5}))?\}",
    re.ASCII,
)


def read_summary(text: str, facts: Facts) -> None:
    """Read plain lscpu in any language: what a label does not tell, the order and the numbers do."""
    lines = [(match[1], match[2].strip()) for match in _LABEL.finditer(text)]
    nodes = [(match[1], value) for label, value in lines if (match := _NODE_LABEL.fullmatch(label))]
    for node, value in nodes:
        facts.say(len(CpuSet.parse(value)), SIZE, int(node))
        for cpu in CpuSet.parse(value):
            facts.put(cpu, {NUMA: int(node)})
    listed = facts.cpus
    for (_, count), (_, online), (_, offline) in zip(lines, lines[1:], [*lines[2:], ("", "")], strict=False):
        if _NUMBER.fullmatch(count) and _LIST.fullmatch(online):
            cpus, others = CpuSet.parse(online), CpuSet.parse(offline if _LIST.fullmatch(offline) else "")
            if int(count) in (len(cpus), len(cpus) + len(others)):
                facts.cpus, facts.offline = cpus.bits, others.bits if int(count) > len(cpus) else 0
                break
    _read_counts(lines, facts)
    named = facts.says.get((NODES,), 0)
    if (named > 1 or nodes) and (len(nodes) != named > 0 or listed != facts.cpus):
        wrong = f"lists {len(nodes)} of {named} NUMA nodes, or not all CPUs"
        raise UsageError(Fault(facts.place, wrong, "the whole text of lscpu; or without it lscpu -e and numactl -H"))


def _read_counts(lines: Sequence[tuple[str, str]], facts: Facts) -> None:
    """Read threads, cores, sockets, NUMA nodes and caches."""
    numbers = {re.sub(r" per.*", "", label): int(value) for label, value in lines if _NUMBER.fullmatch(value)}
    threads, cores, sockets = (numbers.get(label) for label in ("Thread(s)", "Core(s)", "Socket(s)"))
    if "Book(s)" in numbers:
        sockets = None  # of a mainframe, in which most are those of others
    if not threads:
        threads, cores, sockets = _fitting(lines, facts.cpus.bit_count())
    facts.say(threads, THREADS)
    facts.say(sockets, COUNTS[SOCKET])
    facts.say(cores * sockets if cores and sockets else None, CORES)
    for label, number in numbers.items():
        facts.say(number if "NUMA" in label and not _NODE_LABEL.fullmatch(label) else None, NODES)
    for value in (value for label, value in lines if re.match(r"(?:Cache )?L3", label)):
        instances = re.search(r"\(([0-9]{1,5}) ", value)
        facts.say(int(instances[1]) if instances else 1, COUNTS[CACHE] if instances else SOME_CACHE)
    if any("L1d" in label for label, _ in lines) and (SOME_CACHE,) not in facts.says:
        facts.says.setdefault((COUNTS[CACHE],), 0)
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
    if not facts.cpus:  # on some machines nothing is told of any CPU
        facts.cpus, facts.offline = facts.offline, 0


def read_json(text: str, facts: Facts) -> None:
    """Read lscpu -J, with -e too."""
    for row in re.findall(r'\{\s*"cpu":[^{}]*\}', text):
        cells = json.loads(row)
        _read_row([key.lower() for key in cells], [str(cell).lower() for cell in cells.values()], facts)
    if fields := re.findall(r'"field":\s*"([^"]*)",\s*"data":\s*(?:"([^"]*)"|null)', text):
        read_summary("\n".join(f"{label.rstrip(' :')}: {data}" for label, data in fields), facts)


def _read_row(header: Sequence[str], row: Sequence[str], facts: Facts) -> None:
    cells: dict[str, str] = {}
    for names, values in zip(header, row, strict=False):
        cells.update(zip(names.split(":"), values.split(":"), strict=False))
    groups = {_COLUMNS[name]: int(cells[name]) for name in _COLUMNS if _NUMBER.fullmatch(cells.get(name, ""))}
    if CORE in groups:
        groups[CORE] |= groups.get(SOCKET, 0) << 32  # some versions number cores within their socket
    unknown = "no" if "core" in cells and not groups else "yes"  # of a CPU that is offline nothing is told
    if cells.get("online", unknown) in ("no", "n", "false"):
        facts.offline |= bit_of(int(cells["cpu"]))
    else:
        facts.put(int(cells["cpu"]), groups)


def read_nodes(text: str, facts: Facts) -> None:
    """Read numactl -H."""
    for node, what, values in _NODE_LINE.findall(text):
        if what == "size":
            facts.say(int(values.split()[0]) << 20 if values.strip() else None, MEMORY, int(node))
            continue
        cpus = CpuSet.parse(",".join(values.replace(",", " ").split()))
        facts.say(len(cpus), SIZE, int(node))
        for cpu in cpus:
            facts.put(cpu, {NUMA: int(node)})
    sizes = facts.column(SIZE)
    available = re.search(r"^[ \t#]*available: ([0-9]{1,5}) nodes?", text, re.M)
    if available and int(available[1]) != len(sizes):
        raise UsageError(Fault(facts.place, f"lists {len(sizes)} of {available[1]} NUMA nodes", "the whole text"))
    columns: list[str] = []
    for row, values in _DISTANCE_LINE.findall(text):
        columns = values.split() if row == "node" else columns
        for column, value in zip(columns, values.split() if row != "node" else (), strict=False):
            facts.say(int(value), DISTANCE, int(row[:-1]), int(column))


def read_log(text: str, facts: Facts) -> None:
    """Read the line in which a kubelet writes the CPUs that it has detected; older ones wrote no NUMA nodes."""
    for cpu, numa, socket, core, cache in _DETECTED.findall(text.replace('"', "").replace(",", " ")):
        groups = {NUMA: numa, SOCKET: socket, CORE: core, CACHE: cache}
        facts.put(int(cpu), {name: int(group) for name, group in groups.items() if group})


def read_cpuinfo(text: str, facts: Facts) -> None:
    """Read /proc/cpuinfo."""
    cpu, socket, counts, siblings = -1, 0, {"siblings": 0, "cpu cores": 0}, dict[int, int]()
    name = "cpu number" if re.search(r"^processor [0-9]", text, re.M) else "processor"  # of a mainframe and of others
    for match in _LABEL.finditer(text):
        label, value = match[1], match[2].strip()
        if label == name and value.isdigit():
            cpu, socket = int(value), 0
            facts.put(cpu, {})
        elif re.fullmatch("processor [0-9]{1,5}", label):
            facts.put(int(label.split()[1]), {})
        elif cpu >= 0 and label == "physical id":
            socket = int(value)
            facts.say(socket, SOCKET, cpu)
        elif cpu >= 0 and label == "core id":
            facts.say(int(value) | socket << 32, CORE, cpu)
        elif label in counts:
            counts[label] = int(value)
            siblings[socket] = counts["siblings"]
    for socket, number in sorted(Counter(facts.column(SOCKET).values()).items()):
        if number < siblings.get(socket, 0):
            rest = f"{siblings[socket] - number} of {siblings[socket]} CPUs of socket {socket}"
            facts.notes += (f"{UNSEEN}{rest}; assumed: offline, unless {facts.place} is cut",)
    cores = len(set(facts.column(SOCKET).values())) * counts["cpu cores"]
    if len(set(facts.column(CORE).values())) < cores:  # processors of two dies count their cores twice
        facts.says = {subject: value for subject, value in facts.says.items() if subject[0] != CORE}
        facts.say(max(counts["siblings"] // counts["cpu cores"], 1), THREADS)
