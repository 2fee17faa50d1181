"""Where a requirement is asked: conditions that checkers share. What stands behind "Not where" says why it was not."""

from __future__ import annotations

from functools import cache
from typing import Protocol

from ..judge.alignment import asks_for_devices, empties_the_pool, fits
from ..judge.checker import Guard
from ..judge.node_subjects import Admission
from ..judge.settings import Settings

__all__ = [
    "Configured",
    "admitted",
    "fitting",
    "for_the_first_time",
    "leaving_a_shared_cpu",
    "memory_none",
    "memory_static",
    "none",
    "of_containers",
    "refused",
    "scope_container",
    "scope_pod",
    "static",
    "under",
    "with_option",
    "without_devices",
    "without_option",
]


class Configured(Protocol):
    """What has a configuration."""

    @property
    def settings(self) -> Settings:
        """The configuration in force."""


static = Guard[Configured]("the CPU Manager's policy is none", lambda subject: subject.settings.static)
none = Guard[Configured]("the CPU Manager's policy is static", lambda subject: not subject.settings.static)
memory_static = Guard[Configured]("the Memory Manager's policy is None", lambda subject: subject.settings.memory_static)
memory_none = Guard[Configured](
    "the Memory Manager's policy is Static", lambda subject: not subject.settings.memory_static
)
scope_container = Guard[Configured](
    "the Topology Manager's scope is pod", lambda subject: subject.settings.scope == "container"
)
scope_pod = Guard[Configured](
    "the Topology Manager's scope is container", lambda subject: subject.settings.scope == "pod"
)


@cache
def under(*policies: str) -> Guard[Configured]:
    """Return the guard that the Topology Manager has one of some policies."""
    return Guard(
        f"the Topology Manager's policy is not {' or '.join(policies)}",
        lambda subject: subject.settings.topology in policies,
    )


@cache
def with_option(name: str) -> Guard[Configured]:
    """Return the guard that an option of the static policy is on."""
    return Guard(f"{name} is off", lambda subject: name in subject.settings.options)


@cache
def without_option(name: str) -> Guard[Configured]:
    """Return the guard that an option of the static policy is off."""
    return Guard(f"{name} is on", lambda subject: name not in subject.settings.options)


admitted = Guard[Admission]("the pod was refused", lambda admission: admission.admitted)
refused = Guard[Admission]("the pod was admitted", lambda admission: not admission.admitted)
for_the_first_time = Guard[Admission]("the pod was on the node before", lambda admission: not admission.again)
of_containers = Guard[Admission]("the pod as a whole has resources", lambda admission: not admission.pod.whole)
without_devices = Guard[Admission](
    "the pod asks for devices", lambda admission: not asks_for_devices(admission.before, admission.pod.containers)
)
fitting = Guard[Admission](
    "the node's sum of requests may refuse the pod", lambda admission: fits(admission.before, admission.pod)
)
leaving_a_shared_cpu = Guard[Admission](
    "the pod might empty the shared pool", lambda admission: not empties_the_pool(admission.before, admission.pod)
)
