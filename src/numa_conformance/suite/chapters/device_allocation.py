"""Which devices containers get, and keep. Page: Device Plugins."""

from __future__ import annotations

from collections.abc import Iterator

from ..judge.chapter import Chapter, Judgement, Violation, applies, judges, violated
from ..judge.files import DEVICE_FILE
from ..judge.node_subjects import Admission, Moment, Restart
from ..judge.room import Request, Room, asked_devices
from ..judge.seen import Sighting
from ..judge.world import Held
from .conditions import fitting, plain
from .outcomes import must_be_admitted
from .restart import can_be_read
from .wording import devices_told

chapter = Chapter("device-manager/allocation", since="1.18")


@chapter.requires(
    "device-manager/allocation/gives-the-number-asked-for",
    on=Admission,
    rests_on=("device-plugins/example/gets-what-it-asks-for", "device-plugins/registration/whole-numbers"),
)
def gives_the_number(admission: Admission) -> Iterator[Violation]:
    """An admitted container has exactly as many devices of a resource as it asks for, each of that resource."""
    applies(admission.admitted, "the pod was refused")
    applies(asked_devices(admission.before.machine, admission.pod.containers), "the pod asks for no devices")
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


@chapter.requires(
    "device-manager/allocation/gives-healthy-devices-only",
    on=Admission,
    rests_on=("device-plugins/unhealthy/lower-allocatable",),
)
def gives_healthy_devices(admission: Admission) -> Judgement:
    """Unhealthy devices are not given to containers."""
    devices = {device for held in admission.held.values() for device in _devices(held)}
    applies(devices, "no devices are given")
    applies(not admission.again, "the pod was on the node before")
    healthy = {(device.resource, device.id) for device in admission.before.machine.devices if device.healthy}
    wrong = sorted(devices - healthy)
    return violated(not wrong, "devices are given that are not there or not healthy", got=wrong)


@chapter.requires(
    "device-manager/allocation/shares-no-device", on=Moment, rests_on=("device-plugins/registration/not-shared",)
)
def shares_no_device(moment: Moment) -> Iterator[Violation]:
    """No device is given to two containers that run at the same time."""
    applies(any(pod.devices for pod in moment.world.pods.values()), "no pod has devices")
    pods: dict[tuple[str, str], str] = {}
    containers: dict[tuple[str, str], str] = {}
    for uid, pod in moment.world.pods.items():
        for container in pod.spec.containers:
            for device in _devices(pod.held.get(container.name)):
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
    applies(not admission.again, "the pod was on the node before")
    applies(all(container.kind != "init" for container in admission.pod.containers), "the pod has init containers")
    room, asked = Room(admission.before), asked_devices(admission.before.machine, admission.pod.containers)
    short = {name: number for name, number in asked.items() if number > room.free_devices(None, name)}
    applies(short, "so many devices are free")
    return violated(
        not admission.admitted,
        f"pod {admission.pod.uid} asks for more devices than are free and is admitted",
        got=str({name: devices_told(held) for name, held in admission.held.items()}),
        allowed=f"a refusal: {short} are asked for",
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
    applies(not admission.again, "the pod was on the node before")
    applies(not pod.whole, "the pod as a whole has resources")
    fitting(admission)
    request = Request.of(world, pod, pod.containers)
    unaligned = world.settings.topology in ("none", "best-effort")
    alone = not (request.cpus or request.memory)
    applies(alone and unaligned, "the pod asks for CPUs or memory too, or the Topology Manager may refuse it")
    now, before = Room(world), Room(world.with_all_that_went)
    asked = asked_devices(world.machine, pod.containers).items()
    enough = all(number <= now.free_devices(None, name) for name, number in asked)
    applies(
        enough and any(number > before.free_devices(None, name) for name, number in asked),
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
    applies(not admission.again, "the pod was on the node before")
    applies(admission.admitted, "the pod was refused")
    world, reason = admission.before, "no plugin prefers devices, or alignment or an earlier container decides too"
    asking = [each for each in admission.pod.containers if any(asked_devices(world.machine, [each]).values())]
    applies(world.settings.topology == "none" and [each.kind for each in asking] == ["app"], reason)
    asked, prefers = asked_devices(world.machine, asking), world.machine.preferred_allocation
    free = {name: sorted(Room(world).free_device_ids(name)) for name in asked if prefers.get(name)}
    wanted = applies({(name, id) for name, ids in free.items() for id in ids[: asked[name]]}, reason)
    held = admission.held.get(asking[0].name)
    return violated(
        wanted <= _devices(held),
        "the plugin prefers other devices",
        got=devices_told(held),
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
    applies(any(had and had.devices for _, had, _ in restart.kept), "no container that is there again had devices")
    for who, had, has in restart.kept:
        if had and had.devices:
            why = f"{who} has other devices after a restart"
            yield from violated(_ids(had) == _ids(has), why, got=devices_told(has), allowed=devices_told(had))


@judges("device-manager/restart/keeps-devices", on=Sighting)
def device_file_can_be_read(sighting: Sighting) -> Judgement:
    """The file that holds the devices of containers can be read."""
    return can_be_read(sighting, DEVICE_FILE)


def _devices(held: Held | None) -> set[tuple[str, str]]:
    return {(name, id) for name, ids in _ids(held).items() for id in ids}


def _ids(held: Held | None) -> dict[str, frozenset[str]]:
    return {name: ids for name, ids in ((held.devices if held else None) or {}).items() if ids}
