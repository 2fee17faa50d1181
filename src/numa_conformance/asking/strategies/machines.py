"""Random machines: what hardware and firmware make of a computer, the odd things included."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from ...machine import Cpu, Device, Machine, MemoryNode

_GIB = 2**30


@dataclass(slots=True)
class _Core:
    """One core before its CPUs have numbers; node and socket are counted from 0."""

    node: int
    socket: int
    rank: int
    threads: int
    uncore: int | None = None


_Order = Callable[[int, int, _Core], tuple[int, ...]]
_ORDERS: dict[str, _Order] = {
    "siblings offset": lambda thread, index, core: (thread, index),
    "siblings adjacent": lambda thread, index, core: (index, thread),
    "nodes alternate": lambda thread, index, core: (thread, core.rank, core.node),
}


def machines(
    *,
    max_cpus: int = 64,
    max_nodes: int = 8,
    max_sockets: int = 4,
    threads: tuple[int, ...] = (1, 2, 4, 8),
    nested: bool = False,
    sane: bool = False,
    devices: bool = True,
) -> st.SearchStrategy[Machine]:
    """Return a strategy of machines.

    ``nested``: every cache lies inside a NUMA node and every NUMA node inside a socket. ``sane``: that, and all nodes
    are alike, all cores have as many threads, all CPUs are online, numbers have no gaps, and every node has CPUs and
    memory. ``max_nodes`` counts the nodes with CPUs; at most two without come on top. Raises ``ValueError`` when no
    machine is that small.
    """
    widths = tuple(number for number in threads if 1 <= number <= max_cpus)
    if max_nodes < 1 or max_sockets < 1 or not widths:
        raise ValueError("a machine has at least one CPU, one NUMA node and one socket")
    return _machines(_Limits(max_cpus, max_nodes, max_sockets, widths), nested or sane, sane, devices)


@dataclass(frozen=True, slots=True)
class _Limits:
    cpus: int
    nodes: int
    sockets: int
    threads: tuple[int, ...]


@st.composite
def _machines(draw: st.DrawFn, limits: _Limits, nested: bool, sane: bool, devices: bool) -> Machine:
    cores = draw(_cores(limits, nested, sane), label="cores")
    cpus = draw(_numbered(cores, sane), label="CPUs")
    nodes = sorted({cpu.numa for cpu in cpus})
    offline = () if sane else draw(_offline(cpus), label="offline")
    memory = draw(_memory(nodes, sane), label="memory")
    distances = draw(_distances(cpus, memory), label="distances")
    drawn = draw(_devices([node.node for node in memory]), label="devices") if devices else ()
    plugins = {
        resource: draw(st.sampled_from(["lowest-id", None]))
        for resource in sorted({device.resource for device in drawn})
    }
    return Machine(
        name="drawn",
        cpus=tuple(cpu for cpu in cpus if cpu.id not in offline),
        memory=memory,
        distances=distances,
        devices=drawn,
        preferred_allocation=plugins,
        offline=offline,
    )


@st.composite
def _cores(draw: st.DrawFn, limits: _Limits, nested: bool, sane: bool) -> list[_Core]:
    width = draw(st.sampled_from(limits.threads), label="threads per core")
    budget = limits.cpus // width
    sockets = draw(st.integers(1, min(limits.sockets, limits.nodes, budget)), label="sockets")
    split = draw(st.integers(1, min(4, limits.nodes // sockets, budget // sockets)), label="NUMA nodes per socket")
    nodes, most = sockets * split, budget // (sockets * split)
    first = draw(st.integers(1, most), label="cores per NUMA node")
    counts = [first if sane or not node else draw(st.integers(1, most)) for node in range(nodes)]
    uneven = not sane and _rarely(draw)
    cores = [
        _Core(node, node // split, rank, draw(st.integers(1, width)) if uneven else width)
        for node, count in enumerate(counts)
        for rank in range(count)
    ]
    if not nested and _rarely(draw):
        for at, core in enumerate(cores):
            core.socket = at % sockets
    _deal_caches(draw, cores, nested=nested, sane=sane)
    return cores


def _deal_caches(draw: st.DrawFn, cores: list[_Core], *, nested: bool, sane: bool) -> None:
    """Give caches to the cores: none, one for each node, socket or the machine, or runs of cores within those."""
    within = draw(
        st.sampled_from(["none", "node", "node"] if nested else ["none", "node", "node", "socket", "machine"])
    )
    if within == "none":
        return
    per_node = max(core.rank for core in cores) + 1
    runs = [number for number in range(1, per_node + 1) if not sane or per_node % number == 0]
    run = draw(st.sampled_from(runs), label="cores per cache")
    split = draw(st.booleans(), label="split caches")
    caches: dict[tuple[int, int], int] = {}
    known: dict[int, int] = {}
    for core in cores:
        place = {"node": core.node, "socket": core.socket}.get(within, 0)
        rank = known.get(place, 0)
        known[place] = rank + 1
        core.uncore = caches.setdefault((place, rank // run if split else 0), len(caches))


@st.composite
def _numbered(draw: st.DrawFn, cores: list[_Core], sane: bool) -> list[Cpu]:
    order = _ORDERS[draw(st.sampled_from(sorted(_ORDERS)), label="numbering")]
    dealt = sorted((order(thread, at, core), at) for at, core in enumerate(cores) for thread in range(core.threads))
    owners = [at for _, at in dealt]
    if not sane and _rarely(draw):
        owners = draw(st.permutations(owners), label="shuffled CPUs")
    ids = _gapped(draw, len(owners), sane)
    numa = _gapped(draw, 1 + max(core.node for core in cores), sane)
    sockets = _gapped(draw, 1 + max(core.socket for core in cores), sane)
    numbers = draw(st.sampled_from(["per socket", "whole machine"]), label="core numbers")
    names = _core_numbers(cores, whole=numbers == "whole machine")
    return [
        Cpu(id, names[at], sockets[cores[at].socket], numa[cores[at].node], cores[at].uncore)
        for id, at in zip(ids, owners, strict=True)
    ]


def _core_numbers(cores: list[_Core], *, whole: bool) -> list[int]:
    counted: dict[int, int] = {}
    names = []
    for core in cores:
        group = 0 if whole else core.socket
        names.append(counted.get(group, 0))
        counted[group] = names[-1] + 1
    return names


def _gapped(draw: st.DrawFn, count: int, sane: bool) -> list[int]:
    """Return ascending ids, in most cases 0, 1, 2 ..., else with a gap and a distance."""
    if sane or not _rarely(draw):
        return list(range(count))
    first, step = draw(st.integers(0, 5), label="first id"), draw(st.integers(1, 3), label="distance of ids")
    gap_at, gap = draw(st.integers(0, count), label="place of a gap"), draw(st.integers(0, 70), label="gap")
    return [first + at * step + (gap if at >= gap_at else 0) for at in range(count)]


@st.composite
def _offline(draw: st.DrawFn, cpus: list[Cpu]) -> tuple[int, ...]:
    if len(cpus) == 1 or not _rarely(draw):
        return ()
    ids = [cpu.id for cpu in cpus]
    return tuple(sorted(draw(st.sets(st.sampled_from(ids), max_size=len(ids) - 1))))


@st.composite
def _memory(draw: st.DrawFn, nodes: list[int], sane: bool) -> tuple[MemoryNode, ...]:
    size = draw(st.integers(1, 16), label="memory per node in 256 MiB") * _GIB // 4
    pages = draw(st.sampled_from([{}, {"2Mi": 32}, {"1Gi": 1}, {"2Mi": 16, "1Gi": 1}]), label="huge pages")
    memories = []
    for node in nodes:
        memory = size if sane else draw(st.sampled_from([size, size, size - 4096, size + _GIB, 0]))
        held = pages if memory >= 2 * _GIB and (sane or draw(st.booleans())) else {}
        memories.append(MemoryNode(node, memory, held))
    if not sane and _rarely(draw):
        free = [node for node in range(nodes[-1] + 3) if node not in nodes]
        extra = draw(st.sets(st.sampled_from(free), min_size=1, max_size=2), label="nodes without CPUs")
        memories.extend(MemoryNode(node, draw(st.sampled_from([0, size]))) for node in extra)
    return tuple(sorted(memories, key=lambda node: node.node))


@st.composite
def _distances(draw: st.DrawFn, cpus: list[Cpu], memory: tuple[MemoryNode, ...]) -> tuple[tuple[int, ...], ...] | None:
    if not draw(st.integers(0, 9), label="0: no distances"):
        return None
    near, far = draw(st.sampled_from([(20, 20), (12, 32), (11, 21), (16, 32)]), label="distances")
    sockets: dict[int, set[int]] = {}
    for cpu in cpus:
        sockets.setdefault(cpu.numa, set()).add(cpu.socket)

    def between(here: int, there: int) -> int:
        if here == there:
            return 10
        return near if sockets.get(here, set()) & sockets.get(there, set()) else far

    return tuple(tuple(between(here.node, there.node) for there in memory) for here in memory)


@st.composite
def _devices(draw: st.DrawFn, nodes: list[int]) -> tuple[Device, ...]:
    devices: list[Device] = []
    for kind in draw(st.sets(st.sampled_from(["gpu", "nic"])), label="kinds of devices"):
        count = draw(st.integers(1, 6), label=f"number of {kind}s")
        places = st.one_of(st.just(()), st.sampled_from(nodes).map(lambda node: (node,)), st.just(tuple(nodes[:2])))
        devices.extend(
            Device(f"example.com/{kind}", f"{kind}-{at}", draw(places), bool(draw(st.integers(0, 7))))
            for at in range(count)
        )
    return tuple(sorted(devices, key=lambda device: (device.resource, device.id)))


def _rarely(draw: st.DrawFn) -> bool:
    return draw(st.integers(0, 5), label="0: the odd case") == 0
