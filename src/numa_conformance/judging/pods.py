"""``PodSpec``: a pod as its user wrote it, read by the judge's own arithmetic."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import msgspec

from ..wire.history.quantities import read_amount, read_once

Amounts = Mapping[str, Fraction]
"""Resource name to amount."""
Kind = Literal["init", "sidecar", "app"]
GUARANTEED, BURSTABLE, BEST_EFFORT = "Guaranteed", "Burstable", "BestEffort"
_DECIDING = ("cpu", "memory")
NOTHING = Fraction(0)


class Resources(msgspec.Struct, frozen=True):
    """What a container asks for, as written."""

    limits: dict[str, Fraction] | None = None
    requests: dict[str, Fraction] | None = None


class ContainerDocument(msgspec.Struct, frozen=True, rename="camel"):
    """A container as written."""

    name: str | None = None
    restart_policy: str | None = None
    resources: Resources | None = None


class Spec(msgspec.Struct, frozen=True, rename="camel"):
    """The spec of a pod as written."""

    init_containers: tuple[ContainerDocument, ...] | None = None
    containers: tuple[ContainerDocument, ...] | None = None
    overhead: dict[str, Fraction] | None = None
    resources: Resources | None = None


class Metadata(msgspec.Struct, frozen=True):
    """Who a pod is, as written."""

    uid: str | None = None
    namespace: str | None = None
    name: str | None = None


class PodDocument(msgspec.Struct, frozen=True):
    """The JSON object of a pod, as far as it is read here."""

    spec: Spec | None = None
    metadata: Metadata | None = None


class ContainerSpec(msgspec.Struct, frozen=True, dict=True):
    """One container. A request that is not given is its limit; cpu in CPUs, memory in bytes.

    ``kind``: an init container whose restart policy is Always is a sidecar. ``exclusive``: how many CPUs of its own it
    asks the static policy for. ``implied``: the resources whose request is not given.
    """

    name: str
    kind: Kind
    requests: Amounts
    limits: Amounts
    exclusive: int
    implied: frozenset[str] = frozenset()

    @property
    def explicit_requests(self) -> Amounts:
        """The requests that are given."""
        return {name: value for name, value in self.requests.items() if name not in self.implied}

    @property
    def cpu(self) -> Fraction:
        """The CPUs it requests."""
        return self.requests.get("cpu", NOTHING)


class PodSpec(msgspec.Struct, frozen=True, dict=True):
    """A pod: containers in the order in which they start, init containers and sidecars first.

    ``qos`` is its class by its containers, where an amount of 0 counts as none. ``whole``: whether the pod as a whole
    has resources (``spec.resources``); ``level`` is these, read as a container's.
    """

    uid: str
    qos: str
    containers: tuple[ContainerSpec, ...]
    overhead: Amounts
    whole: bool = False
    namespace: str = "default"
    level: ContainerSpec = ContainerSpec("as a whole", "app", {}, {}, 0)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "PodSpec":
        """Read the JSON object of a pod; raises ``ValueError`` where it is none. Equal ones are read once."""
        return read_once(cls.read, document)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "PodSpec":
        """Read the same, each time anew."""
        pod = msgspec.convert(document, PodDocument, dec_hook=read_amount)
        spec, metadata = pod.spec or Spec(), pod.metadata or Metadata()
        written = [(_kind(container), container, *_resources(container)) for container in spec.init_containers or ()]
        written += [("app", container, *_resources(container)) for container in spec.containers or ()]
        qos = qos_class([(requests, limits) for _, _, requests, limits, _ in written])
        level, limits, implied = _resources(spec)
        return cls(
            metadata.uid or f"{metadata.namespace or 'default'}/{metadata.name or ''}",
            qos,
            tuple(
                ContainerSpec(container.name or "", kind, requests, limits, exclusive_cpus(qos, requests), implied)
                for kind, container, requests, limits, implied in written
            ),
            spec.overhead or {},
            spec.resources not in (None, Resources()),
            metadata.namespace or "default",
            ContainerSpec("as a whole", "app", level, limits, 0, implied),
        )

    @cached_property
    def has_clear_class(self) -> bool:
        """Whether the pages tell the class: where an amount is 0, it may hang on whether that counts."""
        written = [(container.requests, container.limits) for container in self.containers]
        return self.qos == qos_class(written, zero_counts=True) and not self.whole

    @property
    def qos_as_a_whole(self) -> str | None:
        """The class by what the pod has as a whole; None where no page tells it, or what is left out decides."""
        level = self.level
        amounts = [side.get(name) for side in (level.limits, level.explicit_requests) for name in _DECIDING]
        if not any(amounts) or not (self.qos == BEST_EFFORT or all(amounts)):
            return None
        return qos_class([(level.requests, level.limits)])

    @cached_property
    def by_name(self) -> Mapping[str, ContainerSpec]:
        """Container name to container."""
        return {container.name: container for container in self.containers}

    @property
    def apps(self) -> tuple[ContainerSpec, ...]:
        """The containers that are neither init containers nor sidecars."""
        return tuple(container for container in self.containers if container.kind == "app")

    def effective(self, resource: str) -> Fraction:
        """Return what the pod requests of a resource, without its overhead.

        The larger of what runs when all have started and of each init container's moment, with the sidecars that run by
        then (pages Init Containers and Sidecar Containers, "Resource sharing within containers").
        """
        return self._effective.get(resource, NOTHING)

    @cached_property
    def _effective(self) -> Mapping[str, Fraction]:
        def most(name: str) -> Fraction:
            return Fraction(self._largest(lambda container: container.requests.get(name, NOTHING)))

        return {name: most(name) for container in self.containers for name in container.requests}

    def is_open(self, resource: str) -> bool:
        """Tell whether no page decides what the pod requests.

        It has a limit as a whole and no such request, or an init container decides beside sidecars, which the pages
        count alone and kubelets do not.
        """
        if resource in self.level.requests:
            return resource in self.level.implied
        amounts = [(each.kind == "init", each.requests.get(resource, NOTHING)) for each in self.containers]
        alone = max((amount for is_init, amount in amounts if is_init), default=NOTHING)
        return self.effective(resource) > max(
            alone, sum((amount for is_init, amount in amounts if not is_init), NOTHING)
        )

    def scheduled(self, resource: str) -> Fraction | int:
        """Return what the scheduler counts: the same, or the pod's own request, with overhead (page Pod Overhead)."""
        return self._scheduled.get(resource, 0)

    @cached_property
    def _scheduled(self) -> Mapping[str, Fraction | int]:
        amounts = {**{name: self.effective(name) for name in self.resources}, **self.level.explicit_requests}
        sums = ((name, amount + self.overhead.get(name, NOTHING)) for name, amount in amounts.items())
        return {name: int(amount) if amount.denominator == 1 else amount for name, amount in sums}  # ints add up fast

    @cached_property
    def exclusive(self) -> int:
        """How many CPUs of their own the containers need at once."""
        return int(self._largest(lambda container: container.exclusive))

    @property
    def resources(self) -> frozenset[str]:
        """Names of all that is requested by a container or the pod as a whole, or is overhead."""
        return frozenset(self.overhead).union(*(each.requests for each in (self.level, *self.containers)))

    def _largest(self, of: Callable[[ContainerSpec], Fraction | int]) -> Fraction | int:
        running: Fraction | int = 0
        most: Fraction | int = 0
        for container in self.containers:
            if amount := of(container):
                together = running + amount
                most = max(most, together)
                if container.kind != "init":
                    running = together
        return most


def qos_class(containers: list[tuple[Amounts, Amounts]], *, zero_counts: bool = False) -> str:
    """Return the class of a pod of these requests and limits (page Pod Quality of Service Classes).

    ``zero_counts``: whether an amount of 0 is an amount, which no page says.
    """
    deciding = [tuple(_deciding(side, zero_counts) for side in container) for container in containers]
    if not any(side for container in deciding for side in container):
        return BEST_EFFORT
    equal = all(len(limits) == len(_DECIDING) and requests == limits for requests, limits in deciding)
    return GUARANTEED if equal else BURSTABLE


def _deciding(side: Amounts, zero_counts: bool) -> dict[str, Fraction]:
    return {name: side[name] for name in _DECIDING if name in side and (side[name] or zero_counts)}


def exclusive_cpus(qos: str, requests: Amounts) -> int:
    """Return how many CPUs of its own a container of these requests asks for, in a pod of this class."""
    cpu = requests.get("cpu", NOTHING)
    return int(cpu) if qos == GUARANTEED and cpu.denominator == 1 else 0


def _kind(init: ContainerDocument) -> Kind:
    return "sidecar" if init.restart_policy == "Always" else "init"


def _resources(container: ContainerDocument | Spec) -> tuple[dict[str, Fraction], dict[str, Fraction], frozenset[str]]:
    resources = container.resources or Resources()
    limits, requests = resources.limits or {}, resources.requests or {}
    return {**limits, **requests}, limits, frozenset(limits).difference(requests)
