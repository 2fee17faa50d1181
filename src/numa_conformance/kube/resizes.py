"""Pods with a resize in place under way: what their kubelet has allocated, what kube-scheduler counts (KEP-1287)."""

from collections.abc import Callable, Mapping

from ..fields import Fields, condition, object_at, objects_at
from .container import Container
from .pod import Pod
from .quantity import Quantity, quantities

_Amounts = Mapping[str, Quantity]
_STATUSES = ("initContainerStatuses", "containerStatuses")


def resize_reason(pod: Pod) -> str:
    """Return why a resize waits, Infeasible or Deferred; empty where none waits."""
    if waiting := condition(pod.raw, "PodResizePending"):
        return str(waiting.get("reason"))
    return str(object_at(pod.raw, "status").get("resize") or "").replace("InProgress", "")


def allocation_of(pod: Pod) -> Pod:
    """Return a pod with what its kubelet has allocated; the pod itself where it has what it asks for.

    Where the status does not name it, it is what the containers run with, while the resize waits. Raises
    ``UsageError``.
    """
    waits = bool(resize_reason(pod))
    return _with_requests(pod, lambda container, allocated, actual: allocated or (actual if waits else {}))


def scheduling_view_of(pod: Pod) -> Pod:
    """Return a pod as kube-scheduler counts it: the most of what it asks for, was allocated and runs with.

    What it asks for does not count where its node can never grant that. Raises ``UsageError``.
    """
    is_infeasible = resize_reason(pod) == "Infeasible"

    def amounts(container: Container, allocated: _Amounts, actual: _Amounts) -> _Amounts:
        views = [view for view in (allocated, actual) if view]
        views += [] if is_infeasible or not views else [container.requests]
        return {name: max(view[name] for view in views if name in view) for view in views for name in view}

    return _with_requests(pod, amounts)


def _with_requests(pod: Pod, amounts: Callable[[Container, _Amounts, _Amounts], _Amounts]) -> Pod:
    statuses = {str(each.get("name")): each for field in _STATUSES for each in objects_at(pod.raw, "status", field)}
    fields, changes = Fields(f"{pod.namespace}/{pod.name}"), dict[str, dict[str, dict[str, str]]]()
    for container in pod.all_containers if statuses else ():
        status, place = object_at(statuses, container.name), f"status of container {container.name}"
        allocated = quantities(status.get("allocatedResources"), f"{place}: allocatedResources", fields)
        actual, limits = (
            quantities(object_at(status, "resources").get(side), f"{place}: resources.{side}", fields)
            for side in ("requests", "limits")
        )
        before, after = container.requests, amounts(container, allocated, actual)
        new = {name: amount for name, amount in after.items() if amount != before.get(name)}
        for name, limit in container.limits.items():  # the same as the request, or what it runs with
            limits[name] = limit if name not in new else new[name] if limit == before[name] else limits.get(name, limit)
        if new:
            both = {"requests": {**before, **new}, "limits": {name: limits[name] for name in container.limits}}
            changes[container.name] = {
                side: {name: str(amount) for name, amount in each.items()} for side, each in both.items()
            }
    fields.raise_if_any()
    if not changes:
        return pod
    spec = {**object_at(pod.raw, "spec")}
    for key in ("initContainers", "containers"):
        spec[key] = [
            {**each, "resources": {**object_at(each, "resources"), **changes.get(str(each.get("name")), {})}}
            for each in objects_at(spec, key)
        ]
    return Pod.from_dict({**pod.to_dict(), "spec": spec}, validate=False)
