"""What a pod is: its class, and which of its containers ask for CPUs of their own.

The sentences are on the pages Pod Quality of Service Classes, Node Resource Managers (Static policy), Init Containers.
"""

from collections.abc import Mapping

from ..cpuset import Unchecked
from ..judging.allocated import AllocatedCpus, Classification
from ..judging.chapter import Chapter, Judgement, applies, exists, rests_on, violated
from ..judging.node_subjects import Admission
from ..judging.pods import BEST_EFFORT, BURSTABLE

chapter = Chapter("node/qos", since="1.8")


def decided(subject: Classification | AllocatedCpus | Admission) -> None:
    """Go on where the pages tell the class."""
    clear = isinstance(subject, AllocatedCpus) or subject.pod.has_clear_class
    applies(clear, "the class depends on whether an amount of 0 counts, or the pod as a whole has resources")


def _is_of_its_class(subject: Classification) -> Judgement:
    right = subject.pod.qos
    return violated(subject.qos == right, "the class of the pod is another", got=subject.qos, allowed=right)


@chapter.requires("qos/guaranteed-needs-equal-limits-everywhere")
@rests_on(
    "pod-qos/guaranteed/every-container",
    "cpu-1.8/static/example-classes",
    "topology/interactions/spec-3-class",
    "nrm/static/example-3-class",
    "nrm/static/example-4-class",
    "nrm/static/example-5-class",
    "topology/interactions/spec-4-class",
    "sidecars/resources/qos-covers-sidecars",
)
def guaranteed_needs_equal_limits(subject: Classification) -> Judgement:
    """A pod is Guaranteed when every container has cpu and memory limits and requests equal to them."""
    decided(subject)
    containers = subject.pod.containers
    applies(all(container.kind == "app" for container in containers), "the pod has init containers")
    applies(not any(container.implied for container in containers), "a request is left out")
    return _is_of_its_class(subject)


@chapter.requires("qos/requests-default-to-limits")
@rests_on("nrm/static/requests-default-to-limits", "nrm/static/example-6-class")
def requests_default_to_limits(subject: Classification) -> Judgement:
    """A container with limits and no requests counts as requesting its limits."""
    decided(subject)
    applies(subject.without_implied != subject.pod.qos, "the class is the same without the requests that are left out")
    return _is_of_its_class(subject)


@chapter.requires("qos/burstable-has-some-request")
@rests_on(
    "pod-qos/burstable/some-request",
    "cpu-1.8/static/example-classes",
    "nrm/static/example-2-class",
    "topology/interactions/spec-2-class",
)
def burstable_has_some(subject: Classification) -> Judgement:
    """A pod that is not Guaranteed and has a cpu or memory request or limit is Burstable."""
    decided(subject)
    applies(subject.pod.qos == BURSTABLE, "the pod is not Burstable")
    return _is_of_its_class(subject)


@chapter.requires("qos/best-effort-has-none")
@rests_on(
    "pod-qos/best-effort/none",
    "pod-qos/best-effort/other-resources",
    "cpu-1.8/static/example-classes",
    "nrm/static/example-1-class",
    "topology/interactions/spec-1-class",
    "topology/interactions/spec-5-class",
)
def best_effort_has_none(subject: Classification) -> Judgement:
    """A pod without any cpu or memory request or limit is BestEffort, also when it asks for devices."""
    decided(subject)
    applies(subject.pod.qos == BEST_EFFORT, "the pod is not BestEffort")
    return _is_of_its_class(subject)


@chapter.requires("qos/init-containers-count")
@rests_on("init-containers/resources/qos-covers-init")
def init_containers_count(subject: Classification) -> Judgement:
    """Init containers count: one without limits keeps a pod from being Guaranteed."""
    decided(subject)
    applies(subject.of_apps != subject.pod.qos, "the class is the same without init containers")
    return _is_of_its_class(subject)


@chapter.requires("qos/pod-level-resources-decide", "node/pod-level-resources", since="1.34")
@rests_on("pod-qos/pod-level/guaranteed", "pod-qos/pod-level-burstable/burstable")
def resources_as_a_whole_decide(subject: Classification) -> Judgement:
    """The class of a pod with resources as a whole is by these, whatever its containers ask for."""
    right = exists(subject.pod.qos_as_a_whole, "the pod has no cpu or memory as a whole, or not all of it")
    return violated(subject.qos == right, "the class of the pod is another", got=subject.qos, allowed=right)


@chapter.requires("qos/only-integral-cpus-are-exclusive")
@rests_on("nrm/static/only-whole-guaranteed-is-exclusive", "nrm/static/at-least-one-cpu")
def only_integral_cpus_are_exclusive(subject: Classification | AllocatedCpus) -> Judgement:
    """Only an integral CPU request of a Guaranteed pod is a request for exclusive CPUs, however it is written."""
    answered = applies(subject.reported_counts, "the answers do not say how many exclusive CPUs containers ask for")
    decided(subject)
    right = {container.name: container.exclusive for container in subject.pod.containers}
    allowed = {name: right.get(name) for name in answered}
    why = "the exclusive CPUs that containers ask for are others"
    return violated(answered == allowed, why, got=_listed(answered), allowed=_listed(allowed))


def _listed(cpus: Mapping[str, Unchecked | None]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in cpus.items())


@chapter.requires("qos/pod-total-is-the-larger-of-init-and-apps")
@rests_on(
    "init-containers/resources/effective-request",
    "init-containers/resources/largest-init",
    "sidecars/resources/count-beside-apps",
    "topology-source/cpu-hints/pod-total",
)
def the_pod_needs_the_larger(subject: Classification | AllocatedCpus) -> Judgement:
    """A pod as a whole asks for the larger of its app containers' sum and its largest init container; sidecars
    count beside both.
    """
    together = exists(subject.reported_pod_count, "the answers do not say how many exclusive CPUs the pod asks for")
    decided(subject)
    right, containers = subject.pod.exclusive, subject.pod.containers
    alike = all(container.cpu == container.exclusive for container in containers)
    applies(not right or alike, "some containers of the pod ask for exclusive CPUs and others share theirs")
    why = "the pod as a whole asks for another number of exclusive CPUs"
    return violated(together == right, why, got=together, allowed=right)


@chapter.requires("qos/class-is-told-at-admission")
@rests_on(
    "nrm/static/example-4-class",
    "nrm/static/example-2-class",
    "nrm/static/example-1-class",
    beyond="that an admission names the class: the target protocol says it",
)
def admission_names_the_class(admission: Admission) -> Judgement:
    """The QoS class that an admission reports is the pod's."""
    qos = exists(admission.qos, "the pod's class is not reported")
    decided(admission)
    why = f"pod {admission.pod.uid} is called {qos}"
    return violated(qos == admission.pod.qos, why, got=qos, allowed=admission.pod.qos)
