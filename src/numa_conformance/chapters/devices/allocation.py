"""Which devices containers get, and keep. Page: Device Plugins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ...asking.generators import workloads
from ...asking.generators.cells import alignments, devices_near
from ...asking.generators.life import (
    OF_EVERY_MANAGER,
    LifeContext,
    Lives,
    are_alike,
    few_nodes,
    life,
    with_pages_and_devices,
)
from ...asking.generators.scenario import Script, come_and_go
from ...asking.generators.workloads import best_effort, guaranteed, pinning, static
from ...judging.alignment import asked_devices
from ...judging.chapter import Chapter, Judgement, Violation, applies, judges, violated
from ...judging.choice import numa_cpus
from ...judging.files import DEVICE_FILE
from ...judging.node_subjects import Admission, NodeMoment, Restart
from ...judging.rest import DEVICES
from ...judging.room import Room, ordinary
from ...judging.sighting import Sighting
from ...machine import Device, Machine
from ...wire.history.values import CpuBits, HoldingBits
from ..conditions import admitted, fitting, new_pod, plain, without_pod_resources
from ..outcomes import amounts_text, changed, devices_text, in_words, must_be_admitted
from ..restart import can_be_read

chapter = Chapter("device-manager/allocation", since="1.18")
NOTHING = HoldingBits(CpuBits(0))
NO_PREFERENCE = "no plugin prefers devices, or alignment or an earlier container decides too"


@chapter.requires(
    "device-manager/allocation/gives-the-number-asked-for",
    on=Admission,
    rests_on=("device-plugins/example/gets-what-it-asks-for", "device-plugins/registration/whole-numbers"),
)
def gives_the_number(admission: Admission) -> Iterator[Violation]:
    """An admitted container has exactly as many devices of a resource as it asks for, each of that resource."""
    admitted(admission)
    applies(asked_devices(admission.before.machine, admission.pod.containers), "the pod asks for no devices")
    for container in admission.pod.containers:
        numbers = asked_devices(admission.before.machine, [container])
        wanted = {name: number for name, number in numbers.items() if number}
        held = admission.held.get(container.name, NOTHING)
        yield from violated(
            {name: len(ids) for name, ids in held.devices_by_resource.items()} == wanted,
            f"container {container.name} of pod {admission.pod.uid} has another number of devices than it asks for",
            got=devices_text(held),
            allowed=amounts_text(wanted),
        )


@chapter.requires(
    "device-manager/allocation/gives-healthy-devices-only",
    on=Admission,
    rests_on=("device-plugins/unhealthy/lower-allocatable",),
)
def gives_healthy_devices(admission: Admission) -> Judgement:
    """Unhealthy devices are not given to containers."""
    devices = {device for held in admission.held.values() for device in held.each_device}
    applies(devices, "no devices are given")
    new_pod(admission)
    healthy = {(device.resource, device.id) for device in admission.before.machine.devices if device.healthy}
    wrong = sorted(devices - healthy)
    got = ", ".join(id for _, id in wrong)
    return violated(not wrong, "devices are given that are not there or not healthy", got=got)


@chapter.requires(
    "device-manager/allocation/shares-no-device", on=NodeMoment, rests_on=("device-plugins/registration/not-shared",)
)
def shares_no_device(moment: NodeMoment) -> Iterator[Violation]:
    """No device is given to two containers that run at the same time."""
    applies(any(pod.devices for pod in moment.world.pods.values()), "no pod has devices")
    pods: dict[tuple[str, str], str] = {}
    containers: dict[tuple[str, str], str] = {}
    for uid, pod in moment.world.pods.items():
        for container in pod.spec.containers:
            for device in sorted(pod.held.get(container.name, NOTHING).each_device):
                owners = [pods.setdefault(device, uid), uid]
                if owners[0] == uid and container.kind != "init":  # an init container's may serve again
                    owners = [containers.setdefault(device, container.name), container.name]
                if owners[0] != owners[1]:
                    yield Violation(f"device {device[1]} of {device[0]} belongs to {owners[0]} and {owners[1]}")
                    return


@chapter.requires(
    "device-manager/allocation/refuses-what-is-not-there",
    on=Admission,
    rests_on=(
        "device-plugins/example/gets-what-it-asks-for",
        "device-plugins/registration/whole-numbers",
        "topology-source/device-hints/too-few-free",
    ),
)
def refuses_what_is_not_there(admission: Admission) -> Judgement:
    """A pod that asks for more devices than are free is refused and takes none."""
    new_pod(admission)
    applies(all(container.kind != "init" for container in admission.pod.containers), "the pod has init containers")
    room, numbers = Room(admission.before), asked_devices(admission.before.machine, admission.pod.containers)
    short = {name: number for name, number in numbers.items() if number > room.free_devices(None, name)}
    applies(short, "so many devices are free")
    return violated(
        not admission.admitted,
        f"pod {admission.pod.uid} asks for more devices than are free and is admitted",
        got=in_words(admission.held),
        allowed=f"a refusal: {amounts_text(short)} are asked for",
    )


@chapter.requires(
    "device-manager/allocation/returns-devices-on-removal",
    on=Admission,
    rests_on=("device-plugins/example/remainder-is-free",),
    beyond="No page says when the devices of a removed pod are free.",
)
def devices_return(admission: Admission) -> Judgement:
    """The devices of a removed pod are free again."""
    world, pod = admission.before, admission.pod
    new_pod(admission)
    without_pod_resources(admission)
    fitting(admission)
    applies(world.gone, "no pod was removed")
    request = admission.request
    unaligned = world.settings.topology in ("none", "best-effort")
    alone = not (request.cpus or request.memory)
    applies(alone and unaligned, "the pod asks for CPUs or memory too, or the Topology Manager may refuse it")
    now, before = Room(world), Room(world.with_all_that_went)
    numbers = asked_devices(world.machine, pod.containers).items()
    enough = all(number <= now.free_devices(None, name) for name, number in numbers)
    applies(
        enough and any(number > before.free_devices(None, name) for name, number in numbers),
        "so many devices are not free, or are free without those that removed pods had",
    )
    return must_be_admitted(admission, "though so many devices are free since others were removed")


@chapter.requires(
    "device-manager/preferred-allocation/is-followed",
    "device-manager/preferred-allocation",
    on=Admission,
    rests_on=("device-plugins/implementation/preference-is-a-help",),
    since="1.19",
    strength="SHOULD",
    beyond="The page says that the preference need not be followed.",
)
def preference_is_followed(admission: Admission) -> Judgement:
    """Where the device plugin prefers devices among those that suit, these are given."""
    new_pod(admission)
    admitted(admission)
    world = admission.before
    asking = [each for each in admission.pod.containers if any(asked_devices(world.machine, [each]).values())]
    applies(world.settings.topology == "none" and [each.kind for each in asking] == ["app"], NO_PREFERENCE)
    numbers, prefers = asked_devices(world.machine, asking), world.machine.preferred_allocation
    free = {name: sorted(Room(world).free_device_ids(name)) for name in numbers if prefers.get(name)}
    wanted = applies({(name, id) for name, ids in free.items() for id in ids[: numbers[name]]}, NO_PREFERENCE)
    held = admission.held.get(asking[0].name, NOTHING)
    return violated(
        wanted <= held.each_device,
        "the plugin prefers other devices",
        got=devices_text(held),
        allowed=", ".join(sorted(id for _, id in wanted)),
    )


@chapter.requires(
    "device-manager/restart/keeps-devices",
    "node/restart",
    on=Restart,
    rests_on=("topology-source/admission/again-after-a-restart",),
    strength="SHOULD",
    beyond="No page says that containers keep their devices over a restart of the kubelet.",
)
def devices_survive_a_restart(restart: Restart) -> Iterator[Violation]:
    """Containers keep their devices when the node agent restarts."""
    plain(restart)
    applies(restart.after is not None, "the node does not come up")
    with_devices = [each for each in restart.readmitted if each[1] and each[1].devices]
    return changed(DEVICES, applies(with_devices, "no container that is there again had devices"), "a restart")


@judges("device-manager/restart/keeps-devices", on=Sighting)
def device_file_can_be_read(sighting: Sighting) -> Judgement:
    """The file that holds the devices of containers can be read."""
    return can_be_read(sighting, DEVICE_FILE)


@life("cpu-manager/static", "device-manager/allocation", "device-manager/preferred-allocation", suits=few_nodes, on=2)
def preferred_devices(machine: Machine, turn: LifeContext) -> Lives:
    """Devices beside CPUs where the plugin prefers such of another NUMA node, where one is near two, or near none."""
    gpu, key, few = "example.com/gpu", "example.com/key", 2
    nodes = [node for node, cpus in machine.numa_bits.items() if cpus]
    devices = (*devices_near(gpu, nodes, few), Device(gpu, "gpu-between", (nodes[-2], nodes[-1])))
    devices += tuple(Device(key, f"key-{index}", (), healthy=index > 0) for index in range(few + 1))
    name = f"{machine.name} with gpus preferred"
    equipped = replace(machine, name=name, devices=devices, preferred_allocation={gpu: "lowest-id"})
    sizes = sorted(cpus.bit_count() for cpus in numa_cpus(machine))
    most = sizes[0] - machine.core_bits[0].bit_count()

    def script(aligning: Mapping[str, str]) -> Script:
        yield "node.start", {"kubelet": {**static(reserved=machine.core_bits[0]), **aligning}}
        yield from come_and_go(best_effort(f"keys-{count}", **{key: str(count)}) for count in (few, few + 1))
        yield "node.admit", {"pod": guaranteed("first", most, **{gpu: "1"})}
        for number in range(len(sizes) - 2):
            yield "node.admit", {"pod": guaranteed(f"filler-{number}", most)}
        both = (few, few + 1)
        yield from come_and_go(guaranteed(f"beside-{count}", most, **{gpu: str(count)}) for count in (*both, 1))
        yield from come_and_go(best_effort(f"alone-{count}", **{gpu: str(count)}) for count in (*both, few + 2))
        yield "node.remove", {"uid": "first"}
        yield from come_and_go(guaranteed(f"after-{count}", most, **{gpu: str(count)}) for count in both)

    for aligning in filter(None, alignments(turn.claimed)):
        yield f"no option, {' per '.join(aligning.values())}, reserved a core", equipped, partial(script, aligning)


@life(*OF_EVERY_MANAGER, suits=lambda machine: are_alike(machine) and not machine.devices, on=1)
def containers_one_after_the_other(machine: Machine, turn: LifeContext) -> Lives:
    """Containers leave what they have to those behind, or keep it: of each resource, until the node is full."""
    nic, pages, each = "example.com/nic", "hugepages-2Mi", 4
    broken = Device(nic, "nic-broken", (machine.memory[0].node,), healthy=False)
    equipped = with_pages_and_devices(machine, "nics and few pages", each, nic, each, (broken,))
    config = static(reserved=machine.core_bits[0], more=pinning(machine.memory[0].node))
    cpus = min(node.bit_count() for node in numa_cpus(machine)) - machine.core_bits[0].bit_count()
    mib = ordinary(equipped.memory[-1]) >> 20
    amounts = {"cpu": (cpus, ""), "memory": (mib, "Mi"), pages: (each * 2, "Mi"), nic: (each, "")}

    def containers(uid: str, name: str, parts: Parts) -> dict[str, Any]:
        whole, unit = amounts[name]
        apps, before = list[dict[str, Any]](), list[dict[str, Any]]()
        for number, (kind, part) in enumerate(parts):
            amount = int(whole * part) // 2 * 2 if name == pages else int(whole * part)
            other = {"cpu": "100m", "memory": "8Mi"} | ({name: f"{max(1, amount)}{unit}"} if part else {})
            described = workloads.container(f"{kind}-{number}", other=other, sidecar=kind == "sidecar")
            (apps if kind == "app" else before).append(described)
        return workloads.pod(uid, apps, init=before)

    def script(aligning: Mapping[str, str], order: Parts) -> Script:
        yield "node.start", {"kubelet": {**config, **aligning}}
        rounds: list[tuple[str, Parts]] = [(name, order) for name in amounts]
        rounds.append((nic, (("app", 1),)))  # what removed pods had serves again
        for number, (name, parts) in enumerate(rounds):
            there = list[str]()
            for count in range(4):
                wanted = containers(f"p{number}-{count}", name, parts)
                if (yield "node.admit", {"pod": wanted}).get("result") != "admitted":
                    break
                there.append(f"p{number}-{count}")
                yield "node.run", {"uid": there[-1]}
            yield "node.state", {}
            restarts = "node/restart" in turn.claimed and name in (pages, nic)  # where few look at it
            if restarts and (yield "node.restart", {}).get("result") == "restarted":
                there.append(f"p{number}-more")
                yield "node.admit", {"pod": containers(there[-1], name, parts)}
            for uid in there:
                yield "node.remove", {"uid": uid}

    ways = alignments(turn.claimed)
    for number, order in enumerate(ORDERS * 2, turn.number * (len(ORDERS) * 2 + 1)):
        aligning = ways[number % len(ways)]
        policy = " per ".join(aligning.values()) or "none"
        yield f"no option, {policy}, memory Static, reserved a core", equipped, partial(script, aligning, order)


Parts = tuple[tuple[str, float], ...]
"""Kinds of containers, each with its part of what a NUMA node has; what has none asks for little."""


ORDERS: tuple[Parts, ...] = (
    (("init", 1), ("app", 0.75), ("app", 0.5)),
    (("init", 0.5), ("sidecar", 0.25), ("app", 0.5)),
    (("sidecar", 0.5), ("init", 0.5), ("app", 0.25)),
    (("init", 1), ("init", 0.25), ("sidecar", 0.25), ("app", 0.25), ("app", 0.25)),
    (("init", 0), ("sidecar", 0), ("app", 0.5), ("app", 0)),
)
"""Some fit a NUMA node by what is left to them, others by a little do not."""
