"""A machine from what texts say: what they do not say is assumed, and each assumption is a note."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ...cpuset import bits_of, format_bits, ids_by_key, iter_bits
from ...errors import Fault, UsageError
from ..codec import machine_from_dict, machine_to_dict
from ..forms import MAX_CPUS, MAX_NODES
from ..model import UNSEEN, Cpu, Machine, MemoryNode
from .facts import CACHE, CORE, COUNTS, DISTANCE, MEMORY, NUMA, PAGES, SIZE, SOCKET, THREADS, Facts
from .tables import ADJACENT, CORES, NODES, SOME_CACHE

_MEMORY_OF_CPU = 4 * 2**30
_ITSELF, _IN_SOCKET, _REMOTE = 10, 12, 20
_MOST = 4
"""Groups of CPUs that a note names."""
_Groups = dict[int, int]


class Assumptions:
    """What is assumed beside the facts of texts; raises ``UsageError`` where these contradict themselves."""

    def __init__(self, facts: Facts) -> None:
        self._facts, self._notes = facts, [*facts.notes]
        sizes = facts.column(SIZE)
        if not facts.cpus and 0 < sum(sizes.values()) <= MAX_CPUS:
            ids = iter(range(MAX_CPUS))
            numa = {next(ids): node for node in sorted(sizes) for _ in range(sizes[node])}
            facts.says.update({(NUMA, cpu): node for cpu, node in numa.items()})
            facts.cpus = bits_of(numa)
            self._assume("ids of CPUs", _listed(numa), "lscpu -e")
        self._order = list(iter_bits(facts.cpus))
        nodes = {subject[1] for subject in facts.says if subject[0] in (MEMORY, SIZE, DISTANCE, PAGES)}
        self._numa = self._known(NUMA)
        self._nodes = sorted({int(node) for node in nodes} | set(self._numa.values()) | ({0} if not nodes else set()))
        if not 0 < len(self._order) <= MAX_CPUS or len(self._nodes) > MAX_NODES:
            raise self._error(f"has {len(self._order)} CPUs on {len(self._nodes)} NUMA nodes", f"1 to {MAX_CPUS} CPUs")

    def machine(self, name: str) -> Machine:
        """Return the machine of the facts and assumptions; raises ``UsageError`` as the class does."""
        facts, cpus = self._facts, self._order
        socket = self._known(SOCKET)
        self._complete_nodes(socket)
        core = self._cores(socket)
        cores = sorted(set(core.values()), key=lambda cpu: (self._numa[cpu], cpu))
        socket = self._sockets(socket, core, cores)
        cache = self._caches(core, sorted(cores, key=lambda cpu: (socket[cpu], self._numa[cpu], cpu)))
        machine = Machine(
            name,
            tuple(Cpu(cpu, core[cpu], socket[cpu], self._numa[cpu], cache.get(cpu)) for cpu in cpus),
            self._memory(),
            self._distances(socket),
            facts.devices,
            offline=tuple(iter_bits(facts.offline & ~facts.cpus)),
            notes=tuple(self._notes),
        )
        return machine_from_dict(machine_to_dict(machine), facts.place)  # which checks it as it does other files

    def _known(self, relation: str) -> _Groups:
        return {cpu: group for cpu, group in self._facts.column(relation).items() if self._facts.cpus >> cpu & 1}

    def _assume(self, what: str, assumed: str, command: str) -> None:
        self._notes.append(f"{UNSEEN}{what}; assumed: {assumed} ({command} prints it)")

    def _error(self, wrong: str, accepted: str) -> UsageError:
        return UsageError(Fault(self._facts.place, wrong, accepted))

    def _complete_nodes(self, socket: Mapping[int, int]) -> None:
        for node, size in self._facts.column(SIZE).items():
            members = list(self._numa.values()).count(node)
            if self._numa and members != size:
                wrong = f"contradict each other: NUMA node {node} has {members} CPUs, and {size}"
                raise self._error(wrong, "texts of one machine")
        rest = [cpu for cpu in self._order if cpu not in self._numa]
        if rest and self._numa:
            self._numa.update(dict.fromkeys(rest, self._nodes[0]))
        elif rest:
            self._numa.update(_ranks({cpu: socket.get(cpu, 0) for cpu in rest}))
            self._nodes = sorted({*self._nodes, *self._numa.values()})
        if rest and (self._facts.says.get((NODES,)) != 1 or len(self._nodes) > 1):
            self._assume("NUMA nodes", _listed({cpu: self._numa[cpu] for cpu in rest}), "numactl -H")

    def _cores(self, socket: Mapping[int, int]) -> _Groups:
        """Return for each CPU the lowest one of its core."""
        core, says, online = self._known(CORE), self._facts.says, len(self._order)
        if len(core) == online:  # the lowest that a text names may be of no other text
            lowest = {core[cpu]: cpu for cpu in reversed(self._order)}
            return {cpu: lowest[core[cpu]] for cpu in self._order}
        threads = says.get((THREADS,)) or self._likely_threads()
        places = {cpu: (self._numa[cpu], socket.get(cpu, 0)) for cpu in self._order}
        sets = [[cpu for cpu in self._order if places[cpu] == place] for place in dict.fromkeys(places.values())]
        alike = says.get((CORES,), online // threads) * threads == online and not any(len(s) % threads for s in sets)
        if threads > 1 and not alike:
            wrong = f"has {online} CPUs, and cores of up to {threads} threads: they are not alike"
            raise self._error(wrong, "lscpu -e as well")
        partner = {cpu: self._order[at % (online // threads)] for at, cpu in enumerate(self._order)}
        offset = (ADJACENT,) not in says and all(places[cpu] == places[partner[cpu]] for cpu in self._order)
        row = {cpu: members[at // threads * threads] for members in sets for at, cpu in enumerate(members)}
        core = partner if offset else row
        shown = [format_bits(bits) for bits in _sets(core).values()]
        listed = " | ".join(shown[:_MOST]) + " ..." * (len(shown) > _MOST)
        if threads > 1 or (THREADS,) not in says:
            self._assume("which CPUs share a core", listed if threads > 1 else "none", "lscpu -e")
        return core

    def _likely_threads(self) -> int:
        """Return 2 where the CPUs of each NUMA node are in two runs, as far apart as second threads usually are."""
        half, rank = len(self._order) // 2, {cpu: at for at, cpu in enumerate(self._order)}
        sets = [list(iter_bits(bits)) for bits in _sets(self._numa).values()]
        halves = [(members[: len(members) // 2], members[len(members) // 2 :]) for members in sets]
        fits = all([rank[cpu] + half for cpu in low] == [rank[cpu] for cpu in high] for low, high in halves)
        return 2 if fits and any(len({b - a for a, b in pairwise(members)}) > 1 for members in sets) else 1

    def _sockets(self, socket: _Groups, core: _Groups, cores: Sequence[int]) -> _Groups:
        says, nodes = self._facts.says, sorted(set(self._numa.values()))
        if len(socket) < len(self._order):
            count = says.get((COUNTS[SOCKET],))
            if count is None:  # nodes that are near to each other share one
                package = {
                    a: min(b for b in nodes if a == b or says.get((DISTANCE, a, b), _REMOTE) < _REMOTE) for a in nodes
                }
            else:
                package = {node: at * count // len(nodes) for at, node in enumerate(nodes)}
            if count and len(nodes) % count:
                socket = {**_runs(core, cores, 1 if len(cores) % count else count), **socket}
            else:
                socket = {**{cpu: package[node] for cpu, node in self._numa.items()}, **socket}
            if count != 1:
                self._assume("socket of each CPU", _listed(_ranks(socket)), "lscpu -e")
        return _ranks(socket)

    def _caches(self, core: _Groups, cores: Sequence[int]) -> _Groups:
        says, cache = self._facts.says, self._known(CACHE)
        count = says.get((COUNTS[CACHE],))
        if count is None and (SOME_CACHE,) in says:
            count = says.get((COUNTS[SOCKET],), 1)
        if not cache and count and len(cores) % count == 0:
            cache = _runs(core, cores, count)
            if count > 1 or (COUNTS[CACHE],) not in says:
                self._assume("which CPUs share a last-level cache", _listed(cache), "lscpu -e")
        elif not cache and count != 0:
            self._assume("last-level caches", "none", "lscpu -e")
        return _ranks(cache)

    def _memory(self) -> tuple[MemoryNode, ...]:
        sizes = self._facts.column(MEMORY)
        unseen = {
            node: _MEMORY_OF_CPU * list(self._numa.values()).count(node) for node in self._nodes if node not in sizes
        }
        if unseen:
            listed = ", ".join(f"{size >> 30}Gi on {node}" for node, size in unseen.items())
            self._assume("memory of NUMA nodes", f"4Gi for each CPU, {listed}", "numactl -H")
        pages: dict[int, dict[str, int]] = {node: {} for node in self._nodes}
        for subject, count in self._facts.says.items():
            if subject[0] == PAGES:
                pages[int(subject[1])][str(subject[2])] = count
        if not any(pages.values()):
            self._assume("huge pages", "none", "lstopo --of xml")
        return tuple(MemoryNode(node, {**sizes, **unseen}[node], pages[node]) for node in self._nodes)

    def _distances(self, socket: _Groups) -> tuple[tuple[int, ...], ...]:
        says = self._facts.says
        sets: dict[int, set[int]] = {node: set() for node in self._nodes}
        for cpu, node in self._numa.items():
            sets[node].add(socket[cpu])
        usual = {
            (a, b): _ITSELF if a == b else _IN_SOCKET if sets[a] & sets[b] else _REMOTE for a in sets for b in sets
        }
        if len(usual) > 1 and any((DISTANCE, *pair) not in says for pair in usual):
            assumed = f"{_ITSELF} within a NUMA node, {_IN_SOCKET} within a socket, else {_REMOTE}"
            self._assume("distances", assumed, "numactl -H")
        return tuple(tuple(says.get((DISTANCE, a, b), usual[a, b]) for b in sets) for a in sets)


def _runs(core: Mapping[int, int], cores: Sequence[int], count: int) -> _Groups:
    """Return for each CPU the run that its core is in, of ``count`` equally long ones."""
    rank = {cpu: at * count // len(cores) for at, cpu in enumerate(cores)}
    return {cpu: rank[lowest] for cpu, lowest in core.items()}


def _ranks(groups: Mapping[int, int]) -> _Groups:
    """Return groups by 0, 1, 2 ... in the order of their numbers."""
    ranks = {group: at for at, group in enumerate(sorted(set(groups.values())))}
    return {cpu: ranks[group] for cpu, group in groups.items()}


def _sets(groups: Mapping[int, int]) -> dict[int, int]:
    return dict(sorted(ids_by_key((group, cpu) for cpu, group in groups.items()).items()))


def _listed(groups: Mapping[int, int]) -> str:
    shown = [f"{format_bits(bits)} on {group}" for group, bits in _sets(groups).items()]
    return "the CPUs " + ", ".join(shown[:_MOST]) + ", ..." * (len(shown) > _MOST)
