"""Allocations and CPU hints to ask for: sweeps over machines, options, reservations and states of use."""

import random
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial
from typing import Any

from ...machine import Machine, machine_from_dict
from .allocation_states import ASKING, INIT, AllocationState, Claimed, guaranteed_pod, several, states_in_turn, varied
from .picks import OPTION_SETS
from .scenario import Question, Scenario, Script, ask_all, or_the_catalogue
from .workloads import best_effort, burstable, kubelet

MOST_CPUS = 32
FEW = 12
"""Of fewer machines each is asked what is reserved by number, of as many or more every other one."""
STRICT = "strict-cpu-reservation"
RESERVATIONS: tuple[dict[str, dict[str, str]], ...] = (
    *({"kubeReserved": {"cpu": "1"}}, {"systemReserved": {"cpu": "2"}}),
    {"kubeReserved": {"cpu": "500m"}, "systemReserved": {"cpu": "600m"}},
    *({"kubeReserved": {"cpu": "1.5"}, "systemReserved": {"cpu": "1500m"}}, {"kubeReserved": {"cpu": "0"}}),
    {},
)
"""What is reserved by number; the last two reserve nothing."""
OPTIONS = (
    *("full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket", "prefer-align-cpus-by-uncorecache"),
    *("strict-cpu-reservation", "distribute-cpus-across-cores"),
)
"""Options of the static policy, each of which is on alone where hints are asked for."""
MOST_NODES = 8
"""Of NUMA nodes every set can be looked at."""
POD = "topology-manager/scope/pod"
"""Who claims it is asked for the hints of pods as a whole too; others hint for containers alone."""


def allocation_sweep(claimed: Claimed, machines: Sequence[Machine] | None = None, seed: int = 0) -> Iterator[Scenario]:
    """Yield a scenario for each machine and several option sets, in turn, so that each set has its machines."""
    swept = list(or_the_catalogue(machines, MOST_CPUS))
    options = [*OPTION_SETS, *((*names, STRICT) for names in OPTION_SETS[:2])]
    for cell, state, lot in states_in_turn("allocate", swept, options, claimed, seed, every=6):
        yield Scenario("sweep", cell, state.machine, partial(_ask, _questions, state, lot, claimed), seed)
    for machine in swept if len(swept) < FEW else swept[::2]:
        lot = random.Random(f"{seed} {machine.name} by number")
        yield Scenario(
            "sweep", "allocate, reserved by number", machine, partial(_ask, _reserved, machine, lot, claimed), seed
        )


def _ask(questions: Callable[..., Iterator[Question]], of: object, lot: random.Random, claimed: Claimed) -> Script:
    """Ask what is drawn once it is asked, as most of a sweep seldom is; alike each time."""
    return ask_all(questions(of, copy(lot), claimed))


def _questions(state: AllocationState, lot: random.Random, claimed: Claimed) -> Iterator[Question]:
    free = state.free.bit_count()
    for size in sorted({1, 2, 3, lot.randint(1, max(1, free)), free, free + 1}):
        if size:
            yield _question(state, guaranteed_pod(size), "c0")
    nodes = [node for node, cpus in state.machine.numa_bits.items() if cpus & state.free]
    if nodes:
        hinted = sorted(lot.sample(nodes, lot.randint(1, min(3, len(nodes)))))
        room = sum(state.machine.numa_bits[node] & state.free for node in hinted).bit_count()
        for size in {lot.randint(1, room), min(room + 1, free)}:
            yield _question(state, guaranteed_pod(size), "c0", {"nodes": hinted, "preferred": lot.random() < 0.5})
    if free > 1:
        again, held, count = state.with_cpus(lot)
        for size in sorted({1, count, count + 1, free, free + 1}) if INIT in claimed else ():
            yield _question(again, guaranteed_pod(size, init=[count]), "c0")
        yield _question(held, guaranteed_pod(count), "c0")
    for pod in (guaranteed_pod("1500m"), burstable(ASKING, 2), best_effort(ASKING)):
        yield _first(state, pod)
    for pod, name in several(lot, free, claimed):
        yield _question(state, pod, name, _affinity(nodes, lot))
    if "cpu-manager/none" in claimed:
        for pod in (guaranteed_pod(1), burstable(ASKING, 1), best_effort(ASKING)):
            yield _first(state, pod, kubelet())


def _affinity(nodes: Sequence[int], lot: random.Random) -> dict[str, Any] | None:
    """Draw a hint for a container among NUMA nodes that have something free; none now and then."""
    if not nodes or lot.random() < 0.2:
        return None
    hinted = sorted(lot.sample(nodes, lot.randint(1, min(3, len(nodes)))))
    return {"nodes": hinted, "preferred": lot.random() < 0.5}


def _reserved(machine: Machine, lot: random.Random, claimed: Claimed) -> Iterator[Question]:
    """Ask fresh nodes with so much reserved by number."""
    for reservation in RESERVATIONS:
        state = varied(AllocationState(machine, (), 0, 0), claimed, lot)
        config = {**state.in_use["kubelet"], **reservation}
        for pod in (guaranteed_pod(1), guaranteed_pod(2), burstable(ASKING, 1), best_effort(ASKING)):
            yield _first(state, pod, config)


def _question(
    state: AllocationState, pod: dict[str, Any], container: str, affinity: dict[str, Any] | None = None
) -> Question:
    return "allocate", {**state.question(pod, container), "affinity": affinity}


def _first(state: AllocationState, pod: dict[str, Any], config: dict[str, Any] | None = None) -> Question:
    """Ask about the first container of a pod, with another configuration if one is named."""
    return "allocate", {**state.first_of(pod), "affinity": None, **({"kubelet": config} if config else {})}


def examples_of_hints(claimed: Claimed) -> Iterator[Scenario]:
    """Yield the picture: three NUMA nodes with two CPUs each, of which one, two and one are free, and two are asked."""
    picture = {"name": "three-nodes-of-two", "sockets": 3, "coresPerNuma": 2, "memory": "1Gi"}
    machine = machine_from_dict(picture, "picture")
    state = AllocationState(machine, (), reserved=1 << 1, taken=1 << 4)
    names = ("c0", None) if POD in claimed else ("c0",)
    questions = [_hints(state, guaranteed_pod(cpus), name) for cpus in (2, 1, 3, 4, 5) for name in names]
    yield Scenario("example", "hints, the picture of three NUMA nodes", machine, partial(ask_all, questions))


def hint_sweep(claimed: Claimed, machines: Sequence[Machine] | None = None, seed: int = 0) -> Iterator[Scenario]:
    """Yield a scenario for each machine, without option and under every other set of them, in turn.

    Each has a state of use, which is asked of many containers.
    """
    able = [machine for machine in or_the_catalogue(machines, MOST_CPUS) if len(machine.numa_ids) <= MOST_NODES]
    options = [(), *((name,) for name in OPTIONS)]
    for cell, state, lot in states_in_turn("hints", able, options, claimed, seed, every=6):
        yield Scenario("sweep", cell, state.machine, partial(_ask, _questions_of_hints, state, lot, claimed), seed)


def _questions_of_hints(state: AllocationState, lot: random.Random, claimed: Claimed) -> Iterator[Question]:
    """Ask for containers and pods of several sizes, with CPUs to use again, with CPUs held, and of the shared pool."""
    free = state.free.bit_count()
    rooms = {cpus.bit_count() for cpus in state.machine.numa_bits.values()}
    sizes = {1, 2, free // 2, free, free + 1} | {size + more for size in rooms for more in (0, 1)}
    for size in sorted(size for size in sizes if 0 < size <= free + 1):
        yield _hints(state, guaranteed_pod(size), "c0")
    size = lot.randint(1, max(1, free))
    if POD in claimed:
        yield _hints(state, guaranteed_pod(size, 1), None)
    for pod, name in several(lot, free, claimed):
        yield _hints(state, pod, name)
    if INIT in claimed and POD in claimed:
        yield _hints(state, guaranteed_pod(1, init=[size]), None)
        yield _hints(state, guaranteed_pod(1, init=[size], sidecars=[1]), None)
    if free > 1:
        again, held, count = state.with_cpus(lot)
        for size in sorted({1, count, count + 1, free}) if INIT in claimed else ():
            yield _hints(again, guaranteed_pod(size, init=[count]), "c0")
        for size in sorted({count, count + 1, max(1, count - 1)}):
            yield _hints(held, guaranteed_pod(size), "c0")
    for pod in (guaranteed_pod("1500m"), burstable(ASKING, 2), best_effort(ASKING)):
        yield "hints", state.first_of(pod)
        if POD in claimed:
            yield _hints(state, pod, None)
    for pod in (guaranteed_pod(1), burstable(ASKING, 2), best_effort(ASKING)) if "cpu-manager/none" in claimed else ():
        yield "hints", {**state.first_of(pod), "kubelet": kubelet()}


def _hints(state: AllocationState, pod: dict[str, Any], container: str | None) -> Question:
    return "hints", state.question(pod, container)
