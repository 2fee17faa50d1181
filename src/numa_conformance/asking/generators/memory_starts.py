"""Starts of nodes with memory reserved by NUMA node: amounts that match what is reserved in all, and others."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...judging.room import ordinary
from ...judging.start_subjects import MOST_NODES
from ...machine import Machine
from ...wire.history.quantities import HUGE
from .workloads import kubelet

Reserved = list[tuple[int, str, int | str]]
"""NUMA node, type, and MiB or an amount as it is written."""
LARGEST_PAGE = 1024
"""MiB that are reserved in huge pages, of which every size is a part."""
LEAST = 512
"""MiB of a NUMA node that more than bears what is reserved."""
ELSEWHERE: tuple[tuple[Mapping[str, Any], int], ...] = (
    ({"evictionHard": {"memory.available": "200Mi"}}, 456),
    *(({"evictionHard": {"nodefs.available": "5%"}}, 256), ({"evictionHard": {}}, 256)),
    ({"evictionSoft": {"memory.available": "300Mi"}, "evictionSoftGracePeriod": {"memory.available": "1m"}}, 356),
    ({"evictionMinimumReclaim": {"memory.available": "300Mi"}}, 356),
    *(({"systemReserved": {"memory": "0.0625Gi"}}, 420), ({"kubeReserved": {"memory": "262144k"}}, 350)),
    ({"kubeReserved": {"cpu": "1"}, "systemReserved": {"memory": "64Mi"}}, 164),
)
"""What is reserved of memory otherwise than by 256Mi and the default threshold of 100Mi, and MiB in all."""


def divided_memory(machine: Machine) -> dict[str, Any]:
    """Reserve memory on the first NUMA node that can bear it, with a part on another; nothing where none can."""
    able = [node.node for node in machine.memory if ordinary(node) >> 20 > LEAST]
    if len(able) > 1:
        return _reserving([(able[0], "memory", 256), (able[-1], "memory", 100)])
    return _reserving([(node, "memory", 356) for node in able]) if able else {}


def memory_starts(machine: Machine, _claimed: object) -> Iterator[tuple[dict[str, Any], None]]:
    """Reserved memory by NUMA node: the page's example, amounts that match and that do not, what is to be avoided."""
    capacity = {node.node: ordinary(node) >> 20 for node in machine.memory}
    able = [node for node, size in capacity.items() if size > LEAST]
    if not able or len(machine.numa_ids) > MOST_NODES:
        return
    first, last = able[0], able[-1]
    if len(able) > 1 and min(capacity[first], capacity[last]) > 4096:
        yield _example(first, last), None
    divided: list[Reserved] = [[(first, "memory", 356)], [(last, "memory", 356)]]
    if first != last:
        divided += [[(first, "memory", 100), (last, "memory", 256)], [(first, "memory", 255), (last, "memory", 101)]]
    wrong: list[Reserved] = [[(first, "memory", number)] for number in (355, 357, 256, 100)]
    wrong += [[(first, "memory", str((356 << 20) + more))] for more in (-1, 1)]
    if first != last:
        wrong.append([(first, "memory", 356), (last, "memory", 356)])
    unknown = max(machine.numa_ids) + 1
    avoided: list[Reserved] = [
        [(first, "memory", 178), (first, "memory", 178)],
        [(first, "memory", 100), (unknown, "memory", 256)],
        [(first, "memory", 356), (first, "swap", 1)],
    ]
    if first != last:
        avoided.append([(first, "memory", 356), (last, "memory", 0)])
    for more, total in ELSEWHERE:
        for size in (total, 356):
            yield {**_reserving([(first, "memory", size)]), **more}, None
    if not machine.total_memory % 8:  # so that no arithmetic rounds
        part = str((256 << 20) + machine.total_memory // 8)
        yield {**_reserving([(first, "memory", part)]), "evictionHard": {"memory.available": "12.5%"}}, None
    for policy in ("static", "Dynamic"):
        yield {**_reserving(divided[0]), "memoryManagerPolicy": policy}, None
    pages = [(node.node, f"{HUGE}{min(node.hugepages)}", LARGEST_PAGE) for node in machine.memory if node.hugepages]
    paged = [[*divided[0], *pages]] if pages else []
    for entries in ([], *divided, *wrong, *avoided, *paged):
        yield _reserving(entries), None


def _reserving(entries: Reserved) -> dict[str, Any]:
    """Return a configuration that reserves memory and this: all types of a NUMA node in one entry, one twice in two."""
    listed: list[dict[str, Any]] = []
    for node, kind, size in entries:
        entry = next((each for each in listed if each["numaNode"] == node and kind not in each["limits"]), None)
        if entry is None:
            listed.append(entry := {"numaNode": node, "limits": {}})
        entry["limits"][kind] = size if isinstance(size, str) else f"{size}Mi"
    fields: dict[str, Any] = {"memoryManagerPolicy": "Static", "kubeReserved": {"memory": "256Mi"}}
    return kubelet(**fields, **({"reservedMemory": listed} if listed else {}))


def _example(first: int, last: int) -> dict[str, Any]:
    """Return the page's example, whose eviction threshold is the default one."""
    amounts = ((first, "3Gi"), (last, "2148Mi"))
    return {
        "kubeReserved": {"cpu": "4", "memory": "4Gi"},
        "systemReserved": {"cpu": "1", "memory": "1Gi"},
        "memoryManagerPolicy": "Static",
        "reservedMemory": [{"numaNode": node, "limits": {"memory": text}} for node, text in amounts],
    }
