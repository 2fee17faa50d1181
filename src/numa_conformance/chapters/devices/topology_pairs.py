"""Devices under single-numa-node on two NUMA nodes: CPUs 0-3,8-11 with gpu-0, gpu-1, and 4-7,12-15 with the others."""

from __future__ import annotations

from ...asking.generators.workloads import best_effort, guaranteed, static
from ...asking.generators.worlds import admitted, held, node, refused
from ...wire.history.values import HoldingBits
from . import topology as chapter

GPU, NIC, USB = "example.com/gpu", "example.com/nic", "example.com/usb"
WITH_GPU, WITH_NIC = guaranteed("p", 2, **{GPU: "1"}), guaranteed("p", 6, **{NIC: "1"})
WITH_USB, FRACTION = guaranteed("p", 6, **{USB: "1"}), guaranteed("p", "300m", **{GPU: "1"})
ALONE = best_effort("p", **{GPU: "2"})
SINGLE = static(topology="single-numa-node")
IDLE = node("two-nodes-devices", SINGLE)
FIRST_TAKEN = node("two-nodes-shared-device", SINGLE, pool="0,4-7,12-15")
"""All CPUs of the first NUMA node are taken; the one nic is local to both."""


def gpus(cpus: str, *numbers: int) -> HoldingBits:
    """Describe what a container holds: CPUs and GPUs."""
    return held(cpus, devices={GPU: [f"gpu-{number}" for number in numbers]})


PAIRS = {
    chapter.devices_are_where_cpus_are: (
        admitted(IDLE, WITH_GPU, c=gpus("1,9", 2)),
        admitted(IDLE, WITH_GPU, c=gpus("1,9", 1)),
    ),
    chapter.no_numa_nodes_no_preference: (
        refused(IDLE, WITH_USB),
        admitted(IDLE, WITH_USB, c=held("1-3,9-11", devices={USB: ["usb-0"]})),
    ),
    chapter.is_local_to_each_of_its_nodes: (
        refused(FIRST_TAKEN, WITH_NIC),
        admitted(FIRST_TAKEN, WITH_NIC, c=held("4-6,12-14", devices={NIC: ["nic-between"]})),
    ),
    chapter.devices_alone_are_aligned: (
        admitted(IDLE, ALONE, c=gpus("", 1, 2)),
        admitted(IDLE, ALONE, c=gpus("", 2, 3)),
    ),
    chapter.fractions_align_devices_only: (
        admitted(IDLE, FRACTION, c=gpus("")),
        admitted(IDLE, FRACTION, c=gpus("", 2)),
    ),
}
