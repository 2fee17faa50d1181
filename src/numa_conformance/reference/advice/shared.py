"""Why a container that asks for whole CPUs runs in the shared pool: one clause for a person."""

from __future__ import annotations

from ...kube import Container, Pod, Quantity

_WHOLE = Quantity(1)


def why_shared(pod: Pod, container: Container, *, static: bool) -> str:
    """Return why a container has no CPUs of its own; empty where it asks for less than a CPU.

    ``static``: the policy of the CPU Manager is static. ``pod`` is as the node sees it.
    """
    request = container.requests.get("cpu")
    if request is None or request < _WHOLE:
        return ""
    if not static:
        return "policy none gives no container CPUs of its own"
    if pod.qos != "Guaranteed":
        return f"the pod is {pod.qos}: {_short_of_guaranteed(pod)}"
    if pod.served == "nobody":
        return "the pod has resources of its own (spec.resources), and no container is served"
    if request.as_number % 1:
        return f"its request of {request} CPUs is no whole number"
    return ""


def _short_of_guaranteed(pod: Pod) -> str:
    """Say which container keeps the pod from being Guaranteed."""
    if pod.has_pod_level:
        return "the requests and limits of its spec.resources differ"
    for container in pod.all_containers:
        for name in ("cpu", "memory"):
            limit, request = container.limits.get(name), container.requests.get(name)
            if not limit:
                return f"{container.name} has no limit of {name}"
            if request != limit:
                return f"{container.name} requests {request or 0} of {name}, and its limit is {limit}"
    return "its requests and limits differ"
