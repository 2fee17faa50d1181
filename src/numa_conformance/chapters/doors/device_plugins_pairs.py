"""Device plugins that are wrong by one sentence each, and right, on a machine with the NUMA nodes 0 and 1."""

from __future__ import annotations

from ...judging.plugins import HEALTHY, DeviceList, DevicePreference, DevicesServed, Registration
from ...machine import load_machine
from ...wire.messages.plugin import OfferedDevice, PluginStarted, PreferDevices
from . import device_plugins as chapter

MACHINE, NO = load_machine("two-nodes-devices"), "no"


def started(resource: str = "example.com/gpu", serves: bool = True, again: bool = False) -> Registration:
    """Describe a plugin that has registered."""
    return Registration(MACHINE, PluginStarted(resource, [], serves=serves), again=again)


def silent(again: bool = False) -> Registration:
    """Describe a plugin that has not registered."""
    return Registration(MACHINE, None, NO, again)


def listed(*devices: tuple[str, str, int], before: tuple[str, str, int] | None = None) -> DeviceList:
    """Describe a list of devices by id, health and NUMA node; ``before``: the only one of the list before."""
    made = [OfferedDevice(id, health, [node]) for id, health, node in (*devices, *([before] if before else []))]
    return DeviceList(MACHINE, made[: len(devices)], made[len(devices) :])


def preferred(*devices: str) -> DevicePreference:
    """Describe which devices a plugin prefers where it is asked for two of a, b and c, among them c."""
    return DevicePreference(PreferDevices(["a", "b", "c"], ["c"], 2), devices)


GPU, OTHER = ("a", HEALTHY, 0), ("b", HEALTHY, 1)

PAIRS = {
    chapter.registers: (silent(), started()),
    chapter.registers_again: (silent(again=True), started(again=True)),
    chapter.serves_first: (started(serves=False), started(serves=True)),
    chapter.names_an_extended_resource: (started("gpu.kubernetes.io/gpu"), started("example.com/gpu")),
    chapter.have_ids_of_their_own: (listed(GPU, GPU), listed(GPU, OTHER)),
    chapter.are_healthy_or_unhealthy: (listed(("a", "Broken", 0)), listed(("a", "Unhealthy", 0))),
    chapter.names_nodes_of_the_machine: (listed(("a", HEALTHY, -1)), listed(("a", HEALTHY, 1))),
    chapter.leave_devices_where_they_are: (listed(("a", HEALTHY, 1), before=GPU), listed(GPU, before=GPU)),
    chapter.prefers_what_is_available: (preferred("c", "d"), preferred("c", "a")),
    chapter.prefers_so_many: (preferred("c"), preferred("c", "a")),
    chapter.prefers_what_must_be_included: (preferred("a", "b"), preferred("c", "a")),
    chapter.serves_what_it_offers: (
        DevicesServed(("a",), frozenset("ab"), None, NO),
        DevicesServed(("a",), frozenset("ab"), 1),
    ),
}
