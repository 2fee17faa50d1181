"""Following a node through a history: from its steps to subjects, the world carried along."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec.structs import replace

from ..machine import Machine, machine_from_dict
from ..wire.history.answers import StartedNode
from ..wire.history.values import CpuBits, HoldingBits, aligned_of, bits, holdings_of, optional_bits, updates_of
from ..wire.message import Message
from ..wire.messages import node as messages
from . import node_subjects as nodes
from .alignment import fits
from .allocated import choices_of
from .allowed import is_allowed
from .earlier_admissions import EarlierAdmissions, RefusedStarts, restarted
from .files import CPU_FILE, Files, KnownFiles
from .may_run import may_run
from .offered import hints_of
from .pods import PodSpec
from .rest import Books, books_of, named, rest_of
from .settings import Settings
from .start_subjects import start_of
from .world import AdmittedPod, World

Origin = Literal["own", "interrupted", "foreign", "strange"]


class NodeFollower:
    """Takes the questions and replies of one history in order and yields what checkers judge."""

    def __init__(self, machine: Machine, version: str) -> None:
        self._machine, self._version = machine, version
        self._world: World | None = None
        self._runs_on: dict[tuple[str, str], int] = {}
        self._down: World | None = None
        self._files, self._tampered = KnownFiles(), False
        self._of_a_fault = False
        self._admitted = EarlierAdmissions()
        self._pod_uids: set[str] = set()
        self._settings: Settings | None = None
        self._books: Books = {}
        self._refused = RefusedStarts()

    def subjects(self, question: Message, reply: Message) -> Iterator[object]:
        """Yield the subjects of one step: what happens, and what stays."""
        before = self._world
        yield from self._events(question, reply)
        rest = rest_of(before, self._world, question, reply, self._books) if before and self._world else None
        if rest is not None:
            yield rest
        if hasattr(reply, "memory_state"):
            self._books = books_of(reply.memory_state)

    def _events(self, question: Message, reply: Message) -> Iterator[object]:
        if isinstance(question, messages.StartNode) and isinstance(reply, StartedNode | messages.StartFailed):
            yield from self._start(question, reply)
            return
        world = self._down if isinstance(question, messages.RestartNode) and self._world is None else self._world
        if world is None:
            if isinstance(reply, messages.Admitted):
                self._down = None  # what a node admits while it is down is nobody's matter, nor what it then has
            return
        if isinstance(question, messages.RunPod | messages.ResizePod | messages.RemovePod):
            yield nodes.Call(world, named(question), not isinstance(reply, messages.UnknownPod))
        match question, reply:
            case messages.AdmitPod(), messages.Admitted() | messages.Rejected():
                yield from self._admit(world, PodSpec.of(question.pod), reply)
            case messages.RunPod(), messages.PodStarted():
                yield from self._run(world, question.uid, reply)
            case messages.RemovePod(), messages.Removed() | messages.UnknownPod():
                yield from self._remove(world, question.uid, reply)
            case messages.ResizePod(), messages.Resized() | messages.ResizePending():
                yield from self._resize(world, PodSpec.of(question.pod), reply)
            case _, messages.NodeState():
                pods = {uid: holdings_of(containers) for uid, containers in reply.containers.items()}
                self._world = after = world.with_pool(bits(reply.default_cpuset)).with_reported(pods)
                yield nodes.State(after, pods)
                yield nodes.NodeMoment(after)
                yield from may_run(after)
            case _, messages.Reconciled():
                yield from self._reconcile(world, reply.updates)
            case messages.RestartNode(), messages.Restarted() | messages.StartFailed():
                yield from self._restart(world, question, reply)
            case _, messages.Checkpoints():
                # The files of a node that gave something twice record that: their failure is no fault of the start.
                self._files.remember(reply, world.online)
                self._of_a_fault = world.gives_twice

    def _start(self, question: messages.StartNode, reply: StartedNode | messages.StartFailed) -> Iterator[object]:
        self._settings = settings = Settings.of(question.kubelet)
        self._world, self._down, self._runs_on, self._tampered, self._books = None, None, {}, False, {}
        self._files.begin()
        self._refused.remember(question, reply)
        if question.machine:
            self._machine = machine_from_dict(question.machine)
        online, files = self._machine.online_bits, question.files or {}
        refusal = reply.message if isinstance(reply, messages.StartFailed) else ""
        if self._files.of_other_cpus(files.get(CPU_FILE, ""), online):
            yield nodes.ForeignStart(settings, isinstance(reply, StartedNode), refusal)
        elif isinstance(reply, messages.StartFailed) and not files and self._allows(question, reply):
            yield nodes.Arrival(settings, None, refusal)
        if isinstance(reply, messages.StartFailed) or reply.default_cpuset is None or not self._allows(question, reply):
            return
        if files:  # what pods have that are gone comes back to the pool, one does not see when
            return
        pool, reserved = bits(reply.default_cpuset), settings.reserved
        if reserved is None and reply.reserved_cpus is None and settings.strict and pool != online:
            reserved = online & ~pool
        elif reserved is None:
            reserved = optional_bits(reply.reserved_cpus)
        known = reserved is not None or not (settings.static and settings.reserved_count)
        reserved = (reserved or 0) if settings.static else 0
        self._world = World(self._machine, settings, reserved, pool, pool, knows_reserved=known)
        allocatable = optional_bits(reply.allocatable_cpus)
        yield nodes.Arrival(settings, self._world, memory=reply.memory_state, allocatable=allocatable)
        yield nodes.NodeMoment(self._world)

    def _allows(
        self, question: messages.StartNode, reply: StartedNode | messages.Restarted | messages.StartFailed
    ) -> bool:
        return is_allowed(start_of(self._machine, self._version, question, reply))

    def _admit(self, before: World, pod: PodSpec, reply: messages.Admitted | messages.Rejected) -> Iterator[object]:
        self._pod_uids.add(pod.uid)
        admitted = isinstance(reply, messages.Admitted)
        held = holdings_of(reply.containers) if isinstance(reply, messages.Admitted) else {}
        if held.keys() - pod.by_name.keys():
            yield _of_strangers(pod, held)
            return
        after = before.with_pod(AdmittedPod(pod, held)) if admitted else before.without(pod.uid)
        self._world = after = self._sent(after.with_pool(bits(reply.default_cpuset)), reply.updates)
        reason = message = ""
        phase = refusal = None
        if isinstance(reply, messages.Rejected):
            reason, message, phase = reply.reason, reply.message, reply.phase
            refusal = f"{reason}: {message}"
            of_the_sum = reason.startswith("OutOf") and not fits(before, pod)  # the node's own, which is no manager's
            if of_the_sum or (pod.exclusive and not before.knows_reserved):
                yield nodes.NodeMoment(after)
                return
        again, merges = pod.uid in before.pods, aligned_of(reply.alignments)
        yield nodes.Admission(before, after, pod, admitted, again, held, reply.qos, reason, message, phase, merges)
        if not again:
            yield from hints_of(before, pod, held, merges or ())
            yield from self._admitted.compare(before, pod, refusal)
        if admitted and not again and before.settings.static and before.knows_reserved:
            yield from choices_of(before, pod, held)
        yield nodes.NodeMoment(after, reply.memory_state or ())
        yield from may_run(after, None if again else pod.uid)

    def _run(self, before: World, uid: str, reply: messages.PodStarted) -> Iterator[object]:
        if uid not in before.pods:
            return
        pod, held = before.pods[uid], holdings_of(reply.containers)
        if held.keys() - pod.spec.by_name.keys():
            yield _of_strangers(pod.spec, held)
            return
        lasting = (each.name for each in pod.spec.containers if each.kind != "init" and each.name in pod.held)
        gone = {name: HoldingBits(CpuBits(0)) for name in lasting if pod.held[name].cpus and name not in held}
        after = before.with_pod(replace(pod, held={**pod.held, **gone, **held}, ran=True))
        after = after.with_pool(bits(reply.default_cpuset))
        for container in pod.spec.containers:
            if container.kind != "init" and container.name in held:
                started = held[container.name]
                self._runs_on[uid, container.name] = (
                    (started.cpus or after.pool) if started.cpuset is None else started.cpuset
                )
        self._world = after = self._sent(after, reply.updates)
        yield nodes.NodeMoment(after, reply.memory_state or ())
        yield from may_run(after, uid)

    def _resize(
        self, before: World, pod: PodSpec, reply: messages.Resized | messages.ResizePending
    ) -> Iterator[object]:
        if pod.uid not in before.pods:
            return
        was, granted = before.pods[pod.uid], isinstance(reply, messages.Resized)
        held = holdings_of(reply.containers) if isinstance(reply, messages.Resized) else was.held
        reason = reply.reason if isinstance(reply, messages.ResizePending) else ""
        if held.keys() - pod.by_name.keys():
            yield _of_strangers(pod, held)
            return
        after = before.with_pod(replace(was, spec=pod, held={**was.held, **held})) if granted else before
        updates = reply.updates if isinstance(reply, messages.Resized) else None
        self._world = after = self._sent(after.with_pool(bits(reply.default_cpuset)), updates)
        yield nodes.Resize(before, after, was, pod, granted, held, reason)
        yield nodes.NodeMoment(after)
        yield from may_run(after)

    def _remove(self, before: World, uid: str, reply: messages.Removed | messages.UnknownPod) -> Iterator[object]:
        after = before.removed(uid).with_pool(bits(reply.default_cpuset))
        self._runs_on = {key: cpus for key, cpus in self._runs_on.items() if key[0] != uid}
        self._world = after = self._sent(after, reply.updates if isinstance(reply, messages.Removed) else None)
        yield nodes.Removal(before, after, uid, isinstance(reply, messages.Removed))
        yield nodes.NodeMoment(after, reply.memory_state or ())
        yield from may_run(after)

    def _reconcile(self, before: World, updates: Sequence[messages.Update]) -> Iterator[object]:
        yield nodes.ReconcilePass(before, updates_of(updates) or (), dict(self._runs_on))
        self._world = after = self._sent(before, updates)
        yield from may_run(after)

    def _sent(self, world: World, cpusets: Sequence[messages.Update] | None) -> World:
        """Take over the cpusets that were sent to containers with a reported one; None: some may follow."""
        updates = updates_of(cpusets)
        if updates is None:
            return world
        for update in updates:
            if (update.uid, update.container) in self._runs_on:
                self._runs_on[update.uid, update.container] = update.cpus
        sent = (
            (update.uid, update.container, update.cpus, update.mems)
            for update in updates
            if world.reports_cpuset(update.uid, update.container)
        )
        return replace(world.with_cpusets(sent), settled=True)

    def _restart(
        self, before: World, question: messages.RestartNode, reply: messages.Restarted | messages.StartFailed
    ) -> Iterator[object]:
        strangers = (
            sorted({pod.uid for pod in reply.pods} - self._pod_uids) if isinstance(reply, messages.Restarted) else []
        )
        if strangers:
            yield nodes.Malformed(f"pods {', '.join(strangers)[:200]} were never asked for")
            return
        kubelet, files = question.kubelet, question.files or {}
        settings = (self._settings or before.settings) if kubelet is None else Settings.of(kubelet)
        origin = self._origin_of(files, before.online, same_run=kubelet is None)
        same = settings == before.settings and (kubelet is None or self._down is not None)
        done = restarted(before, reply, settings, same=same, with_its_files=origin == "own", files=files)
        refusal = self._refused.refusal(kubelet)
        match origin:
            case "interrupted":
                yield nodes.Crash(before, done.after, done.held, done.refused, done.refusal)
            case "foreign":
                yield nodes.ForeignStart(settings, done.after is not None, done.refusal)
            case "strange" if files and not self._of_a_fault:
                yield nodes.Recovery(done.after, done.held, done.refusal)
        if refusal is not None:
            yield nodes.RefusedStart(settings, done.after is not None, refusal)
        elif not any(files.values()) or done.plain:
            yield done
        self._settings, self._books = settings, self._books if done.plain else {}
        self._world, self._down = done.after, before if done.after is None else None
        self._tampered = origin != "own" and done.after is None
        if done.after is not None and isinstance(reply, messages.Restarted):
            self._files.forget()
            self._world = self._sent(done.after, reply.updates)
            if done.plain:
                yield nodes.NodeMoment(done.after, reply.memory_state or ())
                yield from may_run(self._world)

    def _origin_of(self, files: Files, online: int, *, same_run: bool) -> Origin:
        """Tell whose state files a restart finds.

        ``own``: those the node left, or those a node that is down gets back. ``interrupted``: those between two writes.
        ``foreign``: those of other CPUs. ``strange``: any others. ``same_run``: the configuration is as it was.
        """
        if self._down is not None and self._files.are_own(files):
            return "own"
        if same_run and files and self._files.are_on_the_way(files):
            return "interrupted"
        if self._files.of_other_cpus(files.get(CPU_FILE) or "", online):
            return "foreign"
        return "strange" if files or self._tampered else "own"


def _of_strangers(pod: PodSpec, held: Mapping[str, HoldingBits]) -> nodes.Malformed:
    names = ", ".join(sorted(held.keys() - pod.by_name.keys()))
    return nodes.Malformed(f"pod {pod.uid} has no containers {names[:200]}")
