"""Small odd machines, drawn by lot: nearly every fault shows on one of them, and no time is lost on size.

Ids have gaps and come in any order. Caches and NUMA nodes differ in size, and a cache may span nodes. A node may
have no CPUs or no memory, cores may be offline, and devices may be near several nodes.
"""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import count as numbers

from .model import Cpu, Device, Machine, MemoryNode

GIB = 2**30
NAME = re.compile(r"small-[0-9]{1,9}-[0-9]{1,9}(?![^ ,])")
NODE_IDS = ((0, 1), (0, 1), (0, 1), (0, 2), (1, 1), (0, 8), (2, 3))
"""The first id of a NUMA node, and the distance to the next."""
THREADS = (1, 1, 2, 2, 2, 4, 8)
MOST_CPUS = 24
RESOURCES = ("example.com/nic", "example.com/nic-fast")
UNEVEN, HYBRID, OFFLINE, SHUFFLED, WIDE_CACHE, EMPTY, BARE = 0.3, 0.12, 0.2, 0.4, 0.2, 0.2, 0.1
"""How many machines have NUMA nodes of unequal size, cores of one thread beside others, offline cores, ids in any
order, a cache for several NUMA nodes, a node without CPUs, and one without memory."""
PAGED, PREFERS, ILL, ANYWHERE = 0.4, 0.1, 0.1, 0.15
"""How many have huge pages; devices whose plugin prefers low ids, that are not healthy, of kinds near no NUMA node."""


def small_machines(count: int, seed: int = 0) -> Iterator[Machine]:
    """Yield so many machines of up to 24 CPUs and 4 NUMA nodes."""
    return (small_machine(f"small-{seed}-{number}") for number in range(count))


def is_small(name: str) -> bool:
    """Tell whether a name is that of a small machine, as it is or equipped otherwise."""
    return NAME.match(name) is not None


def small_machine(name: str) -> Machine:
    """Return the machine of a name, such as ``small-0-12``: always the same one.

    It tells no distances where ids of NUMA nodes have gaps, and all its nodes list the same sizes of huge pages: at
    either the kubelet crashes, which ends a life, and machines of the catalogue show it.
    """
    lot = random.Random(name)
    first, step = lot.choice(NODE_IDS)
    nodes = [first + step * place for place in range(lot.choice((1, 2, 2, 3, 3, 4)))]
    with_cpus = nodes[:-1] if len(nodes) > 2 and lot.random() < EMPTY else nodes
    cpus = _cpus(with_cpus, lot)
    cores = sorted({cpu.core for cpu in cpus if cpu.core is not None})
    off = set(lot.sample(cores, len(cores) // 6)) if lot.random() < OFFLINE else set[int]()
    gone = {cpu for cpu in cpus if cpu.core in off}
    bare = lot.choice(with_cpus[1:]) if len(with_cpus) > 1 and lot.random() < BARE else None
    most = 3 if random.Random(f"{name} pages").random() < PAGED else 2
    sizes = most if lot.random() < PAGED else 0
    memory = tuple(_memory(node, 0 if node == bare else lot.randint(2, 12), lot, sizes) for node in nodes)
    online = tuple(sorted((cpu for cpu in cpus if cpu not in gone), key=lambda cpu: cpu.id))
    offline = tuple(sorted(cpu.id for cpu in gone))
    distances = _distances(len(nodes), lot) if nodes[-1] < len(nodes) else None
    devices = _devices(nodes, lot)
    preferring = {device.resource: "lowest-id" for device in devices if lot.random() < PREFERS}
    return Machine(name, online, memory, distances, devices, preferring, offline)


def _cpus(nodes: Sequence[int], lot: random.Random) -> list[Cpu]:
    """Draw the CPUs of NUMA nodes: at least one in each, and three in all."""
    threads, per_socket = lot.choice(THREADS), lot.choice((1, 1, 2))
    uneven, hybrid, wide = (lot.random() < share for share in (UNEVEN, HYBRID, WIDE_CACHE))
    core, cache = numbers(), numbers()
    most = max(1, MOST_CPUS // len(nodes) // threads)
    same, caches = lot.randint(min(most, -(-4 // threads)), most), lot.choice((1, 1, 2, 3))
    places: list[tuple[int, int, int, int]] = []
    halved = len(nodes) == 1 and threads * same % 4 < 2  # two sockets, as guests have them, on one NUMA node
    uncore = next(cache)
    for place, node in enumerate(nodes):
        cores = lot.randint(min(2, most), most) if uneven else same
        for each in range(cores):
            if (each and each % -(-cores // caches) == 0) or (each == 0 and place and not wide):
                uncore = next(cache)
            width = 1 if hybrid and each % 2 else threads
            places += [(next(core), place // per_socket + (halved and each > cores // 2), node, uncore)] * width
    ids = list(range(len(places)))
    if lot.random() < SHUFFLED:
        lot.shuffle(ids)
    return [Cpu(id, core, socket, node, uncore) for id, (core, socket, node, uncore) in zip(ids, places, strict=True)]


def _memory(node: int, gib: int, lot: random.Random, sizes: int) -> MemoryNode:
    """Draw huge pages of two or three sizes, or of none, in the memory of a NUMA node; it may have none of a size."""
    pages = {"1Gi": lot.randint(0, gib // 3), "2Mi": lot.choice((0, 64, 256)) if gib else 0} if sizes else {}
    third = {"32Mi": 12 if gib else 0} if sizes > 2 else {}
    return MemoryNode(node, gib * GIB, pages | third)


def _distances(count: int, lot: random.Random) -> tuple[tuple[int, ...], ...]:
    pairs = {(first, second): lot.choice((11, 12, 20, 20, 160)) for first in range(count) for second in range(first)}

    def between(first: int, second: int) -> int:
        return 10 if first == second else pairs[max(first, second), min(first, second)]

    return tuple(tuple(between(first, second) for second in range(count)) for first in range(count))


def _devices(nodes: Sequence[int], lot: random.Random) -> tuple[Device, ...]:
    def device(kind: str, number: int) -> Device:
        width = min(lot.choice((0, *[1] * 8, *[2] * 3)), len(nodes)) if kind in placed else 0
        return Device(kind, f"id-{number}", tuple(sorted(lot.sample(nodes, width))), healthy=lot.random() >= ILL)

    kinds = lot.sample(RESOURCES, lot.choice((0, 1, 1, 2, 2)))
    placed = [kind for kind in kinds if lot.random() >= ANYWHERE]
    return tuple(device(kind, number) for kind in kinds for number in range(lot.randint(1, 10)))
