"""Dynamic Resource Allocation (DRA): what a driver that gives CPUs to claims does on a node."""

from __future__ import annotations

from ..pages import DRA, DRA_API, DRA_ATTRIBUTES, DRA_DRIVER_CPU, DRA_PLUGIN
from .statement import Statement, must, should, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        DRA.section("ResourceSlice"),
        "slices",
        "1.34",
        must("published-by-drivers", "A driver publishes the devices of a node in ResourceSlices."),
    ),
    *stated(
        DRA_API.section("Device", ""),
        "device",
        "1.34",
        must("unique-name", "A device's name is its own among all devices of its driver in the pool."),
        must("total-capacity", "What claims consume of a capacity together does not exceed what the device has of it."),
    ),
    *stated(
        DRA_API.section("DeviceRequestAllocationResult", ""),
        "allocation",
        "1.34",
        must("consumed-capacity", "An allocation tells how much a claim consumes of each capacity of a device."),
    ),
    *stated(
        DRA_ATTRIBUTES.section("StandardDeviceAttributeNUMANode", ""),
        "numa-node",
        "1.36",
        must("physical", "The standard attribute numaNode is the NUMA node where the device physically is."),
    ),
    *stated(
        DRA_PLUGIN.section("PrepareResourceClaims", ""),
        "prepare",
        "1.34",
        must("idempotent", "To prepare claims is idempotent: the kubelet may ask again, as after its restart."),
        should(
            "checks-use",
            "A driver checks that no device of a claim is in use for another.",
            untestable="only a scheduler that is wrong allocates a device twice",
        ),
    ),
    *stated(
        DRA_PLUGIN.section("UnprepareResourceClaims", ""),
        "unprepare",
        "1.34",
        must("undoes", "To unprepare undoes whatever was done to prepare."),
        must("idempotent", "To unprepare is idempotent: a claim that is not prepared is no error."),
        must("other-process", "A claim may have been prepared by another process of the driver, before a restart."),
    ),
    *stated(
        DRA_DRIVER_CPU.section("device-attributes.md, Attribute reference", ""),
        "attributes",
        "1.34",
        must("socket", "socketID is the CPU socket of the group, or of the CPU."),
        must("cache", "cacheL3ID is the group of CPUs with one last-level cache."),
        must("cpu", "cpuID is the logical id of the CPU."),
    ),
    *stated(
        DRA_DRIVER_CPU.section("feature-support.md, Currently Supported", ""),
        "features",
        "1.34",
        must("exclusive", "Pods that request CPUs by a claim are allocated exclusive CPUs."),
    ),
    *stated(
        DRA_DRIVER_CPU.section("how-it-works.md, How it Works", ""),
        "shared-pool",
        "1.34",
        must("all-others", "Containers without a claim are confined to CPUs that no container of a claim has."),
    ),
    *stated(
        DRA_DRIVER_CPU.section("configuration.md, driverConfig sub-fields", ""),
        "configuration",
        "1.34",
        must("reserved", "CPUs that are reserved are excluded from allocation and from the ResourceSlice."),
    ),
)
