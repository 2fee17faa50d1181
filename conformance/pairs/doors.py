"""What device plugins, DRA drivers and daemons that pin do wrongly, each by one sentence, and rightly."""

from typing import Any

from msgspec.structs import replace

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.chapters.doors import device_plugins, dra_drivers, pinning
from numa_conformance.judging.claims import Coexistence, Preparation, Publication, Release
from numa_conformance.judging.may_run import SYSTEM, Pooled
from numa_conformance.judging.plugins import HEALTHY, DeviceList, DevicePreference, DevicesServed, Registration
from numa_conformance.judging.pods import PodSpec
from numa_conformance.judging.published import CACHE, CPU_ID, NUMA_NODE, SOCKET, PublishedDevice, slices_of
from numa_conformance.judging.world import AdmittedPod
from numa_conformance.machine import load_machine
from numa_conformance.wire.history.values import HoldingBits
from numa_conformance.wire.messages.plugin import OfferedDevice, PluginStarted, PreferDevices

from .worlds import bits, node

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


def device(*attributes: tuple[str, int], name: str = "cpus", cpus: int = 8) -> PublishedDevice:
    """Describe a device of a pool by its attributes and CPUs."""
    key, numbers = ("cpu.example.com", "node", name), dict(attributes)
    return PublishedDevice(key, "cpu", cpus, numbers, is_shared=True, is_whole=True)


def published(*devices: PublishedDevice, before: PublishedDevice | None = None) -> Publication:
    """Describe what a driver publishes; ``before``: what it published before it was started again."""
    again = before is not None
    return Publication(MACHINE, devices, again=again, before=(before,) if before else ())


def pool_of(count: int) -> Publication:
    """Describe that one slice is published of a pool, which says how many it has."""
    pool = {"name": "node", "generation": 1, "resourceSliceCount": count}
    return replace(published(CPUS), slices=tuple(slices_of([{"driver": "cpu.example.com", "pool": pool}])))


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


def pooled(cpu: str, on: str, others: str, namespace: str = "default") -> Pooled:
    """Describe a container that requests so many CPUs and may run on some; another one may run on ``others``."""
    pods = [
        AdmittedPod(
            replace(PodSpec.of(guaranteed(uid, cpu)), namespace=namespace),
            {"c": HoldingBits(bits(""), cpuset=bits(cpus))},
        )
        for uid, cpus in (("p", on), ("q", others))
    ]
    world = node("two-nodes-devices", static(reserved="0-1"), *pods)
    return Pooled(world, "p", "c", pods[0].held["c"], settled=True)


PAIRS = {
    device_plugins.registers: (silent(), started()),
    device_plugins.registers_again: (silent(again=True), started(again=True)),
    device_plugins.serves_first: (started(serves=False), started(serves=True)),
    device_plugins.names_an_extended_resource: (started("gpu.kubernetes.io/gpu"), started("example.com/gpu")),
    device_plugins.have_ids_of_their_own: (listed(GPU, GPU), listed(GPU, OTHER)),
    device_plugins.are_healthy_or_unhealthy: (listed(("a", "Broken", 0)), listed(("a", "Unhealthy", 0))),
    device_plugins.names_nodes_of_the_machine: (listed(("a", HEALTHY, -1)), listed(("a", HEALTHY, 1))),
    device_plugins.names_the_node_of_a_pci_device: (
        listed(("0000:03:00.0", HEALTHY, 0)),
        listed(("gpu-0000:03:00.0", HEALTHY, 1)),
    ),
    device_plugins.leave_devices_where_they_are: (listed(("a", HEALTHY, 1), before=GPU), listed(GPU, before=GPU)),
    device_plugins.prefers_what_is_available: (preferred("c", ""), preferred("c", "a")),
    device_plugins.prefers_so_many: (preferred("c"), preferred("c", "a")),
    device_plugins.prefers_what_must_be_included: (preferred("a", "b"), preferred("c", "a")),
    device_plugins.serves_what_it_offers: (
        DevicesServed(("a",), frozenset("ab"), None, NO),
        DevicesServed(("a",), frozenset("ab"), 1),
    ),
    dra_drivers.publishes: (published(), published(CPUS)),
    dra_drivers.publishes_again: (published(device(cpus=4), before=CPUS), published(CPUS, before=CPUS)),
    dra_drivers.have_names_of_their_own: (published(CPUS, CPUS), published(CPUS, device(name="others"))),
    dra_drivers.come_in_whole_pools: (pool_of(2), pool_of(1)),
    dra_drivers.name_numa_nodes_of_the_machine: (published(OF_NODE_9), published(OF_NODE_0)),
    dra_drivers.get_what_they_consume: (claimed("0", CPUS), claimed("0-1", CPUS)),
    dra_drivers.get_online_cpus: (claimed("0,99", CPUS), claimed("0-1", CPUS)),
    dra_drivers.of_the_numa_node: (claimed("3-4", OF_NODE_0), claimed("2-3", OF_NODE_0)),
    dra_drivers.of_the_socket: (claimed("3-4", OF_SOCKET_0), claimed("2-3", OF_SOCKET_0)),
    dra_drivers.of_the_cache: (claimed("3-4", OF_CACHE_0), claimed("2-3", OF_CACHE_0)),
    dra_drivers.of_the_id: (claimed("1", CPU_0), claimed("0", CPU_0)),
    dra_drivers.keep_memory_to_their_numa_nodes: (
        claimed("2-3", OF_NODE_0, mems=bits("1")),
        claimed("2-3", OF_NODE_0, mems=bits("0")),
    ),
    dra_drivers.can_have_what_is_published: (claimed(None, CPUS), claimed("0-1", CPUS)),
    dra_drivers.gives_back: (claimed(None, CPUS, had=True), claimed("0-1", CPUS, had=True)),
    dra_drivers.prepare_is_idempotent: (claimed("2-3", CPUS, **AGAIN), claimed("0-1", CPUS, **AGAIN)),
    dra_drivers.keeps_claims: (
        claimed("2-3", CPUS, **AGAIN, restarted=True),
        claimed("0-1", CPUS, **AGAIN, restarted=True),
    ),
    dra_drivers.have_cpus_of_their_own: (
        claimed("0-1", CPUS, others={"q": bits("1-2")}),
        claimed("0-1", CPUS, others={"q": bits("2-3")}),
    ),
    dra_drivers.leave_reserved_cpus_alone: (
        claimed("0-1", CPUS, reserved=bits("0")),
        claimed("1-2", CPUS, reserved=bits("0")),
    ),
    dra_drivers.keeps_off_claims: (
        Coexistence({"shared": bits("0-7")}, bits("0-1"), bits("2-7"), bits("0-7")),
        Coexistence({"shared": bits("2-7")}, bits("0-1"), bits("2-7"), bits("0-7")),
    ),
    dra_drivers.has_all_that_claims_leave: (
        Coexistence({"shared": bits("3-7")}, bits("0-1"), bits("2-7"), bits("0-7")),
        Coexistence({"shared": bits("2-7")}, bits("0-1"), bits("2-7"), bits("0-7")),
    ),
    dra_drivers.undoes_what_was_prepared: (Release(True, "no"), Release(True, None)),
    dra_drivers.of_nothing_is_no_error: (Release(False, "no"), Release(False, None)),
    pinning.has_a_cpu_of_its_own: (pooled("1500m", "4-7", "4-7"), pooled("1500m", "3-7", "4-7")),
    pinning.same_cpus_or_none: (pooled("500m", "2-5", "4-7"), pooled("500m", "2-3", "4-7")),
    pinning.holds_system_pods: (pooled("1", "0-7", "0-1", SYSTEM), pooled("1", "0-1", "0-1", SYSTEM)),
}
