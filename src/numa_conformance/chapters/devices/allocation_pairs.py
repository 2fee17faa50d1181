"""Nodes that give devices away wrongly, each by one sentence, and one that keeps it."""

from __future__ import annotations

from ...asking.generators.workloads import best_effort, static
from ...asking.generators.worlds import admitted, held, node, refused, resident, sighting
from ...judging.files import DEVICE_FILE
from ...judging.node_subjects import NodeMoment, Restart
from ...judging.world import AdmittedPod, World
from ...wire.history.values import HoldingBits
from . import allocation as chapter

GPU = "example.com/gpu"
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

PAIRS = {
    chapter.gives_the_number: (admitted(up(), TWO, c=gpus(0)), admitted(up(), TWO, c=gpus(0, 3))),
    chapter.gives_healthy_devices: (admitted(up(), TWO, c=gpus(0, "broken")), admitted(up(), TWO, c=gpus(0, 1))),
    chapter.shares_no_device: (both(0, 0), both(0, 1)),
    chapter.refuses_what_is_not_there: (admitted(up(), FIVE, c=gpus(0, 1, 2, 3)), refused(up(), FIVE)),
    chapter.devices_return: (refused(REMOVED, TWO), admitted(REMOVED, TWO, c=gpus(0, 1))),
    chapter.preference_is_followed: (admitted(PREFERRING, TWO, c=gpus(0, 5)), admitted(PREFERRING, TWO, c=gpus(0, 1))),
    chapter.devices_survive_a_restart: (restart(0, 2), restart(0, 1)),
    chapter.device_file_can_be_read: (
        sighting(up(), of=DEVICE_FILE, damage="the checksum is another"),
        sighting(up(), of=DEVICE_FILE),
    ),
}
