"""Devices given, aligned and hinted wrongly, each by one sentence, and rightly: GPUs 0 and 1 are near NUMA node 0."""

from numa_conformance.asking.generators.workloads import best_effort, container, guaranteed, pod, static
from numa_conformance.chapters.devices import allocation, hints, topology
from numa_conformance.judging.files import DEVICE_FILE
from numa_conformance.judging.node_subjects import NodeMoment, Restart
from numa_conformance.judging.offered import DeviceHints, Offered
from numa_conformance.judging.world import AdmittedPod, World
from numa_conformance.wire.history.values import Affinity, HoldingBits, NodeBits

from .worlds import admitted, held, node, refused, resident, sighting

GPU = "example.com/gpu"
WITH_INIT = pod("p", [container("c", other={GPU: "4"})], [container("i", other={GPU: "1"})])
TWO, FIVE = (best_effort("p", **{GPU: number}) for number in "25")


def up(*pods: AdmittedPod) -> World:
    """Describe a node with gpu-0 to gpu-3, and with gpu-broken."""
    return node("two-nodes-devices", static(), *pods)


def gpus(*names: int | str) -> HoldingBits:
    """Describe what a container holds: GPUs by number or name."""
    return held(devices={GPU: [f"gpu-{name}" for name in names]})


def both(first: int, second: int) -> NodeMoment:
    """Give a device to each of two pods."""
    pods = (resident(best_effort(name, **{GPU: "1"}), c=gpus(gpu)) for name, gpu in (("p", first), ("q", second)))
    return NodeMoment(up(*pods))


def restart(*after: int) -> Restart:
    """Describe a restart of a node whose pod has gpu-0 and gpu-1."""
    before = up(resident(TWO, c=gpus(0, 1)))
    return Restart(before, before, True, {"p": {"c": gpus(*after)}})


REMOVED = up(resident(best_effort("q", **{GPU: "4"}), c=gpus(0, 1, 2, 3))).removed("q")
PREFERRING = node("two-nodes-preferring-plugin", static())

IDLE = node("two-nodes-devices", static())
FIRST, SECOND = Affinity(NodeBits(0b01), True), Affinity(NodeBits(0b10), True)
BOTH, WRONGLY_BOTH = (Affinity(NodeBits(0b11), preferred) for preferred in (False, True))


def hinted(number: int, offered: Offered, *reusable: str) -> DeviceHints:
    """Describe the hints for a number of GPUs."""
    return DeviceHints(IDLE, "example.com/gpu", number, frozenset(reusable), offered)


GPU, NIC, USB = "example.com/gpu", "example.com/nic", "example.com/usb"
WITH_GPU, WITH_NIC = guaranteed("p", 2, **{GPU: "1"}), guaranteed("p", 6, **{NIC: "1"})
WITH_USB, FRACTION = guaranteed("p", 6, **{USB: "1"}), guaranteed("p", "300m", **{GPU: "1"})
ALONE = best_effort("p", **{GPU: "2"})
SINGLE = static(topology="single-numa-node")
IDLE_SINGLE = node("two-nodes-devices", SINGLE)
FIRST_TAKEN = node("two-nodes-shared-device", SINGLE, pool="0,4-7,12-15")
"""All CPUs of the first NUMA node are taken; the one nic is local to both."""


def cpus_and_gpus(cpus: str, *numbers: int) -> HoldingBits:
    """Describe what a container holds: CPUs and GPUs."""
    return held(cpus, devices={GPU: [f"gpu-{number}" for number in numbers]})


PAIRS = {
    allocation.gives_the_number: (admitted(up(), TWO, c=gpus(0)), admitted(up(), TWO, c=gpus(0, 3))),
    allocation.gives_healthy_devices: (admitted(up(), TWO, c=gpus(0, "broken")), admitted(up(), TWO, c=gpus(0, 1))),
    allocation.shares_no_device: (both(0, 0), both(0, 1)),
    allocation.refuses_what_is_not_there: (admitted(up(), FIVE, c=gpus(0, 1, 2, 3)), refused(up(), FIVE)),
    allocation.devices_return: (refused(REMOVED, TWO), admitted(REMOVED, TWO, c=gpus(0, 1))),
    allocation.init_devices_serve_later_containers: (
        refused(up(), WITH_INIT),
        admitted(up(), WITH_INIT, i=gpus(0), c=gpus(0, 1, 2, 3)),
    ),
    allocation.preference_is_followed: (
        admitted(PREFERRING, TWO, c=gpus(0, 5)),
        admitted(PREFERRING, TWO, c=gpus(0, 1)),
    ),
    allocation.devices_survive_a_restart: (restart(0, 2), restart(0, 1)),
    allocation.device_file_can_be_read: (
        sighting(up(), of=DEVICE_FILE, damage="the checksum is another"),
        sighting(up(), of=DEVICE_FILE),
    ),
    hints.every_hint_can_hold: (hinted(3, (FIRST,)), hinted(3, (BOTH,))),
    hints.gives_no_hint_where_none_can: (hinted(5, None), hinted(5, ())),
    hints.offers_every_set: (hinted(1, (FIRST, BOTH)), hinted(1, (FIRST, SECOND, BOTH))),
    hints.preferred_is_narrowest: (hinted(1, (FIRST, WRONGLY_BOTH)), hinted(1, (FIRST, BOTH))),
    hints.covers_reusable_devices: (hinted(1, (SECOND,), "gpu-0"), hinted(1, (FIRST,), "gpu-0")),
    topology.devices_are_where_cpus_are: (
        admitted(IDLE_SINGLE, WITH_GPU, c=cpus_and_gpus("1,9", 2)),
        admitted(IDLE_SINGLE, WITH_GPU, c=cpus_and_gpus("1,9", 1)),
    ),
    topology.no_numa_nodes_no_preference: (
        refused(IDLE_SINGLE, WITH_USB),
        admitted(IDLE_SINGLE, WITH_USB, c=held("1-3,9-11", devices={USB: ["usb-0"]})),
    ),
    topology.is_local_to_each_of_its_nodes: (
        refused(FIRST_TAKEN, WITH_NIC),
        admitted(FIRST_TAKEN, WITH_NIC, c=held("4-6,12-14", devices={NIC: ["nic-between"]})),
    ),
    topology.devices_alone_are_aligned: (
        admitted(IDLE_SINGLE, ALONE, c=cpus_and_gpus("", 1, 2)),
        admitted(IDLE_SINGLE, ALONE, c=cpus_and_gpus("", 2, 3)),
    ),
    topology.fractions_align_devices_only: (
        admitted(IDLE_SINGLE, FRACTION, c=cpus_and_gpus("")),
        admitted(IDLE_SINGLE, FRACTION, c=cpus_and_gpus("", 2)),
    ),
}
