"""Device plugins: started on each machine, asked what they prefer and to serve it, met by another kubelet."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...machine import Machine
from .scenario import Scenario, Script, or_the_catalogue

MOST_CPUS, MOST_SIZES, RESTARTS = 64, 8, 2
PREFERRED, RESTART = "device-plugin/preferred-allocation", "device-plugin/restart"


def device_plugins(
    claimed: frozenset[str], machines: Sequence[Machine] | None = None, seed: int = 0
) -> Iterator[Scenario]:
    """Yield a life of a plugin on each machine; without any named, on the smaller ones of the catalogue."""
    if "device-plugin/devices" not in claimed:
        return
    for machine in or_the_catalogue(machines, MOST_CPUS):
        yield Scenario("plugin", "a life of a device plugin", machine, partial(_life, claimed, seed), seed)


def _life(claimed: frozenset[str], seed: int) -> Script:
    """Ask the same of the first kubelet and of those that come after it."""
    lot = random.Random(seed)
    answer = yield "plugin.start", {}
    yield from _ask(answer, claimed, MOST_SIZES, lot)
    for _ in range(RESTARTS if RESTART in claimed else 0):
        if answer["result"] != "started":
            return
        answer = yield "plugin.restart", {}
        yield from _ask(answer, claimed, 1, lot)


def _ask(answer: Mapping[str, Any], claimed: frozenset[str], most: int, lot: random.Random) -> Script:
    """Ask a plugin that has registered what it prefers, of so many sizes, and to serve one device, some and all."""
    if answer["result"] != "started":
        return
    healthy = _healthy(answer["devices"])
    if PREFERRED in claimed and answer.get("prefers"):
        for question in _wishes(healthy, most, lot):
            reply = yield "plugin.prefer", question
            healthy = _latest(reply, healthy)
    for size in sorted({1, (len(healthy) + 1) // 2, len(healthy)}):
        if 0 < size <= len(healthy):
            reply = yield "plugin.allocate", {"devices": sorted(lot.sample(healthy, size))}
            healthy = _latest(reply, healthy)


def _healthy(devices: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({device["id"] for device in devices if device["health"] == "Healthy"})


def _latest(reply: Mapping[str, Any], healthy: list[str]) -> list[str]:
    """Return the healthy devices of the last list that came with an answer, those of before where none came."""
    lists = reply.get("lists")
    return _healthy(lists[-1]) if lists else healthy


def _wishes(healthy: Sequence[str], most: int, lot: random.Random) -> Iterator[Mapping[str, Any]]:
    """Yield which devices are available, which must be among the preferred, and how many are wanted."""
    sizes = range(1, len(healthy) + 1)
    for size in sorted(lot.sample(sizes, min(most, len(sizes)))):
        yield _wish(healthy, (), size)
        available = sorted(lot.sample(healthy, lot.randint(size, len(healthy))))
        included = sorted(lot.sample(available, lot.randint(0, size)))
        yield _wish(available, included, size)
        for included in (available[:1], available[-1:]):
            yield _wish(available, included, size)


def _wish(available: Sequence[str], included: Sequence[str], size: int) -> Mapping[str, Any]:
    return {"available": list(available), "included": list(included), "size": size}
