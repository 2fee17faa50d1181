"""Faults in how a pod is read: its class, whole CPUs, kinds of containers, and what is aligned together."""

from __future__ import annotations

import math
from decimal import Decimal

from small import Small
from small.pods import PodReader

from .declared import declared

__all__ = ["WRONG_READERS"]


class _ClassOfTheFirst(PodReader):
    def qos(self, containers):
        return super().qos(containers[-1:])


class ClassFromOneContainer(Small):
    """Takes the class of a pod from its last container."""

    reader = _ClassOfTheFirst


class _RoundsUp(PodReader):
    def due(self, qos, container):
        cpu = self.requests(container).get("cpu", Decimal(0))
        return math.ceil(cpu) if qos == "Guaranteed" else 0


class RoundsFractionsUp(Small):
    """Gives 1500m two CPUs of their own."""

    reader = _RoundsUp


class _RoundsDown(PodReader):
    def due(self, qos, container):
        cpu = self.requests(container).get("cpu", Decimal(0))
        return int(cpu) if qos == "Guaranteed" else 0


class RoundsFractionsDown(Small):
    """Gives 1500m one CPU of its own."""

    reader = _RoundsDown


class _BurstableToo(PodReader):
    def due(self, qos, container):
        cpu = self.requests(container).get("cpu", Decimal(0))
        return int(cpu) if qos != "BestEffort" and cpu == int(cpu) else 0


class BurstableGetsCpus(Small):
    """Gives whole CPUs to Burstable pods."""

    reader = _BurstableToo


class _SidecarIsInit(PodReader):
    def kind(self, init):
        return "init"


class TakesSidecarsForInit(Small):
    """Lets the CPUs of a sidecar serve again as though it ended."""

    reader = _SidecarIsInit


class _InitIsSidecar(PodReader):
    def kind(self, init):
        return "sidecar"


class TakesInitForSidecars(Small):
    """Never lets the CPUs of an init container serve again."""

    reader = _InitIsSidecar


class _SumOfAll(PodReader):
    def at_once(self, pod):
        return sum(container.cpus for container in pod.containers)


class AddsInitInPodScope(Small):
    """Adds init containers to apps for what a pod needs in scope pod."""

    reader = _SumOfAll


class _AppsAlone(PodReader):
    def at_once(self, pod):
        return sum(container.cpus for container in pod.containers if container.kind == "app")


class ForgetsInitInPodScope(Small):
    """Counts apps alone in scope pod."""

    reader = _AppsAlone


class _LargestContainer(PodReader):
    def at_once(self, pod):
        return max((container.cpus for container in pod.containers), default=0)


class LargestContainerInPodScope(Small):
    """Takes the largest container for the whole pod in scope pod."""

    reader = _LargestContainer


class FirstHintForAll(Small):
    """Container scope: aligns the first container, and puts the others there too."""

    def align(self, count, free):
        hint = super().align(count, free)
        if self.scope == "container" and count:
            self.kept_hint = getattr(self, "kept_hint", None) or hint
            return self.kept_hint
        return hint

    def on_admit(self, question):
        self.kept_hint = None
        return super().on_admit(question)


class LastContainerUnaligned(Small):
    """Gives the last of several containers CPUs from anywhere."""

    def give(self, pod, container, reusable):
        if len(pod.containers) > 1 and container is pod.containers[-1]:
            self.hints[pod.uid] = {**self.hints[pod.uid], container.name: None}
        return super().give(pod, container, reusable)


class AlignsOneContainerAlone(Small):
    """Under single-numa-node checks the first container only."""

    def place(self, pod):
        policy, first = self.topology, True
        align = super().align

        def once(count, free):
            nonlocal first
            if first or not count:
                first = first and not count
                return align(count, free)
            return {"nodes": None, "preferred": True}

        self.align = once
        try:
            super().place(pod)
        finally:
            del self.align
            self.topology = policy


class BestEffortRefuses(Small):
    """Under best-effort refuses what needs more NUMA nodes than it should, if several containers ask."""

    def on_admit(self, question):
        several = len(question["pod"]["spec"]["containers"]) > 1
        before, self.topology = (
            self.topology,
            "restricted" if several and self.topology == "best-effort" else self.topology,
        )
        try:
            return super().on_admit(question)
        finally:
            self.topology = before


class BestEffortIgnoresTwo(Small):
    """Under best-effort does not align pods of two containers."""

    def give(self, pod, container, reusable):
        if self.topology == "best-effort" and len(pod.containers) > 1:
            return (
                self.choosing.spread(self.free | reusable, container.cpus)
                if ((self.free | reusable).bit_count() >= container.cpus)
                else super().give(pod, container, reusable)
            )
        return super().give(pod, container, reusable)


class PodScopeIsContainer(Small):
    """Takes scope pod for scope container."""

    def settings(self, kubelet):
        return super().settings({**kubelet, "topologyManagerScope": "container"})


WRONG_READERS = declared(globals(), Small)
"""Every wrong node by name."""
