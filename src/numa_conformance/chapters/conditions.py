"""Conditions under which sentences of several chapters apply. Each reason says why one does not."""

from typing import Protocol

from ..judging.alignment import asks_for_devices, empties_the_pool
from ..judging.chapter import applies, configured
from ..judging.choice import numa_cpus
from ..judging.node_subjects import Admission, Restart
from ..judging.pods import PodSpec
from ..judging.settings import Settings
from ..judging.world import World


class Configured(Protocol):
    """What has a configuration."""

    @property
    def settings(self) -> Settings:
        """The configuration in force."""


def under_static(subject: Configured) -> None:
    configured(subject.settings.static, "the CPU Manager's policy is none")


def under_none(subject: Configured) -> None:
    configured(not subject.settings.static, "the CPU Manager's policy is static")


def under(subject: Configured, *policies: str) -> None:
    """Go on where the Topology Manager has one of some policies."""
    configured(subject.settings.topology in policies, f"the Topology Manager's policy is not {' or '.join(policies)}")


def memory_static(subject: Configured) -> None:
    configured(subject.settings.memory_static, "the Memory Manager's policy is None")


def memory_none(subject: Configured) -> None:
    configured(not subject.settings.memory_static, "the Memory Manager's policy is Static")


def with_option(subject: Configured, name: str) -> None:
    """Go on where an option of the static policy is on."""
    configured(name in subject.settings.options, f"{name} is off")


def without_option(subject: Configured, name: str) -> None:
    """Go on where an option of the static policy is off."""
    configured(name not in subject.settings.options, f"{name} is on")


def with_cpus_on_several_nodes(admission: Admission) -> tuple[int, ...]:
    """Return the CPUs of each NUMA node that has CPUs, as bits, where several have."""
    nodes = numa_cpus(admission.before.machine)
    applies(len(nodes) > 1, "one NUMA node has all CPUs")
    return nodes


def pods_and_cpus(before: World, pod: PodSpec) -> tuple[list[PodSpec], int]:
    """Return a pod and the others on the node, where none has resources as a whole, and how many CPUs they may have."""
    pods = [pod, *(other.spec for other in before.others(pod.uid))]
    applies(not any(each.whole for each in pods), "a pod has resources as a whole")
    return pods, before.online.bit_count() - before.settings.reserved_count


def new_pod(admission: Admission) -> None:
    applies(not admission.again, "the pod was on the node before")


def admitted(admission: Admission) -> None:
    applies(admission.admitted, "the pod was refused")


def refused(admission: Admission) -> None:
    applies(not admission.admitted, "the pod was admitted")


def without_pod_resources(admission: Admission) -> None:
    applies(not admission.pod.whole, "the pod as a whole has resources")


def without_devices(admission: Admission) -> None:
    applies(not asks_for_devices(admission.before, admission.pod.containers), "the pod asks for devices")


def fitting(admission: Admission) -> None:
    applies(admission.fits, "the node's sum of requests may refuse the pod")


def leaving_a_shared_cpu(admission: Admission) -> None:
    applies(not empties_the_pool(admission.before, admission.pod), "the pod might empty the shared pool")


def plain(restart: Restart) -> None:
    applies(restart.plain, "the node starts with another configuration, or other state files than its own")
