"""Devices over a node's life: page Device Plugins."""

from __future__ import annotations

from ..judge.checker import Judgement, checker, violated
from ..judge.node_subjects import Admission, Moment, Restart
from ..judge.room import Request, Room
from ..judge.world import Held


@checker("device-manager/allocation/gives-the-number-asked-for", Admission)
def gives_the_number(admission: Admission) -> Judgement:
    """An admitted container has as many devices of each resource as it asks for."""
    world, pod = admission.before, admission.pod
    if not admission.admitted or not Request.of(world, pod, pod.containers).devices:
        return None
    for container in pod.containers:
        wanted = {name: n for name, n in Request.of(world, pod, [container]).devices.items() if n}
        held = admission.held.get(container.name)
        got = {name: len(ids) for name, ids in ((held.devices if held else None) or {}).items() if ids}
        if got != wanted:
            why = f"container {container.name} of pod {pod.uid} has another number of devices than it asks for"
            return violated(False, why, got=_told(held), allowed=str(wanted))
    return ()


@checker("device-manager/allocation/gives-healthy-devices-only", Admission)
def gives_healthy_devices(admission: Admission) -> Judgement:
    """Devices that are given exist and are healthy."""
    machine = admission.before.machine
    healthy = {(device.resource, device.id) for device in machine.devices if device.healthy}
    given = {device for held in admission.held.values() for device in _devices(held)}
    if not given or admission.again:
        return None
    wrong = sorted(given - healthy)
    return violated(not wrong, "devices are given that are not there or not healthy", got=wrong)


@checker("device-manager/allocation/shares-no-device", Moment)
def shares_no_device(moment: Moment) -> Judgement:
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
                    return violated(False, f"device {device[1]} of {device[0]} belongs to {owners[0]} and {owners[1]}")
    return () if pods else None


def _devices(held: Held | None) -> set[tuple[str, str]]:
    return {(name, id) for name, ids in _ids(held).items() for id in ids}


@checker("device-manager/allocation/refuses-what-is-not-there", Admission)
def refuses_what_is_not_there(admission: Admission) -> Judgement:
    """A pod that asks for more devices than are free is refused."""
    world, pod = admission.before, admission.pod
    if admission.again or any(container.kind == "init" for container in pod.containers):
        return None
    room = Room(world)
    short = {
        name: number
        for name, number in Request.of(world, pod, pod.containers).devices.items()
        if number > room.free_devices(None, name)
    }
    if not short:
        return None
    return violated(
        not admission.admitted,
        f"pod {pod.uid} asks for more devices than are free and is admitted",
        got=str({name: _told(held) for name, held in admission.held.items()}),
        allowed=f"a refusal: {short} are asked for",
    )


@checker("device-manager/restart/keeps-devices", Restart)
def devices_survive_a_restart(restart: Restart) -> Judgement:
    """Containers keep their devices when the node agent restarts."""
    if not restart.plain or restart.after is None:
        return None
    asked = False
    for uid, pod in restart.before.pods.items():
        for container in pod.spec.containers:
            had, has = pod.held.get(container.name), restart.held.get(uid, {}).get(container.name)
            if container.kind == "init" or uid not in restart.held or not had or not had.devices:
                continue
            asked = True
            if _ids(had) != _ids(has):
                why = f"container {container.name} of pod {uid} has other devices after a restart"
                return violated(False, why, got=_told(has), allowed=_told(had))
    return () if asked else None


def _ids(held: Held | None) -> dict[str, frozenset[str]]:
    return {name: ids for name, ids in ((held.devices if held else None) or {}).items() if ids}


def _told(held: Held | None) -> str:
    return ", ".join(f"{name}: {', '.join(sorted(ids))}" for name, ids in _ids(held).items()) or "none"
