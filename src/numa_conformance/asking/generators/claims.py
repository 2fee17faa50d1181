"""Claims of CPUs, allocated as a scheduler does: lives of a driver on each machine, whose events are drawn by lot."""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from ...cpuset import format_bits
from ...judging.published import DeviceKey, PublishedDevice, devices_of, slices_of
from ...machine import Machine
from ...wire.history.quantities import amount
from .events import Event, EventLot
from .scenario import Question, Scenario, Script, or_the_catalogue

WITHDRAWN = 0.5
"""How many claims that are refused beside shared containers are given up."""
MOST_DEVICES = 32
"""Devices that may be allocated to one claim, by the API."""
FEW_NAMES, MOST_FREED, NEVER_PREPARED = 3, 4, "never-prepared"
TOGETHER, PRIORITIZED, MIXTURE = 1, 2, 3
"""Ways in which a claim asks otherwise than by a request for each device; and beside a device of another driver."""
OTHER_DRIVER = "gpu.example.com"


class ClaimScheduler:
    """Allocates devices to claims, and knows what is left of them."""

    def __init__(self, answer: Mapping[str, Any]) -> None:
        try:
            read = devices_of(slices_of(answer.get("slices", ())))
        except ValueError:
            read = []
        self.devices = [device for device in read if device.units > 0 and device.is_whole]
        self._left = {device.key: device.units for device in self.devices}
        self.held: dict[str, dict[str, Any]] = {}
        self._count = 0
        self.freed: list[str] = []
        self._is_overruled = False

    def allocate(self, lot: random.Random, *, all_of_it: bool) -> dict[str, Any] | None:
        """Return a claim of one or more devices that have room; None where none has."""
        free = [device for device in self.devices if self._left[device.key] > 0]
        if not free:
            return None
        shared = [device for device in free if device.is_shared]
        if not shared:
            most = len(free) if all_of_it else lot.randint(1, max(1, len(free) // 2))
            return self.claim([(device, device.units) for device in lot.sample(free, min(most, MOST_DEVICES))])
        chosen = lot.sample(shared, min(len(shared), lot.choice((1, 1, 1, 1, 2, MOST_DEVICES // 2))))
        (device, count), *parts = ((device, self._some(device, lot, all_of_it=all_of_it)) for device in chosen)
        ones = min(count - 1, lot.choice((0, 0, 0, 0, 0, 0, 1, 2)))  # results of one device, others between them
        return self.claim([(device, count - ones), *parts, *[(device, 1)] * ones])

    def allocate_count(self, count: int) -> dict[str, Any] | None:
        """Return a claim of so many CPUs: of the first shared device that has them, else of devices of one CPU each.

        None where there are none.
        """
        able = [device for device in self.devices if device.cpus]
        room = [device for device in able if self._left[device.key] >= (count if device.is_shared else 1)]
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

    @property
    def next_uid(self) -> str:
        """The uid of the next claim; one that was given back may be allocated anew."""
        return self.freed[0] if len(self.freed) > MOST_FREED else f"claim-{self._count + 1}"

    def claim(self, parts: Sequence[tuple[PublishedDevice, int]]) -> dict[str, Any]:
        """Return a claim to which these CPUs of devices are allocated."""
        uid = self.next_uid
        if uid in self.freed:
            self.freed.remove(uid)
        else:
            self._count += 1
        for device, count in parts:
            self._left[device.key] -= count
        # A target that allocates itself, which its first answer shows, is asked for each device.
        way = _number(uid) % 4 if self._count > 1 and not self._is_overruled else 0
        self.held[uid] = _claim(uid, parts, way)
        return self.held[uid]

    def release(self, uid: str) -> None:
        """Have again what a claim has."""
        claim = self.held.pop(uid, None)
        for key, count in self._consumed(claim["status"]) if claim else ():
            self._left[key] += count

    def take_over(self, uid: str, status: dict[str, Any]) -> None:
        """Take what another scheduler has allocated to a claim."""
        self._is_overruled = True
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


def _known_by(uid: str) -> dict[str, str]:
    """Return what a claim is known by: others of other namespaces have its name, or join with theirs alike."""
    if uid == NEVER_PREPARED:
        return {"name": uid, "namespace": "default", "uid": uid}
    group, place = divmod(_number(uid), FEW_NAMES)
    namespace, name = ("apps", f"{group}-cpus-0") if place == FEW_NAMES - 1 else (f"apps-{group}", f"cpus-{place}")
    return {"name": name, "namespace": namespace, "uid": uid}


def _number(uid: str) -> int:
    return int(uid.rpartition("-")[2])


def _claim(uid: str, devices: Sequence[tuple[PublishedDevice, int]], way: int) -> dict[str, Any]:
    """Return an allocated claim: a request for each device, one for all that are alike, or one of alternatives each."""
    results = [_result(uid, number, device, count) for number, (device, count) in enumerate(devices)]
    consumed = [result.get("consumedCapacity", {}) for result in results]
    alike = consumed.count(consumed[0]) == len(results) == len({device.key for device, _ in devices})
    is_together = way == TOGETHER and alike
    requests: dict[str, Any] = {}
    for result, capacity in zip(results, consumed, strict=True):
        result["request"] = results[0]["request"] if is_together else result["request"]
        count = len(results) if is_together else 1
        exactly = {"deviceClassName": result["driver"], "allocationMode": "ExactCount", "count": count}
        exactly |= {"capacity": {"requests": capacity}} if capacity else {}
        wanted = {"firstAvailable": [{"name": "small", **exactly}]} if way == PRIORITIZED else {"exactly": exactly}
        requests[result["request"]] = {"name": result["request"], **wanted}
        result["request"] += "/small" if way == PRIORITIZED else ""
    if way == MIXTURE:
        exactly = {"deviceClassName": OTHER_DRIVER, "allocationMode": "ExactCount", "count": 1}
        requests["other"] = {"name": "other", "exactly": exactly}
        other = {"request": "other", "driver": OTHER_DRIVER}
        results.append(other | {name: results[0][name] for name in ("pool", "device")})
    return {
        "metadata": _known_by(uid),
        "spec": {"devices": {"requests": list(requests.values())}},
        "status": {"allocation": {"devices": {"results": results}}},
    }


def _result(uid: str, number: int, device: PublishedDevice, count: int) -> dict[str, Any]:
    driver, pool, known = device.key
    parts = {name: str(unit * count) for name, unit in device.parts.items()}
    consumed = {device.capacity: str(count)} if device.is_shared and device.capacity else parts
    shares = {"consumedCapacity": consumed, "shareID": f"{uid}-{number}"} if consumed else {}
    return {"request": f"cpus-{number}", "driver": driver, "pool": pool, "device": known, **shares}


MOST_CPUS, MOST_CLAIMS, LIVES, EVENTS, MOST_SHARED, MOST_RESTARTS = 64, 12, 2, 56, 3, 3
RESERVED, RESTART, SHARED = "claims/reserved", "claims/restart", "claims/shared-pool"


def claims(claimed: frozenset[str], machines: Sequence[Machine] | None = None, seed: int = 0) -> Iterator[Scenario]:
    """Yield lives of a driver on each machine; without any named, on the smaller ones of the catalogue."""
    if "claims/cpus" not in claimed:
        return
    for machine, number in product(or_the_catalogue(machines, MOST_CPUS), range(LIVES)):
        reserved = _reserved(machine, number) if RESERVED in claimed else 0
        cell = f"a life of a DRA driver, reserved {format_bits(reserved) or 'none'}"
        life = partial(_life, claimed, reserved, f"claims {seed} {number} {machine.name}")
        yield Scenario("claims", cell, machine, life, seed + number)


def _reserved(machine: Machine, number: int) -> int:
    """Return no CPUs at first, then one of each NUMA node where others are left; of the last of several all but one."""
    *others, last = (cpus for cpus in machine.numa_bits.values() if cpus)
    if number == 0:
        return 0
    first = sum(cpus & -cpus for cpus in (*others, last) if cpus.bit_count() > 1)
    return first & ~last | last & (last - 1) if others else first


def _life(claimed: frozenset[str], reserved: int, name: str) -> Script:
    """Start a driver, fill its devices or not, let events come by lot, look at all claims, and take all anew."""
    answer = yield "claims.start", {"reserved_cpus": format_bits(reserved)}
    life = _Life(ClaimScheduler(answer), claimed, random.Random(name))
    if life.scheduler.devices:
        yield from life.script()


class _Life:
    """What is known of a driver: the claims that it has prepared, and had, and the containers without a claim."""

    def __init__(self, scheduler: ClaimScheduler, claimed: frozenset[str], lot: random.Random) -> None:
        self.scheduler = scheduler
        self._lot = lot
        self._claimed = claimed
        self._shared: list[str] = []
        self._number_of_shared = 0
        self._restarts = MOST_RESTARTS if RESTART in claimed else 0
        self._ended = False

    def script(self) -> Script:
        if self._lot.random() < 1 / 2:
            for number in range(MOST_CLAIMS):
                yield from self._prepare(all_of_it=number == MOST_CLAIMS - 1)
        events = EventLot(self._lot)
        for _ in range(EVENTS):
            if not self._ended:
                yield from self._let(events.draw(self._possible()))
        if RESTART in self._claimed:
            yield from self._let(Event("restart"))
        held = sorted(self.scheduler.held)
        for name, subjects in (("prepare again", held), ("end", list(self._shared)), ("unprepare", held)):
            for subject in subjects if not self._ended else ():
                yield from self._let(Event(name, subject))
        if not self._ended:
            tried: set[DeviceKey] = set()
            # Of a shared device by a claim of its own, of others by as few claims as can be.
            while parts := next((parts for parts in self.scheduler.left() if parts[0][0].key not in tried), None):
                tried.add(parts[0][0].key)
                yield from self._ask(self.scheduler.claim(parts))  # another scheduler may take of other devices

    def _possible(self) -> Iterator[Event]:
        held = self.scheduler.held
        if self.scheduler.left():
            yield Event("prepare", self.scheduler.next_uid)
            if self._shared:
                yield Event("prepare all", self.scheduler.next_uid)
        yield from (Event(name, uid) for uid in held for name in ("prepare again", "unprepare"))
        yield from (Event("unprepare again", uid) for uid in (NEVER_PREPARED, *self.scheduler.freed[-3:]))
        if SHARED in self._claimed:
            yield from (Event("end", name) for name in self._shared)
            if len(self._shared) < MOST_SHARED:
                yield Event("run", f"shared-{self._number_of_shared + 1}")
        if self._restarts:
            yield Event("restart")

    def _let(self, event: Event) -> Script:
        """Let an event happen, and take note of what came of it."""
        match event.name:
            case "prepare":
                yield from self._prepare(all_of_it=self._lot.random() < 1 / 8)
            case "prepare all":
                yield from self._prepare(all_of_it=True)
            case "prepare again":
                yield prepare(self.scheduler.held[event.subject])
            case "unprepare" | "unprepare again":
                yield from self._give_back(event.subject)
            case "restart":
                self._restarts -= 1
                self._ended = (yield "claims.restart", {})["result"] != "started"
            case "run":
                self._number_of_shared += 1
                if (yield "claims.run", {"name": event.subject})["result"] == "runs":
                    self._shared.append(event.subject)
            case "end":
                self._shared.remove(event.subject)
                yield "claims.end", {"name": event.subject}

    def _prepare(self, *, all_of_it: bool) -> Script:
        if claim := self.scheduler.allocate(self._lot, all_of_it=all_of_it):
            yield from self._ask(claim)

    def _ask(self, claim: dict[str, Any]) -> Script:
        uid = claim["metadata"]["uid"]
        answer = yield prepare(claim)
        if answer["result"] != "prepared":
            if not self._shared or self._lot.random() < WITHDRAWN:  # others are asked for again
                yield from self._give_back(uid)
        elif answer.get("claim"):
            self.scheduler.take_over(uid, answer["claim"]["status"])

    def _give_back(self, uid: str) -> Script:
        if (yield unprepare(uid))["result"] == "unprepared" and uid in self.scheduler.held:
            self.scheduler.release(uid)
            self.scheduler.freed.append(uid)


def prepare(claim: Mapping[str, Any]) -> Question:
    """Return the question that has a claim prepared."""
    return "claims.prepare", {"claim": claim}


def unprepare(uid: str) -> Question:
    """Return the question that has the claim of a uid unprepared."""
    return "claims.unprepare", _known_by(uid)
