"""A device plugin: page Device Plugins, and the messages of its interface (v1beta1)."""

import re
from collections import Counter
from collections.abc import Iterator

from ...judging.chapter import Chapter, Judgement, Violation, applies, exists, violated
from ...judging.plugins import HEALTHY, DeviceList, DevicePreference, DevicesServed, Registration
from ...machine.pci import pci_functions

chapter = Chapter("device-plugin/devices", since="1.10")
preferring = Chapter("device-plugin/devices", "device-plugin/preferred-allocation", since="1.19")


@chapter.requires("device-plugin/registration/registers")
def registers(subject: Registration) -> Judgement:
    """A device plugin that is started registers with the kubelet, and lists its devices."""
    applies(not subject.again, "the plugin has registered before")
    return violated(subject.started, "the plugin has not registered", got=subject.failure, allowed="it registers")


@chapter.requires("device-plugin/registration/again-after-a-restart", "device-plugin/restart")
def registers_again(subject: Registration) -> Judgement:
    """A device plugin registers again, for the same resource, when the kubelet has restarted."""
    applies(subject.again, "it is the first kubelet that the plugin meets")
    why = "the plugin has not registered, for its resource, with the kubelet that restarted"
    resource = subject.started.resource if subject.started else ""
    holds = resource == subject.before if subject.before else subject.started
    return violated(holds, why, got=subject.failure or resource, allowed=f"it registers again for {subject.before}")


@chapter.requires("device-plugin/registration/serves-before-it-registers")
def serves_first(subject: Registration) -> Judgement:
    """A device plugin serves on its socket before it registers."""
    started = applies(subject.started, "the plugin has not registered")
    serves = exists(started.serves, "no answer says whether the plugin served when it registered")
    why = "nobody answered on the plugin's socket when it registered"
    return violated(serves, why, allowed="the plugin serves before it registers")


@chapter.requires("device-plugin/registration/names-an-extended-resource")
def names_an_extended_resource(subject: Registration) -> Judgement:
    """A device plugin names its resource vendor-domain/resourcetype, outside of kubernetes.io."""
    name = applies(subject.started, "the plugin has not registered").resource
    vendor, kind = r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?(?<!kubernetes\.io)", "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
    why = "the resource is not named as extended ones are"
    return violated(re.fullmatch(f"{vendor}/{kind}", name), why, got=name, allowed="vendor-domain/type")


@chapter.requires("device-plugin/devices/have-ids-of-their-own")
def have_ids_of_their_own(subject: DeviceList) -> Judgement:
    """Each device of a list has an id that no other has."""
    devices = applies(subject.devices, "the plugin lists no device")
    counts = Counter(device.id for device in devices)
    twice = sorted(id for id, count in counts.items() if count > 1 or not id)
    return violated(not twice, "devices without ids of their own", got=", ".join(map(repr, twice)))


@chapter.requires("device-plugin/devices/are-healthy-or-unhealthy")
def are_healthy_or_unhealthy(subject: DeviceList) -> Judgement:
    """Each device of a list is Healthy or Unhealthy."""
    devices = applies(subject.devices, "the plugin lists no device")
    others = sorted({device.health for device in devices} - {HEALTHY, "Unhealthy"})
    why = "devices are in a state that the interface does not know"
    return violated(not others, why, got=", ".join(map(repr, others)), allowed="Healthy or Unhealthy")


@chapter.requires("device-plugin/topology/names-nodes-of-the-machine", since="1.18")
def names_nodes_of_the_machine(subject: DeviceList) -> Iterator[Violation]:
    """The NUMA nodes that a device plugin reports are some of the machine's."""
    applies(any(device.nodes for device in subject.devices), "no device has a topology")
    known = subject.machine.numa_ids
    for device in subject.devices:
        strange = sorted({*(device.nodes or ())}.difference(known))
        why = f"device {device.id} lies on NUMA nodes that the machine does not have"
        yield from violated(
            not strange, why, got=", ".join(map(str, strange)), allowed=f"some of {', '.join(map(str, sorted(known)))}"
        )


@chapter.requires("device-plugin/topology/names-the-node-of-a-pci-device", since="1.18")
def names_the_node_of_a_pci_device(subject: DeviceList) -> Iterator[Violation]:
    """The NUMA nodes reported for a PCI device include the one that its host reports, if it reports one."""
    nodes = {each.address: each.node for each in pci_functions(subject.machine) if each.node >= 0}
    places = [
        (device, address)
        for device in subject.devices
        for address in re.findall(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", device.id)
        if device.nodes and address in nodes
    ]
    for device, address in applies(places, "no device has the address of a PCI device in its id, and NUMA nodes"):
        why = f"device {device.id} lies on other NUMA nodes than the PCI device at {address}"
        got = ", ".join(map(str, device.nodes or ()))
        yield from violated(nodes[address] in (device.nodes or ()), why, got=got, allowed=nodes[address])


@chapter.requires("device-plugin/events/leave-devices-where-they-are", since="1.18")
def leave_devices_where_they_are(subject: DeviceList) -> Iterator[Violation]:
    """A device of a later list lies on the NUMA nodes on which the device of this id lay before."""
    known = {*subject.machine.numa_ids}
    before, after = (
        {
            device.id: sorted(device.nodes or ())
            for device in devices
            if known.issuperset(device.nodes or ()) and (device.nodes or device.health == HEALTHY)
        }
        for devices in (subject.before, subject.devices)  # of one that has fallen ill a plugin may know no more
    )
    listed = (id for id, nodes in before.items() if nodes and id in after)
    for id in applies(list(listed), "no device that had NUMA nodes is listed again"):
        why = f"device {id} lies on other NUMA nodes than before"
        yield from violated(after[id] == before[id], why, got=after[id], allowed=before[id])


@preferring.requires("device-plugin/preferred-allocation/is-of-what-is-available")
def prefers_what_is_available(subject: DevicePreference) -> Judgement:
    """The devices that a plugin prefers are some of those that are available, each once."""
    counts = Counter(exists(subject.preferred, "the plugin refused to prefer any"))
    others = sorted(id for id, count in counts.items() if id not in subject.question.available or count > 1)
    why = f"devices {', '.join(others)} are preferred, which are not available, or twice"
    return violated(
        not others, why, got=subject.in_words, allowed=f"some of {', '.join(subject.question.available) or 'none'}"
    )


@preferring.requires("device-plugin/preferred-allocation/has-the-size-asked-for")
def prefers_so_many(subject: DevicePreference) -> Judgement:
    """A plugin prefers as many devices as are asked for, where so many are available."""
    number, size = len(subject.preferred or ()), subject.question.size
    applies(size <= len(subject.question.available), "more devices are asked for than are available")
    return violated(number == size, f"{number} devices are preferred", got=subject.in_words, allowed=f"{size} devices")


@preferring.requires("device-plugin/preferred-allocation/holds-what-must-be-included")
def prefers_what_must_be_included(subject: DevicePreference) -> Judgement:
    """The devices that must be included are among those that a plugin prefers."""
    included = applies(subject.question.included, "nothing must be included")
    preferred = exists(subject.preferred, "the plugin refused to prefer any")
    missing = ", ".join(sorted({*included}.difference(preferred)))
    why = f"devices {missing} must be included, and are not"
    return violated(not missing, why, got=subject.in_words, allowed=f"{', '.join(included)} among them")


@chapter.requires("device-plugin/allocation/serves-what-it-offers")
def serves_what_it_offers(subject: DevicesServed) -> Judgement:
    """A plugin answers Allocate for the healthy devices that it has listed."""
    devices = applies(subject.devices, "no devices were asked for")
    applies(subject.offered.issuperset(devices), "devices were asked for that the plugin does not offer as healthy")
    why = f"the plugin does not serve its devices {', '.join(devices)}"
    got = subject.refusal or f"answers for {subject.containers} containers"
    return violated(subject.containers == 1, why, got=got, allowed="an answer for one container")
