"""A device plugin: page Device Plugins, and the messages of its interface (v1beta1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.plugins import HEALTHY, DeviceList, DevicePreference, DevicesServed, Registration

_LABEL = "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
_EXTENDED = re.compile(rf"(?P<vendor>[a-z0-9]([-a-z0-9.]*[a-z0-9])?)/{_LABEL}")
_OF_KUBERNETES = ("kubernetes.io",)
_LONGEST_NAME = 63

at_first = Guard[Registration]("the plugin has registered before", lambda subject: not subject.again)
once_more = Guard[Registration]("it is the first kubelet that the plugin meets", lambda subject: subject.again)
registered = Guard[Registration]("the plugin has not registered", lambda subject: subject.started is not None)
tells_when_it_serves = Guard[Registration](
    "it is not told whether the plugin served when it registered",
    lambda subject: subject.started is not None and subject.started.serves is not None,
)
lists_devices = Guard[DeviceList]("the plugin lists no device", lambda subject: subject.devices)
tells_numa_nodes = Guard[DeviceList](
    "no device has a topology", lambda subject: any(device.nodes for device in subject.devices)
)


@checker("device-plugin/registration/registers", Registration, when=(at_first,))
def registers(subject: Registration) -> Judgement:
    """A plugin registers itself with the kubelet, and lists its devices."""
    return violated(subject.started, "the plugin has not registered", got=subject.failure, allowed="it registers")


@checker("device-plugin/registration/again-after-a-restart", Registration, when=(once_more,))
def registers_again(subject: Registration) -> Judgement:
    """A plugin finds out that the kubelet has started anew, and registers again."""
    why = "the plugin has not registered with the kubelet that started anew"
    return violated(subject.started, why, got=subject.failure, allowed="it registers again")


@checker("device-plugin/registration/serves-before-it-registers", Registration, when=(tells_when_it_serves,))
def serves_first(subject: Registration) -> Judgement:
    """A plugin must serve before it registers."""
    return violated(
        subject.started and subject.started.serves,
        "nobody answered on the plugin's socket when it registered",
        allowed="the plugin serves before it registers",
    )


@checker("device-plugin/registration/names-an-extended-resource", Registration, when=(registered,))
def names_an_extended_resource(subject: Registration) -> Judgement:
    """The resource is named vendor-domain/resourcetype."""
    name = subject.started.resource if subject.started else ""
    match = _EXTENDED.fullmatch(name)
    extended = match and not match["vendor"].endswith(_OF_KUBERNETES) and len(name.partition("/")[2]) <= _LONGEST_NAME
    return violated(extended, "the resource is not named as extended ones are", got=name, allowed="vendor-domain/type")


@checker("device-plugin/devices/have-ids-of-their-own", DeviceList, when=(lists_devices,))
def have_ids_of_their_own(subject: DeviceList) -> Judgement:
    """Each device has an id, and no other has the same."""
    counts = Counter(device.id for device in subject.devices)
    twice = sorted(id for id, count in counts.items() if count > 1 or not id)
    return violated(not twice, "devices without ids of their own", got=", ".join(map(repr, twice)))


@checker("device-plugin/devices/are-healthy-or-unhealthy", DeviceList, when=(lists_devices,))
def are_healthy_or_unhealthy(subject: DeviceList) -> Judgement:
    """A device is Healthy or Unhealthy."""
    others = sorted({device.health for device in subject.devices} - {HEALTHY, "Unhealthy"})
    why = "devices are in a state that the interface does not know"
    return violated(not others, why, got=", ".join(map(repr, others)), allowed="Healthy or Unhealthy")


@checker("device-plugin/topology/names-nodes-of-the-machine", DeviceList, when=(tells_numa_nodes,))
def names_nodes_of_the_machine(subject: DeviceList) -> Iterator[Violation]:
    """NUMA nodes that a plugin tells are used: they are there."""
    known = set(subject.machine.numa_ids)
    for device in subject.devices:
        strange = sorted(set(device.nodes or ()) - known)
        yield from violated(
            not strange,
            f"device {device.id} lies on NUMA nodes that the machine does not have",
            got=", ".join(map(str, strange)),
            allowed=f"some of {', '.join(map(str, sorted(known)))}",
        )


answered = Guard[DevicePreference]("the plugin refused to prefer any", lambda subject: subject.preferred is not None)
something_is_included = Guard[DevicePreference](
    "nothing must be included", lambda subject: subject.asked.included and subject.preferred is not None
)


@checker("device-plugin/preferred-allocation/is-of-what-is-available", DevicePreference, when=(answered,))
def prefers_what_is_available(subject: DevicePreference) -> Judgement:
    """Preferred are some of the available devices, each once."""
    counts = Counter(subject.preferred)
    others = sorted(id for id, count in counts.items() if id not in subject.asked.available or count > 1)
    return violated(
        not others,
        f"devices {', '.join(others)} are preferred, which are not available, or twice",
        got=subject.in_words,
        allowed=f"some of {', '.join(subject.asked.available) or 'none'}",
    )


@checker("device-plugin/preferred-allocation/has-the-size-asked-for", DevicePreference, when=(answered,))
def prefers_so_many(subject: DevicePreference) -> Judgement:
    """As many devices are preferred as are asked for."""
    return violated(
        len(subject.preferred or ()) == subject.asked.size,
        f"{len(subject.preferred or ())} devices are preferred",
        got=subject.in_words,
        allowed=f"{subject.asked.size} devices",
    )


@checker(
    "device-plugin/preferred-allocation/holds-what-must-be-included", DevicePreference, when=(something_is_included,)
)
def prefers_what_must_be_included(subject: DevicePreference) -> Judgement:
    """Devices that must be included are among the preferred ones."""
    missing = sorted(set(subject.asked.included) - set(subject.preferred or ()))
    return violated(
        not missing,
        f"devices {', '.join(missing)} must be included, and are not",
        got=subject.in_words,
        allowed=f"{', '.join(subject.asked.included)} among them",
    )


of_its_own = Guard[DevicesServed](
    "devices were asked for that the plugin does not offer as healthy",
    lambda subject: subject.devices and subject.offered.issuperset(subject.devices),
)


@checker("device-plugin/allocation/serves-what-it-offers", DevicesServed, when=(of_its_own,))
def serves_what_it_offers(subject: DevicesServed) -> Judgement:
    """A plugin answers Allocate for its healthy devices, once for the container that is asked about."""
    return violated(
        subject.containers == 1,
        f"the plugin does not serve its devices {', '.join(subject.devices)}",
        got=subject.refusal or f"answers for {subject.containers} containers",
        allowed="an answer for one container",
    )
