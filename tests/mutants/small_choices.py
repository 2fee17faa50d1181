"""Faults inside an algorithm: small allocators whose choice of CPUs has one wrong bound, order or measure."""

from __future__ import annotations

from numa_conformance.cpuset import iter_bits
from small.choosing import WHOLE, Chooser

from .mutant import mutant


@mutant().instead_of(Chooser, "__init__")
def siblings_half_away(right, self, machine, options):
    """Takes CPU i and i + n/2 for the threads of a core."""
    right(self, machine, options)
    ids = [cpu.id for cpu in machine.cpus]
    half = len(ids) // 2
    if {core.bit_count() for core in machine.core_bits} == {2}:
        self.cores = [1 << ids[index] | 1 << ids[index + half] for index in range(half)]


@mutant().instead_of(Chooser, "__init__")
def adjacent_siblings(right, self, machine, options):
    """Takes neighbouring ids for the threads of a core."""
    right(self, machine, options)
    ids = [cpu.id for cpu in machine.cpus]
    size = max(core.bit_count() for core in machine.core_bits)
    self.cores = [sum(1 << cpu for cpu in ids[index : index + size]) for index in range(0, len(ids), size)]


@mutant().instead_of(Chooser, "__init__")
def cores_by_socket_alone(right, self, machine, options):
    """Takes CPUs with one core id for one core, though every socket counts its own."""
    right(self, machine, options)
    cores = {}
    for cpu in machine.cpus:
        cores[cpu.core] = cores.get(cpu.core, 0) | 1 << cpu.id
    self.cores = list(cores.values())


@mutant().instead_of(Chooser, "__init__")
def nodes_by_index(right, self, machine, options):
    """Cuts the CPUs into as many equal runs of ids as there are NUMA nodes."""
    right(self, machine, options)
    ids = [cpu.id for cpu in machine.cpus]
    size = -(-len(ids) // len(self.nodes))
    self.nodes = [sum(1 << cpu for cpu in ids[index : index + size]) for index in range(0, len(ids), size)]


@mutant().instead_of(Chooser, "__init__")
def sockets_for_nodes(right, self, machine, options):
    """Counts sockets where NUMA nodes count."""
    right(self, machine, options)
    self.nodes = list(machine.socket_bits.values())


@mutant().instead_of(Chooser, "step")
def average_cores(right, self):
    """Divides all CPUs by all cores to learn what a core is."""
    return len(self.machine.cpus) // len(self.cores) if WHOLE in self.options else 1


@average_cores.instead_of(Chooser, "offered")
def average_cores(right, self, available):
    if WHOLE not in self.options:
        return available
    return sum(core & available for core in self.cores if (core & available).bit_count() >= self.step)


@average_cores.instead_of(Chooser, "adds_up")
def average_cores(right, self, available, count):
    return count % self.step == 0


@mutant().instead_of(Chooser, "offered")
def accepts_half_cores(right, self, available):
    """Under full-pcpus-only looks at the number alone."""
    return available


@mutant().instead_of(Chooser, "fits")
def never_odd_sizes(right, self, available, count):
    """Refuses what is no multiple of a core, whatever the options."""
    return right(self, available, count) and count % self.cores[0].bit_count() == 0


@mutant().instead_of(Chooser, "fits")
def not_the_last_cpu(right, self, available, count):
    """Keeps one CPU back: less than where it should be no more than."""
    return right(self, available, count) and count < self.offered(available).bit_count()


@mutant().instead_of(Chooser, "fits")
def serves_one_too_many(right, self, available, count):
    """Serves one more than there are, with one CPU too few."""
    return count <= available.bit_count() + 1 and right(self, available, min(count, available.bit_count()))


@serves_one_too_many.instead_of(Chooser, "taken")
def serves_one_too_many(right, self, available, count):
    return right(self, available, min(count, available.bit_count()))


@mutant().instead_of(Chooser, "one_node")
def no_part_node(right, self, available, count):
    """Divides over NUMA nodes as soon as a request is half a node."""
    return any((node & available).bit_count() >= 2 * count for node in self.nodes)


@mutant().instead_of(Chooser, "one_node")
def strictly_less_than_anode(right, self, available, count):
    """Distributes what fits a NUMA node exactly."""
    return any((node & available).bit_count() > count for node in self.nodes)


@mutant().instead_of(Chooser, "shares")
def uneven_shares(right, self, available, count):
    """Gives the first NUMA node of a distribution all that is left over at once, and one more."""
    told = right(self, available, count)
    if told is None or told[-1][1] <= 2 * self.step:
        return told
    (first, most), *rest, (last, least) = told
    room = (first & available).bit_count()
    moved = min(2 * self.step, room - most)
    return [(first, most + moved), *rest, (last, least - moved)]


@mutant().instead_of(Chooser, "shares")
def distributes_over_two(right, self, available, count):
    """Knows distributions over two NUMA nodes only."""
    told = right(self, available, count)
    return told if told is not None and len(told) == 2 else None


@mutant().instead_of(Chooser, "shares")
def distributes_over_all(right, self, available, count):
    """Divides over every NUMA node, not over as few as needed: uneven where one has little."""
    step, number = self.step, len(self.nodes)
    even, more = divmod(count // step, number)
    shares = [(even + (index < more)) * step for index in range(number)]
    if count % step or any((n & available).bit_count() < s for n, s in zip(self.nodes, shares, strict=True)):
        return None
    return list(zip(self.nodes, [count - sum(shares[1:]), *shares[1:]], strict=True))


@mutant().instead_of(Chooser, "step")
def shares_of_single_threads(right, self):
    """Forgets whole cores when it divides."""
    return 1


@shares_of_single_threads.instead_of(Chooser, "taken")
def shares_of_single_threads(right, self, available, count):
    return right(self, available, count)


@mutant().instead_of(Chooser, "shares")
def first_nodes_share(right, self, available, count):
    """Takes the first NUMA nodes of a distribution, whether they have the most or not."""
    for number in range(2, len(self.nodes) + 1):
        even, more = divmod(count // self.step, number)
        shares = [(even + (index < more)) * self.step for index in range(number)]
        chosen = self.nodes[:number]
        if sum((node & available).bit_count() for node in chosen) >= count:
            parts, left = [], count
            for node, share in zip(chosen, shares, strict=True):
                parts.append((node, min(share, (node & available).bit_count())))
                left -= parts[-1][1]
            return parts if not left else None
    return None


@mutant().instead_of(Chooser, "spread")
def spreads_in_one_node(right, self, available, count):
    """Spreads over the cores of one NUMA node, though there are more."""
    best = max((node & available for node in self.nodes), key=int.bit_count)
    return right(self, best if best.bit_count() >= count else available, count)


@mutant().instead_of(Chooser, "spread")
def spreads_over_half_cores(right, self, available, count):
    """Takes two threads of a core before the next core."""
    given = 0
    for core in self.cores:
        for cpu in list(iter_bits(core & available))[:2]:
            if given.bit_count() < count:
                given |= 1 << cpu
    return given | self.some(available & ~given, count - given.bit_count())


@mutant().instead_of(Chooser, "pack")
def lowest_ids(right, self, available, count):
    """Packs by number: the lowest ids, wherever they are."""
    return self.some(available, count)


@mutant().instead_of(Chooser, "pack")
def cores_round_robin(right, self, available, count):
    """Packs cores in turns over NUMA nodes."""
    given = 0
    parts = [[core & available for core in self.cores if core & available & node] for node in self.nodes]
    for turn in range(max(map(len, parts))):
        for cores in parts:
            if turn < len(cores) and given.bit_count() < count:
                given |= self.some(cores[turn], min(count - given.bit_count(), cores[turn].bit_count()))
    return given | self.some(available & ~given, count - given.bit_count())


@mutant().instead_of(Chooser, "next_node")
def smallest_node_first(right, self, open_nodes, count):
    """Begins with the NUMA node that has least, though it does not hold the request."""
    return min((node for node in open_nodes if node), key=int.bit_count)


@mutant(strength="SHOULD").instead_of(Chooser, "of_cores")
def smallest_core_first(right, self, available, count):
    """Uses up single threads first, and so more cores than it needs."""
    given = 0
    while given.bit_count() < count:
        parts = [part for core in self.cores if (part := core & available & ~given)]
        part = min(parts, key=int.bit_count)
        given |= self.some(part, 1)
    return given


@mutant().instead_of(Chooser, "of_cores")
def one_thread_of_each_core(right, self, available, count):
    """Packs a NUMA node thread by thread."""
    return self.spread(available, count)


@mutant().instead_of(Chooser, "of_cores")
def last_part_of_anew_core(right, self, available, count):
    """Begins a core for the odd CPU although one is begun."""
    size = max(core.bit_count() for core in self.cores)
    if count % size == 0 or count < size:
        return right(self, available, count)
    given = right(self, available, count - 1)
    fresh = [core & available for core in self.cores if core & available and not core & given]
    return given | self.some(fresh[0] if fresh else available & ~given, 1)


@mutant().instead_of(Chooser, "__init__")
def counts_offline_cpus(right, self, machine, options):
    """Counts CPUs that are offline with those of the first NUMA node."""
    right(self, machine, options)
    self.nodes[0] |= sum(1 << cpu for cpu in machine.offline)
    self._more = sum(1 << cpu for cpu in machine.offline)


@counts_offline_cpus.instead_of(Chooser, "taken")
def counts_offline_cpus(right, self, available, count):
    return right(self, available | self._more, count)


@counts_offline_cpus.instead_of(Chooser, "of_cores")
def counts_offline_cpus(right, self, available, count):
    return (
        right(self, available & ~self._more, count)
        if count <= (available & ~self._more).bit_count()
        else self.some(available, count)
    )


@mutant().instead_of(Chooser, "offered")
def loses_the_highest_id(right, self, available):
    """Ends its loops one CPU early."""
    offered = right(self, available)
    top = 1 << (self.machine.online_bits.bit_length() - 1)
    return offered & ~top


@mutant().instead_of(Chooser, "ascending_cores")
def reserves_from_the_top(right, self, count):
    """Reserves one CPU more than it was told on machines with several NUMA nodes."""
    return right(self, count + (len(self.nodes) > 1))
