"""States of a node that a question brings along: what is reserved, what other pods have, what a pod may use again."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from ...cpuset import bits_of, format_bits, iter_bits, union
from ...machine import Machine
from ...sources.options import STATIC_OPTIONS
from ...sources.policies import TOPOLOGY_POLICIES
from ...wire.features import FEATURES
from .workloads import container, pod, static

Claimed = frozenset[str]
"""The features that a target claims."""

ASKING = "asking"
"""The pod that asks, by name and uid."""
INIT = "cpu-manager/init-containers"
_MEMORY = "64Mi"
ALL: Claimed = frozenset(FEATURES)
"""Whatever there is."""


@dataclass(frozen=True, slots=True)
class AllocationState:
    """A machine, options of the static policy, and CPUs as bits: reserved, of another pod, reusable by the one asking.

    ``held``: container of the asking pod to what it has. ``off``: options that are written as ``"false"``. ``pods``:
    how many pods share what is taken. ``topology``: the Topology Manager's policy.
    """

    machine: Machine
    options: tuple[str, ...]
    reserved: int
    taken: int
    reusable: int = 0
    held: Mapping[str, int] | None = None
    off: tuple[str, ...] = ()
    pods: int = 1
    topology: str = "best-effort"

    @property
    def of_the_pod(self) -> int:
        """What the asking pod has."""
        return union((self.reusable, *(self.held or {}).values()))

    @property
    def free(self) -> int:
        """What may be given."""
        return self.machine.online_bits & ~self.reserved & ~self.taken & ~self.of_the_pod

    @property
    def in_use(self) -> dict[str, Any]:
        """The parameters that tell the state."""
        strict = self.reserved if "strict-cpu-reservation" in self.options else 0
        kubelet = static(*self.options, reserved=format_bits(self.reserved), topology=self.topology, off=self.off)
        known = list(iter_bits(self.taken))
        parts = (known[start :: self.pods] for start in range(self.pods))
        others = enumerate(bits_of(part) for part in parts if part)
        assignments = {f"another{index or ''}": {"c": format_bits(cpus)} for index, cpus in others}
        assigned = {name: format_bits(cpus) for name, cpus in (self.held or {}).items()}
        if self.reusable:
            assigned["init"] = format_bits(self.reusable)
        state = {
            "default": format_bits(self.machine.online_bits & ~self.taken & ~self.of_the_pod & ~strict),
            "assignments": {**assignments, **({ASKING: assigned} if assigned else {})},
            "reusable": {ASKING: format_bits(self.reusable)} if self.reusable else {},
        }
        return {"kubelet": kubelet, "state": state}

    def question(self, pod: dict[str, Any], container: str | None) -> dict[str, Any]:
        """Return the parameters that ask about a container of a pod, or about the pod as a whole."""
        return {**self.in_use, "pod": pod, "container": container}

    def first_of(self, pod: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters that ask about the first container of a pod."""
        return self.question(pod, pod["spec"]["containers"][0]["name"])

    def with_cpus(self, lot: random.Random) -> "tuple[AllocationState, AllocationState, int]":
        """Return the state in which the asking pod has CPUs left by an init container, or held by ``c0``, and how many.

        More than one CPU must be free.
        """
        known = list(iter_bits(self.free))
        some = lot.sample(known, lot.randint(1, len(known) - 1))
        return replace(self, reusable=bits_of(some)), replace(self, held={"c0": bits_of(some)}), len(some)


def states_in_turn(
    kind: str, machines: Sequence[Machine], options: Iterable[Sequence[str]], claimed: Claimed, seed: int, *, every: int
) -> Iterator[tuple[str, AllocationState, random.Random]]:
    """Yield a cell, a state of use, and the lot of their questions: without options on each machine, with them in turn.

    A machine has one set of options in so many (``every``, and no more than there are machines), and none that no node
    comes up with.
    """
    every = min(every, len(machines))
    possible = [names for names in options if all(f"cpu-manager/{name}" in claimed for name in names)]
    for (place, machine), (index, names) in product(enumerate(machines), enumerate(possible)):
        is_refused = "align-by-socket" in names and len(machine.socket_bits) > len(machine.numa_ids)
        if not is_refused and not (names and (place + index) % every):
            cell = f"{kind} {'+'.join(names) or 'no option'}"
            lot, other = (random.Random(f"{what}{seed} {machine.name} {cell}") for what in ("", "varied "))
            # A core or some threads reserved; little, some or much taken, by cores or by threads.
            cores = list(machine.core_bits)
            reserved = cores[0] if lot.random() < 0.6 else _threads(machine.online_bits, lot, lot.randint(1, 3))
            rest = machine.online_bits & ~reserved
            share = lot.choice((0.0, 0.1, 0.3, 0.6, 0.9))
            if lot.random() < 0.5:
                taken = sum(core for core in cores if not core & reserved and lot.random() < share)
            else:
                taken = _threads(rest, lot, int(rest.bit_count() * share))
            yield cell, varied(AllocationState(machine, tuple(names), reserved, taken), claimed, other), lot


def varied(state: AllocationState, claimed: Claimed, lot: random.Random) -> AllocationState:
    """Return the state written otherwise: with options that are off, more pods, another policy that aligns."""
    known = [name for name in STATIC_OPTIONS if name not in state.options and f"cpu-manager/{name}" in claimed]
    off = sorted(lot.sample(known, min(len(known), lot.randint(0, 2))))
    policies = [name for name in TOPOLOGY_POLICIES if f"topology-manager/{name}" in claimed and name != "none"]
    if "align-by-socket" in state.options:
        policies = [name for name in policies if name != "single-numa-node"]
    topology = lot.choice(policies or [state.topology])
    return replace(state, off=tuple(off), pods=lot.randint(1, 3), topology=topology)


def guaranteed_pod(
    *cpus: int | str, init: Sequence[int | str] = (), sidecars: Sequence[int | str] = ()
) -> dict[str, Any]:
    """Describe the asking pod: containers ``c0``, ``c1``, ..., each with so many CPUs as request and limit."""
    apps = [container(f"c{index}", cpu=str(size), memory=_MEMORY) for index, size in enumerate(cpus)]
    first = [container(f"s{index}", cpu=str(size), memory=_MEMORY, sidecar=True) for index, size in enumerate(sidecars)]
    first += [container(f"init{index or ''}", cpu=str(size), memory=_MEMORY) for index, size in enumerate(init)]
    return pod(ASKING, apps, init=first)


def several(lot: random.Random, free: int, claimed: Claimed) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield pods of several containers, of every class, each with one container that is asked about."""
    sizes = [lot.randint(1, max(1, free // 2)) for _ in range(3)]
    yield guaranteed_pod(*sizes[:2]), "c1"
    yield guaranteed_pod(sizes[0], "1500m", sizes[2]), "c2"
    first = INIT in claimed
    if first:
        yield guaranteed_pod(sizes[0], init=sizes[1:]), "init"
        yield guaranteed_pod(sizes[0], init=sizes[1:2], sidecars=sizes[2:]), "s0"
        yield guaranteed_pod(sizes[0], 1, sidecars=sizes[2:]), lot.choice(("s0", "c1"))
    for requests in ({"cpu": "1", "memory": _MEMORY}, None):
        apps = [container(f"c{index}", requests=requests) for index in range(lot.randint(2, 3))]
        yield pod(ASKING, apps), "c1"
        for sidecar in (True, False) if first else ():
            neighbour = container("i0", requests=requests, sidecar=sidecar)
            both = [container("s0", requests=requests, sidecar=True), neighbour]
            yield pod(ASKING, apps, init=[neighbour]), "i0"
            yield pod(ASKING, apps, init=both), lot.choice(("s0", "i0", "c0"))


def _threads(cpus: int, lot: random.Random, count: int) -> int:
    known = list(iter_bits(cpus))
    return bits_of(cpu for cpu in lot.sample(known, min(count, len(known))))
