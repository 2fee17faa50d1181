"""Nodes that are asked to come up, each with the first pod: options and gates, defaults, reservations, many NUMA nodes.

Configurations are derived from the machine. What must come of them is not known here.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import combinations, product
from typing import Any

from ...cpuset import bit_of
from ...judging.choice import numa_cpus
from ...judging.start_subjects import MANY_NODES, MOST_NODES
from ...machine import Machine, load_machine
from ...sources.options import STATIC_OPTIONS
from ...sources.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from .allocation_states import Claimed
from .memory_starts import divided_memory, memory_starts
from .option_probes import a_core_of_each, probe_of
from .scenario import Scenario, Script, or_the_catalogue
from .workloads import container, guaranteed, kubelet, pod, static

Configuration = tuple[Mapping[str, Any], Mapping[str, Any] | None]
"""A KubeletConfiguration, and the first pod if one comes."""
ALPHA, BETA, WHOLE = "CPUManagerPolicyAlphaOptions", "CPUManagerPolicyBetaOptions", "CPUManagerPolicyOptions"
GATES: tuple[Mapping[str, bool], ...] = (
    *({}, {ALPHA: True}, {ALPHA: False}, {BETA: True}, {BETA: False}, {ALPHA: True, BETA: True}),
    *({ALPHA: True, BETA: False}, {ALPHA: False, BETA: False}, {WHOLE: True, ALPHA: True}, {WHOLE: False}),
    {WHOLE: False, ALPHA: True},
)
MOST_CPUS, FEW_CPUS, MACHINES = 96, 3, 3
HIGHEST_NODE = 63
"""A set of NUMA nodes is a word of 64 bits to the kubelet, which ends at a pod past it."""
RESTART = "node/restart"
SOCKET = "align-by-socket"
TOGETHER = ("full-pcpus-only", "distribute-cpus-across-numa", SOCKET, "distribute-cpus-across-cores")
AMOUNTS = (("1", None), (None, "1"), ("1", "1"), ("3", None), (None, "2"), ("500m", "500m"), ("0.5", "700m"))


def node_starts(claimed: Claimed, machines: Sequence[Machine] | None = None, seed: int = 0) -> Iterator[Scenario]:
    """Yield starts within what a target claims, each cell on every other small machine where none is named."""
    asked_on = _machines() if machines is None else machines
    yield from _options(asked_on, claimed)
    for place, machine in enumerate(asked_on):
        for index, (cell, needs, asking) in enumerate(_SETTINGS):
            turn = machines is not None or len(machine.numa_ids) >= MOST_NODES or not (place + index + seed) % 2
            configurations = tuple(asking(machine, claimed)) if turn and needs <= claimed else ()
            if configurations:
                yield _scenario(cell, machine, configurations, restarts=RESTART in claimed)
    for machine in _one_node_too_many():
        yield _scenario("one NUMA node too many", machine, _numa_nodes(machine, claimed))
    swept = asked_on if machines is not None else asked_on[seed % 2 :: 2]
    for machine in (*_one_node_too_many(), *swept) if RESTART in claimed else ():
        configs = tuple(config for config, _ in _numa_nodes(machine, claimed))
        if configs:
            yield Scenario("start", "NUMA nodes, restarted", machine, partial(_restarted, configs))


@lru_cache
def _machines() -> tuple[Machine, ...]:
    known = or_the_catalogue(None, MOST_CPUS)
    return tuple(sorted(known, key=lambda machine: (len(machine.cpus), machine.name)))


@lru_cache
def _one_node_too_many() -> tuple[Machine, Machine]:
    """Return the first NUMA nodes of a machine that has many, one more than are allowed; and the last without CPUs."""
    machine = load_machine("forty-numa-nodes")
    count = MOST_NODES + 1
    first_ids = machine.numa_ids[:count]
    first = replace(
        machine,
        name=f"the first {count} of {machine.name}",
        cpus=tuple(cpu for cpu in machine.cpus if cpu.numa in first_ids),
        memory=tuple(node for node in machine.memory if node.node in first_ids),
        distances=machine.distances and tuple(row[:count] for row in machine.distances[:count]),
    )
    cpus = tuple(cpu for cpu in first.cpus if cpu.numa != first_ids[-1])
    return first, replace(first, name=f"{first.name}, the last of memory alone", cpus=cpus)


def _scenario(
    cell: str, machine: Machine, configurations: Iterable[Configuration], *, restarts: bool = False
) -> Scenario:
    return Scenario("start", cell, machine, partial(_script, tuple(configurations), restarts))


def _script(configurations: Iterable[Configuration], restarts: bool) -> Script:
    """Ask a node to come up, and with what it refuses ask it at last to come up again."""
    good, refused = list[Mapping[str, Any]](), list[Mapping[str, Any]]()
    for config, first in configurations:
        answer = yield "node.start", {"kubelet": config}
        up = answer.get("result") == "started"
        (good if up else refused).append(config)
        if first is not None and up:
            yield "node.admit", {"pod": first}
    is_up = False
    for config in refused if good and restarts else ():
        if not is_up:
            yield "node.start", {"kubelet": good[0]}
        is_up = (yield "node.restart", {"kubelet": config}).get("result") == "failed"


def _restarted(configs: Iterable[Mapping[str, Any]]) -> Script:
    """Ask the same of a node that has come up without what its Topology Manager is told then."""
    for config in configs:
        before = {field: value for field, value in config.items() if not field.startswith("topologyManager")}
        if (yield "node.start", {"kubelet": before}).get("result") == "started":
            yield "node.restart", {"kubelet": config}


def _options(machines: Sequence[Machine], claimed: Claimed) -> Iterator[Scenario]:
    """Each option, hidden and shown: the first start of each history names none."""
    if "cpu-manager/static" not in claimed:
        return
    for option in STATIC_OPTIONS:
        probes = [(machine, probe) for machine in machines if (probe := probe_of(option, machine))]
        for machine, probe in [pair for pair in probes if pair[1].needs <= claimed][:MACHINES]:
            named = {"cpuManagerPolicyOptions": {option: "true"}}
            claims = f"cpu-manager/{option}" in claimed
            able = [gates for gates in GATES if claims or gates.get(WHOLE) is False]
            variants = [*(({}, gates) for gates in GATES[:8]), *((named, gates) for gates in able)]
            starts = [
                ({**probe.kubelet, **more, **({"featureGates": gates} if gates else {})}, probe.pod)
                for more, gates in variants
            ]
            yield _scenario(option, machine, starts)


def _reservations(machine: Machine, _claimed: Claimed) -> Iterator[Configuration]:
    most = len(machine.cpus)
    for kube, system in AMOUNTS:
        amounts = (("kubeReserved", kube), ("systemReserved", system))
        fields = {field: {"cpu": text} for field, text in amounts if text}
        if most > FEW_CPUS:
            last = str(machine.cpus[-1].id)
            yield kubelet(cpuManagerPolicy="static", **fields), None
            yield kubelet(cpuManagerPolicy="static", **fields, reservedSystemCPUs=last), None
    if most > FEW_CPUS:
        yield static(reserved=f"{machine.cpus[0].id},{machine.cpus[-1].id + 7}"), None
    for number in {most // 4, most // 2, most - 1} - {0}:
        yield kubelet(cpuManagerPolicy="static", kubeReserved={"cpu": str(number)}), None
    yield {**static(), "cpuManagerPolicy": "dynamic"}, None
    if most > FEW_CPUS:
        ids = [cpu.id for cpu in machine.cpus]
        yield {**static(reserved=f"{ids[1]},{ids[0]},{ids[1]}"), "maxPods": 250, "kind": "KubeletConfiguration"}, None
    yield kubelet(cpuManagerPolicy=None, topologyManagerPolicy="", memoryManagerPolicy=None, reservedMemory=None), None
    yield kubelet(cpuManagerPolicy="static"), None
    yield kubelet(cpuManagerPolicy="static", kubeReserved={"memory": "1Gi"}, systemReserved={"cpu": "0"}), None


def _together(machine: Machine, claimed: Claimed) -> Iterator[Configuration]:
    """Options beside one another, and align-by-socket where it does not apply."""
    nodes = len(numa_cpus(machine))
    known = [option for option in TOGETHER if _claims(claimed, (option,))]
    applies = len(machine.socket_bits) <= nodes
    reserved = machine.core_bits[0]
    excluding = [(name, other) for name, option in STATIC_OPTIONS.items() for other in option.excludes]
    pairs = [pair for pair in excluding if not set(pair) <= set(TOGETHER) and _claims(claimed, pair)]
    triples = [(*pair, third) for pair in excluding for third in STATIC_OPTIONS if third not in pair]
    more = [names for names in triples if len(set(names) - set(TOGETHER)) == 1 and _claims(claimed, names)]
    for names in (*(names for size in (2, 3) for names in combinations(known, size)), *pairs, *more):
        if (SOCKET not in names or applies) and len(machine.core_bits) > 1:
            yield static(*names, reserved=reserved), None
    for policy, pair in product(_aligning(machine, claimed), excluding):
        if _claims(claimed, pair) and len(machine.core_bits) > 1 and SOCKET not in pair:
            yield static(*pair, reserved=reserved, topology=policy), None
    if SOCKET not in known:
        return
    probe = probe_of(SOCKET, machine)
    if probe is not None and "topology-manager/single-numa-node" in claimed:
        core = probe.kubelet["reservedSystemCPUs"]
        for scope in _scopes(claimed) or ["container"]:
            yield static(SOCKET, topology="single-numa-node", scope=scope, reserved=core), probe.pod
    largest = max(bits.bit_count() for bits in machine.numa_bits.values())
    if not applies and nodes == 1 and "topology-manager/restricted" in claimed:
        first = bit_of(machine.cpus[0].id)
        yield static(SOCKET, topology="restricted", reserved=first), guaranteed("p", largest - 1)


def _aligning(machine: Machine, claimed: Claimed) -> list[str]:
    """Return the policies of the Topology Manager that align, where the machine is none that they refuse."""
    few = len(machine.numa_ids) <= MOST_NODES and max(machine.numa_ids) <= HIGHEST_NODE
    return [name for name in TOPOLOGY_POLICIES if few and name != "none" and f"topology-manager/{name}" in claimed]


def _claims(claimed: Claimed, options: Iterable[str]) -> bool:
    return {f"cpu-manager/{option}" for option in options} <= claimed


def _defaults(machine: Machine, claimed: Claimed) -> Iterator[Configuration]:
    rooms = sorted(bits.bit_count() for bits in machine.numa_bits.values())
    first = [core for node in machine.numa_bits.values() for core in machine.core_bits if core & node][:1]
    if {"cpu-manager/none", "memory-manager/none"} & claimed and len(machine.cpus) > FEW_CPUS:
        yield kubelet(kubeReserved={"cpu": "1"}), guaranteed("whole", 2)
    single = "single-numa-node" in _aligning(machine, claimed)
    if single and len(machine.cpus) > rooms[-1] and "cpu-manager/none" in claimed:
        yield kubelet(topologyManagerPolicy="single-numa-node"), guaranteed("wide", rooms[-1] + 1)
        capacity = [(node.memory or 0) >> 20 for node in machine.memory]
        if "memory-manager/none" in claimed and sum(capacity) > max(capacity) + 1:
            yield kubelet(topologyManagerPolicy="single-numa-node"), guaranteed("large", 1, f"{max(capacity) + 1}Mi")
    if "cpu-manager/static" not in claimed or len(rooms) < 2 or not rooms[-2] or len(machine.cpus) <= rooms[-1] + 1:
        return
    yield static(reserved=first[0]), guaranteed("wide", len(machine.cpus) - first[0].bit_count())
    if len(machine.cpus) - a_core_of_each(machine).bit_count() >= rooms[-1]:
        yield static(reserved=a_core_of_each(machine)), guaranteed("node", rooms[-1])
    if single and {"topology-manager/scope/container"} <= claimed:
        reserved = first[0]
        free = sorted((bits & ~reserved).bit_count() for bits in machine.numa_bits.values())
        size = free[-2]
        if 2 * size > free[-1]:  # each fits a NUMA node that does not hold both
            containers = [container(name, cpu=str(size), memory="64Mi") for name in ("a", "b")]
            config = static(reserved=reserved)
            yield {**config, "topologyManagerPolicy": "single-numa-node"}, pod("two", containers)


def _numa_nodes(machine: Machine, claimed: Claimed) -> Iterator[Configuration]:
    """Ask around the limit of NUMA nodes, and for policies and scopes that do not exist."""
    policies = [name for name in TOPOLOGY_POLICIES if f"topology-manager/{name}" in claimed]
    count = len(machine.numa_ids)
    for policy in policies if count >= MOST_NODES else ():
        yield kubelet(topologyManagerPolicy=policy), None
    if count > MOST_NODES and "topology-manager/best-effort" in claimed:
        config = kubelet(topologyManagerPolicy="best-effort")
        hidden = {"topologyManagerPolicyOptions": {MANY_NODES: "true"}}
        yield {**config, **hidden, "featureGates": {"TopologyManagerPolicyOptions": False}}, None
        yield {**config, **hidden, "featureGates": {"TopologyManagerPolicyBetaOptions": False}}, None
        if f"topology-manager/{MANY_NODES}" in claimed:
            yield {**config, **hidden}, None
            yield {**config, "topologyManagerPolicyOptions": {MANY_NODES: str(count)}}, None
            if count > MOST_NODES + 1:
                yield {**config, "topologyManagerPolicyOptions": {MANY_NODES: str(count - 1)}}, None
    if count <= 2 and policies:
        for policy, scope in product(("strict", "single-numa", "Restricted"), (None, *_scopes(claimed))):
            named = {} if scope is None else {"topologyManagerScope": scope}
            yield kubelet(topologyManagerPolicy=policy, **named), None
        for scope, policy in product(("node", "Pod", "containers"), _aligning(machine, claimed) or policies[-1:]):
            yield kubelet(topologyManagerPolicy=policy, topologyManagerScope=scope), None


def _policies_and_scopes(machine: Machine, claimed: Claimed) -> Iterator[Configuration]:
    """Each policy of the Topology Manager in each scope, beside what the other managers are told by lot."""
    lot, aligning = random.Random(f"beside {machine.name}"), _aligning(machine, claimed)
    for policy, scope in product(TOPOLOGY_POLICIES, _scopes(claimed)):
        if policy != "none" and policy not in aligning:
            continue
        for config in _other_managers(machine, claimed, policy, lot):
            yield {**config, "topologyManagerPolicy": policy, "topologyManagerScope": scope}, None


def _scopes(claimed: Claimed) -> list[str]:
    return [name for name in TOPOLOGY_SCOPES if f"topology-manager/scope/{name}" in claimed]


def _other_managers(machine: Machine, claimed: Claimed, policy: str, lot: random.Random) -> Iterator[dict[str, Any]]:
    """Return configurations of the other managers: CPU policy none, left out, and static with options."""
    memory: dict[str, Any] = {}
    if {"memory-manager/static"} <= claimed and len(machine.numa_ids) <= MOST_NODES and lot.random() < 0.5:
        memory = divided_memory(machine)
    gates = lot.choice(({}, {ALPHA: True}, {ALPHA: True, BETA: True}, {BETA: True, ALPHA: False}, {BETA: False}))
    for config in (kubelet(), kubelet(cpuManagerPolicy="none")):
        yield {**config, **memory, **({"featureGates": gates} if gates else {})}
    sockets = len(machine.socket_bits) <= len(numa_cpus(machine))
    known = [name for name in STATIC_OPTIONS if f"cpu-manager/{name}" in claimed]
    known = [name for name in known if name != SOCKET or (sockets and policy != "single-numa-node")]
    if "cpu-manager/static" in claimed and len(machine.core_bits) > 1:
        options = lot.sample(known, min(len(known), 1))
        off = lot.sample([name for name in known if name not in options], lot.randint(0, 1) if known[1:] else 0)
        yield {**static(*options, reserved=machine.core_bits[0], off=off), **memory}


_STATIC = frozenset({"cpu-manager/static"})
_SETTINGS: tuple[tuple[str, Claimed, Callable[[Machine, Claimed], Iterator[Configuration]]], ...] = (
    ("reserved CPUs", _STATIC, _reservations),
    ("options together", _STATIC, _together),
    ("defaults", frozenset(), _defaults),
    ("NUMA nodes", frozenset(), _numa_nodes),
    ("policies beside each other", frozenset(), _policies_and_scopes),
    ("reserved memory", frozenset({"memory-manager/static"}), memory_starts),
)
"""Cells beside those of single options: what a target must claim, and what is asked on each machine."""
