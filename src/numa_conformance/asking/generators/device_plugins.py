"""Device plugins: started on each machine, then events by lot: what they prefer, whom they serve, another kubelet."""

import random
from collections.abc import Iterator, Sequence
from functools import partial

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
        # The last list that came with an answer; where none came, that of before.
        lists = [answer["devices"]] if answer["result"] == "started" else answer.get("lists")
        healthy = sorted({device["id"] for device in lists[-1] if device["health"] == "Healthy"}) if lists else healthy
        restart = [Event("restart")] if RESTART in claimed and restarts < MOST_RESTARTS else []
        served = {key: devices for key, devices in served.items() if {*healthy}.issuperset(devices)}
        others = sorted(lot.sample(healthy, lot.choice((min(1, len(healthy)), (len(healthy) + 1) // 2, len(healthy)))))
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
            size = lot.randint(1, len(healthy))
            available = sorted(lot.sample(healthy, lot.choice((len(healthy), lot.randint(size, len(healthy))))))
            included = lot.choice(
                ([], available[:1], available[-1:], sorted(lot.sample(available, lot.randint(0, size))))
            )
            answer = yield "plugin.prefer", {"available": available, "included": included, "size": size}
        else:
            restarts += 1
            answer = yield "plugin.restart", {}
