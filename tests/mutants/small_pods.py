"""Faults in how a pod is read: its class, whole CPUs, kinds of containers, and what is aligned together."""

from __future__ import annotations

import math
from decimal import Decimal

from small import Small
from small.pods import PodReader

from .mutant import mutant


@mutant().instead_of(PodReader, "qos")
def class_from_one_container(right, self, containers):
    """Takes the class of a pod from its last container."""
    return right(self, containers[-1:])


@mutant().instead_of(PodReader, "due")
def rounds_fractions_up(right, self, qos, container):
    """Gives 1500m two CPUs of their own."""
    cpu = self.requests(container).get("cpu", Decimal(0))
    return math.ceil(cpu) if qos == "Guaranteed" else 0


@mutant().instead_of(PodReader, "due")
def rounds_fractions_down(right, self, qos, container):
    """Gives 1500m one CPU of its own."""
    cpu = self.requests(container).get("cpu", Decimal(0))
    return int(cpu) if qos == "Guaranteed" else 0


@mutant().instead_of(PodReader, "due")
def burstable_gets_cpus(right, self, qos, container):
    """Gives whole CPUs to Burstable pods."""
    cpu = self.requests(container).get("cpu", Decimal(0))
    return int(cpu) if qos != "BestEffort" and cpu == int(cpu) else 0


@mutant().instead_of(PodReader, "kind")
def takes_sidecars_for_init(right, self, init):
    """Lets the CPUs of a sidecar serve again as though it ended."""
    return "init"


@mutant().instead_of(PodReader, "kind")
def takes_init_for_sidecars(right, self, init):
    """Never lets the CPUs of an init container serve again."""
    return "sidecar"


@mutant().instead_of(PodReader, "at_once")
def adds_init_in_pod_scope(right, self, pod):
    """Adds init containers to apps for what a pod needs in scope pod."""
    return sum(container.cpus for container in pod.containers)


@mutant().instead_of(PodReader, "at_once")
def forgets_init_in_pod_scope(right, self, pod):
    """Counts apps alone in scope pod."""
    return sum(container.cpus for container in pod.containers if container.kind == "app")


@mutant().instead_of(PodReader, "at_once")
def largest_container_in_pod_scope(right, self, pod):
    """Takes the largest container for the whole pod in scope pod."""
    return max((container.cpus for container in pod.containers), default=0)


@mutant().instead_of(Small, "align")
def first_hint_for_all(right, self, count, free):
    """Container scope: aligns the first container, and puts the others there too."""
    hint = right(self, count, free)
    if self.scope == "container" and count:
        self.kept_hint = getattr(self, "kept_hint", None) or hint
        return self.kept_hint
    return hint


@first_hint_for_all.instead_of(Small, "on_admit")
def first_hint_for_all(right, self, question):
    self.kept_hint = None
    return right(self, question)


@mutant().instead_of(Small, "give")
def last_container_unaligned(right, self, pod, container, reusable):
    """Gives the last of several containers CPUs from anywhere."""
    if len(pod.containers) > 1 and container is pod.containers[-1]:
        self.hints[pod.uid] = {**self.hints[pod.uid], container.name: None}
    return right(self, pod, container, reusable)


@mutant().instead_of(Small, "place")
def aligns_one_container_alone(right, self, pod):
    """Under single-numa-node checks the first container only."""
    policy, first = self.topology, True
    align = self.align

    def once(count, free):
        nonlocal first
        if first or not count:
            first = first and not count
            return align(count, free)
        return {"nodes": None, "preferred": True}

    self.align = once
    try:
        right(self, pod)
    finally:
        del self.align
        self.topology = policy


@mutant().instead_of(Small, "on_admit")
def best_effort_refuses(right, self, question):
    """Under best-effort refuses what needs more NUMA nodes than it should, if several containers ask."""
    several = len(question["pod"]["spec"]["containers"]) > 1
    before, self.topology = (
        self.topology,
        "restricted" if several and self.topology == "best-effort" else self.topology,
    )
    try:
        return right(self, question)
    finally:
        self.topology = before


@mutant().instead_of(Small, "give")
def best_effort_ignores_two(right, self, pod, container, reusable):
    """Under best-effort does not align pods of two containers."""
    if self.topology == "best-effort" and len(pod.containers) > 1:
        return (
            self.choosing.spread(self.free | reusable, container.cpus)
            if ((self.free | reusable).bit_count() >= container.cpus)
            else right(self, pod, container, reusable)
        )
    return right(self, pod, container, reusable)


@mutant().instead_of(Small, "settings")
def pod_scope_is_container(right, self, kubelet):
    """Takes scope pod for scope container."""
    return right(self, {**kubelet, "topologyManagerScope": "container"})
