"""The Device Manager: hints and allocation of device-plugin devices (DEV-HINT, DEV-ALLOC, DEV-INIT)."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from ....cpuset import union
from ....errors import Refusal
from ....kube.container import Container
from ....kube.pod import Pod
from ....kube.requests import pod_limits
from ....machine.model import Machine
from ....sources.changes import Changes
from ....sources.quirks.areas import DeviceQuirks
from ..compressed_hints import CompressedHints
from ..hint import Hint
from ..provider import Active, NodeSetup, Provider, release_inactive
from ..state_file import ManagerStateFile
from .choose import FAILS, DevicePools, FailingPlugin, Preference, ResourcePlugin, choose, device_hints, lowest_ids
from .device_state import NO_DEVICES, Allocations, DeviceEntry, DeviceHolding, Inventory, ResourceDevices
from .state_file import DEVICE_FILE, decode, encode

_CANNOT = "can't"
"""As kubelets said it up to 1.27.1."""


def provide(setup: NodeSetup, plugins: Mapping[str, ResourcePlugin] | None = None) -> "DeviceManager":
    """Build the Device Manager of a node; ``plugins`` are the real ones, which come and go."""
    return DeviceManager(setup.machine, quirks=setup.quirks.device, changes=setup.gates.changes, plugins=plugins)


class DeviceManager(Provider):
    """Devices of one machine, and who has them.

    ``preferences`` maps a resource to what its plugin prefers; by default the machine says (``lowest-id``). Where a
    plugin states none and the kubelet picks at random, the lowest ids are taken (DEV-ALLOC-10). ``plugins`` maps a
    resource to a device plugin that is asked, and told of what is given.
    """

    name = "devices"
    hints_resizes = True

    def __init__(
        self,
        machine: Machine,
        *,
        quirks: DeviceQuirks,
        changes: Changes | None = None,
        preferences: Mapping[str, Preference] | None = None,
        plugins: Mapping[str, ResourcePlugin] | None = None,
    ) -> None:
        self._numa_ids = machine.numa_ids
        self._quirks = quirks
        self._changes = changes or Changes()
        self.allocations = Allocations()
        self._plugins: Mapping[str, ResourcePlugin] = {} if plugins is None else plugins
        self._stated = preferences or {}
        self.machine_changed(machine)
        self._reusable: dict[str, dict[str, frozenset[str]]] = {}
        self._listed: Mapping[str, ResourceDevices] = {}
        self._entries: tuple[DeviceEntry, ...] = ()

    def machine_changed(self, machine: Machine) -> None:
        """Take the devices and what their plugins prefer; one of them may fail."""
        self.inventory = Inventory(machine)
        stated = {resource: lowest_ids for resource, way in machine.preferred_allocation.items() if way}
        self._preferences: dict[str, Preference] = {**stated, **self._stated}
        self._failing = {resource for resource, way in machine.preferred_allocation.items() if way == FAILS}

    def hints(self, pod: Pod, container: Container) -> dict[str, list[Hint] | CompressedHints | None]:
        """Offer hints for the devices a container asks for; empty when it asks for none (DEV-HINT-09)."""
        requests = {name: amount.value for name, amount in container.limits.items() if self._known(name)}
        return {
            resource: self._hints(
                resource,
                count,
                held=self.allocations.of(pod.uid, container.name).get(resource, frozenset()),
                reusable=self._reusable.get(pod.uid, {}).get(resource, frozenset()),
            )
            for resource, count in requests.items()
        }

    def pod_hints(self, pod: Pod) -> dict[str, list[Hint] | CompressedHints | None]:
        """Offer hints for what a pod as a whole asks for; nothing is reusable then (DEV-HINT-03)."""
        requests = {name: amount.value for name, amount in pod_limits(pod).items() if self._known(name)}
        return {
            resource: self._hints(
                resource, count, held=self.allocations.of_pod(pod.uid, resource), reusable=frozenset()
            )
            for resource, count in requests.items()
        }

    def allocate(self, pod: Pod, container: Container, affinity: Hint, trace: list[str] | None = None) -> None:
        """Give a container its devices, told to ``trace``; raises ``Refusal`` (DEV-ALLOC-01..13)."""
        for uid in [uid for uid in self._reusable if uid != pod.uid]:
            del self._reusable[uid]
        before = dict(self.allocations.of(pod.uid, container.name))
        for resource, amount in container.limits.items():
            if self._known(resource):
                self._allocate(pod, container, resource, amount.value, affinity)
        if self.allocations.of(pod.uid, container.name) != before:
            self._entries = tuple(self.allocations.entries(self.inventory))
        if trace is not None:
            trace += [f"{name}: {', '.join(ids)}" for name, ids in self.allocated(pod.uid, container.name).items()]
        reusable = self._reusable.setdefault(pod.uid, {})
        for resource, ids in self.allocations.of(pod.uid, container.name).items():
            left = reusable.get(resource, frozenset())
            reusable[resource] = left | ids if pod.leaves_for_reuse(container) else left - ids

    def allocate_pod(self, pod: Pod, affinity: Hint, trace: list[str] | None = None) -> None:
        """Give the containers of a pod that is served as a whole their devices, which the kubelet does not."""
        if not self._quirks.no_devices_for_pods_served_whole:
            for container in pod.all_containers:
                self.allocate(pod, container, affinity, trace)

    def allocated(self, uid: str, container: str) -> dict[str, tuple[str, ...]]:
        """Return the devices of a container: resource to sorted ids."""
        return {name: tuple(sorted(ids)) for name, ids in sorted(self.allocations.of(uid, container).items()) if ids}

    def release(self, uid: str, container: str) -> None:
        """Take back all devices of a container."""
        if not self._quirks.gone_pods_leave_devices_to_reuse:
            self._reusable.pop(uid, None)
        self.allocations.take_back(uid, container)

    def remove_stale(self, active: Active, uids: Iterable[str] | None = None) -> bool:
        """Take back the devices of containers that are gone; tell whether there were any (DEV-HINT-10)."""
        return release_inactive(self.allocations.by_pod, active, self.release, uids)

    @property
    def state_file(self) -> ManagerStateFile:
        """The file of the allocations. On a machine without devices, and without the file, it is not written."""
        return ManagerStateFile(DEVICE_FILE, self._content, self._take_over, lags=True)

    def _content(self) -> Callable[[], str]:
        return partial(encode, self.entries(), self.registered())

    def _take_over(self, text: str | None, _where: str) -> bool:
        """Take over a file's content, nothing where it is damaged; tell whether it is to be written anew."""
        if text is None and not self.inventory.resources:
            return False
        if text is not None and (entries := decode(text)) is not None:
            self.restore(entries, json.loads(text)["Data"].get("RegisteredDevices") or ())
        return True

    def holding(self, uid: str, container: str) -> DeviceHolding | None:
        """Return a container's devices; None on a machine without devices."""
        known = self.inventory.resources or self.allocations.by_pod
        return DeviceHolding(self.allocated(uid, container)) if known else None

    def entries(self) -> tuple[DeviceEntry, ...]:
        """Return the lines of the checkpoint: who had which devices when a container last got all of its own."""
        return self._entries

    def registered(self) -> dict[str, tuple[str, ...]]:
        """Return the healthy devices of each resource, as the checkpoint lists them."""
        return {name: tuple(sorted(devices.healthy)) for name, devices in sorted(self.inventory.resources.items())}

    def restore(self, entries: Iterable[DeviceEntry], registered: Iterable[str] = ()) -> None:
        """Take over the allocations of a checkpoint, and the resources that were ``registered`` (DEV-CKPT-04)."""
        for entry in entries:
            ids = frozenset(device for listed in entry.devices.values() for device in listed)
            self.allocations.give(entry.uid, entry.container, entry.resource, ids, entry.response)
        self._entries = tuple(self.allocations.entries(self.inventory))
        self._listed = dict.fromkeys(registered, NO_DEVICES)

    @property
    def _resources(self) -> Mapping[str, ResourceDevices]:
        """The resources; of those of the checkpoint no device is there before their plugin registers again."""
        return self.inventory.resources if self.runs_at_start is None else self._listed

    def _known(self, resource: str) -> bool:
        return resource in self._resources or any(
            resource in resources
            for containers in self.allocations.by_pod.values()
            for resources in containers.values()
        )

    def _hints(
        self, resource: str, count: int, *, held: frozenset[str], reusable: frozenset[str]
    ) -> list[Hint] | CompressedHints | None:
        devices = self._resources.get(resource)
        if devices is None or not devices.aware:
            return None
        if held:
            if len(held) != count:
                return []
            pools = DevicePools(available=held, reusable=frozenset())
        else:
            free = devices.healthy - self.allocations.in_use(resource)
            pools = DevicePools(available=free, reusable=reusable)
            if len(free | reusable) < count:
                return []
        return device_hints(devices, pools, count, self._hinted(devices), self._quirks)

    def _hinted(self, devices: ResourceDevices) -> Sequence[int]:
        """Return the NUMA nodes over which hints are made, ascending (DEV-HINT-11)."""
        if devices.suiting_all(self._quirks) or not self._changes.device_hints_where_devices_are:
            return self._numa_ids
        near = union(devices.masks.values())
        return [node for node in self._numa_ids if near >> node & 1] or self._numa_ids

    def _allocate(self, pod: Pod, container: Container, resource: str, count: int, affinity: Hint) -> None:
        held = self.allocations.of(pod.uid, container.name).get(resource, frozenset())
        if held and len(held) != count:
            raise Refusal.unexpected(
                f'pod "{pod.uid}" container "{container.name}" changed request for resource "{resource}" '
                f"from {len(held)} to {count}"
            )
        if self.runs_at_start and self.runs_at_start(pod.uid, container.name):
            return
        looks = not self._quirks.unhealthy_devices_are_kept
        if (held and not looks) or (not held and count == 0 and not self._quirks.zero_devices_need_a_healthy_one):
            return
        devices = self._resources.get(resource)
        if devices is None:
            raise Refusal.unexpected(f"{'cannot' if looks else _CANNOT} allocate unregistered device {resource}")
        if looks:
            self._require_healthy(resource, devices, held)
        if held or count == 0:
            return
        reusable = self._reusable.get(pod.uid, {}).get(resource, frozenset())
        plugin = FailingPlugin() if resource in self._failing else self._plugins.get(resource)
        preference = self._preferences.get(resource) if plugin is None else plugin.preference
        free = devices.healthy - self.allocations.in_use(resource)
        chosen = choose(devices, free, reusable, count, affinity.mask, preference, self._quirks)
        if isinstance(chosen, int):
            raise Refusal.unexpected(
                f"requested number of devices unavailable for {resource}. Requested: {chosen}, Available: {len(free)}"
            )
        response = b"" if plugin is None else plugin.allocate(sorted(chosen))
        self.allocations.give(pod.uid, container.name, resource, chosen, response)

    def _require_healthy(self, resource: str, devices: ResourceDevices, held: frozenset[str]) -> None:
        if not devices.healthy:
            raise Refusal.unexpected(f"no healthy devices present; cannot allocate unhealthy devices {resource}")
        if not held <= devices.healthy:
            raise Refusal.unexpected(
                f"previously allocated devices are no longer healthy; cannot allocate unhealthy devices {resource}"
            )
