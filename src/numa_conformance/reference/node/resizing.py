"""Resizing a pod in place: what a node can never grant (CPU-ELIG-07, MEM-POL-08, ADM-RESIZE-01)."""

from collections.abc import Iterable

from ...errors import Fault, Refusal, UsageError
from ...kube.container import Container
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import Pod
from ...kube.quantity import Quantity
from ...kube.requests import pod_requests
from ...kube.reservation import reserved_cpu_milli
from ...machine.model import Machine
from ...sources.quirks.areas import NodeQuirks

DEFERRED, INFEASIBLE = "Deferred", "Infeasible"
_GATE = "InPlacePodVerticalScaling"
_RESIZABLE = ("cpu", "memory")
_ZERO = Quantity(0)


def refuse_resize(
    before: Pod, after: Pod, machine: Machine, config: KubeletConfiguration, gates: FeatureGates, quirks: NodeQuirks
) -> None:
    """Raise ``Refusal`` with reason Infeasible where the node can never grant a resize.

    Behind the gates InPlacePodVerticalScalingExclusiveCPUs and -ExclusiveMemory static policies refuse nothing; what
    they gave stays (ADM-RESIZE-03).
    """
    if not gates.enabled(_GATE):
        raise Refusal(INFEASIBLE, f"{_GATE} is disabled")
    for resource, manager, policy, static, gate in (
        ("cpu", "CPU Manager", "static", config.cpu_manager_policy == "static", f"{_GATE}ExclusiveCPUs"),
        ("memory", "Memory Manager", "Static", config.memory_manager_policy == "Static", f"{_GATE}ExclusiveMemory"),
    ):
        if not static or after.qos != "Guaranteed":
            continue
        if not gates.changes.resize_looks_at_each_resource:
            _refuse_unless(gates, f"{_GATE}ExclusiveCPUs", f"alongside {manager} static policy")
        elif any(_request(old, resource) != _request(new, resource) for old, new in _pairs(before, after)):
            _refuse_unless(gates, gate, f'alongside {manager} policy "{policy}"')
    if not quirks.resize_beyond_the_node_waits:
        _check_capacity(after, machine, config)


def _refuse_unless(gates: FeatureGates, gate: str, why: str) -> None:
    if not gates.enabled(gate):
        raise Refusal(INFEASIBLE, f"Resize is infeasible for Guaranteed Pods {why}")


def _check_capacity(pod: Pod, machine: Machine, config: KubeletConfiguration) -> None:
    """Compare with what the node has but for its reservations; what eviction keeps free counts, and huge pages do."""
    reserved = config.kube_reserved.get("memory", _ZERO) + config.system_reserved.get("memory", _ZERO)
    capacity = {
        "memory": max(machine.total_memory - reserved.value, 0),
        "cpu": max(len(machine.cpus) * 1000 - reserved_cpu_milli(config), 0),
    }
    requests = pod_requests(pod)
    amounts = {"memory": requests.get("memory", _ZERO).value, "cpu": requests.get("cpu", _ZERO).milli}
    for resource, amount in amounts.items():
        if amount > capacity[resource]:
            lack = f"{resource}, requested: {amount}, capacity: {capacity[resource]}"
            raise Refusal(INFEASIBLE, f"Node didn't have enough capacity: {lack}")


def check_resize(before: Pod, after: Pod) -> bool:
    """Tell whether a resize changes anything: else a node is not asked.

    Raises ``UsageError`` for what the API server refuses: a resize changes amounts of CPU and memory, and no class.
    """
    place, accepted = f"pod {after.uid}", "other amounts of cpu and memory in the containers that it has"
    names = [[container.name for container in pod.all_containers] for pod in (before, after)]
    if names[0] != names[1] or len(before.init_containers) != len(after.init_containers):
        raise UsageError(Fault(place, "a resize with other containers", accepted))
    if before.qos != after.qos:
        raise UsageError(Fault(place, f"a resize from class {before.qos} to {after.qos}", "the class of its creation"))
    for old, new in _pairs(before, after):
        init = before.is_ordinary_init(old)
        for side in ("requests", "limits"):
            was, now = getattr(old, side), getattr(new, side)
            if was.keys() - now.keys():
                raise UsageError(Fault(f"{place}: {old.name}: {side}", "an amount is taken away", accepted))
            fixed = now.keys() if init else now.keys() - set(_RESIZABLE)
            if any(was.get(name) != now[name] for name in fixed):
                raise UsageError(Fault(f"{place}: {old.name}: {side}", "this cannot be resized", accepted))
    return any((old.requests, old.limits) != (new.requests, new.limits) for old, new in _pairs(before, after))


def _pairs(before: Pod, after: Pod) -> Iterable[tuple[Container, Container]]:
    return zip(before.all_containers, after.all_containers, strict=True)


def _request(container: Container, resource: str) -> Quantity:
    return container.requests.get(resource, _ZERO)
