"""Devices under the policy single-numa-node: beside CPUs, alone, and where a plugin tells no NUMA node or several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...machine import Device
from ..history.values import CpuBits, Held
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.node_subjects import Admission
from ..judge.pods import GUARANTEED, ContainerSpec
from ..judge.room import Room, asked_devices
from .admissions import must_be_admitted
from .alignment import (
    AT_ONCE,
    common_nodes,
    leaving_a_cpu,
    nodes_of,
    one_node_can_give_all,
    request_of,
)
from .guards import admitted, for_the_first_time, static, under
from .wording import in_words

SINGLE = (under("single-numa-node"), for_the_first_time)


def _located(admission: Admission, held: Held) -> list[Device]:
    """Return the devices that a container holds and whose plugin tells NUMA nodes."""
    given = {(name, id) for name, ids in (held.devices or {}).items() for id in ids}
    devices = admission.before.machine.devices
    return [device for device in devices if device.numa and (device.resource, device.id) in given]


def _beside_cpus(admission: Admission) -> list[str]:
    """Return the containers that hold CPUs of their own and devices whose plugin tells NUMA nodes."""
    return [name for name, held in admission.held.items() if held.cpus and _located(admission, held)]


devices_beside_cpus = Guard[Admission]("no container has devices of NUMA nodes beside CPUs of its own", _beside_cpus)


@checker("device-manager/topology/aligns-with-cpus", Admission, when=(*SINGLE, static, admitted, devices_beside_cpus))
def devices_are_where_cpus_are(admission: Admission) -> Iterator[Violation]:
    """Under single-numa-node the devices of a container are on the NUMA node of its exclusive CPUs."""
    numa = admission.before.machine.numa_bits
    for name in _beside_cpus(admission):
        held = admission.held[name]
        near = [node for node, cpus in numa.items() if cpus & held.cpus]
        far = [device.id for device in _located(admission, held) if not set(near) & set(device.numa)]
        yield from violated(
            not far,
            f"devices of container {name} of pod {admission.pod.uid} are far from its CPUs: {', '.join(far)}",
            got=held,
            allowed=f"devices of the NUMA nodes {near}",
            CPUs=held.cpus,
        )


def _asked(admission: Admission) -> list[Device]:
    """Return all devices of the resources that the pod asks for."""
    names = {name for name, number in request_of(admission).devices.items() if number}
    return [device for device in admission.before.machine.devices if device.resource in names]


def _without_topology(admission: Admission) -> bool:
    devices = _asked(admission)
    return bool(devices) and not any(device.numa for device in devices)


asks_for_none_of_a_node = Guard[Admission](
    "the pod asks for no devices, or for some whose plugin tells NUMA nodes", _without_topology
)


def _hangs_on_several_nodes(admission: Admission) -> bool:
    if not any(len(device.numa) > 1 for device in _asked(admission)):
        return False
    world = admission.before
    of_one = tuple(device for device in world.machine.devices if len(device.numa) < 2)
    fewer = replace(world, machine=replace(world.machine, devices=of_one))
    return not Room(fewer).nodes_that_hold(request_of(admission), surely=False)


hangs_on_devices_of_several_nodes = Guard[Admission](
    "a NUMA node can give all without a device that is local to several", _hangs_on_several_nodes
)
SURELY_ADMITTED = (under("single-numa-node"), *AT_ONCE, leaving_a_cpu, one_node_can_give_all)


@checker(
    "device-manager/topology/no-numa-nodes-means-no-preference",
    Admission,
    when=(*SURELY_ADMITTED, asks_for_none_of_a_node),
)
def no_numa_nodes_no_preference(admission: Admission) -> Judgement:
    """Devices whose plugin tells no NUMA node go with whatever else is asked for: they are no reason to refuse."""
    return must_be_admitted(admission, "though a NUMA node has all else, and its devices are of none")


@checker(
    "device-manager/topology/a-device-may-have-several-nodes",
    Admission,
    when=(*SURELY_ADMITTED, hangs_on_devices_of_several_nodes),
)
def is_local_to_each_of_its_nodes(admission: Admission) -> Judgement:
    """A device of several NUMA nodes is local to each of them."""
    return must_be_admitted(admission, "though a NUMA node has all it asks for, with a device that is local to several")


def _asks_for_devices_alone(admission: Admission) -> bool:
    request = request_of(admission)
    return not request.cpus and not request.memory and bool(_asked(admission))


asks_for_devices_alone = Guard[Admission](
    "the pod asks for no devices, or for CPUs or memory beside them", _asks_for_devices_alone
)


@checker(
    "topology-manager/admission/all-classes-pass-the-manager",
    Admission,
    when=(under("single-numa-node"), *AT_ONCE, asks_for_devices_alone, admitted),
)
def devices_alone_are_aligned(admission: Admission) -> Judgement:
    """A pod of any class that asks for devices alone is aligned too: they are of one NUMA node."""
    return violated(
        common_nodes(admission),
        f"the devices of pod {admission.pod.uid}, which asks for nothing else, are of several NUMA nodes",
        got=in_words(admission.held),
        allowed="devices of one NUMA node, or a refusal",
    )


def _fractional(admission: Admission) -> list[ContainerSpec]:
    """Return the containers that ask for a fraction of a CPU and for devices."""
    machine, pod = admission.before.machine, admission.pod
    return [
        container
        for container in pod.containers
        if container.cpu.denominator != 1 and any(asked_devices(machine, [container]).values())
    ]


with_fractions_and_devices = Guard[Admission](
    "no container of a Guaranteed pod asks for a fraction of a CPU and for devices",
    lambda admission: admission.pod.qos == GUARANTEED and _fractional(admission),
)


@checker(
    "topology-manager/admission/fractional-cpus-align-devices-only",
    Admission,
    when=(*SINGLE, static, admitted, with_fractions_and_devices),
)
def fractions_align_devices_only(admission: Admission) -> Iterator[Violation]:
    """A container with a fraction of a CPU has no CPUs of its own, and its devices, on one NUMA node."""
    for container in _fractional(admission):
        held = admission.held.get(container.name, Held(CpuBits(0)))
        wanted = {name: n for name, n in asked_devices(admission.before.machine, [container]).items() if n}
        has = {name: len(ids) for name, ids in (held.devices or {}).items() if ids}
        together = nodes_of(admission.before, Held(CpuBits(0), devices=held.devices))
        yield from violated(
            not held.cpus and has == wanted and together,
            f"container {container.name} of pod {admission.pod.uid}, which asks for a fraction of a CPU, is given "
            "something else than devices of one NUMA node",
            got=held,
            allowed=f"{wanted} of one NUMA node, and no CPUs",
            CPUs=held.cpus,
        )
