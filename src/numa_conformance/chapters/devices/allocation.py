"""Which devices containers get, and keep. Page: Device Plugins."""

from collections.abc import Iterator

from ...judging.alignment import ResourceRequest, asked_devices
from ...judging.chapter import Chapter, Judgement, Violation, applies, judges, recommended_by, rests_on, violated
from ...judging.files import DEVICE_FILE
from ...judging.node_subjects import Admission, NodeMoment, Restart
from ...judging.rest import DEVICES
from ...judging.room import Room
from ...judging.sighting import Sighting
from ...wire.history.values import CpuBits, HoldingBits
from ..conditions import admitted, fitting, new_pod, plain, without_pod_resources
from ..outcomes import amounts_text, changed, devices_text, in_words, must_be_admitted
from ..restart import can_be_read

chapter = Chapter("device-manager/allocation", since="1.18")
NOTHING = HoldingBits(CpuBits(0))
NO_PREFERENCE = "no plugin prefers devices, or alignment or an earlier container decides too"


@chapter.requires("device-manager/allocation/gives-the-number-asked-for")
@rests_on("device-plugins/example/gets-what-it-asks-for", "device-plugins/registration/whole-numbers")
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


@chapter.requires("device-manager/allocation/gives-healthy-devices-only")
@rests_on("device-plugins/unhealthy/lower-allocatable")
def gives_healthy_devices(admission: Admission) -> Judgement:
    """Unhealthy devices are not given to containers."""
    devices = {device for held in admission.held.values() for device in held.each_device}
    applies(devices, "no devices are given")
    new_pod(admission)
    healthy = {(device.resource, device.id) for device in admission.before.machine.devices if device.healthy}
    wrong = sorted(devices - healthy)
    got = ", ".join(id for _, id in wrong)
    return violated(not wrong, "devices are given that do not exist or are not healthy", got=got)


@chapter.requires("device-manager/allocation/shares-no-device")
@rests_on("device-plugins/registration/not-shared")
def shares_no_device(moment: NodeMoment) -> Iterator[Violation]:
    """No device is given to two containers that run at the same time."""
    applies(any(pod.devices for pod in moment.world.pods.values()), "no pod has devices")
    apps = (each for pod in moment.world.pods.values() for each in pod.spec.containers if each.kind != "init")
    applies(len(list(apps)) > 1, "one container is on the node")
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


@chapter.requires("device-manager/allocation/refuses-what-is-not-there")
@rests_on(
    "device-plugins/example/gets-what-it-asks-for",
    "device-plugins/registration/whole-numbers",
    "topology-source/device-hints/too-few-free",
)
def refuses_what_is_not_there(admission: Admission) -> Judgement:
    """A pod that asks for more devices than are free is refused and takes none."""
    new_pod(admission)
    applies(all(container.kind != "init" for container in admission.pod.containers), "the pod has init containers")
    room, numbers = Room.of(admission.before), asked_devices(admission.before.machine, admission.pod.containers)
    short = {name: number for name, number in numbers.items() if number > room.free_devices(None, name)}
    applies(short, "so many devices are free")
    why = f"pod {admission.pod.uid} asks for more devices than are free and is admitted"
    allowed = f"a refusal: {amounts_text(short)} are asked for"
    return violated(not admission.admitted, why, got=in_words(admission.held), allowed=allowed)


def devices_alone_decide(admission: Admission) -> dict[str, int]:
    """Apply where nothing but devices stands against a pod; return how many of each are free."""
    world, request = admission.before, admission.request
    new_pod(admission)
    without_pod_resources(admission)
    unaligned = world.settings.topology in ("none", "best-effort")
    alone = not (request.cpus or request.memory)
    applies(alone and unaligned, "the pod asks for CPUs or memory too, or the Topology Manager may refuse it")
    fitting(admission)
    room = Room.of(world)
    return {name: room.free_devices(None, name) for name in request.devices}


@chapter.requires("device-manager/allocation/returns-devices-on-removal")
@rests_on("device-plugins/example/remainder-is-free", beyond="No page says when the devices of a removed pod are free.")
def devices_return(admission: Admission) -> Judgement:
    """The devices of a removed pod are free again."""
    world = admission.before
    applies(world.gone, "no pod was removed")
    free, before = devices_alone_decide(admission), Room.of(world.with_all_that_went)
    numbers = admission.request.devices.items()
    applies(
        all(number <= free[name] for name, number in numbers)
        and any(number > before.free_devices(None, name) for name, number in numbers),
        "so many devices are not free, or are free without those that removed pods had",
    )
    return must_be_admitted(admission, "though so many devices are free since others were removed")


@chapter.requires("device-manager/allocation/init-devices-serve-later-containers", "cpu-manager/init-containers")
@rests_on(
    "init-containers/resources/effective-request",
    "topology-source/device-hints/reusable-first",
    beyond="The pages give a pod's effective request; that its init containers' devices serve the later ones only the "
    "source says.",
)
def init_devices_serve_later_containers(admission: Admission) -> Judgement:
    """Devices of an init container that has ended serve the later containers of its pod: a pod whose init and app
    containers each fit the free devices is admitted.
    """
    free, numbers = devices_alone_decide(admission), admission.request.devices
    applies(any(numbers[name] > free[name] for name in free), "so many devices are free that none must serve twice")
    at_once = ResourceRequest.at_once(admission.before, admission.pod).devices
    applies(all(at_once[name] <= free[name] for name in free), "more devices are needed at once than are free")
    return must_be_admitted(admission, "though devices of its init containers can serve its later ones")


@chapter.requires(
    "device-manager/preferred-allocation/is-followed", "device-manager/preferred-allocation", since="1.19"
)
@recommended_by(
    "device-plugins/implementation/preference-is-a-help",
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
    free = {name: sorted(Room.of(world).free_device_ids(name)) for name in numbers if prefers.get(name)}
    wanted = applies({(name, id) for name, ids in free.items() for id in ids[: numbers[name]]}, NO_PREFERENCE)
    held = admission.held.get(asking[0].name, NOTHING)
    why = "the plugin prefers other devices"
    return violated(
        wanted <= held.each_device, why, got=devices_text(held), allowed=", ".join(sorted(id for _, id in wanted))
    )


@chapter.requires("device-manager/restart/keeps-devices", "node/restart")
@recommended_by(
    "topology-source/admission/again-after-a-restart",
    beyond="No page says that containers keep their devices over a restart of the kubelet.",
)
def devices_survive_a_restart(restart: Restart) -> Iterator[Violation]:
    """Containers keep their devices when the node agent restarts."""
    plain(restart)
    applies(restart.after is not None, "the node does not come up")
    with_devices = [each for each in restart.readmitted if each[1] and each[1].devices]
    return changed(DEVICES, applies(with_devices, "no container that is there again had devices"), "a restart")


@judges("device-manager/restart/keeps-devices")
def device_file_can_be_read(sighting: Sighting) -> Judgement:
    """The file that holds the devices of containers can be read."""
    return can_be_read(sighting, DEVICE_FILE)
