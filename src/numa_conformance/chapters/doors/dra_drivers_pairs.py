"""DRA drivers that are wrong by one sentence each, and right, of a device with the CPUs of a NUMA node."""

from __future__ import annotations

from typing import Any

from ...asking.generators.worlds import bits
from ...judging.claims import Coexistence, Preparation, Publication, Release
from ...judging.published import CACHE, CPU_ID, NUMA_NODE, SOCKET, PublishedDevice
from ...machine import load_machine
from . import dra_drivers as chapter

MACHINE = load_machine("two-nodes-devices")


def device(*attributes: tuple[str, int], name: str = "cpus", cpus: int = 8) -> PublishedDevice:
    """Describe a device of a pool by its attributes and CPUs."""
    key, numbers = ("cpu.example.com", "node", name), dict(attributes)
    return PublishedDevice(key, "cpu", cpus, numbers, is_shared=True, is_whole=True)


def published(*devices: PublishedDevice, before: PublishedDevice | None = None) -> Publication:
    """Describe what a driver publishes; ``before``: what it published before it was started again."""
    again = before is not None
    return Publication(MACHINE, devices, again=again, before=(before,) if before else ())


def claimed(cpus: str | None, of: PublishedDevice, **more: Any) -> Preparation:
    """Describe the CPUs of a claim that consumes two of a device, or its only one; None where it is refused."""
    state = {"reserved": 0, "left": {of.key: of.cpus}, "had": False, "shares": False, "before": None}
    others = {"restarted": False, "others": {}}
    count = min(2, of.cpus)
    return Preparation(
        MACHINE, ((of, count),), None if cpus is None else bits(cpus), "no", **{**state, **others, **more}
    )


CPUS, OF_NODE_0, OF_NODE_9 = device(), device((NUMA_NODE, 0)), device((NUMA_NODE, 9))
OF_SOCKET_0, OF_CACHE_0, CPU_0 = device((SOCKET, 0)), device((CACHE, 0)), device((CPU_ID, 0), cpus=1)
AGAIN = {"before": bits("0-1")}

PAIRS = {
    chapter.publishes: (published(), published(CPUS)),
    chapter.publishes_again: (published(device(cpus=4), before=CPUS), published(CPUS, before=CPUS)),
    chapter.have_names_of_their_own: (published(CPUS, CPUS), published(CPUS, device(name="others"))),
    chapter.name_numa_nodes_of_the_machine: (published(OF_NODE_9), published(OF_NODE_0)),
    chapter.get_what_they_consume: (claimed("0", CPUS), claimed("0-1", CPUS)),
    chapter.get_online_cpus: (claimed("0,99", CPUS), claimed("0-1", CPUS)),
    chapter.of_the_numa_node: (claimed("3-4", OF_NODE_0), claimed("2-3", OF_NODE_0)),
    chapter.of_the_socket: (claimed("3-4", OF_SOCKET_0), claimed("2-3", OF_SOCKET_0)),
    chapter.of_the_cache: (claimed("3-4", OF_CACHE_0), claimed("2-3", OF_CACHE_0)),
    chapter.of_the_id: (claimed("1", CPU_0), claimed("0", CPU_0)),
    chapter.can_have_what_is_published: (claimed(None, CPUS), claimed("0-1", CPUS)),
    chapter.gives_back: (claimed(None, CPUS, had=True), claimed("0-1", CPUS, had=True)),
    chapter.prepare_is_idempotent: (claimed("2-3", CPUS, **AGAIN), claimed("0-1", CPUS, **AGAIN)),
    chapter.keeps_claims: (
        claimed("2-3", CPUS, **AGAIN, restarted=True),
        claimed("0-1", CPUS, **AGAIN, restarted=True),
    ),
    chapter.have_cpus_of_their_own: (
        claimed("0-1", CPUS, others={"q": bits("1-2")}),
        claimed("0-1", CPUS, others={"q": bits("2-3")}),
    ),
    chapter.leave_reserved_cpus_alone: (
        claimed("0-1", CPUS, reserved=bits("0")),
        claimed("1-2", CPUS, reserved=bits("0")),
    ),
    chapter.keeps_off_claims: (
        Coexistence({"shared": bits("0-7")}, bits("0-1"), bits("2-7")),
        Coexistence({"shared": bits("2-7")}, bits("0-1"), bits("2-7")),
    ),
    chapter.undoes_what_was_prepared: (Release(True, "no"), Release(True, None)),
    chapter.of_nothing_is_no_error: (Release(False, "no"), Release(False, None)),
}
