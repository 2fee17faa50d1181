"""Faults inside a life: small nodes that admit, keep, release or tell with one thing wrong."""

from __future__ import annotations

import math
from contextlib import suppress

from numa_conformance.cpuset import format_bits, iter_bits
from small import Small
from small.node import Refused, decimal

from .mutant import mutant


@mutant().instead_of(Small, "release")
def second_removal_forgets(right, self, uid):
    """Gives CPUs back at the first removal only."""
    if getattr(self, "released", False):
        del self.held[uid], self.hints[uid]
    else:
        right(self, uid)
    self.released = True


@mutant().instead_of(Small, "release")
def returns_first_container_only(right, self, uid):
    """Gives back what the first container of a pod held."""
    for cpus in list(self.held.pop(uid).values())[:1]:
        self.pool |= cpus
    del self.hints[uid]


@mutant().instead_of(Small, "release")
def frees_a_neighbour_too(right, self, uid):
    """Puts what the oldest pod has into the pool, too, when another goes."""
    right(self, uid)
    for cpus in next(iter(self.held.values()), {}).values():
        self.pool |= cpus


@mutant().instead_of(Small, "release")
def returns_one_too_few(right, self, uid):
    """Gives back all but the highest CPU of more than four."""
    for cpus in self.held.pop(uid).values():
        kept = 1 << (cpus.bit_length() - 1) if cpus.bit_count() > 4 else 0
        self.pool |= cpus & ~kept
    del self.hints[uid]


@mutant().instead_of(Small, "release")
def returns_reserved(right, self, uid):
    """Under strict-cpu-reservation puts reserved CPUs into the pool when a pod goes."""
    right(self, uid)
    self.pool |= self.reserved


@mutant().instead_of(Small, "started")
def init_returned_twice(right, self, pod):
    """Gives the CPUs of an init container back when it ends, though an app has them."""
    for container in pod.containers:
        if container.kind == "init":
            self.pool |= self.held[pod.uid].pop(container.name, 0)


@mutant().instead_of(Small, "undo")
def refusal_keeps_cpus(right, self, pod, pool):
    """Keeps what the first containers of a refused pod were given."""
    del self.held[pod.uid], self.hints[pod.uid]


@mutant().instead_of(Small, "undo")
def refusal_frees_too_much(right, self, pod, pool):
    """Gives back all CPUs that are not reserved when a pod is refused."""
    right(self, pod, pool)
    if len(pod.containers) > 1:
        self.pool = self.machine.online_bits & ~(self.reserved if self.strict else 0)


@mutant().instead_of(Small, "free")
def reserved_is_forgotten(right, self):
    """Counts reserved CPUs as free."""
    return self.pool


@mutant().instead_of(Small, "reservation")
def reserved_siblings(right, self, kubelet):
    """Keeps whole cores back for a reservation of threads, and tells so."""
    own = right(self, kubelet)
    return sum(core for core in self.machine.core_bits if core & own)


@mutant().instead_of(Small, "free")
def reserved_thread_forgotten(right, self):
    """Keeps the first thread of each reserved core back, and gives the others out."""
    first = sum((core & self.reserved) & -(core & self.reserved) for core in self.machine.core_bits)
    return self.pool & ~first


@mutant().instead_of(Small, "reserved_number")
def reserves_1200m_as_one_cpu(right, self, parts):
    """Reserves 1200m as one CPU."""
    return int(sum(decimal(part) for part in parts))


@mutant().instead_of(Small, "reserved_number")
def reserves_each_rounded(right, self, parts):
    """Rounds each part of a reservation up before it adds."""
    return sum(math.ceil(decimal(part)) for part in parts)


@mutant().instead_of(Small, "on_start")
def reserved_leaves_the_pool(right, self, question):
    """Keeps reserved CPUs out of the pool without the option."""
    told = right(self, question)
    if self.static and told["result"] == "started":
        self.pool &= ~self.reserved
        told["default_cpuset"] = self.told_pool()
    return told


@mutant().instead_of(Small, "settings")
def strict_is_forgotten(right, self, kubelet):
    """Does not know strict-cpu-reservation."""
    wrong = right(self, kubelet)
    self.strict = False
    return wrong


@mutant().instead_of(Small, "place")
def pool_may_empty(right, self, pod):
    """Gives the last CPU of the pool away."""
    before, self.strict = self.strict, False
    try:
        right(self, pod)
    finally:
        self.strict = before


@mutant().instead_of(Small, "align")
def allocatable_for_free(right, self, count, free):
    """Aligns by what the machine can give, not by what is free."""
    return right(self, count, self.machine.online_bits & ~self.reserved)


@mutant().instead_of(Small, "align")
def aligns_before_reservation(right, self, count, free):
    """Aligns with reserved CPUs counted."""
    return right(self, count, free | self.reserved)


@mutant().instead_of(Small, "align")
def aligns_every_pod(right, self, count, free):
    """Under single-numa-node refuses pods that ask for nothing on a full node."""
    return right(self, count or 1, free)


@mutant().instead_of(Small, "still_reusable")
def shares_cpus_in_apod(right, self, container, own, reusable):
    """Lets the apps of a pod share their CPUs."""
    return reusable | own


@mutant().instead_of(Small, "still_reusable")
def reuses_after_apps(right, self, container, own, reusable):
    """Lets a second app have CPUs of an init container that the first has."""
    return reusable | own if container.kind == "init" else reusable


@mutant().instead_of(Small, "still_reusable")
def one_init_alone(right, self, container, own, reusable):
    """Lets the CPUs of the last init container serve again, not those before it."""
    return own if container.kind == "init" else reusable & ~own


@mutant().instead_of(Small, "on_admit")
def admits_anew_with_other_cpus(right, self, question):
    """Places a pod anew that is admitted again."""
    uid = question["pod"]["metadata"]["uid"]
    if uid in self.held:
        lowest = self.pool & -self.pool
        self.release(uid)
        self.pool &= ~lowest
        told = right(self, question)
        self.pool |= lowest
        return {**told, "default_cpuset": self.told_pool()}
    return right(self, question)


@mutant().instead_of(Small, "on_restart")
def restart_forgets_one(right, self, question):
    """Forgets the last pod in a restart."""
    if len(self.known) > 2:
        uid = list(self.known)[-1]
        self.release(uid)
        del self.known[uid]
        self.running.pop(uid, None)
    return right(self, question)


@mutant().instead_of(Small, "on_restart")
def restart_places_anew(right, self, question):
    """Places every pod anew in a restart, the last one first."""
    pods = list(self.known.values())
    for pod in pods:
        self.release(pod.uid)
    for pod in reversed(pods):
        self.held[pod.uid], self.hints[pod.uid] = {}, {}
        with suppress(Refused):
            self.place(pod)
    return right(self, question)


@mutant().instead_of(Small, "on_restart")
def restart_resets_the_pool(right, self, question):
    """Begins with all CPUs in the pool again after a restart."""
    self.pool = self.machine.online_bits & ~(self.reserved if self.strict else 0)
    return right(self, question)


@mutant().instead_of(Small, "on_restart")
def restart_loses_init_reuse(right, self, question):
    """After a restart counts the CPUs of ended init containers as apart from those of apps."""
    for own in self.held.values():
        seen = 0
        for name, cpus in list(own.items()):
            own[name] = cpus & ~seen
            seen |= cpus
    return right(self, question)


@mutant().instead_of(Small, "on_reconcile")
def updates_miss_the_shared(right, self, question):
    """Reconciles the first shared container of a pass, and forgets the others."""
    told = right(self, question)
    return {**told, "updates": told["updates"][:1]}


@mutant().instead_of(Small, "cpuset")
def updates_of_the_start(right, self, uid, name):
    """Sends shared containers the pool that the node came up with."""
    first = self.machine.online_bits & ~(self.reserved if self.strict else 0)
    return (self.held[uid].get(name, 0) or first) if self.static else 0


@mutant().instead_of(Small, "on_reconcile")
def updates_the_gone(right, self, question):
    """Sends cpusets for pods that are gone."""
    told = right(self, question)
    self.seen = {**getattr(self, "seen", {}), **self.running}
    gone = [uid for uid in self.seen if uid not in self.known]
    more = [{"uid": uid, "container": "c", "cpus": format_bits(self.pool)} for uid in gone]
    return {**told, "updates": told["updates"] + more}


@mutant().instead_of(Small, "on_state")
def state_of_the_start(right, self, question):
    """Tells the pool as it was before the last pod."""
    told = right(self, question)
    last = list(self.held.values())[-1:]
    for own in last:
        for cpus in own.values():
            told["default_cpuset"] = format_bits(self.pool | cpus)
    return told


@mutant().instead_of(Small, "on_state")
def state_misses_sidecars(right, self, question):
    """Leaves the containers that were started out when it tells its state."""
    told = right(self, question)
    kinds = {uid: {c.name: c.kind for c in pod.containers} for uid, pod in self.known.items()}
    told["containers"] = {
        uid: {name: held for name, held in own.items() if kinds[uid][name] != "sidecar"}
        for uid, own in told["containers"].items()
    }
    return told


@mutant().instead_of(Small, "place")
def moves_a_neighbour_on_admission(right, self, pod):
    """Moves the oldest pod to other free CPUs before it places the next."""
    oldest = next(iter(self.held.values())) if len(self.held) > 1 else {}
    for name, cpus in oldest.items():
        others = next((bits for bits in self.machine.core_bits if bits & self.free == bits), 0)
        if cpus.bit_count() == others.bit_count():
            oldest[name], self.pool = others, self.pool & ~others | cpus
    right(self, pod)


@mutant().instead_of(Small, "on_admit")
def none_gives_cpus(right, self, question):
    """Gives CPUs under policy none too."""
    told = right(self, question)
    if not self.static and told["result"] == "admitted":
        for held in told["containers"].values():
            held["cpus"] = format_bits(next(iter([1 << c for c in iter_bits(self.machine.online_bits)])))
    return told


@mutant().instead_of(Small, "sources")
def stolen_from_the_oldest(right, self, reusable):
    """When too few CPUs are free takes those of the oldest pod."""
    oldest = next(iter(self.held.values()), {})
    return [self.free | reusable, self.free | reusable | next(iter(oldest.values()), 0)]
