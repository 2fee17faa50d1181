"""A device plugin: registration, its devices, what it prefers, what it serves."""

from __future__ import annotations

from .requirement import Family, Requirement

_requirement = Family(since="1.10", features=("device-plugin/devices",))
_preferred = Family(
    since="1.19", features=("device-plugin/devices", "device-plugin/preferred-allocation"), area="device-plugin"
)

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "device-plugin/registration/registers",
        "A device plugin that is started registers with the kubelet, and lists its devices.",
        statements=("device-plugins/implementation/registers", "device-plugins/implementation/lists-devices"),
        beyond="in the time that a call may take",
    ),
    _requirement(
        "device-plugin/registration/serves-before-it-registers",
        "A device plugin serves on its socket before it registers.",
        statements=("device-plugins/implementation/serves-first",),
    ),
    _requirement(
        "device-plugin/registration/names-an-extended-resource",
        "A device plugin names its resource vendor-domain/resourcetype, outside of kubernetes.io.",
        statements=("device-plugins/registration/extended-resource-name",),
    ),
    _requirement(
        "device-plugin/registration/again-after-a-restart",
        "A device plugin registers again when the kubelet has started anew.",
        "device-plugin/restart",
        statements=("device-plugins/restarts/plugins-register-again",),
        beyond="in the time that a call may take",
    ),
    _requirement(
        "device-plugin/devices/have-ids-of-their-own",
        "Each device of a list has an id that no other has.",
        statements=("device-plugin-api/device/unique-id",),
        strength="SHOULD",
    ),
    _requirement(
        "device-plugin/devices/are-healthy-or-unhealthy",
        "Each device of a list is Healthy or Unhealthy.",
        statements=("device-plugin-api/device/health",),
        strength="SHOULD",
    ),
    _requirement(
        "device-plugin/topology/names-nodes-of-the-machine",
        "The NUMA nodes that a device plugin tells are some of the machine's.",
        statements=("device-plugins/topology/numa-nodes-are-used",),
        since="1.18",
        beyond="The page does not say what becomes of others, such as -1. A kubelet takes them for a topology of which "
        "no hint comes: restricted and single-numa-node refuse pods that ask for such devices.",
    ),
    _preferred(
        "device-plugin/preferred-allocation/is-of-what-is-available",
        "The devices that a plugin prefers are some of those that are available, each once.",
        statements=("device-plugins/implementation/prefers-among-available",),
    ),
    _preferred(
        "device-plugin/preferred-allocation/has-the-size-asked-for",
        "A plugin prefers as many devices as are asked for.",
        statements=("device-plugin-api/preferred-allocation/size",),
        strength="SHOULD",
    ),
    _preferred(
        "device-plugin/preferred-allocation/holds-what-must-be-included",
        "The devices that must be included are among those that a plugin prefers.",
        statements=("device-plugin-api/preferred-allocation/must-include",),
        strength="SHOULD",
    ),
    _requirement(
        "device-plugin/allocation/serves-what-it-offers",
        "A plugin answers Allocate for the healthy devices that it has listed.",
        statements=("device-plugins/implementation/serves-allocate",),
    ),
)
