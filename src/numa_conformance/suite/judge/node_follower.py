"""Following a node through a history: from its steps to subjects, the world carried along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...machine import machine_from_dict
from ..history.history import History, Step
from .alignment import fits
from .choice import Choice, cpus_of
from .files import CPU_FILE, Files, KnownFiles
from .node_subjects import (
    Admission,
    Arrival,
    Crash,
    ForeignStart,
    Moment,
    ReconcilePass,
    Recovery,
    Removal,
    Restart,
    Run,
    State,
    Update,
)
from .offered import hints_of, read_alignments
from .once_more import Admitted
from .pods import PodSpec
from .reading import read_bits
from .settings import Settings
from .world import Held, PodOnNode, World

__all__ = ["NodeFollower"]

Answer = Mapping[str, Any]


class NodeFollower:
    """Takes the steps of one history in order and yields what checkers judge."""

    def __init__(self, history: History) -> None:
        self._machine = history.head.machine
        self._world: World | None = None
        self._runs_on: dict[tuple[str, str], int] = {}
        self._down: World | None = None
        self._files, self._tampered = KnownFiles(), False
        self._of_a_fault = False
        self._admitted = Admitted()
        self._settings: Settings | None = None

    def subjects(self, step: Step, answer: Answer) -> Iterator[object]:
        """Yield the subjects of one step; raises ``UnreadableError``."""
        if step.method == "node.start":
            yield from self._start(step, answer)
            return
        world = self._down if step.method == "node.restart" and self._world is None else self._world
        if world is not None:
            follow = {
                "node.admit": self._admit,
                "node.run": self._run,
                "node.remove": self._remove,
                "node.state": self._state,
                "node.reconcile": self._reconcile,
                "node.restart": self._restart,
                "node.checkpoints": self._told_files,
            }.get(step.method)
            if follow is not None:
                yield from follow(world, step, answer)

    def _start(self, step: Step, answer: Answer) -> Iterator[object]:
        self._settings = settings = Settings.of(step.params["kubelet"])
        self._world, self._down, self._runs_on, self._tampered = None, None, {}, False
        self._files.begin()
        if "machine" in step.params:
            self._machine = machine_from_dict(step.params["machine"])
        online, found = self._machine.online_bits, step.params.get("files") or {}
        if self._files.of_other_cpus(found.get(CPU_FILE, ""), online):
            yield ForeignStart(settings, answer["result"] != "failed", answer.get("message") or "")
        elif answer["result"] == "failed" and not found:
            yield Arrival(settings, None, answer["message"])
        if answer["result"] == "failed":
            return
        pool = read_bits(answer.get("default_cpuset") or "", "default_cpuset")
        reserved, told = settings.reserved, answer.get("reserved_cpus")
        if reserved is None and told is None and settings.strict and not found:
            reserved = online & ~pool
        elif reserved is None:
            reserved = read_bits(told or "", "reserved_cpus")
        self._world = World(self._machine, settings, reserved if settings.static else 0, pool, pool)
        if not found:
            yield Arrival(settings, self._world)
            yield Moment(self._world)

    def _admit(self, before: World, step: Step, answer: Answer) -> Iterator[object]:
        pod = PodSpec.of(step.params["pod"])
        admitted = answer.get("result") == "admitted"
        held = _held(answer.get("containers") or {})
        after = (before.with_pod(PodOnNode(pod, held)) if admitted else before.without(pod.uid)).told(answer)
        self._world = after
        if not admitted and _has_no_room(before, pod, answer):
            yield Moment(after)
            return
        again = pod.uid in before.pods
        told = answer.get("qos"), answer.get("reason") or "", answer.get("message") or "", answer.get("phase")
        alignments = read_alignments(answer)
        yield Admission(before, after, pod, admitted, again, held, *told, alignments)
        if not again:
            yield from hints_of(before, pod, held, alignments or ())
            refusal = None if admitted else f"{answer.get('reason')}: {answer.get('message')}"
            yield from self._admitted.asked(before, pod, refusal)
        if admitted and not again and before.settings.static:
            yield from _choices(before, pod, held)
        yield Moment(after)

    def _run(self, before: World, step: Step, answer: Answer) -> Iterator[object]:
        uid = step.params["uid"]
        if answer.get("result") != "started" or uid not in before.pods:
            return
        pod = before.pods[uid]
        held = _held(answer.get("containers") or {})
        self._world = after = before.with_pod(replace(pod, held={**pod.held, **held}, ran=True)).told(answer)
        for container in pod.spec.containers:
            if container.kind != "init" and container.name in held:
                self._runs_on[uid, container.name] = held[container.name].cpus or after.pool
        yield Run(before, after, uid, held)
        yield Moment(after)

    def _remove(self, before: World, step: Step, answer: Answer) -> Iterator[object]:
        uid = step.params["uid"]
        self._world = after = before.without(uid).told(answer)
        self._runs_on = {key: cpus for key, cpus in self._runs_on.items() if key[0] != uid}
        yield Removal(before, after, uid, answer.get("result") == "removed")
        yield Moment(after)

    def _state(self, before: World, step: Step, answer: Answer) -> Iterator[object]:
        self._world = after = before.told(answer)
        yield State(after, {uid: _held(own) for uid, own in answer["containers"].items()})
        yield Moment(after)

    def _reconcile(self, before: World, step: Step, answer: Answer) -> Iterator[object]:
        updates = tuple(
            Update(update["uid"], update["container"], read_bits(update["cpus"], "updates.cpus"))
            for update in answer["updates"]
        )
        yield ReconcilePass(before, updates, dict(self._runs_on))
        for update in updates:
            if (update.uid, update.container) in self._runs_on:
                self._runs_on[update.uid, update.container] = update.cpus

    def _restart(self, before: World, step: Step, answer: Answer) -> Iterator[object]:
        kubelet, files = step.params.get("kubelet"), step.params.get("files") or {}
        settings = (self._settings or before.settings) if kubelet is None else Settings.of(kubelet)
        restored = self._down is not None and self._files.are_own(files)
        own = restored or not (files or self._tampered)
        plain = own and settings == before.settings and (kubelet is None or self._down is not None)
        done, self._settings = _restarted(before, answer, settings, plain=plain, files=files), settings
        if kubelet is None and files and not restored and self._files.are_on_the_way(files):
            yield Crash(before, done.after, done.held, done.refused, done.refusal)
        elif files and not own and not self._of_a_fault:
            yield Recovery(done.after, done.held, done.refusal)
        if not any(files.values()) or done.plain:
            yield done
        self._world, self._down = done.after, before if done.after is None else None
        self._tampered = not own and done.after is None
        if done.after is not None:
            self._files.forget()
            if done.plain:
                yield Moment(done.after)

    def _told_files(self, before: World, _step: Step, answer: Answer) -> Iterable[object]:
        """Remember the state files: they are no subject themselves, a restart on them may be.

        Files of a node that had given something twice say so: what becomes of them is no fault of the start.
        """
        self._files.told(answer, before.online)
        self._of_a_fault = before.gives_twice
        return ()


def _has_no_room(before: World, pod: PodSpec, answer: Answer) -> bool:
    """Tell whether a pod was refused by the node's own sum of requests, which may do so and is no manager's."""
    return str(answer.get("reason")).startswith("OutOf") and not fits(before, pod)


def _restarted(before: World, answer: Answer, settings: Settings, *, plain: bool, files: Files) -> Restart:
    deleted = frozenset(name for name, text in files.items() if text is None)
    if answer.get("result") != "restarted":
        return Restart(before, None, plain, refusal=str(answer.get("message")), wanted=settings, deleted=deleted)
    held: dict[str, Mapping[str, Held]] = {}
    refused: dict[str, str] = {}
    for pod in answer.get("pods") or ():
        if pod["result"] == "admitted":
            held[pod["uid"]] = _held(pod.get("containers") or {})
        else:
            refused[pod["uid"]] = f"{pod.get('reason')}: {pod.get('message')}"
    pods = {
        uid: replace(pod, held={**pod.held, **held.get(uid, {})})
        for uid, pod in before.pods.items()
        if uid not in refused
    }
    reserved = before.reserved if settings.reserved is None else settings.reserved
    after = replace(before, settings=settings, reserved=reserved if settings.static else 0, pods=pods).told(answer)
    return Restart(before, after, plain, held, refused, wanted=settings, deleted=deleted)


def _held(containers: Mapping[str, Any]) -> dict[str, Held]:
    return {name: Held.read(holding, f"containers.{name}") for name, holding in containers.items()}


def _choices(before: World, pod: PodSpec, held: Mapping[str, Held]) -> Iterator[Choice]:
    """Yield the choice made for each container that has CPUs of its own, in the order of the pod.

    What ordinary init containers leave may be used again or not, so that the shape of what follows them is free.
    """
    reusable = spent = 0
    for container in pod.containers:
        given = held[container.name].cpus if container.name in held else 0
        count = container.exclusive
        if count:
            available = before.free & ~spent | reusable
            aligns = before.settings.topology != "none"
            affinity = held[container.name].affinity if aligns and container.name in held else None
            near = None if affinity is None or affinity.nodes is None else cpus_of(before.machine, affinity.nodes)
            shaped = not reusable and (affinity is not None or not aligns)
            options, preferred = before.settings.options, affinity is not None and affinity.preferred
            yield Choice(before.machine, options, available, count, given, near, shaped=shaped, preferred=preferred)
        if container.kind == "init":
            reusable |= given
        else:
            reusable &= ~given
        spent |= given
