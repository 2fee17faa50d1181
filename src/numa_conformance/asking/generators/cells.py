"""Cells: one setting of everything a life varies, on one machine. Drawn so that every pair of settings meets."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...judging.choice import STRICT, numa_cpus
from ...judging.room import ordinary
from ...judging.start_subjects import MOST_NODES
from ...machine import Device, Machine
from ...sources.options import STATIC_OPTIONS
from ...sources.policies import TOPOLOGY_POLICIES
from .picks import OPTION_SETS, shuffled
from .scenario import or_the_catalogue
from .workloads import RESERVED_MIB

BY_NUMBER = {
    "a number": ("1", "1"),
    "a number and a half": (".3", "1.2"),
    "a number for the system alone": (None, "2"),
    "a number for kube alone": ("2", None),
}
"""What is reserved for Kubernetes and for the system."""
RESERVATIONS = ("a core", "a thread", "two threads of two cores", "a core of each socket", "some threads", *BY_NUMBER)
WITH_DEVICES, WITH_PAGES = " with devices", " with huge pages"
"""What follows the name of a machine that was given some."""
KINDS_OF_DEVICES = ("example.com/nic", "example.com/gpu")
OFF, STRICTLY, NEAR = 0.5, 0.12, 0.6
"""How many nodes have options that are written and off, which is as if they were not written; how many, whatever their
options, keep reserved CPUs out of the shared pool besides; how many of those that align tell whether near nodes are
preferred, as far as that is claimed."""
PAGES, LISTED = 0.3, 0.5
"""The share of machines without huge pages that are given some; of these, whose nodes without any list their sizes."""
SMALL_PAGES, LARGE_PAGES, ROOM_FOR_PAGES = 64, 1, 8 << 30
"""Huge pages of 2 MiB and of 1 GiB that a NUMA node is given, and the memory it needs for that."""
CLOSEST = "prefer-closest-numa-nodes"
FEWEST, SMALL_MACHINE = 4, 32
"""CPUs of a machine that has some to reserve and some to give; CPUs of machines that come often."""
MOST_ALIGNED = 16
"""NUMA nodes among which sets are still looked at one by one in reasonable time; the kubelet needs far longer."""
MOST_TOGETHER = 20
"""NUMA nodes times opinions at most, where they are aligned: a million sets of one of each."""
HIGHEST_NODE = 63
"""A set of NUMA nodes is a word of 64 bits to the kubelet."""
STATIC, PLAIN, SHUFFLED, DEVICES, APART = 0.92, 0.25, 0.3, 0.4, 0.5
"""How many nodes give CPUs; have no option, beside those that come by lot; have their CPUs renumbered, of those by lot;
are given devices, if they have none; of these, how many have each device near one NUMA node, so that not all that is
asked for can be aligned."""
CELLS_OF_ONE = 40
"""Cells of a machine at most, where machines are named."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The settings of one life.

    ``options`` are those of the static policy that are on; ``off`` are written too, as ``"false"``. ``closest``:
    whether the Topology Manager prefers NUMA nodes that are close; None where nothing is written of it.
    """

    machine: Machine
    static: bool
    options: frozenset[str]
    topology: str
    scope: str
    memory: bool
    reservation: str
    off: frozenset[str] = frozenset()
    closest: bool | None = None

    @property
    def name(self) -> str:
        """The settings in words; the machine is told beside it."""
        memory = ", memory Static" if self.memory else ""
        topology = self.topology if self.topology == "none" else f"{self.topology} per {self.scope}"
        topology += {True: ", the closest", False: ", the closest off", None: ""}[self.closest]
        if not self.static:
            return f"CPU policy none, {topology}{memory}, reserved {self.reservation}"
        options = "+".join(sorted(self.options)) or "no option"
        options += f", off: {'+'.join(sorted(self.off))}" if self.off else ""
        return f"{options}, {topology}{memory}, reserved {self.reservation}"

    @property
    def opinions(self) -> int:
        """How many have one on the NUMA nodes of a container: managers, and each resource of devices."""
        return self.static + self.memory + len({device.resource for device in self.machine.devices})

    @property
    def features(self) -> frozenset[str]:
        """What a target must claim to be asked."""
        named = {"cpu-manager/none"}
        if self.static:
            named = {f"cpu-manager/{option}" for option in self.options | self.off} | {"cpu-manager/static"}
        if self.topology != "none":
            named |= {f"topology-manager/{self.topology}", f"topology-manager/scope/{self.scope}"}
        if self.memory:
            named.add("memory-manager/static")
        if self.topology != "none" and len(self.machine.numa_ids) > MOST_NODES:
            named.add("topology-manager/max-allowable-numa-nodes")
        if self.closest is not None:
            named.add(f"topology-manager/{CLOSEST}")
        return frozenset(named)


def cells(
    count: int, claimed: frozenset[str], *, most_cpus: int = 96, seed: int = 0, only: Sequence[Machine] | None = None
) -> Iterator[Cell]:
    """Yield cells within what a target claims: every machine of the catalogue under every policy, then by lot.

    Small machines come more often then, and some with their CPUs renumbered. Where there are machines that ``only`` are
    asked, each comes a few times, whatever its size.
    """
    machines = list(or_the_catalogue(only, most_cpus))
    count = count if only is None else min(count, CELLS_OF_ONE * len(only))
    weights = [_weight(machine) for machine in machines]
    optional = (*OPTION_SETS, (STRICT,), ("full-pcpus-only", STRICT))
    possible = [options for options in optional if {f"cpu-manager/{name}" for name in options} <= claimed]
    policies = [name for name in TOPOLOGY_POLICIES if name == "none" or f"topology-manager/{name}" in claimed]
    scopes = [name for name in ("container", "pod") if f"topology-manager/scope/{name}" in claimed]
    lot = random.Random(f"cells {seed}")
    if not scopes:
        policies = ["none"]
    for number in range(count):
        turn, place = divmod(number, len(machines))
        if turn < len(policies):
            machine, topology = machines[place], policies[(place + turn) % len(policies)]
        else:
            machine, topology = lot.choices(machines, weights)[0], lot.choice(policies)
            machine = shuffled(machine, lot) if lot.random() < SHUFFLED else machine
        bare = machine
        if "device-manager/allocation" in claimed and not machine.devices and lot.random() < DEVICES:
            machine = _with_devices(machine, lot)
            apart = random.Random(f"apart {seed} {number}")
            machine = _apart(machine, apart) if apart.random() < APART else machine
        if "memory-manager/hugepages" in claimed:
            machine = _with_huge_pages(machine, random.Random(f"pages {seed} {number}"))
        options = frozenset(lot.choice(possible)) if possible and lot.random() > PLAIN else frozenset[str]()
        cell = Cell(
            machine,
            static=lot.random() < STATIC,
            options=options,
            topology=topology,
            scope=lot.choice(scopes) if scopes else "container",
            memory=lot.random() < 0.4
            and len(machine.numa_ids) <= MOST_ALIGNED
            and max(ordinary(node) for node in machine.memory) > RESERVED_MIB << 20,
            reservation=lot.choice(RESERVATIONS),
        )
        for fewer in (lot.choice(({"machine": bare}, {"static": False})), {"memory": False}, {"machine": bare}):
            if topology != "none" and are_too_many(cell.machine, cell.opinions):
                cell = replace(cell, **fewer)
        if _comes_up(cell) and cell.features <= claimed:
            yield _with_more_written(cell, claimed, random.Random(f"written {seed} {number}"))


def are_too_many(machine: Machine, opinions: int) -> bool:
    """Tell whether so many opinions on NUMA nodes are more than a kubelet can merge in the time of an answer.

    It tries each set of nodes of one with each of every other: two of twelve nodes, or three of eight, are 16 million
    combinations for each container.
    """
    return len(machine.numa_ids) * opinions > MOST_TOGETHER


def _with_more_written(cell: Cell, claimed: frozenset[str], lot: random.Random) -> Cell:
    """Write down options that are off, and whether close NUMA nodes are preferred."""
    off, options = frozenset[str](), cell.options
    if cell.static and f"cpu-manager/{STRICT}" in claimed and lot.random() < STRICTLY:
        options |= {STRICT}
    if cell.static and lot.random() < OFF:
        known = sorted(name for name in STATIC_OPTIONS if name not in options and f"cpu-manager/{name}" in claimed)
        off = frozenset(lot.sample(known, min(len(known), lot.randint(1, 3))))
    closest = None
    aligns = cell.topology != "none" and f"topology-manager/{CLOSEST}" in claimed
    if aligns and cell.machine.distances and lot.random() < NEAR:
        closest = lot.random() < 0.5
    return replace(cell, options=options, off=off, closest=closest)


def _weight(machine: Machine) -> int:
    """Return how often a machine comes: small ones, with devices or with NUMA nodes that differ, more than others."""
    if len(machine.cpus) > SMALL_MACHINE:
        return 1
    uneven = len({cpus.bit_count() for cpus in numa_cpus(machine)}) > 1
    return 6 if machine.devices or uneven else 3


def _with_devices(machine: Machine, lot: random.Random) -> Machine:
    """Put devices into a machine: some near one NUMA node, one near two and more, one that tells of none."""
    nodes = [node for node, cpus in machine.numa_bits.items() if cpus]
    near: list[tuple[int, ...]] = [(lot.choice(nodes),) for _ in range(lot.randint(2, 6))]
    several = {*lot.sample(nodes, min(2, len(nodes))), *nodes[: len(near) // 2]}
    near += [tuple(sorted(several)), ()]
    lot.shuffle(near)
    kinds = KINDS_OF_DEVICES[: lot.randint(1, 2)]
    devices = tuple(
        Device(kind, f"{kind.rpartition('/')[2]}-{index}", places)
        for index, places in enumerate(near)
        for kind in (lot.choice(kinds),)
    )
    return replace(machine, name=f"{machine.name}{WITH_DEVICES}", devices=devices)


def _apart(machine: Machine, lot: random.Random) -> Machine:
    """Put each device near one NUMA node, those of different resources mostly near different ones."""
    nodes = [node for node, cpus in machine.numa_bits.items() if cpus]
    devices = tuple(
        Device(kind, f"{kind.rpartition('/')[2]}-{place}-{index}", (nodes[(place + (index == 2)) % len(nodes)],))
        for place, kind in enumerate(KINDS_OF_DEVICES, lot.randrange(len(nodes)))
        for index in range(lot.randint(2, 3))
    )
    return replace(machine, name=f"{machine.name} apart", devices=devices)


def _with_huge_pages(machine: Machine, lot: random.Random) -> Machine:
    """Set huge pages of two sizes aside on NUMA nodes that have the memory; not all have as many.

    The others list none of these sizes, or a number of 0.
    """
    has_some = any(node.hugepages for node in machine.memory)
    if has_some or lot.random() >= PAGES or len(machine.cpus) > SMALL_MACHINE:
        return machine
    others = {"1Gi": 0, "2Mi": 0} if lot.random() < LISTED else {}
    memory = tuple(
        replace(node, hugepages={"1Gi": lot.randint(0, LARGE_PAGES), "2Mi": lot.randint(1, SMALL_PAGES)})
        if (node.memory or 0) >= ROOM_FOR_PAGES
        else replace(node, hugepages=others)
        for node in machine.memory
    )
    if not any(sum(node.hugepages.values()) for node in memory):
        return machine
    return replace(machine, name=f"{machine.name}{WITH_PAGES}", memory=memory)


def _comes_up(cell: Cell) -> bool:
    """Whether the pages let a node come up so: socket alignment has conditions, and something must be left to give."""
    socket = cell.static and "align-by-socket" in cell.options
    sockets, nodes = len(cell.machine.socket_bits), len(numa_cpus(cell.machine))
    if socket and (cell.topology == "single-numa-node" or sockets > nodes):
        return False
    numa = cell.machine.numa_ids
    if cell.topology != "none" and (len(numa) > MOST_ALIGNED or max(numa) > HIGHEST_NODE):
        return False
    return len(cell.machine.cpus) >= FEWEST or not cell.static
