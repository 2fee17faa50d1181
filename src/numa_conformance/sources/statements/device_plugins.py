"""Device Plugins."""

from __future__ import annotations

from ..pages import DEVICE_PLUGIN_API, DEVICE_PLUGINS
from .statement import Statement, may, must, should, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        DEVICE_PLUGINS.section("Device plugin registration"),
        "registration",
        "1.8",
        must(
            "advertises-healthy-devices",
            "Devices that a plugin reports are advertised on the node.",
            untestable="a node tells it to the API server, in its status, not a target",
        ),
        must(
            "extended-resource-name", "A plugin's resource is named as extended ones are, vendor-domain/resourcetype."
        ),
        must("whole-numbers", "Extended resources are whole numbers and cannot be overcommitted."),
        must("not-shared", "Devices cannot be shared between containers."),
    ),
    *stated(
        DEVICE_PLUGINS.section("Example", "example-pod"),
        "example",
        "1.8",
        must("gets-what-it-asks-for", "A pod that asks for two devices runs only where they can be had."),
        must("remainder-is-free", "Devices beyond these remain available to other pods."),
    ),
    *stated(
        DEVICE_PLUGINS.section("Device plugin implementation"),
        "implementation",
        "1.8",
        must("registers", "A plugin registers itself with the kubelet through its socket."),
        must("lists-devices", "ListAndWatch returns the list of devices, and a new one when it changes."),
        must("serves-first", "A plugin must serve before it registers, for a successful registration.", since="1.10"),
        must("serves-allocate", "A plugin serves Allocate, of which a container's devices become available to it."),
        must(
            "prefers-among-available",
            "GetPreferredAllocation returns a preferred set of devices from a list of available ones.",
            since="1.19",
        ),
        may(
            "preference-is-a-help",
            "The allocation that a plugin prefers need not be the one performed; it only helps.",
            since="1.19",
        ),
    ),
    *stated(
        DEVICE_PLUGINS.section("Handling kubelet restarts"),
        "restarts",
        "1.8",
        must("plugins-register-again", "Plugins register again when the kubelet restarts."),
    ),
    *stated(
        DEVICE_PLUGINS.section("Device plugin and unhealthy devices"),
        "unhealthy",
        "1.8",
        must("lower-allocatable", "Unhealthy devices lower what is allocatable, not the capacity."),
        must(
            "pods-keep-failed-devices",
            "Pods keep devices that became unhealthy.",
            untestable="no message tells that a device fails while a node is up",
        ),
    ),
    *stated(
        DEVICE_PLUGINS.section("List gRPC endpoint", "grpc-endpoint-list"),
        "podresources",
        "1.13",
        must(
            "lists-exclusive-cpus",
            "List tells the exclusive CPUs, devices with NUMA nodes, and memory of running pods.",
            untestable="it is a service of the kubelet beside its decisions; what it lists is asked through node.state",
        ),
    ),
    *stated(
        DEVICE_PLUGINS.section("GetAllocatableResources gRPC endpoint", "grpc-endpoint-getallocatableresources"),
        "podresources-allocatable",
        "1.21",
        must(
            "initially-available",
            "GetAllocatableResources tells what is initially available on the node.",
            untestable="it is a service of the kubelet beside its decisions; what it lists is asked through node.state",
        ),
    ),
    *stated(
        DEVICE_PLUGINS.section("Device plugin integration with the Topology Manager"),
        "topology",
        "1.18",
        must("numa-nodes-are-used", "The NUMA nodes that a plugin tells are used for hints and assignments."),
        must("several-nodes", "A device may span several NUMA nodes."),
        must("no-nodes-no-preference", "No topology, or an empty list of NUMA nodes, is no preference."),
    ),
    *stated(
        DEVICE_PLUGIN_API.section("Device", ""),
        "device",
        "1.10",
        should("unique-id", "A device has a unique id, by which the kubelet and the plugin name it."),
        should("health", "A device is healthy or unhealthy, in the words of the interface's constants."),
    ),
    *stated(
        DEVICE_PLUGIN_API.section("ContainerPreferredAllocationRequest", ""),
        "preferred-allocation",
        "1.19",
        should("must-include", "Some devices must be included in the preferred allocation."),
        should("size", "The number of devices to include in the preferred allocation is told."),
    ),
)
