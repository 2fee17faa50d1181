"""What a pod is: its class, and which of its containers ask for CPUs of their own.

The sentences are on the pages Pod Quality of Service Classes, Node Resource Managers (Static policy), Init Containers.
"""

from __future__ import annotations

from ..judge.checker import Judgement, checker, violated
from ..judge.classified import Classified
from ..judge.pods import BEST_EFFORT, BURSTABLE


@checker("qos/guaranteed-needs-equal-limits-everywhere", Classified)
def guaranteed_needs_equal_limits(subject: Classified) -> Judgement:
    """Every container has cpu and memory limits, and requests equal to them: then, and only then, Guaranteed."""
    if any(container.implied or container.kind != "app" for container in subject.pod.containers):
        return None
    return _class_is_right(subject)


@checker("qos/requests-default-to-limits", Classified)
def requests_default_to_limits(subject: Classified) -> Judgement:
    """A request that is not given is the limit, resource by resource; asked where the class hangs on it."""
    if subject.without_implied == subject.pod.qos:
        return None
    return _class_is_right(subject)


@checker("qos/burstable-has-some-request", Classified)
def burstable_has_some(subject: Classified) -> Judgement:
    """Not Guaranteed, and some container has a cpu or memory request or limit."""
    return _class_is_right(subject) if subject.pod.qos == BURSTABLE else None


@checker("qos/best-effort-has-none", Classified)
def best_effort_has_none(subject: Classified) -> Judgement:
    """No container has a cpu or memory request or limit, whatever else they ask for."""
    return _class_is_right(subject) if subject.pod.qos == BEST_EFFORT else None


@checker("qos/init-containers-count", Classified)
def init_containers_count(subject: Classified) -> Judgement:
    """Init containers and sidecars count; asked where the class hangs on them."""
    return _class_is_right(subject) if subject.of_apps != subject.pod.qos else None


def _class_is_right(subject: Classified) -> Judgement:
    if not subject.decided:
        return None
    return violated(
        subject.qos == subject.pod.qos, "the class of the pod is another", got=subject.qos, allowed=subject.pod.qos
    )


@checker("qos/only-integral-cpus-are-exclusive", Classified)
def only_integral_cpus_are_exclusive(subject: Classified) -> Judgement:
    """A container of a Guaranteed pod that requests a whole number of CPUs asks for them, and no other container."""
    if not subject.decided:
        return None
    allowed = {container.name: container.exclusive for container in subject.pod.containers}
    got = {name: subject.cpus.get(name, 0) for name in (*allowed, *subject.cpus)}
    return violated(
        got == allowed,
        "the exclusive CPUs that containers ask for are others",
        got=_listed(got),
        allowed=_listed(allowed),
    )


@checker("qos/pod-total-is-the-larger-of-init-and-apps", Classified)
def the_pod_needs_the_larger(subject: Classified) -> Judgement:
    """The larger of all apps with the sidecars and each init container's moment; asked where all CPUs are integral."""
    integral = all(container.cpu == container.exclusive for container in subject.pod.containers)
    if not subject.decided or not (integral or not subject.pod.exclusive):
        return None
    return violated(
        subject.together == subject.pod.exclusive,
        "the pod as a whole asks for another number of exclusive CPUs",
        got=subject.together,
        allowed=subject.pod.exclusive,
    )


def _listed(cpus: dict[str, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in cpus.items())
