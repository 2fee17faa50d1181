"""Other requests with which a node admits a pod that it refuses: the nearest amounts that fit, below and above.

More may fit where less does not: under policy restricted a larger request may need the NUMA nodes that others prefer.
Counts are therefore tried one by one. Of bytes the sums of what NUMA nodes have are tried, then the edge between.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from ...cpuset import bits_of, format_bits
from ...errors import KubeletFails, UsageError
from ...kube.container import Container, total_requests
from ...kube.pod import Pod
from ...kube.quantity import NOTHING, Quantity
from ...kube.requests import pod_requests
from ...kube.resource_names import is_huge_page, page_bytes
from ..managers.cpu.static_policy import StaticPolicy
from ..node import AdmissionResult, Node, node_allocatable

_SHORT = 6
_SUFFIXES = ((40, "Ti"), (30, "Gi"), (20, "Mi"), (10, "Ki"))


def gives_whole_cores(node: Node) -> bool:
    """Tell whether exclusive CPUs are whole cores on this node (``full-pcpus-only``)."""
    manager = node.providers.get("cpus")
    return isinstance(manager, StaticPolicy) and manager.options.full_pcpus_only


def free_cpus(node: Node) -> int:
    """Return the CPUs that the node can still give exclusively, none where it gives none."""
    pools = node.pools
    if pools.reserved is None:
        return 0
    free = pools.default & ~pools.reserved
    broken = sum(core for core in node.machine.core_bits if core & ~free) if gives_whole_cores(node) else 0
    return free & ~broken


def room_lines(node: Node, resources: Collection[str]) -> list[str]:
    """Say for each NUMA node what is left of these resources; nodes of which the same is to be said share a line.

    Only what the node's managers give out node by node is told: exclusive CPUs, pinned memory, devices.
    """
    by_text: dict[str, list[int]] = {}
    for number in node.machine.numa_ids:
        parts = [*_cpus(node, number, resources), *_memory(node, number, resources), *_devices(node, number, resources)]
        if parts:
            by_text.setdefault("; ".join(parts), []).append(number)
    return [f"{_nodes(numbers)}: {text}" for text, numbers in by_text.items()]


def _nodes(numbers: list[int]) -> str:
    listed = format_bits(bits_of(numbers))
    return f"NUMA node {listed}" if len(numbers) == 1 else f"NUMA nodes {listed}, each"


def _cpus(node: Node, number: int, resources: Collection[str]) -> Iterator[str]:
    cpus, pools = node.machine.numa_bits[number], node.pools
    if "cpu" not in resources or pools.reserved is None or not cpus:
        return
    free, reserved = cpus & free_cpus(node), cpus & pools.reserved
    lost = [
        (reserved, "reserved"),
        (cpus & ~pools.default & ~reserved, "held by pods"),
        (cpus & pools.default & ~reserved & ~free, "in cores that are not wholly free"),
    ]
    why = ", ".join(f"{bits.bit_count()} {what}" for bits, what in lost if bits)
    yield f"{free.bit_count()} of {cpus.bit_count()} CPUs free" + (f" ({why})" if why else "")


def _memory(node: Node, number: int, resources: Iterable[str]) -> Iterator[str]:
    books = node.pools.memory
    if books is None or number not in books:
        return
    for resource in resources:
        if (table := books[number].tables.get(resource)) is not None:
            why = f" ({_bytes(table.system_reserved)} reserved)" if table.system_reserved else ""
            yield f"{_bytes(table.free)} of {_bytes(table.total)} {resource} free{why}"


def _bytes(number: int) -> str:
    """Write an amount as people read it: exactly where that is short, else rounded down to a tenth."""
    exact = str(Quantity(number, "binary"))
    if len(exact) <= _SHORT:
        return exact
    power, suffix = next((power, suffix) for power, suffix in _SUFFIXES if number >= 2**power)
    return f"{math.floor(number * 10 / 2**power) / 10}{suffix}"


def _devices(node: Node, number: int, resources: Collection[str]) -> Iterator[str]:
    held = {
        (resource, id)
        for containers in node.state().pods.values()
        for placed in containers.values()
        for resource, ids in (placed.devices or {}).items()
        for id in ids
    }
    for resource in dict.fromkeys(device.resource for device in node.machine.devices):
        if resource in resources:
            here = [
                device
                for device in node.machine.devices
                if device.resource == resource and number in (device.numa or (number,))
            ]
            free = [device for device in here if device.healthy and (resource, device.id) not in held]
            sick = sum(not device.healthy for device in here)
            yield f"{len(free)} of {len(here)} {resource} free" + (f" ({sick} unhealthy)" if sick else "")


Amounts = Mapping[str, "Quantity | None"]
"""Resource to its new amount; None: it is left out."""
_MEBIBYTE = 2**20
_NEEDED = ("cpu", "memory")
"""A container without these would be of another class; all else can be left out."""
_MOST_SUMS = 512


def admitted(node: Node, pod: Pod) -> AdmissionResult | None:
    """Admit a pod; None where it is refused or the kubelet has no answer."""
    try:
        outcome = node.admit(pod)
    except (KubeletFails, UsageError):
        return None
    return outcome if outcome.admitted else None


@dataclass(frozen=True)
class OtherRequests:
    """Tries amounts of a pod on a node, which is changed on the way and is the same in the end.

    ``askers``: each resource with the container that asks for (the most of) it, whose amount changes; with ``alike``
    that of all changes that ask for as much. A pod with resources of its own is one without a name.
    """

    node: Node
    pod: Pod
    askers: Mapping[str, Container]
    alike: bool

    @classmethod
    def of(cls, node: Node, pod: Pod, container: str | None, *, alike: bool) -> "OtherRequests":
        """Return the trials for a pod that is refused at this container, or (None) as a whole."""
        level = [whole_of(pod)] if pod.under_gates(node.gates, node.quirks.node).has_pod_level else []
        chosen = [*level, *pod.all_containers] if container is None else [pod.container(container)]
        askers: dict[str, Container] = {}
        for each in chosen:
            for name, amount in each.requests.items():
                is_more = name not in askers or amount > askers[name].requests[name]
                if is_more and (amount or name not in _NEEDED):
                    askers[name] = each
        return cls(node, pod, askers, alike)

    def all(self) -> Iterator[Amounts]:
        """Yield the nearest amounts that fit: of one resource alone or, where that does not help, of several."""
        alone = [{name: amount} for name in self.askers for amount in self._nearest(name, {})]
        yield from alone
        if not alone:
            names = tuple(self.askers)
            starts = [{name: self._numbers(name)[end] for name in names} for end in (0, -1)]
            together = [self._together(order, start) for start in starts for order in (names, names[::-1])]
            yield from (each for number, each in enumerate(together) if each and each not in together[:number])

    def distance(self, amounts: Amounts) -> float:
        """Return how far amounts are from what is asked for: the sum of the changes, each as a part of the amount."""
        wanted = {name: Fraction(self.askers[name].requests[name].as_number) for name in amounts}
        others = {name: 0 if amount is None else amount.as_number for name, amount in amounts.items()}
        return float(sum(abs(others[name] - amount) / amount for name, amount in wanted.items() if amount))

    def changes(self, container: Container, name: str) -> bool:
        """Tell whether the amount of a resource changes in a container; a request of nothing is left out of all."""
        asker = self.askers[name]
        alike = self.alike or not asker.requests[name]
        return container.requests.get(name) == asker.requests[name] if alike else container.name == asker.name

    def _together(self, order: tuple[str, ...], start: Mapping[str, int]) -> Amounts:
        """Return amounts as near as fits from where all fits on, those in front first; none where nothing fits."""
        wanted = {name: self.askers[name].requests[name] for name in order}
        amounts = {name: self._amount(name, start[name]) for name in order}
        for name in order * 2 if self._fits(amounts) else ():  # what came later may leave room for what came first
            nearest = [wanted[name]] if self._fits({**amounts, name: wanted[name]}) else self._nearest(name, amounts)
            amounts[name] = min((amounts[name], *nearest), key=lambda amount: self.distance({name: amount}))
        changed = {name: amount for name, amount in amounts.items() if amount != wanted[name]}
        return changed if self._fits(amounts) else {}

    def _nearest(self, name: str, others: Amounts) -> Iterator[Quantity | None]:
        """Yield the nearest smaller amount that fits and the nearest larger one, ``others`` being changed too."""
        wanted, numbers = self.askers[name].requests[name].as_number / Fraction(self._unit(name)), self._numbers(name)
        below = max(Fraction(1), wanted)
        smaller = [number for number in numbers if number < below][::-1]
        may_grow = self.node.config.topology_manager_policy == "restricted" or gives_whole_cores(self.node)
        larger = [number for number in numbers if number > wanted > 0] if may_grow else []
        for fails, candidates in ((min(ceil(wanted), numbers[-1] + 1), smaller), (int(wanted), larger)):
            for number in candidates:
                if self._fits({**others, name: self._amount(name, number)}):
                    yield self._amount(name, self._edge(name, others, number, fails))
                    break
                fails = number

    def _edge(self, name: str, others: Amounts, fits: int, fails: int) -> int:
        """Return the last number that fits on the way from one that does to one that does not."""
        while abs(fails - fits) > 1:
            middle = (fits + fails) // 2
            if self._fits({**others, name: self._amount(name, middle)}):
                fits = middle
            else:
                fails = middle
        return fits

    def _numbers(self, name: str) -> Sequence[int]:
        """Return what to try of a resource in its units, ascending: each number of what is counted, if they are few."""
        unit, least = self._unit(name), int(name in _NEEDED)
        if unit == 1 and name == "cpu" and gives_whole_cores(self.node):
            least = max(core.bit_count() for core in self.node.machine.core_bits)
        offered = node_allocatable(self.node.machine, self.node.config)
        whole = Fraction(offered.get(name, self.askers[name].requests[name].value))
        most = max(int(whole / (unit * (1000 if name == "cpu" else 1))), least)
        if unit == 1 and (name == "cpu" or most <= _MOST_SUMS):
            return range(least, most + 1)
        rest = pod_requests(self.pod).get(name, NOTHING) - self.askers[name].requests[name]
        tables = [node.tables[name] for node in (self.node.pools.memory or {}).values() if name in node.tables]
        sums = {least, *(most >> power for power in range(most.bit_length()))}
        for sizes in ([table.free for table in tables], [table.allocatable for table in tables]):
            of_sets = {0}
            for size in sizes:
                of_sets |= {each + size for each in of_sets} if len(of_sets) < _MOST_SUMS else set()
            sums |= {int((each - less) // unit) + 1 for each in of_sets for less in (0, rest.as_number)}
        return sorted(each for number in sums for each in (number - 1, number) if least <= each <= most)

    def _unit(self, name: str) -> Fraction | int:
        """Return the step in which other amounts are looked for."""
        if name == "cpu":
            return 1 if self.askers[name].requests[name].whole else Fraction(1, 10)
        if is_huge_page(name):
            return page_bytes(name.removeprefix("hugepages-"))
        return 1 if "/" in name else _MEBIBYTE

    def _amount(self, name: str, number: int) -> Quantity | None:
        unit = self._unit(name)
        return Quantity(unit * number, "decimal" if unit < _MEBIBYTE else "binary", fast=True) if number else None

    def _fits(self, amounts: Amounts) -> bool:
        """Try it on the node, which is then as it was; a critical pod, which may end others, on a copy."""
        pod = self._changed(amounts)
        together = total_requests(pod.init_containers, pod.containers)
        has_level = not all(asker.name for asker in self.askers.values())
        if has_level and any(amount > pod.requests.get(name, amount) for name, amount in together.items()):
            return False  # the API server refuses a pod that has less than its containers
        if pod.is_critical:
            return admitted(self.node.copy(), pod) is not None
        return admitted(self.node, pod) is not None and self.node.remove(pod.uid)

    def _changed(self, amounts: Amounts) -> Pod:
        """Return the pod with other amounts; a limit that is no request grows only where the request exceeds it."""

        def changed(container: Container) -> Container:
            new = {name: amount for name, amount in amounts.items() if self.changes(container, name)}
            limits = {
                name: amount if limit == container.requests.get(name) else max(limit, amount or limit)
                for name, limit in container.limits.items()
                for amount in (new.get(name, limit),)
            }
            requests = {**container.requests, **new}
            return replace(container, requests=_without_none(requests), limits=_without_none(limits))

        init, apps = (tuple(map(changed, each)) for each in (self.pod.init_containers, self.pod.containers))
        level = changed(whole_of(self.pod))
        return replace(self.pod, init_containers=init, containers=apps, requests=level.requests, limits=level.limits)


def whole_of(pod: Pod) -> Container:
    """Return what a pod asks for as a whole, ``spec.resources``."""
    return Container("", pod.requests, pod.limits)


def _without_none(amounts: Amounts) -> dict[str, Quantity]:
    return {name: amount for name, amount in amounts.items() if amount is not None}
