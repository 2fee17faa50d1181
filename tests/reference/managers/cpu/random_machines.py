"""Machines of every shape for property tests: regular, uneven, and not nested at all."""

from hypothesis import strategies as st

from numa_conformance.machine.model import KubeletView
from reference.managers.cpu.golden_machines import view_of

Rows = list[tuple[int, int, int, int, int]]


@st.composite
def regular_views(draw: st.DrawFn, *, most_nodes: int = 8) -> KubeletView:
    """Sockets of NUMA nodes of caches of cores of threads, CPUs numbered in one of three ways."""
    sockets = draw(st.sampled_from([1, 2, 4]), label="sockets")
    nodes = draw(st.sampled_from([n for n in (1, 2, 3, 4, 8) if n * sockets <= most_nodes]), label="nodes per socket")
    caches = draw(st.sampled_from([1, 2]), label="caches per node")
    cores = draw(st.integers(1, 3), label="cores per cache")
    threads = draw(st.sampled_from([1, 2, 2, 4]), label="threads per core")
    numbering = draw(st.sampled_from(["threads apart", "threads adjacent", "interleaved"]), label="numbering")
    places = [
        (socket * nodes + node, socket, (socket * nodes + node) * caches + cache)
        for socket in range(sockets)
        for node in range(nodes)
        for cache in range(caches)
        for _ in range(cores)
    ]
    if numbering == "interleaved":
        places = [places[i] for start in range(cores * caches) for i in range(start, len(places), cores * caches)]
    rows: Rows = []
    for index, (numa, socket, cache) in enumerate(places):
        first = index * threads if numbering == "threads adjacent" else index
        step = 1 if numbering == "threads adjacent" else len(places)
        rows += [(first + thread * step, numa, socket, first, cache) for thread in range(threads)]
    return view_of(rows)


@st.composite
def uneven_views(draw: st.DrawFn) -> KubeletView:
    """A regular machine with some CPUs offline."""
    view = draw(regular_views(most_nodes=4))
    gone = draw(st.sets(st.sampled_from([cpu.id for cpu in view.cpus]), max_size=len(view.cpus) - 1), label="offline")
    lowest: dict[int, int] = {}
    rows: Rows = []
    for cpu in view.cpus:
        if cpu.id not in gone:
            core = lowest.setdefault(cpu.core, cpu.id)
            rows.append((cpu.id, cpu.numa, cpu.socket, core, cpu.uncore))
    return view_of(rows)


@st.composite
def tangled_views(draw: st.DrawFn) -> KubeletView:
    """A machine whose NUMA nodes, sockets and caches overlap in any way; cores stay within a node and a socket."""
    cores = draw(st.integers(1, 8), label="cores")
    rows: Rows = []
    cpu = 0
    for _ in range(cores):
        place = draw(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3)), label="node, socket, cache")
        first = cpu
        for _ in range(draw(st.integers(1, 2), label="threads")):
            rows.append((cpu, place[0], place[1], first, place[2]))
            cpu += 1
    return view_of(rows)
