"""``CpuChoice``: one choice of exclusive CPUs, whoever was asked for it, and the judge's arithmetic about it."""

from collections.abc import Iterable
from functools import cached_property

import msgspec

from ..cpuset import bits_of, iter_bits, union
from ..machine import Machine

WHOLE_CORES = "full-pcpus-only"
ACROSS_NUMA = "distribute-cpus-across-numa"
BY_SOCKET = "align-by-socket"
ACROSS_CORES = "distribute-cpus-across-cores"
BY_UNCORE = "prefer-align-cpus-by-uncorecache"
STRICT = "strict-cpu-reservation"


def cpus_of(machine: Machine, nodes: int) -> int:
    """Return the CPUs of NUMA nodes, both as bits."""
    return sum(cpus for node, cpus in machine.numa_bits.items() if nodes >> node & 1)


def numa_cpus(machine: Machine) -> tuple[int, ...]:
    """Return the CPUs of each NUMA node that has CPUs, as bits."""
    return tuple(cpus for cpus in machine.numa_bits.values() if cpus)


def touched(groups: Iterable[int], cpus: int) -> list[int]:
    """Return the groups (cores, caches, NUMA nodes, sockets) in which some of the CPUs lie."""
    return [group for group in groups if group & cpus]


def split_cores(machine: Machine, cpus: int) -> int:
    """Return the CPUs of the cores of which some CPUs are among these and some are not, all as bits."""
    return sum(core for core in machine.core_bits if core & cpus and core & ~cpus)


class CpuChoice(msgspec.Struct, frozen=True, dict=True):
    """What was asked of which CPUs, and what was given. Sets of CPUs are bits.

    - ``options``: the static policy's options that are on.
    - ``available``: CPUs that may be given. ``answer``: None when the request was refused; ``refusal`` says why.
    - ``near``: CPUs of the NUMA nodes of the hint; None without a hint. ``preferred``: the hint was a preferred one.
    - ``shaped``: the pages say where the CPUs lie. They do not where CPUs of an init container may be used again, nor
      where a hint was followed that is not told.
    - ``reusable``: those of the available CPUs that an init container leaves.
    - ``admits``: whoever chose could refuse the container, so that what cannot be as its options say is not given.
    """

    machine: Machine
    options: frozenset[str]
    available: int
    count: int
    answer: int | None
    near: int | None = None
    refusal: str = ""
    shaped: bool = True
    preferred: bool = False
    reusable: int = 0
    admits: bool = False

    @property
    def configuration(self) -> frozenset[str]:
        """What sentences may hang on alone."""
        return self.options

    @property
    def chosen(self) -> int | None:
        """What was given, if it is so many of what is available; else None: other requirements say what is wrong."""
        answer = self.answer
        if answer is None or answer & ~self.available or answer.bit_count() != self.count:
            return None
        return answer if self.count else None

    @property
    def took(self) -> int | None:
        """The same where the pages say where it lies."""
        return self.chosen if self.shaped else None

    @cached_property
    def open_cores(self) -> tuple[int, ...]:
        """The available CPUs of each core that has some."""
        return tuple(core & self.available for core in self.machine.core_bits if core & self.available)

    @cached_property
    def free_cores(self) -> tuple[int, ...]:
        """The cores that are available with all their threads."""
        return tuple(core for core in self.machine.core_bits if core & self.available == core)

    @cached_property
    def whole_core_cpus(self) -> int:
        """The CPUs of cores that are available with all their threads."""
        return sum(self.free_cores)

    @property
    def numa(self) -> tuple[int, ...]:
        """The CPUs of each NUMA node that has CPUs."""
        return numa_cpus(self.machine)

    @property
    def sockets(self) -> tuple[int, ...]:
        """The CPUs of each socket."""
        return tuple(self.machine.socket_bits.values())

    @property
    def caches(self) -> tuple[int, ...]:
        """The CPUs of each uncore cache."""
        return tuple(self.machine.uncore_bits.values())

    @cached_property
    def even(self) -> bool:
        """Whether all cores have as many threads online."""
        return len({core.bit_count() for core in self.machine.core_bits}) == 1

    @property
    def threads(self) -> int:
        """Threads of a core, on a machine where all have as many; else of the largest."""
        return max(core.bit_count() for core in self.machine.core_bits)

    @cached_property
    def can_be_whole_cores(self) -> bool:
        """Whether cores that are free as a whole add up to the request."""
        return adds_up(self.free_cores, self.count)

    def whole(self, groups: Iterable[int]) -> bool:
        """Tell whether every NUMA node, socket or cache of these is available as a whole or not at all."""
        return all(group & self.available in (0, group) for group in groups)

    @cached_property
    def scope(self) -> int:
        """The CPUs from which the request should come: the hint's, or all; none where the hint's cannot hold it."""
        if self.near is None:
            return self.available
        near = sum(touched(self.sockets, self.near)) if BY_SOCKET in self.options else self.near
        room = self.room(near & self.available)
        cores = (core for core in self.free_cores if core & room)
        if room.bit_count() < self.count or (WHOLE_CORES in self.options and not adds_up(cores, self.count)):
            return 0
        return near & self.available

    def room(self, cpus: int) -> int:
        """Return what of some CPUs can be given: under full-pcpus-only the free cores among them."""
        if WHOLE_CORES not in self.options:
            return cpus
        return sum(core for core in self.free_cores if core & cpus == core)


def adds_up(cores: Iterable[int], count: int) -> bool:
    """Tell whether some of these cores have so many CPUs together."""
    return bool(_sums(cores) >> count & 1)


def can_be_shared(cores_of: Iterable[Iterable[int]], count: int, apart: int) -> bool:
    """Tell whether whole cores of each group add up to so many CPUs, in shares that differ by so many at most."""
    sums = [_sums(cores) for cores in cores_of]
    if count > sum(of_group.bit_length() - 1 for of_group in sums):
        return False
    even = count // len(sums)
    return any(
        _sum_up(sums, bits_of(range(least, least + apart + 1))) >> count & 1
        for least in range(max(even - apart, 1), even + 1)
    )


def _sum_up(sums: Iterable[int], allowed: int) -> int:
    """Return what one allowed number of each group makes together; sets of numbers are bits."""
    reach = 1
    for of_group in sums:
        reach = union(reach << share for share in iter_bits(of_group & allowed))
    return reach


def _sums(cores: Iterable[int]) -> int:
    """Return the numbers of CPUs that some of these cores have together, as bits; none have 0."""
    reach = 1
    for core in cores:
        reach |= reach << core.bit_count()  # every sum so far, with this core and without it
    return reach


def fewest(sizes: Iterable[int], count: int) -> int:
    """Return how many groups of these sizes hold so many CPUs, the largest first."""
    needed = 0
    for size in sorted(sizes, reverse=True):
        if count <= 0:
            break
        count -= size
        needed += 1
    return needed
