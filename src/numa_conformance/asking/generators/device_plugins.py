"""Device plugins: started on each machine, then events by lot: what they prefer, whom they serve, another kubelet."""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...machine import Machine
from .events import Event, EventLot
from .scenario import Scenario, Script, or_the_catalogue

MOST_CPUS, EVENTS, MOST_RESTARTS, REMEMBERED = 64, 48, 3, 3
PREFERRED, RESTART = "device-plugin/preferred-allocation", "device-plugin/restart"


def device_plugins(
    claimed: frozenset[str], machines: Sequence[Machine] | None = None, seed: int = 0
) -> Iterator[Scenario]:
    """Yield a life of a plugin on each machine, first where devices are; without any named, on smaller ones."""
    if "device-plugin/devices" not in claimed:
        return
    for machine in sorted(or_the_catalogue(machines, MOST_CPUS), key=lambda machine: not machine.devices):
        life = partial(_life, claimed, f"plugin {seed} {machine.name}")
        yield Scenario("plugin", "a life of a device plugin", machine, life, seed)


def _life(claimed: frozenset[str], name: str) -> Script:
    """Start the plugin, and let events come by lot; of a kubelet that starts anew the plugin is asked the same."""
    lot = random.Random(name)
    events, served, restarts = EventLot(lot), dict[str, list[str]](), 0
    answer = yield "plugin.start", {}
    healthy, prefers = list[str](), False
    for _ in range(EVENTS):
        if answer["result"] == "failed":
            return
        if answer["result"] == "started":
            prefers = PREFERRED in claimed and bool(answer.get("prefers"))
        healthy = _latest(answer, healthy)
        restart = [Event("restart")] if RESTART in claimed and restarts < MOST_RESTARTS else []
        served = {key: devices for key, devices in served.items() if {*healthy}.issuperset(devices)}
        others = _some(healthy, lot)
        able = {", ".join(devices): devices for devices in (*served.values(), others) if devices}
        prefer = [Event("prefer")] if prefers and healthy else []
        possible = [*restart, *prefer, *(Event("allocate", key) for key in able)]
        if not possible:
            return
        event = events.draw(possible)
        if event.name == "allocate":
            served = dict([*served.items(), (event.subject, able[event.subject])][-REMEMBERED:])
            answer = yield "plugin.allocate", {"devices": able[event.subject]}
        elif event.name == "prefer":
            answer = yield "plugin.prefer", _wish(healthy, lot)
        else:
            restarts += 1
            answer = yield "plugin.restart", {}


def _latest(answer: Mapping[str, Any], healthy: list[str]) -> list[str]:
    """Return the healthy devices of the last list that came with an answer, those of before where none came."""
    lists = [answer["devices"]] if answer["result"] == "started" else answer.get("lists")
    return sorted({device["id"] for device in lists[-1] if device["health"] == "Healthy"}) if lists else healthy


def _some(healthy: Sequence[str], lot: random.Random) -> list[str]:
    """Draw one device, half of them, or all."""
    return sorted(lot.sample(healthy, lot.choice((min(1, len(healthy)), (len(healthy) + 1) // 2, len(healthy)))))


def _wish(healthy: Sequence[str], lot: random.Random) -> Mapping[str, Any]:
    """Draw which devices are available, which must be among the preferred, and how many are wanted."""
    size = lot.randint(1, len(healthy))
    available = sorted(lot.sample(healthy, lot.choice((len(healthy), lot.randint(size, len(healthy))))))
    included = lot.choice(([], available[:1], available[-1:], sorted(lot.sample(available, lot.randint(0, size)))))
    return {"available": available, "included": included, "size": size}
