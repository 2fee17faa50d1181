"""Which containers the static policies serve: the CPUs owed to each, and whether memory is pinned (CPU-ELIG-01..03)."""

from ...kube.container import Container
from ...kube.pod import Pod
from ...kube.requests import pod_total


def is_pinned(pod: Pod) -> bool:
    """Tell whether the static policies give exclusive CPUs and memory to containers of the pod."""
    return pod.qos == "Guaranteed" and pod.served != "nobody"


def exclusive_cpus(pod: Pod, container: Container) -> int:
    """Return how many exclusive CPUs the static policy owes the container (CPU-ELIG-01, 11)."""
    return container.whole_cpus if is_pinned(pod) and is_owed(pod, container) else 0


def pod_exclusive_cpus(pod: Pod) -> int:
    """Return the exclusive CPUs of the pod; containers that share the pool count 0 (ADM-REQ-04, CPU-ELIG-11)."""
    if not is_pinned(pod):
        return 0
    if pod.served == "pod":
        request = pod.requests.get("cpu")
        return request.whole if request is not None else 0
    return pod_total(pod, lambda container: container.whole_cpus)


def is_owed(pod: Pod, container: Container) -> bool:
    """Tell whether a container may have a part of its own: of a pod that is served as a whole, a Guaranteed one."""
    return pod.served != "pod" or all(_is_guaranteed(container, name) for name in ("cpu", "memory"))


def _is_guaranteed(container: Container, name: str) -> bool:
    request, limit = container.requests.get(name), container.limits.get(name)
    return request is not None and bool(request) and limit is not None and request.as_number == limit.as_number
