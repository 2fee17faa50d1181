"""What ``meminfo`` says of a machine's memory that nobody uses: all of it is free, or lies in pools of huge pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...compact import UNITS
from ...model import MemoryNode

_DEFAULT_PAGE = "2Mi"
UNUSED = ("Active", "Inactive", "Active(anon)", "Inactive(anon)", "Active(file)", "Inactive(file)", "Unevictable",
           "Mlocked", "Dirty", "Writeback", "AnonPages", "Mapped", "Shmem", "KReclaimable", "Slab", "SReclaimable",
           "SUnreclaim", "KernelStack", "PageTables", "AnonHugePages")  # fmt: skip


def kibibytes_of(size: str) -> int:
    """Return the KiB of a page size as Kubernetes writes it (``2Mi``)."""
    return int(size[:-2]) * UNITS[size[-2:]] // 1024


def huge_page_pools(nodes: Iterable[MemoryNode]) -> dict[str, int]:
    """Return the number of pages of each size over all nodes."""
    pools: dict[str, int] = {}
    for node in nodes:
        for size, pages in node.hugepages.items():
            pools[size] = pools.get(size, 0) + pages
    return pools


def memory_totals(nodes: Sequence[MemoryNode]) -> tuple[int, int, int]:
    """Return KiB over all nodes: the total, what is free, and what lies in pools of huge pages."""
    total = sum(node.memory or 0 for node in nodes) // 1024
    in_pools = sum(kibibytes_of(size) * pages for size, pages in huge_page_pools(nodes).items())
    return total, max(0, total - in_pools), in_pools


def amount_lines(amounts: Mapping[str, int]) -> list[str]:
    """Return lines of KiB."""
    return [f"{name + ':':<15} {amount:>9} kB" for name, amount in amounts.items()]


def huge_page_lines(nodes: Sequence[MemoryNode]) -> list[str]:
    """Return the lines that count pages of the default size, none of which is in use."""
    pages = huge_page_pools(nodes).get(_DEFAULT_PAGE, 0)
    counts = {"HugePages_Total": pages, "HugePages_Free": pages, "HugePages_Rsvd": 0, "HugePages_Surp": 0}
    return [f"{name + ':':<15} {count:>6}" for name, count in counts.items()]
