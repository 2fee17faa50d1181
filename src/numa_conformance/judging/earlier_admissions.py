"""``EarlierAdmissions``: what was admitted so far, to compare with no less free; which starts were refused."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.json import encode
from msgspec.structs import replace

from ..machine import Machine
from ..wire.history.answers import StartedNode
from ..wire.history.values import bits, holdings_of
from ..wire.messages.node import ReadmittedPod, RejectedPod, Restarted, StartFailed, StartNode
from .files import Files
from .node_subjects import Restart
from .pods import ContainerSpec, PodSpec
from .settings import Settings
from .world import World


class RefusedStarts:
    """Remembers the configurations with which a node did not come up, of the machine and version of the last start."""

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}
        self._version: str | None = None

    def remember(self, question: StartNode, reply: StartedNode | StartFailed) -> None:
        """Take note of a start; state files may be why one was refused."""
        if question.machine or question.kubernetes_version != self._version:
            self._known, self._version = {}, question.kubernetes_version
        if isinstance(reply, StartFailed) and not question.files:
            self._known[encode(question.kubelet, order="sorted")] = reply.message

    def refusal(self, kubelet: Mapping[str, Any] | None) -> str | None:
        """Return why a start with a configuration was refused; None where none is known."""
        return self._known.get(encode(kubelet, order="sorted")) if self._known else None


def restarted(
    before: World, reply: Restarted | StartFailed, settings: Settings, *, same: bool, with_its_files: bool, files: Files
) -> Restart:
    """Return a restart with a configuration, which is the ``same`` as before or another, and with these state files."""
    plain = same and with_its_files
    deleted = frozenset(name for name, text in files.items() if text is None)
    if isinstance(reply, StartFailed):
        return Restart(
            before, None, plain, refusal=reply.message, with_its_files=with_its_files, wanted=settings, deleted=deleted
        )
    held = {pod.uid: holdings_of(pod.containers) for pod in reply.pods if isinstance(pod, ReadmittedPod)}
    refused = {pod.uid: f"{pod.reason}: {pod.message}" for pod in reply.pods if isinstance(pod, RejectedPod)}
    pods = {uid: pod.found_again(held.get(uid, {})) for uid, pod in before.pods.items() if uid not in refused}
    after = replace(_reserving(before, settings), settings=settings, pods=pods)
    after = after.with_pool(bits(reply.default_cpuset))
    if settings != before.settings:
        after = replace(after, first_pool=after.pool)
    return Restart(before, after, plain, held, refused, with_its_files=with_its_files, wanted=settings, deleted=deleted)


def _reserving(before: World, settings: Settings) -> World:
    """Return the node with the CPUs that a restart reserves: an answer does not tell which, where an amount is new."""
    if settings.static and settings.reserved is not None:
        return replace(before, reserved=settings.reserved, knows_reserved=True)
    of_an_amount = before.settings.static and before.settings.reserved is None
    if settings.static and of_an_amount and settings.reserved_count == before.settings.reserved_count:
        return before
    return replace(before, reserved=0, knows_reserved=not (settings.static and settings.reserved_count))


MOST_REMEMBERED = 60
"""Admissions that are remembered, the last ones."""


class RepeatedAdmission(msgspec.Struct, frozen=True):
    """A pod was asked for that was admitted before, on a node with no more free than now.

    ``now``: the node that was asked. ``with_init``: now with init containers no larger than its app
    container, then without any. ``larger``: on a machine that has all of that one and more.
    """

    now: World
    pod: PodSpec
    admitted: bool
    with_init: bool
    refusal: str = ""
    larger: bool = False

    @property
    def settings(self) -> Settings:
        """The configuration in force."""
        return self.now.settings


class EarlierAdmissions:
    """Remembers pods of one app container: with several, the allocation of one decides what is left for others."""

    def __init__(self) -> None:
        self._known: list[tuple[PodSpec, World]] = []

    def compare(self, now: World, pod: PodSpec, refusal: str | None) -> Iterator[RepeatedAdmission]:
        """Yield how an admission compares with earlier ones; ``refusal``: None where the pod was admitted."""
        if len(pod.apps) != 1 or pod.whole:
            return
        for known, then in self._known:
            if not _asks_no_more(pod, known) or not _has_no_less(now, then, same=len(known.containers) > 1):
                continue
            larger = _is_larger(now.machine, then.machine)
            if larger or _is_same(now.machine, then.machine):
                added = len(pod.containers) > len(known.containers)
                yield RepeatedAdmission(now, pod, refusal is None, added, refusal or "", larger)
                break
        if refusal is None:
            self._known = [*self._known[1 - MOST_REMEMBERED :], (pod, now)]


def _asks_no_more(pod: PodSpec, known: PodSpec) -> bool:
    """Tell whether a pod is the other one, or that one with init containers no larger than its app container."""
    if pod.qos != known.qos or pod.overhead != known.overhead or _amounts(pod.apps[0]) != _amounts(known.apps[0]):
        return False
    if len(known.containers) > 1:
        return list(map(_amounts, pod.containers)) == list(map(_amounts, known.containers))
    most, init = pod.apps[0].requests, pod.containers[:-1]
    fitting = all(number <= most.get(name, 0) for each in init for name, number in each.requests.items())
    return fitting and all(container.kind == "init" for container in init)


def _amounts(container: ContainerSpec) -> tuple[object, ...]:
    return container.kind, container.requests, container.limits


def _has_no_less(now: World, then: World, *, same: bool) -> bool:
    """Tell whether the node is the same but for pods that are gone; ``same``: as many CPUs are free.

    With more free CPUs an init container may be given some where its app container does not fit.
    """
    gone = now.free ^ then.free if same else then.free & ~now.free
    if now.settings != then.settings or now.reserved != then.reserved or gone:
        return False
    return all(uid in then.pods and pod.held == then.pods[uid].held for uid, pod in now.pods.items())


def _is_same(machine: Machine, other: Machine) -> bool:
    """Tell whether two machines are one, in whatever order they are told."""
    if machine is other:
        return True
    return set(machine.cpus) == set(other.cpus) and set(machine.devices) == set(other.devices)


def _is_larger(machine: Machine, other: Machine) -> bool:
    """Tell whether a machine has all of another and more of the same: NUMA nodes of sizes that the other has too."""
    if machine is other or not set(machine.cpus) > set(other.cpus) or set(machine.devices) != set(other.devices):
        return False
    sizes = {cpus.bit_count() for cpus in other.numa_bits.values()}
    added = (cpus for node, cpus in machine.numa_bits.items() if node not in other.numa_bits)
    return {cpus.bit_count() for cpus in added} <= sizes
