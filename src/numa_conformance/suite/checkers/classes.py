"""What a pod is: its class, and which of its containers ask for CPUs of their own.

The sentences are on the pages Pod Quality of Service Classes, Node Resource Managers (Static policy), Init Containers.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..judge.allocated import AllocatedCpus
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.classified import Classified
from ..judge.pods import BEST_EFFORT, BURSTABLE

decided = Guard[Classified](
    "the class hangs on whether an amount of 0 counts, or the pod as a whole has resources",
    lambda subject: subject.decided,
)
written_out = Guard[Classified](
    "a request is left out, or the pod has init containers",
    lambda subject: not any(container.implied or container.kind != "app" for container in subject.pod.containers),
)
hangs_on_implied_requests = Guard[Classified](
    "the class is the same without the requests that are left out",
    lambda subject: subject.without_implied != subject.pod.qos,
)
is_burstable = Guard[Classified]("the pod is not Burstable", lambda subject: subject.pod.qos == BURSTABLE)
is_best_effort = Guard[Classified]("the pod is not BestEffort", lambda subject: subject.pod.qos == BEST_EFFORT)
hangs_on_init_containers = Guard[Classified](
    "the class is the same without init containers", lambda subject: subject.of_apps != subject.pod.qos
)
tells_exclusive_cpus = Guard[Classified | AllocatedCpus](
    "it is not told, or not decided, how many exclusive CPUs containers ask for",
    lambda subject: bool(subject.exclusive_told) and (isinstance(subject, AllocatedCpus) or subject.decided),
)
tells_the_pods_total = Guard[Classified | AllocatedCpus](
    "it is not told, or not decided, how many exclusive CPUs the pod asks for",
    lambda subject: subject.together_told is not None and (isinstance(subject, AllocatedCpus) or subject.decided),
)


def _integral(subject: Classified | AllocatedCpus) -> bool:
    pod = subject.pod
    return not pod.exclusive or all(container.cpu == container.exclusive for container in pod.containers)


integral = Guard[Classified | AllocatedCpus](
    "some containers of the pod ask for exclusive CPUs and others share theirs", _integral
)


@checker("qos/guaranteed-needs-equal-limits-everywhere", Classified, when=(decided, written_out))
def guaranteed_needs_equal_limits(subject: Classified) -> Judgement:
    """Every container has cpu and memory limits, and requests equal to them: then, and only then, Guaranteed."""
    return _class_is_right(subject)


@checker("qos/requests-default-to-limits", Classified, when=(decided, hangs_on_implied_requests))
def requests_default_to_limits(subject: Classified) -> Judgement:
    """A request that is not given is the limit, resource by resource; asked where the class hangs on it."""
    return _class_is_right(subject)


@checker("qos/burstable-has-some-request", Classified, when=(decided, is_burstable))
def burstable_has_some(subject: Classified) -> Judgement:
    """Not Guaranteed, and some container has a cpu or memory request or limit."""
    return _class_is_right(subject)


@checker("qos/best-effort-has-none", Classified, when=(decided, is_best_effort))
def best_effort_has_none(subject: Classified) -> Judgement:
    """No container has a cpu or memory request or limit, whatever else they ask for."""
    return _class_is_right(subject)


@checker("qos/init-containers-count", Classified, when=(decided, hangs_on_init_containers))
def init_containers_count(subject: Classified) -> Judgement:
    """Init containers and sidecars count; asked where the class hangs on them."""
    return _class_is_right(subject)


def _class_is_right(subject: Classified) -> Judgement:
    return violated(
        subject.qos == subject.pod.qos, "the class of the pod is another", got=subject.qos, allowed=subject.pod.qos
    )


@checker("qos/only-integral-cpus-are-exclusive", Classified, AllocatedCpus, when=(tells_exclusive_cpus,))
def only_integral_cpus_are_exclusive(subject: Classified | AllocatedCpus) -> Judgement:
    """A container of a Guaranteed pod that requests a whole number of CPUs asks for them, and no other container."""
    answered = subject.exclusive_told
    asked = {container.name: container.exclusive for container in subject.pod.containers}
    allowed = {name: asked.get(name) for name in answered}
    return violated(
        answered == allowed,
        "the exclusive CPUs that containers ask for are others",
        got=_listed(answered),
        allowed=_listed(allowed),
    )


@checker(
    "qos/pod-total-is-the-larger-of-init-and-apps", Classified, AllocatedCpus, when=(tells_the_pods_total, integral)
)
def the_pod_needs_the_larger(subject: Classified | AllocatedCpus) -> Judgement:
    """The larger of all apps with the sidecars and each init container's moment."""
    return violated(
        subject.together_told == subject.pod.exclusive,
        "the pod as a whole asks for another number of exclusive CPUs",
        got=subject.together_told,
        allowed=subject.pod.exclusive,
    )


def _listed(cpus: Mapping[str, int | None]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in cpus.items())
