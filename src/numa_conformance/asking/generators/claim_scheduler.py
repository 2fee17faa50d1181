"""A scheduler of claims: it allocates devices of published slices, never more than there is, and knows what is left."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...judging.published import DeviceKey, PublishedDevice, devices_of, slices_of
from ...wire.history.quantities import amount

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
