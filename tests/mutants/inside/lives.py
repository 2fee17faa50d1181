"""Faults inside a life: small nodes that admit, keep, release or tell with one thing wrong."""

from __future__ import annotations

import math
from contextlib import suppress

from numa_conformance.cpuset import format_bits, iter_bits
from small import Small
from small.node import Refused, decimal

from .declared import declared

__all__ = ["WRONG_NODES"]


class SecondRemovalForgets(Small):
    """Gives CPUs back at the first removal only."""

    def release(self, uid):
        if getattr(self, "released", False):
            del self.held[uid], self.hints[uid]
        else:
            super().release(uid)
        self.released = True


class ReturnsFirstContainerOnly(Small):
    """Gives back what the first container of a pod held."""

    def release(self, uid):
        for cpus in list(self.held.pop(uid).values())[:1]:
            self.pool |= cpus
        del self.hints[uid]


class ReturnsOneTooFew(Small):
    """Gives back all but the highest CPU of more than four."""

    def release(self, uid):
        for cpus in self.held.pop(uid).values():
            kept = 1 << (cpus.bit_length() - 1) if cpus.bit_count() > 4 else 0
            self.pool |= cpus & ~kept
        del self.hints[uid]


class ReturnsReserved(Small):
    """Under strict-cpu-reservation puts reserved CPUs into the pool when a pod goes."""

    def release(self, uid):
        super().release(uid)
        self.pool |= self.reserved


class InitReturnedTwice(Small):
    """Gives the CPUs of an init container back when it ends, though an app has them."""

    def started(self, pod):
        for container in pod.containers:
            if container.kind == "init":
                self.pool |= self.held[pod.uid].pop(container.name, 0)


class RefusalKeepsCpus(Small):
    """Keeps what the first containers of a refused pod were given."""

    def undo(self, pod, pool):
        del self.held[pod.uid], self.hints[pod.uid]


class RefusalFreesTooMuch(Small):
    """Gives back all CPUs that are not reserved when a pod is refused."""

    def undo(self, pod, pool):
        super().undo(pod, pool)
        if len(pod.containers) > 1:
            self.pool = self.machine.online_bits & ~(self.reserved if self.strict else 0)


class ReservedIsForgotten(Small):
    """Counts reserved CPUs as free."""

    @property
    def free(self):
        return self.pool


class ReservedSiblings(Small):
    """Keeps whole cores back for a reservation of threads, and tells so."""

    def reservation(self, kubelet):
        own = super().reservation(kubelet)
        return sum(core for core in self.machine.core_bits if core & own)


class ReservedThreadForgotten(Small):
    """Keeps the first thread of each reserved core back, and gives the others out."""

    @property
    def free(self):
        first = sum((core & self.reserved) & -(core & self.reserved) for core in self.machine.core_bits)
        return self.pool & ~first


class ReservesRoundedDown(Small):
    """Reserves 1200m as one CPU."""

    def reserved_number(self, parts):
        return int(sum(decimal(part) for part in parts))


class ReservesEachRounded(Small):
    """Rounds each part of a reservation up before it adds."""

    def reserved_number(self, parts):
        return sum(math.ceil(decimal(part)) for part in parts)


class ReservedLeavesThePool(Small):
    """Keeps reserved CPUs out of the pool without the option."""

    def on_start(self, question):
        told = super().on_start(question)
        if self.static and told["result"] == "started":
            self.pool &= ~self.reserved
            told["default_cpuset"] = self.told_pool()
        return told


class StrictIsForgotten(Small):
    """Does not know strict-cpu-reservation."""

    def settings(self, kubelet):
        wrong = super().settings(kubelet)
        self.strict = False
        return wrong


class PoolMayEmpty(Small):
    """Gives the last CPU of the pool away."""

    def place(self, pod):
        before, self.strict = self.strict, False
        try:
            super().place(pod)
        finally:
            self.strict = before


class AllocatableForFree(Small):
    """Aligns by what the machine can give, not by what is free."""

    def align(self, count, free):
        return super().align(count, self.machine.online_bits & ~self.reserved)


class AlignsBeforeReservation(Small):
    """Aligns with reserved CPUs counted."""

    def align(self, count, free):
        return super().align(count, free | self.reserved)


class AlignsEveryPod(Small):
    """Under single-numa-node refuses pods that ask for nothing on a full node."""

    def align(self, count, free):
        return super().align(count or 1, free)


class SharesCpusInAPod(Small):
    """Lets the apps of a pod share their CPUs."""

    def still_reusable(self, container, own, reusable):
        return reusable | own


class ReusesAfterApps(Small):
    """Lets a second app have CPUs of an init container that the first has."""

    def still_reusable(self, container, own, reusable):
        return reusable | own if container.kind == "init" else reusable


class OneInitAlone(Small):
    """Lets the CPUs of the last init container serve again, not those before it."""

    def still_reusable(self, container, own, reusable):
        return own if container.kind == "init" else reusable & ~own


class AdmitsAnewWithOtherCpus(Small):
    """Places a pod anew that is admitted again."""

    def on_admit(self, question):
        uid = question["pod"]["metadata"]["uid"]
        if uid in self.held:
            lowest = self.pool & -self.pool
            self.release(uid)
            self.pool &= ~lowest
            told = super().on_admit(question)
            self.pool |= lowest
            return {**told, "default_cpuset": self.told_pool()}
        return super().on_admit(question)


class RestartForgetsOne(Small):
    """Forgets the last pod in a restart."""

    def on_restart(self, question):
        if len(self.known) > 2:
            uid = list(self.known)[-1]
            self.release(uid)
            del self.known[uid]
            self.running.pop(uid, None)
        return super().on_restart(question)


class RestartPlacesAnew(Small):
    """Places every pod anew in a restart, the last one first."""

    def on_restart(self, question):
        pods = list(self.known.values())
        for pod in pods:
            self.release(pod.uid)
        for pod in reversed(pods):
            self.held[pod.uid], self.hints[pod.uid] = {}, {}
            with suppress(Refused):
                self.place(pod)
        return super().on_restart(question)


class RestartResetsThePool(Small):
    """Begins with all CPUs in the pool again after a restart."""

    def on_restart(self, question):
        self.pool = self.machine.online_bits & ~(self.reserved if self.strict else 0)
        return super().on_restart(question)


class RestartLosesInitReuse(Small):
    """After a restart counts the CPUs of ended init containers as apart from those of apps."""

    def on_restart(self, question):
        for own in self.held.values():
            seen = 0
            for name, cpus in list(own.items()):
                own[name] = cpus & ~seen
                seen |= cpus
        return super().on_restart(question)


class UpdatesMissTheShared(Small):
    """Reconciles the first shared container of a pass, and forgets the others."""

    def on_reconcile(self, question):
        told = super().on_reconcile(question)
        return {**told, "updates": told["updates"][:1]}


class UpdatesOfTheStart(Small):
    """Sends shared containers the pool that the node came up with."""

    def cpuset(self, uid, name):
        first = self.machine.online_bits & ~(self.reserved if self.strict else 0)
        return (self.held[uid].get(name, 0) or first) if self.static else 0


class UpdatesWithoutReserved(Small):
    """Sends shared containers the pool without reserved CPUs."""

    def cpuset(self, uid, name):
        return (self.held[uid].get(name, 0) or self.free) if self.static else 0


class UpdatesTheGone(Small):
    """Sends cpusets for pods that are gone."""

    def on_reconcile(self, question):
        told = super().on_reconcile(question)
        self.seen = {**getattr(self, "seen", {}), **self.running}
        gone = [uid for uid in self.seen if uid not in self.known]
        more = [{"uid": uid, "container": "c", "cpus": format_bits(self.pool)} for uid in gone]
        return {**told, "updates": told["updates"] + more}


class StateOfTheStart(Small):
    """Tells the pool as it was before the last pod."""

    def on_state(self, question):
        told = super().on_state(question)
        last = list(self.held.values())[-1:]
        for own in last:
            for cpus in own.values():
                told["default_cpuset"] = format_bits(self.pool | cpus)
        return told


class StateMissesSidecars(Small):
    """Leaves the containers that were started out when it tells its state."""

    def on_state(self, question):
        told = super().on_state(question)
        kinds = {uid: {c.name: c.kind for c in pod.containers} for uid, pod in self.known.items()}
        told["containers"] = {
            uid: {name: held for name, held in own.items() if kinds[uid][name] != "sidecar"}
            for uid, own in told["containers"].items()
        }
        return told


class NoneGivesCpus(Small):
    """Gives CPUs under policy none too."""

    def on_admit(self, question):
        told = super().on_admit(question)
        if not self.static and told["result"] == "admitted":
            for held in told["containers"].values():
                held["cpus"] = format_bits(next(iter([1 << c for c in iter_bits(self.machine.online_bits)])))
        return told


class StolenFromTheOldest(Small):
    """When too few CPUs are free takes those of the oldest pod."""

    def sources(self, reusable):
        oldest = next(iter(self.held.values()), {})
        return [self.free | reusable, self.free | reusable | next(iter(oldest.values()), 0)]


WRONG_NODES = declared(globals(), Small)
"""Every wrong node by name."""
