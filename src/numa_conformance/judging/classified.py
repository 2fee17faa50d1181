"""``Classification``: what a target says of a pod: its class and who asks for CPUs of their own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..cpuset import Unchecked
from ..machine import Machine
from ..wire.messages.classify import Classified as PodClass
from ..wire.messages.classify import Classify
from .pods import PodSpec, qos_class


@dataclass(frozen=True, slots=True)
class Classification:
    """A pod and what was answered. ``cpus``: container to exclusive CPUs, ``together``: those of the pod."""

    pod: PodSpec
    qos: str
    cpus: Mapping[str, Unchecked]
    together: Unchecked

    @property
    def reported_counts(self) -> Mapping[str, Unchecked]:
        """The exclusive CPUs that each container asks for, as told; none where it is not named."""
        return {**dict.fromkeys((container.name for container in self.pod.containers), 0), **self.cpus}

    @property
    def reported_pod_count(self) -> Unchecked | None:
        """The same of the pod."""
        return self.together

    @property
    def decided(self) -> bool:
        """Whether the pages tell the class: where an amount is 0, it may hang on whether that counts."""
        written = [(container.requests, container.limits) for container in self.pod.containers]
        return self.pod.qos == qos_class(written, zero_counts=True) and not self.pod.whole

    @property
    def without_implied(self) -> str:
        """The class if a request that is not given were none."""
        return qos_class([(container.explicit_requests, container.limits) for container in self.pod.containers])

    @property
    def of_apps(self) -> str:
        """The class if only app containers counted."""
        return qos_class([(container.requests, container.limits) for container in self.pod.apps])


def classified(_machine: Machine, question: Classify, reply: PodClass) -> Iterator[Classification]:
    """Read one answer of the surface classify."""
    yield Classification(PodSpec.of(question.pod), reply.qos, reply.container_cpus, reply.pod_cpus)
