"""Devices under single-numa-node, aligned wrongly by one requirement, beside those that are aligned."""

from __future__ import annotations

import pytest

from numa_conformance.suite.chapters import device_alignment
from numa_conformance.suite.generators.workloads import best_effort, guaranteed, static
from numa_conformance.suite.judge.world import Held, World
from worlds import Case, admitted, breaks, held, judged_in, node, refused

TOPOLOGY = "device-manager/topology/"
ADMISSION = "topology-manager/admission/"
GPU, NIC, USB = "example.com/gpu", "example.com/nic", "example.com/usb"
WITH_ONE, WITH_USB = guaranteed("p", 2, **{GPU: "1"}), guaranteed("p", 6, **{USB: "1"})
ALONE, FRACTION = best_effort("p", **{GPU: "2"}), guaranteed("p", "300m", **{GPU: "1"})
WITH_NIC = guaranteed("p", 6, **{NIC: "1"})
SETTINGS = static(topology="single-numa-node")


def up(machine: str = "two-nodes-devices", pool: str | None = None) -> World:
    """Describe a node of two NUMA nodes, 0-3,8-11 and 4-7,12-15, with the devices gpu-0, gpu-1 and gpu-2, gpu-3."""
    return node(machine, SETTINGS, pool=pool)


def gives(cpus: str, *gpus: int) -> Held:
    return held(cpus, devices={GPU: [f"gpu-{number}" for number in gpus]})


SECOND = up("two-nodes-shared-device", pool="0,4-7,12-15")
"""All CPUs of the first NUMA node are taken; the one nic is local to both."""

CASES: dict[str, Case] = {
    TOPOLOGY + "aligns-with-cpus": (
        admitted(up(), WITH_ONE, c=gives("1,9", 2)),
        admitted(up(), WITH_ONE, c=gives("1,9", 1)),
    ),
    TOPOLOGY + "no-numa-nodes-means-no-preference": (
        refused(up(), WITH_USB),
        admitted(up(), WITH_USB, c=held("1-3,9-11", devices={USB: ["usb-0"]})),
    ),
    TOPOLOGY + "a-device-may-have-several-nodes": (
        refused(SECOND, WITH_NIC),
        admitted(SECOND, WITH_NIC, c=held("4-6,12-14", devices={NIC: ["nic-between"]})),
    ),
    ADMISSION + "all-classes-pass-the-manager": (
        admitted(up(), ALONE, c=gives("", 1, 2)),
        admitted(up(), ALONE, c=gives("", 2, 3)),
    ),
    ADMISSION + "fractional-cpus-align-devices-only": (
        admitted(up(), FRACTION, c=gives("")),
        admitted(up(), FRACTION, c=gives("", 2)),
    ),
}


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)


def test_every_checker_has_a_case() -> None:
    assert CASES.keys() == judged_in(device_alignment)


def test_a_fraction_with_cpus_of_its_own_is_told_too() -> None:
    assert breaks(ADMISSION + "fractional-cpus-align-devices-only", admitted(up(), FRACTION, c=gives("1", 0)))
