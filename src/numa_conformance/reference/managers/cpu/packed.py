"""The packed algorithm: whole NUMA nodes and sockets, caches, whole cores, then single CPUs (CPU-ALLOC-14..19)."""

from collections.abc import Callable, Sequence

from ....cpuset import iter_bits
from .accumulator import INDEX_MASK, Accumulator, NotEnoughCpus
from .topology import Level, lowest

Step = Callable[["Packing"], None]
"""Takes some of the CPUs that are needed."""


class Packing(Accumulator):
    """CPUs being packed."""

    __slots__ = ()

    def pack(self, *, caches: Step | None = None, rest: Step | None = None) -> int:
        """Gather what is needed and return it; raise ``NotEnoughCpus`` when it cannot be had.

        ``caches`` is a step between whole sockets and whole cores. ``rest`` replaces the steps from whole cores on.
        """
        topology = self.topology
        if self.need >= topology.outer.smallest:
            self.take_full(topology.outer, self.outer_order())
            if self.need < 1:
                return self.taken
        if self.need >= topology.inner.smallest:
            self.take_full(topology.inner, self.inner_order())
            if self.need < 1:
                return self.taken
        if caches is not None:
            caches(self)
            if self.need < 1:
                return self.taken
        if rest is not None:
            rest(self)
        else:
            self._take_cores()
            if self.need > 0:
                self._take_single()
        if self.need > 0:
            raise NotEnoughCpus("failed to allocate cpus")
        return self.taken

    def _take_cores(self) -> None:
        """Take fully free cores (CPU-ALLOC-17)."""
        topology = self.topology
        if not topology.even:
            self._take_uneven_cores()
            return
        threads = topology.cpus_per_core
        if self.need < threads:
            return
        full = topology.cores_by_free(self.free)[threads]
        masks = topology.inner.masks
        for key in self.inner_order():
            cores = full & masks[key & INDEX_MASK]
            wanted = self.need // threads
            whole = cores.bit_count()
            if whole > wanted:
                cores, whole = lowest(cores, wanted), wanted
            if whole:
                self._take_whole(cores, whole * threads)
                if self.need < threads:
                    return

    def _take_uneven_cores(self) -> None:
        """Take fully free cores where cores differ in their number of threads, those with most first."""
        topology = self.topology
        by_free = topology.cores_by_free(self.free)
        full = [by_free[size] & topology.cores_with_threads(size) for size in reversed(topology.thread_counts)]
        for key in self.inner_order():
            inside, larger = topology.inner.masks[key & INDEX_MASK], 0
            for core in (core for cores in full for core in iter_bits(cores & inside)):
                size = topology.cores[core].bit_count()
                if size > self.need:
                    larger = core + 1
                elif larger and size < self.need:
                    # A part of a larger core is one core, this one and more are several.
                    self._take_threads(1 << larger - 1, topology.cores[larger - 1].bit_count(), self.free)
                else:
                    self._take_whole(1 << core, size)
                if self.need < 1:
                    return

    def _take_whole(self, cores: int, count: int) -> None:
        if self.trace is not None:
            self.trace.extend(f"core {core}" for core in iter_bits(cores))
        self.take(self.topology.threads_of(cores), count)

    def _take_single(self) -> None:
        """Take CPUs one by one, from the cores with fewest free threads (CPU-ALLOC-18)."""
        topology, free = self.topology, self.free
        by_free = topology.cores_by_free(free)
        for key in self.inner_order():
            inside = topology.inner.masks[key & INDEX_MASK]
            for threads in range(1, len(by_free)):
                if cores := by_free[threads] & inside:
                    self._take_threads(cores, threads, free)
                    if self.need < 1:
                        return

    def _take_threads(self, cores: int, threads: int, free: int) -> None:
        """Take free CPUs of ``cores`` in order of core, then id; each core has ``threads`` of them."""
        topology = self.topology
        wanted, rest = divmod(self.need, threads)
        available = cores.bit_count()
        if available <= wanted:
            cpus, count = topology.threads_of(cores) & free, available * threads
        else:
            entire = lowest(cores, wanted)
            cpus, count = topology.threads_of(entire) & free, self.need
            if rest:
                following = cores ^ entire
                cpus |= lowest(topology.cores[(following & -following).bit_length() - 1] & free, rest)
        if self.trace is not None:
            self.trace.extend(f"CPU {cpu} of {self._described(threads, cpu)}" for cpu in iter_bits(cpus))
        self.take(cpus, count)

    def _described(self, threads: int, cpu: int) -> str:
        core = next(core for core, mask in self.topology.cores.items() if mask >> cpu & 1)
        used = threads < self.topology.cores[core].bit_count()
        return f"partly used core {core}" if used else f"core {core}"


class _FullByAverage(Packing, quirk="full_by_machine_average"):
    """Takes a group for fully free that has as many free CPUs as the machine-wide average (CPU-ALLOC-25)."""

    __slots__ = ()

    def _full(self, level: Level) -> Sequence[int]:
        return level.full

    def _take_uneven_cores(self) -> None:
        topology = self.topology
        by_free, average = topology.cores_by_free(self.free), topology.cpus_per_core
        full = by_free[average] if average < len(by_free) else 0
        for key in self.inner_order():
            for core in iter_bits(full & topology.inner.masks[key & INDEX_MASK]):
                if (size := topology.cores[core].bit_count()) <= self.need:
                    self._take_whole(1 << core, size)
                    if self.need < 1:
                        return
