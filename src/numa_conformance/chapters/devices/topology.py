"""Devices under single-numa-node: beside CPUs, alone, near no NUMA node, or near several. Page: Device Plugins."""

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from ...cpuset import bits_of
from ...judging.alignment import asked_devices
from ...judging.chapter import Chapter, Judgement, Violation, applies, rests_on, violated
from ...judging.node_subjects import Admission
from ...judging.pods import GUARANTEED
from ...judging.room import Room
from ...machine import Device
from ...wire.history.values import CpuBits, HoldingBits, nodes_text
from ..alignment import at_once, common_nodes, leaving_a_cpu, nodes_of, one_node_can_give_all
from ..conditions import admitted, new_pod, under, under_static
from ..outcomes import amounts_text, in_words, must_be_admitted

chapter = Chapter("device-manager/allocation", "topology-manager/single-numa-node", since="1.18")


def new_under_static(admission: Admission) -> None:
    under(admission, "single-numa-node")
    new_pod(admission)
    under_static(admission)
    admitted(admission)


@chapter.requires("device-manager/topology/aligns-with-cpus", "cpu-manager/static")
@rests_on(
    "device-plugins/topology/numa-nodes-are-used",
    "topology/interactions/spec-3-hints",
    "topology-source/machine/three-providers",
    "nrm/head/aligns-cpus-and-devices",
)
def devices_are_where_cpus_are(admission: Admission) -> Iterator[Violation]:
    """Under single-numa-node the devices of a container are on the NUMA node of its exclusive CPUs."""
    new_under_static(admission)
    with_cpus = [(name, held, _local_devices(admission, held)) for name, held in admission.held.items() if held.cpus]
    applies(
        any(devices for _, _, devices in with_cpus), "no container has devices of NUMA nodes beside CPUs of its own"
    )
    for name, held, devices in with_cpus:
        near = [node for node, cpus in admission.before.machine.numa_bits.items() if cpus & held.cpus]
        far = [device.id for device in devices if not set(near) & set(device.numa)]
        why = f"devices of container {name} of pod {admission.pod.uid} are far from its CPUs: {', '.join(far)}"
        yield from violated(not far, why, got=held, allowed=f"devices of {nodes_text(bits_of(near))}", CPUs=held.cpus)


def _local_devices(admission: Admission, held: HoldingBits) -> list[Device]:
    """Return the devices that a container holds and whose plugin tells NUMA nodes."""
    ids = held.each_device
    return [
        device for device in admission.before.machine.devices if device.numa and (device.resource, device.id) in ids
    ]


def surely_admitted(subject: Admission) -> None:
    under(subject, "single-numa-node")
    at_once(subject)
    leaving_a_cpu(subject)
    one_node_can_give_all(subject)


def _candidates(admission: Admission) -> list[Device]:
    names = {name for name, number in admission.request.devices.items() if number}
    return [device for device in admission.before.machine.devices if device.resource in names]


@chapter.requires("device-manager/topology/no-numa-nodes-means-no-preference")
@rests_on("device-plugins/topology/no-nodes-no-preference")
def no_numa_nodes_no_preference(admission: Admission) -> Judgement:
    """A device without topology information gives no NUMA preference: it goes with whatever the rest prefers."""
    surely_admitted(admission)
    devices = applies(_candidates(admission), "the pod asks for no devices")
    applies(not any(device.numa for device in devices), "it asks for devices whose plugin reports NUMA nodes")
    return must_be_admitted(admission, "though a NUMA node has all else, and its devices are of none")


@chapter.requires("device-manager/topology/a-device-may-have-several-nodes")
@rests_on("device-plugins/topology/several-nodes", "topology-source/device-hints/any-of-its-nodes")
def is_local_to_each_of_its_nodes(admission: Admission) -> Judgement:
    """A device on several NUMA nodes counts as local to each of them."""
    surely_admitted(admission)
    several = any(len(device.numa) > 1 for device in _candidates(admission))
    applies(several, "the pod asks for no device that is local to several NUMA nodes")
    machine = admission.before.machine
    others = replace(machine, devices=tuple(device for device in machine.devices if len(device.numa) < 2))
    without = msgspec.structs.replace(admission.before, machine=others)
    able = Room.of(without).nodes_that_hold(admission.request, surely=False)
    applies(not able, "a NUMA node can give all without a device that is local to several")
    return must_be_admitted(admission, "though a NUMA node has all it asks for, with a device that is local to several")


@chapter.requires("topology-manager/admission/all-classes-pass-the-manager")
@rests_on("topology/scopes-and-policies/every-class", "topology/interactions/spec-5-hints")
def devices_alone_are_aligned(admission: Admission) -> Judgement:
    """Pods of every class pass the Topology Manager: a pod that asks for devices alone is aligned or refused too."""
    under(admission, "single-numa-node")
    at_once(admission)
    request = admission.request
    applies(not request.cpus and not request.memory, "the pod asks for CPUs or memory")
    places = {device.numa for device in _candidates(admission)}
    applies(places, "the pod asks for no devices")
    applies(len(places) > 1, "all devices of its resources are local to the same NUMA nodes")
    admitted(admission)
    why = f"the devices of pod {admission.pod.uid}, which asks for nothing else, are of several NUMA nodes"
    return violated(
        common_nodes(admission), why, got=in_words(admission.held), allowed="devices of one NUMA node, or a refusal"
    )


@chapter.requires("topology-manager/admission/fractional-cpus-align-devices-only", "cpu-manager/static")
@rests_on("topology/interactions/spec-4-hints")
def fractions_align_devices_only(admission: Admission) -> Iterator[Violation]:
    """A Guaranteed pod with a fractional CPU request and a device gets no exclusive CPUs; its device is aligned."""
    new_under_static(admission)
    applies(admission.pod.qos == GUARANTEED, "the pod is not Guaranteed")
    machine, fractional = admission.before.machine, []
    for container in admission.pod.containers:
        wanted = {name: number for name, number in asked_devices(machine, [container]).items() if number}
        if wanted and container.cpu.denominator != 1:
            fractional.append((container.name, wanted))
    applies(fractional, "no container asks for a fraction of a CPU and for devices")
    for name, wanted in fractional:
        held = admission.held.get(name, HoldingBits(CpuBits(0)))
        has = {resource: len(ids) for resource, ids in held.devices_by_resource.items()}
        together = nodes_of(admission.before, HoldingBits(CpuBits(0), devices=held.devices))
        yield from violated(
            not held.cpus and has == wanted and together,
            f"container {name} of pod {admission.pod.uid}, which asks for a fraction of a CPU, is given something else "
            "than devices of one NUMA node",
            got=held,
            allowed=f"{amounts_text(wanted)} of one NUMA node, and no CPUs",
            CPUs=held.cpus,
        )
