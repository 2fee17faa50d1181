"""The small machines of the golden vectors: how CPU c maps to (NUMA node, socket, core, uncore cache)."""

from collections.abc import Callable

from numa_conformance.machine.model import KubeletView, ViewCpu
from numa_conformance.reference.managers.cpu import CpuTopology

Rule = Callable[[int], tuple[int, int, int, int]]

_RULES: dict[str, tuple[int, Rule]] = {
    "T1": (8, lambda c: (0, 0, c % 4, 0)),
    "T2": (12, lambda c: (c % 2, c % 2, c % 6, c % 2)),
    "T3": (32, lambda c: (c % 16 // 4, c % 16 // 8, c % 16, c % 16 // 4)),
    "T4": (32, lambda c: (0, 0, c % 16, c % 16 // 4)),
    "T5": (16, lambda c: (0, c % 8 // 4, c % 8, c % 8 // 4)),
    "T6": (32, lambda c: (c // 4, c // 16, c, c // 4)),
    "T7": (8, lambda c: (0, 0, 2 * (c // 2), 0)),
}


def view_of(rows: list[tuple[int, int, int, int, int]]) -> KubeletView:
    """Build a view from rows of CPU, NUMA node, socket, core, uncore cache."""
    return KubeletView(
        cpus=tuple(ViewCpu(*row) for row in sorted(rows)),
        num_cpus=len(rows),
        num_cores=len({row[3] for row in rows}),
        num_sockets=len({row[2] for row in rows}),
        numa_ids=tuple(sorted({row[1] for row in rows})),
    )


def golden(name: str, *, without: frozenset[int] = frozenset()) -> CpuTopology:
    """Build one of the machines, some CPUs offline."""
    cpus, rule = _RULES[name]
    rows = [(c, *rule(c)) for c in range(cpus) if c not in without]
    lowest: dict[int, int] = {}
    for cpu, _, _, core, _ in rows:
        lowest.setdefault(core, cpu)
    return CpuTopology(view_of([(cpu, numa, socket, lowest[core], uncore) for cpu, numa, socket, core, uncore in rows]))
