"""Claims of CPUs, allocated as a scheduler does: on each machine a driver is filled, emptied, and started anew."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ...cpuset import format_bits
from ...judging.published import DeviceKey, PublishedDevice, devices_of, slices_of
from ...machine import Machine
from ...wire.history.quantities import amount
from .scenario import Question, Scenario, Script, or_the_catalogue

MOST_DEVICES = 32
"""Devices that may be allocated to one claim, by the API."""
NAMESPACE = "default"


class ClaimScheduler:
    """Allocates devices to claims, and knows what is left of them."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        """Take what a driver that was started answered."""
        try:
            read = devices_of(slices_of(answer.get("slices", ())))
        except ValueError:
            read = []
        self.devices = [device for device in read if device.cpus > 0 and device.is_whole]
        self._left = {device.key: device.cpus for device in self.devices}
        self.held: dict[str, dict[str, Any]] = {}
        self._count = 0

    def allocate(self, lot: random.Random, *, all_of_it: bool) -> dict[str, Any] | None:
        """Return a claim of one or more devices that have room; None where none has."""
        free = [device for device in self.devices if self._left[device.key] > 0]
        if not free:
            return None
        shared = [device for device in free if device.is_shared]
        if not shared:
            most = len(free) if all_of_it else lot.randint(1, max(1, len(free) // 2))
            return self.claim([(device, device.cpus) for device in lot.sample(free, min(most, MOST_DEVICES))])
        chosen = lot.sample(shared, min(len(shared), 1 + (lot.random() < 1 / 4)))
        return self.claim([(device, self._some(device, lot, all_of_it=all_of_it)) for device in chosen])

    def allocate_count(self, count: int) -> dict[str, Any] | None:
        """Return a claim of so many CPUs: of the first shared device that has them, else of devices of one CPU each.

        None where there are none.
        """
        room = [device for device in self.devices if self._left[device.key] >= (count if device.is_shared else 1)]
        shared = next((device for device in room if device.is_shared), None)
        if shared is not None:
            return self.claim([(shared, count)])
        single = [(device, 1) for device in room if device.cpus == 1]
        return self.claim(single[:count]) if count <= min(len(single), MOST_DEVICES) else None

    def _some(self, device: PublishedDevice, lot: random.Random, *, all_of_it: bool) -> int:
        left = self._left[device.key]
        return left if all_of_it else lot.randint(1, max(1, left // lot.choice((1, 2, 4))))

    def left(self) -> list[Sequence[tuple[PublishedDevice, int]]]:
        """Return what claims may consume of devices to have all, claim by claim."""
        parts = [(device, self._left[device.key]) for device in self.devices if self._left[device.key] > 0]
        whole = [part for part in parts if not part[0].is_shared]
        shared: list[Sequence[tuple[PublishedDevice, int]]] = [[part] for part in parts if part[0].is_shared]
        return shared + [whole[at : at + MOST_DEVICES] for at in range(0, len(whole), MOST_DEVICES)]

    def claim(self, parts: Sequence[tuple[PublishedDevice, int]]) -> dict[str, Any]:
        """Return a claim to which these CPUs of devices are allocated."""
        self._count += 1
        uid = f"claim-{self._count}"
        for device, count in parts:
            self._left[device.key] -= count
        self.held[uid] = _claim(uid, parts)
        return self.held[uid]

    def release(self, uid: str) -> None:
        """Have again what a claim has."""
        claim = self.held.pop(uid, None)
        for key, count in self._consumed(claim["status"]) if claim else ():
            self._left[key] += count

    def take_over(self, uid: str, status: dict[str, Any]) -> None:
        """Take what another scheduler has allocated to a claim."""
        claim = self.held[uid]
        self.release(uid)
        self.held[uid] = {**claim, "status": status}
        for key, count in self._consumed(status):
            self._left[key] -= count

    def _consumed(self, status: Mapping[str, Any]) -> Iterator[tuple[DeviceKey, int]]:
        by_key = {device.key: device for device in self.devices}
        for result in status["allocation"]["devices"]["results"]:
            device = by_key.get((result["driver"], result["pool"], result["device"]))
            if device is not None:
                amounts = {name: amount(text) for name, text in result.get("consumedCapacity", {}).items()}
                yield device.key, device.consumed(amounts)


def _claim(uid: str, parts: Sequence[tuple[PublishedDevice, int]]) -> dict[str, Any]:
    """Return an allocated claim: a request for each device."""
    requests, results = [], []
    for number, (device, count) in enumerate(parts):
        driver, pool, name = device.key
        consumed = {device.capacity: str(count)} if device.is_shared and device.capacity else {}
        exactly: dict[str, Any] = {"deviceClassName": driver, "allocationMode": "ExactCount", "count": 1}
        result: dict[str, Any] = {"request": f"cpus-{number}", "driver": driver, "pool": pool, "device": name}
        if consumed:
            exactly["capacity"] = {"requests": consumed}
            result |= {"consumedCapacity": consumed, "shareID": f"{uid}-{number}"}
        requests.append({"name": f"cpus-{number}", "exactly": exactly})
        results.append(result)
    return {
        "metadata": {"name": uid, "namespace": NAMESPACE, "uid": uid},
        "spec": {"devices": {"requests": requests}},
        "status": {"allocation": {"devices": {"results": results}}},
    }


MOST_CPUS, MOST_CLAIMS, LIVES, NEIGHBOURS = 64, 12, 2, 3
RESERVED, RESTART, SHARED = "claims/reserved", "claims/restart", "claims/shared-pool"


def claims(claimed: frozenset[str], machines: Sequence[Machine] | None = None, seed: int = 0) -> Iterator[Scenario]:
    """Yield lives of a driver on each machine; without any named, on the smaller ones of the catalogue."""
    if "claims/cpus" not in claimed:
        return
    for machine, number in product(or_the_catalogue(machines, MOST_CPUS), range(LIVES)):
        reserved = _reserved(machine, number) if RESERVED in claimed else 0
        cell = f"a life of a DRA driver, reserved {format_bits(reserved) or 'none'}"
        yield Scenario("claims", cell, machine, _Life(claimed, reserved, seed + number).script, seed + number)


def _reserved(machine: Machine, number: int) -> int:
    """Return no CPUs at first, then one of each NUMA node where others are left."""
    nodes = machine.numa_bits.values() if number else ()
    return sum(cpus & -cpus for cpus in nodes if cpus.bit_count() > 1)


@dataclass(frozen=True)
class _Life:
    """The life of one driver."""

    claimed: frozenset[str]
    reserved: int
    seed: int

    def script(self) -> Script:
        """Fill devices, ask again, give back, fill again, start the driver anew, give all back."""
        lot = random.Random(self.seed)
        answer = yield "claims.start", {"reserved_cpus": format_bits(self.reserved)}
        scheduler = ClaimScheduler(answer)
        if not scheduler.devices:
            return
        yield unprepare("never-prepared")
        if SHARED in self.claimed:
            yield from self._run_shared(scheduler, lot)
        yield from self._fill(scheduler, lot, MOST_CLAIMS)
        for uid in lot.sample(sorted(scheduler.held), min(2, len(scheduler.held))):
            yield prepare(scheduler.held[uid])
        yield from self._give_back(scheduler, lot.sample(sorted(scheduler.held), len(scheduler.held) // 2))
        yield from self._fill(scheduler, lot, MOST_CLAIMS // 2)
        if RESTART in self.claimed:
            answer = yield "claims.restart", {}
            if answer["result"] != "started":
                return
            yield unprepare("never-prepared")
            before = lot.sample(sorted(scheduler.held), len(scheduler.held))
            yield from self._give_back(scheduler, before[:1])
            yield from self._fill(scheduler, lot, 1)  # before the driver hears of the others again
            for uid in before[1:]:
                yield prepare(scheduler.held[uid])
            yield from self._fill(scheduler, lot, MOST_CLAIMS // 3)
            answer = yield "claims.restart", {}  # once more: some claims are two processes old
            if answer["result"] != "started":
                return
        yield from self._give_back(scheduler, sorted(scheduler.held))
        yield from self._take_all(scheduler)

    def _fill(self, scheduler: ClaimScheduler, lot: random.Random, most: int) -> Script:
        """Ask for claims of sizes by lot, then for all that is left."""
        for number in range(most):
            claim = scheduler.allocate(lot, all_of_it=number == most - 1)
            if claim is None:
                return
            yield from self._ask(scheduler, claim)

    def _run_shared(self, scheduler: ClaimScheduler, lot: random.Random) -> Script:
        """Run containers without a claim: from before, after each of some claims, when one is gone, after a restart.

        Not all lives begin with a restart, after which what was published at first counts no more.
        """
        names = [
            "from-before",
            *(f"later-{number}" for number in range(NEIGHBOURS)),
            "when-one-is-gone",
            "after-a-restart",
        ]
        for name in names[:-2]:
            yield "claims.run", {"name": name}
            claim = scheduler.allocate(lot, all_of_it=False)
            if claim is not None:
                yield from self._ask(scheduler, claim)
        yield from self._give_back(scheduler, sorted(scheduler.held)[:1])
        yield "claims.run", {"name": names[-2]}
        if RESTART in self.claimed and self.seed % LIVES:
            yield "claims.restart", {}
        yield "claims.run", {"name": names[-1]}
        claim = scheduler.allocate(lot, all_of_it=False)
        if claim is not None:
            yield from self._ask(scheduler, claim)
        for name in names:
            yield "claims.end", {"name": name}
        yield from self._take_all(scheduler)
        yield "claims.run", {"name": "at-last"}
        yield "claims.end", {"name": "at-last"}
        yield from self._give_back(scheduler, sorted(scheduler.held))

    def _take_all(self, scheduler: ClaimScheduler) -> Script:
        """Ask for all that is left: of a shared device by a claim of its own, of others by as few claims as can be."""
        tried: set[DeviceKey] = set()
        while parts := next((parts for parts in scheduler.left() if parts[0][0].key not in tried), None):
            tried.add(parts[0][0].key)
            yield from self._ask(scheduler, scheduler.claim(parts))  # another scheduler may take of other devices

    def _ask(self, scheduler: ClaimScheduler, claim: dict[str, Any]) -> Script:
        uid = claim["metadata"]["uid"]
        answer = yield prepare(claim)
        if answer["result"] != "prepared":
            yield from self._give_back(scheduler, [uid])
        elif answer.get("claim"):
            scheduler.take_over(uid, answer["claim"]["status"])

    def _give_back(self, scheduler: ClaimScheduler, uids: Sequence[str]) -> Script:
        for uid in uids:
            answer = yield unprepare(uid)
            if answer["result"] == "unprepared":
                scheduler.release(uid)
        if uids:
            yield unprepare(uids[-1])  # once more


def prepare(claim: Mapping[str, Any]) -> Question:
    """Return the question that has a claim prepared."""
    return "claims.prepare", {"claim": claim}


def unprepare(uid: str) -> Question:
    """Return the question that has a claim unprepared, by its uid, which is its name too."""
    return "claims.unprepare", {"uid": uid, "namespace": NAMESPACE, "name": uid}
