"""Kinds of the small allocator that choose otherwise, each as well as the pages ask."""

from __future__ import annotations

import random
from itertools import combinations

from numa_conformance.cpuset import iter_bits
from small import Small
from small.choosing import Chooser

from .alternative import alternative

MOST_SETS = 3000
"""Sets of CPUs that an exhaustive search looks at; a larger request is packed."""
LOT = random.Random("ties")


@alternative().instead_of(Chooser, "pack")
def small(right, self, available, count):
    """Is the small allocator as it is."""
    return right(self, available, count)


@alternative().instead_of(Small, "cpuset")
def keeps_shared_containers_off_reserved_cpus(right, self, uid, name):
    """Sends shared containers the pool without reserved CPUs."""
    return (self.held[uid].get(name, 0) or self.free) if self.static else 0


@alternative().instead_of(Small, "cpuset")
def reconciles_shared_containers_within_one_numa_node(right, self, uid, name):
    """Sends shared containers the part of the pool on the NUMA node that has most of it."""
    if not self.static or self.held[uid].get(name, 0):
        return right(self, uid, name)
    return max((self.pool & node for node in self.machine.numa_bits.values()), key=int.bit_count)


@alternative().instead_of(Chooser, "first")
def from_the_top(right, self, cpus):
    """Takes the highest CPU, core and NUMA node among those that are alike."""
    return 1 << (cpus.bit_length() - 1)


@from_the_top.instead_of(Chooser, "ordered")
def from_the_top(right, self, groups):
    return groups[::-1]


@alternative().instead_of(Chooser, "first")
def draws_lots(right, self, cpus):
    """Draws lots among what is alike, differently at every call."""
    return 1 << LOT.choice(list(iter_bits(cpus)))


@draws_lots.instead_of(Chooser, "ordered")
def draws_lots(right, self, groups):
    return LOT.sample(list(groups), len(groups))


@alternative().instead_of(Chooser, "pack")
def exhaustive(right, self, available, count):
    """Looks at every set of CPUs and takes the one with the smallest footprint."""
    free = list(iter_bits(available))
    number = 1
    for index in range(count):
        number = number * (len(free) - index) // (index + 1)
    if number > MOST_SETS:
        return right(self, available, count)
    every = (sum(1 << cpu for cpu in some) for some in combinations(free, count))
    return min(every, key=lambda cpus: (_met(self.nodes, cpus), _met(self.cores, cpus), -cpus))


def _met(groups, cpus):
    return sum(bool(group & cpus) for group in groups)


@alternative().instead_of(Chooser, "next_node")
def emptiest_node_first(right, self, open_nodes, count):
    """Worst fit: takes the NUMA node with most to give, and leaves small ones as they are."""
    able = [node for node in open_nodes if node.bit_count() >= count]
    return max(able or open_nodes, key=int.bit_count)


@alternative().instead_of(Chooser, "next_node")
def first_fit(right, self, open_nodes, count):
    """Takes the first NUMA node that holds a request, however well it fits."""
    able = [node for node in open_nodes if node.bit_count() >= count]
    return able[0] if able else max(open_nodes, key=int.bit_count)


@alternative().instead_of(Chooser, "narrowed")
def roomiest_affinity(right, self, free, count, number, chosen):
    """Among sets of NUMA nodes of one size prefers those with most free CPUs."""
    return sorted(chosen)


@alternative().instead_of(Chooser, "shares")
def larger_shares_last(right, self, available, count):
    """In a distribution gives what is left over to other NUMA nodes."""
    told = right(self, available, count)
    return None if told is None else told[::-1]


@alternative().instead_of(Small, "sources")
def fresh_first(right, self, reusable):
    """Gives an app CPUs that no init container had, as long as there are such."""
    return [self.free & ~reusable, self.free | reusable]


@alternative().instead_of(Small, "sources")
def init_first(right, self, reusable):
    """Gives an app the CPUs of an init container that are enough for it."""
    return [reusable, self.free | reusable]


@alternative().instead_of(Small, "started")
def gives_back(right, self, pod):
    """Gives the CPUs of init containers back to the shared pool when they have ended."""
    _give_back(self, pod)


def _give_back(self, pod):
    own, lasting = self.held[pod.uid], 0
    for container in pod.containers:
        if container.kind != "init":
            lasting |= own.get(container.name, 0)
    for container in pod.containers:
        if container.kind == "init" and container.name in own:
            self.pool |= own.pop(container.name) & ~lasting


@alternative().instead_of(Small, "on_restart")
def gives_back_at_restart(right, self, question):
    """The same, but not before the node agent starts anew."""
    for pod in self.running.values():
        _give_back(self, pod)
    return right(self, question)


@alternative().instead_of(Small, "give")
def fresh_sidecars(right, self, pod, container, reusable):
    """Never gives a sidecar the CPUs of an init container before it."""
    try:
        return right(self, pod, container, 0 if container.kind == "sidecar" else reusable)
    except Exception:
        return right(self, pod, container, reusable)


@alternative().instead_of(Small, "holding")
def aligns_and_tells_no_hint(right, self, uid, name):
    """Aligns, and tells no hint."""
    told = right(self, uid, name)
    told.pop("affinity", None)
    return told


@alternative().instead_of(Small, "is_sent")
def sends_all(right, self, key, wanted):
    """Sends every cpuset in every pass."""
    return True


@alternative().instead_of(Small, "is_sent")
def eager(right, self, key, wanted):
    """Writes cpusets when they change, so that no pass has anything to send."""
    return False


@alternative().instead_of(Small, "align")
def unaligned_anywhere(right, self, count, free):
    """Under best-effort, where nothing is preferred, looks at no NUMA node at all."""
    hint = right(self, count, free)
    return hint if hint is None or hint["preferred"] else {"nodes": None, "preferred": False}


@alternative().instead_of(Small, "align")
def unaligned_everywhere(right, self, count, free):
    """Under best-effort, where nothing is preferred, names every NUMA node."""
    hint = right(self, count, free)
    every = list(self.machine.numa_ids)
    return hint if hint is None or hint["preferred"] else {"nodes": every, "preferred": False}


@alternative().instead_of(Chooser, "spread")
def idlest_cores(right, self, available, count):
    """Spreads over the idlest cores first."""
    given = 0
    while given.bit_count() < count:
        cores = sorted((core & available & ~given for core in self.cores), key=int.bit_count)
        for core in cores[::-1]:
            if core and given.bit_count() < count:
                given |= self.first(core)
    return given


@alternative().instead_of(Small, "on_admit")
def other_words(right, self, question):
    """Says a refusal in words of its own."""
    told = right(self, question)
    return {**told, "message": f"<<{told['message']}>>"} if "message" in told else told


@alternative().instead_of(Small, "reservation")
def highest_reserved(right, self, kubelet):
    """Reserves whole cores by number, one after the other, as they ascend by core: each core's last thread first."""
    if kubelet.get("reservedSystemCPUs"):
        return right(self, kubelet)
    number = right(self, kubelet).bit_count()
    cpus = [cpu for core in self.machine.core_bits for cpu in reversed(list(iter_bits(core)))]
    return sum(1 << cpu for cpu in cpus[:number])


@alternative().instead_of(Small, "on_describe")
def less_claimed(right, self, question):
    """Claims the static policy without options, init containers, restart and reconcile: what it lacks is not asked."""
    told = right(self, question)
    lacks = ("distribute", "full", "strict", "init", "reconcile", "restart", "scope/pod")
    return {**told, "features": [name for name in told["features"] if not any(word in name for word in lacks)]}


@alternative().instead_of(Small, "on_describe")
def pick_only(right, self, question):
    """Chooses CPUs, and is no node."""
    return {**right(self, question), "surfaces": ["pick"]}


@alternative().instead_of(Small, "on_describe")
def node_only(right, self, question):
    """Is a node, and answers no single choice."""
    return {**right(self, question), "surfaces": ["node"]}
