"""Devices over a node's life: page Device Plugins."""

from __future__ import annotations

from collections.abc import Iterator

from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.node_subjects import Admission, Moment, Restart
from ..judge.room import Request, Room, asked_devices
from ..judge.world import Held
from .admissions import must_be_admitted
from .guards import admitted, fitting, for_the_first_time, of_containers
from .restarts import came_up, plain
from .wording import devices_told

with_devices = Guard[Admission](
    "the pod asks for no devices", lambda admission: asked_devices(admission.before.machine, admission.pod.containers)
)
given_devices = Guard[Admission](
    "no devices are given", lambda admission: any(any(_ids(held).values()) for held in admission.held.values())
)
without_init_containers = Guard[Admission](
    "the pod has init containers",
    lambda admission: all(container.kind != "init" for container in admission.pod.containers),
)


@checker("device-manager/allocation/gives-the-number-asked-for", Admission, when=(admitted, with_devices))
def gives_the_number(admission: Admission) -> Iterator[Violation]:
    """An admitted container has as many devices of each resource as it asks for."""
    for container in admission.pod.containers:
        asked = asked_devices(admission.before.machine, [container])
        wanted = {name: number for name, number in asked.items() if number}
        held = admission.held.get(container.name)
        yield from violated(
            {name: len(ids) for name, ids in _ids(held).items()} == wanted,
            f"container {container.name} of pod {admission.pod.uid} has another number of devices than it asks for",
            got=devices_told(held),
            allowed=wanted,
        )


@checker("device-manager/allocation/gives-healthy-devices-only", Admission, when=(given_devices, for_the_first_time))
def gives_healthy_devices(admission: Admission) -> Judgement:
    """Devices that are given exist and are healthy."""
    machine = admission.before.machine
    healthy = {(device.resource, device.id) for device in machine.devices if device.healthy}
    wrong = sorted({device for held in admission.held.values() for device in _devices(held)} - healthy)
    return violated(not wrong, "devices are given that are not there or not healthy", got=wrong)


with_pods_that_have_devices = Guard[Moment](
    "no pod has devices", lambda moment: any(pod.devices for pod in moment.world.pods.values())
)


@checker("device-manager/allocation/shares-no-device", Moment, when=(with_pods_that_have_devices,))
def shares_no_device(moment: Moment) -> Iterator[Violation]:
    """A device belongs to one pod, and to one container of it; an init container's may serve again."""
    pods: dict[tuple[str, str], str] = {}
    containers: dict[tuple[str, str], str] = {}
    for uid, pod in moment.world.pods.items():
        for container in pod.spec.containers:
            for device in _devices(pod.held.get(container.name)):
                owners = [pods.setdefault(device, uid), uid]
                if owners[0] == uid and container.kind != "init":
                    owners = [containers.setdefault(device, container.name), container.name]
                if owners[0] != owners[1]:
                    yield Violation(f"device {device[1]} of {device[0]} belongs to {owners[0]} and {owners[1]}")
                    return


asking_for_more_than_is_free = Guard[Admission]("so many devices are free", lambda admission: _short(admission))


def _short(admission: Admission) -> dict[str, int]:
    """Return the devices of which a pod asks for more than are free."""
    world, pod = admission.before, admission.pod
    room = Room(world)
    asked = asked_devices(world.machine, pod.containers)
    return {name: number for name, number in asked.items() if number > room.free_devices(None, name)}


@checker(
    "device-manager/allocation/refuses-what-is-not-there",
    Admission,
    when=(for_the_first_time, without_init_containers, asking_for_more_than_is_free),
)
def refuses_what_is_not_there(admission: Admission) -> Judgement:
    """A pod that asks for more devices than are free is refused."""
    return violated(
        not admission.admitted,
        f"pod {admission.pod.uid} asks for more devices than are free and is admitted",
        got=str({name: devices_told(held) for name, held in admission.held.items()}),
        allowed=f"a refusal: {_short(admission)} are asked for",
    )


def _alone_and_unaligned(admission: Admission) -> bool:
    world, pod = admission.before, admission.pod
    request = Request.of(world, pod, pod.containers)
    return not (request.cpus or request.memory) and world.settings.topology in ("none", "best-effort")


alone_and_unaligned = Guard[Admission](
    "the pod asks for CPUs or memory of its own too, or the Topology Manager may refuse it", _alone_and_unaligned
)


def _hangs_on_what_returned(admission: Admission) -> bool:
    world = admission.before
    now, before = Room(world), Room(world.with_all_that_went)
    asked = asked_devices(world.machine, admission.pod.containers).items()
    enough = all(number <= now.free_devices(None, name) for name, number in asked)
    return enough and any(number > before.free_devices(None, name) for name, number in asked)


hangs_on_what_returned = Guard[Admission](
    "so many devices are not free, or are free without those that removed pods had", _hangs_on_what_returned
)


@checker(
    "device-manager/allocation/returns-devices-on-removal",
    Admission,
    when=(for_the_first_time, of_containers, fitting, alone_and_unaligned, hangs_on_what_returned),
)
def devices_return(admission: Admission) -> Judgement:
    """The devices of a removed pod are free again: they serve a pod for which there were too few before."""
    return must_be_admitted(admission, "though so many devices are free since others were removed")


def _preferred(admission: Admission) -> tuple[str, set[tuple[str, str]]] | None:
    """Return the one container of a pod that asks for devices, and those that plugins prefer for it, if any do."""
    world, pod = admission.before, admission.pod
    asking = [container for container in pod.containers if any(asked_devices(world.machine, [container]).values())]
    if len(asking) != 1 or asking[0].kind != "app" or world.settings.topology != "none":
        return None
    preferring = world.machine.preferred_allocation
    asked = asked_devices(world.machine, asking).items()
    free = {name: sorted(Room(world).free_device_ids(name))[:number] for name, number in asked if preferring.get(name)}
    wanted = {(name, id) for name, ids in free.items() for id in ids}
    return (asking[0].name, wanted) if wanted else None


plugins_prefer_some = Guard[Admission](
    "no plugin prefers devices, or alignment or an earlier container decides too", _preferred
)


@checker(
    "device-manager/preferred-allocation/is-followed",
    Admission,
    when=(for_the_first_time, admitted, plugins_prefer_some),
)
def preference_is_followed(admission: Admission) -> Judgement:
    """Where a plugin prefers some of the free devices, the lowest ids, these are given."""
    name, wanted = _preferred(admission) or ("", set())
    held = admission.held.get(name)
    return violated(
        wanted <= _devices(held),
        "the plugin prefers other devices",
        got=devices_told(held),
        allowed=", ".join(sorted(id for _, id in wanted)),
    )


with_devices_before = Guard[Restart](
    "no container that is there again had devices",
    lambda restart: any(had and had.devices for _, had, _ in restart.kept),
)


@checker("device-manager/restart/keeps-devices", Restart, when=(plain, came_up, with_devices_before))
def devices_survive_a_restart(restart: Restart) -> Iterator[Violation]:
    """Containers keep their devices when the node agent restarts."""
    for who, had, has in restart.kept:
        if had and had.devices:
            why = f"{who} has other devices after a restart"
            yield from violated(_ids(had) == _ids(has), why, got=devices_told(has), allowed=devices_told(had))


def _devices(held: Held | None) -> set[tuple[str, str]]:
    return {(name, id) for name, ids in _ids(held).items() for id in ids}


def _ids(held: Held | None) -> dict[str, frozenset[str]]:
    return {name: ids for name, ids in ((held.devices if held else None) or {}).items() if ids}
