"""Views that several subjects share, so that one sentence is judged once, whoever was asked and in whatever way.

``Given``: a container, what it was given, the shared pool, its settings. ``Neighbours``, ``Together``: containers that
a sentence takes together. ``Demand``: exclusive CPUs that are asked for at once. ``Division``: how CPUs are divided
among pool and pods. ``FoundFile``: a state file that a node comes up with. What a source does not tell is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import msgspec

from ...cpuset import format_bits
from ...documentation.versions import KubernetesVersion
from ...machine import Machine
from ..history.answers import Block, CpuBits, Held, Runs
from .alignment import empties_the_pool, only_cpus
from .allocated import AllocatedCpus
from .checker import checkers_of
from .choice import WHOLE_CORES, Choice
from .files import CPU_FILE, MEMORY_FILE
from .node_subjects import Admission, ForeignStart, Moment, ReconcilePass, Restart, State
from .pods import BEST_EFFORT, BURSTABLE, GUARANTEED, ContainerSpec
from .seen import SeenContainer, Sighting
from .settings import Settings

__all__ = [
    "Demand",
    "Division",
    "FoundFile",
    "Given",
    "Neighbours",
    "OnNode",
    "Reuse",
    "Together",
    "requirements_of",
    "views",
]

PERIOD = 100_000
"""Microseconds in which CFS quota is counted."""
NO_QUOTA_SINCE = KubernetesVersion.parse("1.33")
"""From here on quota is left out for exclusive CPUs; before, kubelets set it, which is known."""
NO_QUOTA = "DisableCPUQuotaWithExclusiveCPUs"
NO_RESOURCES_OF_PODS_UNTIL = KubernetesVersion.parse("1.34")
"""From here on pods may have resources as a whole, of which a cgroup tells nothing: such get no exclusive CPUs."""


@dataclass(frozen=True, slots=True)
class Given:
    """One container and what it was given. Sets of CPUs are bits.

    ``held``: None where its pod is not told of, or it was refused: for ``reason`` and ``refusal`` where it was asked
    for ``alone``, else with its pod. ``exclusive``: the CPUs of its own that it asks for; None where that is not known,
    or says nothing. ``pool``: the shared pool. ``spec``: what its user wrote. ``limit``: its CPU limit. ``had``: the
    CPUs it had when it was asked for again. ``ended``: it is an init container that may have ended, and given back what
    it had. ``other``: what it holds by what the ``teller`` tells. ``runs``: what it runs on; ``settled``: the pool has
    not changed lately. ``unexplained``: nothing is known of how it came to what it holds.
    """

    machine: Machine
    settings: Settings
    uid: str
    name: str
    held: Held | None
    pool: int | None
    qos: str | None = None
    exclusive: int | None = None
    spec: ContainerSpec | None = None
    limit: Fraction | None = None
    had: int | None = None
    ended: bool = False
    alone: bool = False
    reason: str = ""
    refusal: str = ""
    other: Held | None = None
    teller: str = "the node"
    runs: Runs | None = None
    settled: bool = True
    unexplained: bool = False

    @property
    def key(self) -> str:
        """Its pod's uid and its name, as facts about it are named too."""
        return f"{self.uid}/{self.name}"

    @property
    def cpus(self) -> int:
        """Its exclusive CPUs; none where it was refused."""
        return self.held.cpus if self.held else 0

    @property
    def told(self) -> str:
        """Its CPUs for a person, or why it has none."""
        if self.held is None:
            return f"{self.reason}: {self.refusal}" if self.reason else self.refusal or "a refusal"
        return format_bits(self.held.cpus) or "none"

    @property
    def options(self) -> frozenset[str]:
        """The static policy's options that are on."""
        return self.settings.options if self.settings.static else frozenset()

    @property
    def took(self) -> int | None:
        """What it holds, where no choice is known by which it came to it: then the choice is judged."""
        return self.cpus or None if self.unexplained else None

    @property
    def can_be_whole_cores(self) -> bool:
        """Whether it could have been served by whole cores: a node gives out no others."""
        return True

    def about(self, *facts: str) -> tuple[str, ...]:
        """Return facts as ``judge/seen.py`` calls them: of this container, or ``qos`` of its pod."""
        return tuple(
            f"qos:{self.uid}" if fact == "qos" else fact if ":" in fact or fact == "pool" else f"{fact}:{self.key}"
            for fact in facts
        )


class OnNode(Given):
    """A container on a node, which tells more than one allocation: memory, quota, what it runs on."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Containers of one pod that run at once, each with CPUs of its own."""

    containers: tuple[Given, ...]


@dataclass(frozen=True, slots=True)
class Together:
    """What is aligned at once: of a container or a pod, ``who``.

    ``places``: for each thing that it has the NUMA nodes (bits) on any of which it may be.
    """

    settings: Settings
    who: str
    places: tuple[int, ...]
    told: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Demand:
    """Exclusive CPUs that are asked for at once, and CPUs that can be given (bits).

    ``at_least``: so many are needed whatever serves twice; ``enough``: so many serve. ``by_number``: their number alone
    decides. ``refusal``: None where it was served.
    """

    who: str
    at_least: int
    enough: int
    available: int
    by_number: bool
    refusal: str | None
    told: str = ""


class Reuse(Demand):
    """A demand that CPUs of an init container may have to serve again."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Division:
    """How CPUs (bits) are divided: ``whole`` is what pool and exclusive CPUs share; ``left`` may be either, or none."""

    settings: Settings
    whole: int
    pool: int | None
    exclusive: int
    left: int
    reserved: int | None


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A state file that was there when a node was to come up: what it is ``of``, and what the configuration wants."""

    file: str
    of: str
    wanted: str
    written: str
    up: bool
    about: tuple[str, ...] = ()


def _of_allocation(allocation: AllocatedCpus) -> Iterator[object]:
    given, container = allocation.given, allocation.container
    if allocation.policy_refused is None:
        yield Given(
            allocation.machine,
            allocation.settings,
            allocation.pod.uid,
            container.name,
            None if given is None else Held(CpuBits(given)),
            allocation.pool,
            allocation.pod.qos,
            container.exclusive,
            container,
            had=allocation.held,
            alone=True,
            reason=allocation.reason,
            refusal=allocation.refusal,
        )
    if given is not None:
        whole = allocation.pool | allocation.reusable | given
        left, reserved = allocation.reusable, allocation.reserved
        yield Division(allocation.settings, whole, allocation.pool_after, given, left, reserved)
    if allocation.held is None and not allocation.might_empty_the_pool:
        room, asked = allocation.free | allocation.reusable, allocation.asked
        by_number = WHOLE_CORES not in allocation.settings.options
        refusal = allocation.refusal or "a refusal" if given is None else None
        if allocation.free.bit_count() < asked <= room.bit_count():
            yield Reuse(f"container {container.name}", 0, asked, room, by_number, refusal)


def _of_choice(choice: Choice) -> Iterator[Demand]:
    by_number = WHOLE_CORES not in choice.options or choice.can_be_whole_cores
    refusal = choice.refusal or "a refusal" if choice.given is None else None
    count, told = choice.count, format_bits(choice.given or 0)
    yield Demand("a container", count, count, choice.available, by_number, refusal, told)


def _of_admission(admission: Admission) -> Iterator[object]:
    yield from _given_to(admission)
    world, pod = admission.before, admission.pod
    if not admission.again and world.settings.static and not pod.whole:
        at_least = sum(container.exclusive for container in pod.containers if container.kind == "app")
        kinds = {container.kind for container in pod.containers}
        refusing = world.settings.topology in ("restricted", "single-numa-node")
        by_number = pod.exclusive < world.free.bit_count() if world.settings.strict else True
        again = kinds == {"init", "app"}
        by_number = by_number and not refusing and only_cpus(world, pod) and (again or kinds == {"app"})
        by_number = by_number and not (again and empties_the_pool(world, pod))
        refusal = None if admission.admitted else f"{admission.reason}: {admission.message}"
        told = ", ".join(f"{name}: {format_bits(held.cpus)}" for name, held in admission.held.items())
        kind = Reuse if again else Demand
        yield kind(f"pod {pod.uid}", at_least, pod.exclusive, world.free, by_number, refusal, told)


def _given_to(admission: Admission) -> Iterator[object]:
    before, pod, again = admission.before, admission.pod, admission.again
    had = before.pods[pod.uid].held if again else {}
    given = [
        OnNode(
            before.machine,
            before.settings,
            pod.uid,
            container.name,
            _all_told(admission.held.get(container.name)) if admission.admitted else None,
            admission.after.pool,
            pod.qos,
            None if pod.whole else container.exclusive,
            container,
            limit=None if pod.whole or pod.qos == BEST_EFFORT else container.limits.get("cpu"),
            had=had[container.name].cpus if container.name in had and container.kind != "init" else None,
            ended=again and container.kind == "init",
        )
        for container in pod.containers
    ]
    yield from given
    if admission.admitted and before.settings.static:
        apps = tuple(one for one in given if one.exclusive and one.spec and one.spec.kind == "app")
        if len(apps) > 1:
            yield Neighbours(apps)
    if admission.admitted and not again and before.settings.topology == "single-numa-node":
        whole = before.settings.scope == "pod"
        for who, group in [(f"pod {pod.uid}", given)] if whole else [(f"container {one.key}", [one]) for one in given]:
            places = tuple(place for one in group for place in _near(one))
            if places:
                yield Together(before.settings, who, places, "; ".join(_everything(one) for one in group))


def _all_told(held: Held | None) -> Held:
    """Return what a container was given at its admission; of memory that is not told it has none."""
    if held is None:
        return Held(CpuBits(0), memory=())
    return msgspec.structs.replace(held, memory=held.memory or ())


def _near(given: Given) -> Iterator[int]:
    """Yield for each thing that a container has the NUMA nodes (bits) on any of which it may be."""
    held = given.held or Held(CpuBits(0))
    yield from (1 << node for node, cpus in given.machine.numa_bits.items() if cpus & held.cpus)
    yield from (block.nodes if not block.nodes & (block.nodes - 1) else 0 for block in _with_bytes(held))
    devices = {(device.resource, device.id): device.numa for device in given.machine.devices}
    for resource, ids in (held.devices or {}).items():
        near = (sum(1 << node for node in devices.get((resource, id), ())) for id in sorted(ids))
        yield from filter(None, near)


def _everything(given: Given) -> str:
    held = given.held or Held(CpuBits(0))
    parts = [f"CPUs {format_bits(held.cpus)}"] if held.cpus else []
    parts += [f"{block.type} on NUMA nodes {format_bits(block.nodes)}" for block in _with_bytes(held)]
    parts += [f"{name} {', '.join(sorted(ids))}" for name, ids in (held.devices or {}).items() if ids]
    return f"{given.name}: {', '.join(parts) or 'nothing'}"


def _of_state(state: State) -> Iterator[OnNode]:
    """Yield what is told of CPUs and their quota, beside what was answered when they were given."""
    world = state.world
    for uid in dict.fromkeys((*state.pods, *world.pods)):
        pod, told = world.pods.get(uid), state.pods.get(uid)
        spec, known = (pod.spec, pod.held) if pod else (None, {})
        bounded = spec is not None and not spec.whole
        containers = spec.by_name if spec else {}
        for name in dict.fromkeys((*(told or ()), *containers)):
            held, container = (told or {}).get(name, Held(CpuBits(0))), containers.get(name)
            limited = container is not None and bounded and spec is not None and spec.qos != BEST_EFFORT
            yield OnNode(
                world.machine,
                world.settings,
                uid,
                name,
                Held(held.cpus, quota=held.quota if bounded else None) if told is not None and pod else None,
                world.pool,
                spec.qos if spec else None,
                limit=container.limits.get("cpu") if container and limited else None,
                other=None if container and container.kind == "init" else known.get(name, Held(CpuBits(0))),
            )


def _of_pass(done: ReconcilePass) -> Iterator[OnNode]:
    """Yield the shared containers of a pass that sends the pool to some: cpusets may as well be written at once."""
    world = done.world
    shared = [
        (uid, name)
        for uid, pod in world.pods.items()
        for name in pod.spec.by_name
        if name in pod.held and not pod.held[name].cpus
    ]
    sent = {(update.uid, update.container): update.cpus for update in done.updates}
    if not sent.keys().isdisjoint(shared):
        for uid, name in shared:
            if (uid, name) in done.runs_on:
                runs = Runs(CpuBits(sent.get((uid, name), done.runs_on[uid, name])))
                yield OnNode(world.machine, world.settings, uid, name, Held(CpuBits(0)), world.pool, runs=runs)


def _of_sighting(seen: Sighting) -> Iterator[object]:
    given = [_seen_container(seen, one) for one in seen.containers]
    yield from given
    by_pod: dict[str, list[tuple[SeenContainer, OnNode]]] = {}
    for pair in zip(seen.containers, given, strict=True):
        by_pod.setdefault(pair[0].uid, []).append(pair)
    for uid, pairs in by_pod.items():
        beside = tuple(view for _, view in pairs if _judges_cpus(seen) and view.cpus and view.runs)
        if len(beside) > 1 and uid not in seen.whole:
            yield Neighbours(beside)
    yield from _seen_together(seen, by_pod)
    yield from _seen_files(seen)


def _judges_cpus(seen: Sighting) -> bool:
    return seen.settings.static and seen.pool is not None


def _seen_container(seen: Sighting, one: SeenContainer) -> OnNode:
    qos, limit = seen.qos.get(one.uid), one.limit
    exclusive: int | None = None
    if qos in (BURSTABLE, BEST_EFFORT):
        exclusive = 0
    elif qos == GUARANTEED and limit is not None:
        shows = bool(one.held.cpus) or (seen.version is not None and seen.version < NO_RESOURCES_OF_PODS_UNTIL)
        exclusive = 0 if limit.denominator != 1 else int(limit) if shows else None
    known = seen.version is not None and seen.version >= NO_QUOTA_SINCE and seen.gates.get(NO_QUOTA, True)
    quota = None if not (known and one.runs) else -1 if limit is None else int(limit * PERIOD)
    held = Held(one.held.cpus, one.held.affinity, one.held.memory, one.held.devices, quota)
    return OnNode(
        seen.world.machine,
        seen.settings,
        one.uid,
        one.name,
        held,
        seen.pool,
        qos,
        exclusive,
        other=one.listed,
        teller="PodResources",
        runs=one.runs,
        settled=seen.settled,
        unexplained=one.uid not in seen.whole,
    )


def _seen_together(seen: Sighting, by_pod: Mapping[str, list[tuple[SeenContainer, OnNode]]]) -> Iterator[Together]:
    """Yield what each container has in CPUs, memory and devices; in scope pod what each pod has."""
    if seen.settings.topology != "single-numa-node":
        return
    for uid, pairs in by_pod.items():
        own = [(one, given) for one, given in pairs if _has_something(seen, one)]
        whole = seen.settings.scope == "pod"
        for group in [own] if whole and own else [[pair] for pair in own]:
            yield Together(
                seen.settings,
                f"pod {uid}" if whole else f"container {group[0][1].key}",
                tuple(place for one, _ in group for place in _places(seen, one)),
                "; ".join(_told(one) for one, _ in group),
                (*(fact for one, given in group for fact in _shown_by(one, given)), "config:topologyManagerPolicy"),
            )


def _has_something(seen: Sighting, one: SeenContainer) -> bool:
    return bool((_judges_cpus(seen) and one.held.cpus) or _with_bytes(one.held) or any(one.device_nodes))


def _with_bytes(held: Held) -> list[Block]:
    return [block for block in held.memory or () if block.bytes]


def _places(seen: Sighting, one: SeenContainer) -> Iterator[int]:
    online = one.held.cpus & seen.world.online
    for node, cpus in seen.world.machine.numa_bits.items():
        if online & cpus:
            yield 1 << node
    yield from (block.nodes if not block.nodes & (block.nodes - 1) else 0 for block in _with_bytes(one.held))
    yield from (nodes for nodes in one.device_nodes if nodes)


def _shown_by(one: SeenContainer, given: Given) -> tuple[str, ...]:
    facts = {"cpu": one.held.cpus, "memory": _with_bytes(one.held), "device": any(one.device_nodes)}
    return given.about(*(name for name, there in facts.items() if there))


def _told(one: SeenContainer) -> str:
    parts = [f"CPUs {format_bits(one.held.cpus)}"] if one.held.cpus else []
    parts += [f"{block.type} on NUMA nodes {format_bits(block.nodes)}" for block in _with_bytes(one.held)]
    parts += [f"devices of NUMA nodes {format_bits(nodes)}" for nodes in one.device_nodes if nodes]
    return f"{one.name}: {', '.join(parts)}"


CPU_POLICY, MEMORY_POLICY, CPUS = "CPU Manager policy", "Memory Manager policy", "CPUs"


def _policies(settings: Settings) -> Mapping[str, tuple[str, str, str]]:
    """Return of each policy that a state file holds: the file, the policy, and the field of the configuration."""
    return {
        CPU_POLICY: (CPU_FILE, "static" if settings.static else "none", "cpuManagerPolicy"),
        MEMORY_POLICY: (MEMORY_FILE, "Static" if settings.memory_static else "None", "memoryManagerPolicy"),
    }


def _seen_files(seen: Sighting) -> Iterator[FoundFile]:
    for of, (name, wanted, field) in _policies(seen.settings).items():
        written = seen.files[name].policy if name in seen.files else ""
        if written:
            yield FoundFile(name, of, wanted, written, True, (f"file:{name}", f"config:{field}"))
    if _judges_cpus(seen):
        online = seen.world.online
        for fact, cpus in (("pool", seen.pool or 0), *((f"cpu:{one.key}", one.held.cpus) for one in seen.containers)):
            yield FoundFile(CPU_FILE, CPUS, format_bits(cpus & online), format_bits(cpus), True, (fact,))


def _of_restart(restart: Restart) -> Iterator[FoundFile]:
    if restart.wanted is None:
        return
    wanted, before = _policies(restart.wanted), _policies(restart.before.settings)
    for of, (name, policy, _) in wanted.items():
        if policy != before[of][1] and name not in restart.deleted:
            yield FoundFile(name, of, policy, before[of][1], restart.after is not None)


def _of_foreign(start: ForeignStart) -> Iterator[FoundFile]:
    if start.settings.static:
        yield FoundFile(CPU_FILE, CPUS, "the CPUs that are online", "other CPUs", start.up)


def _of_moment(moment: Moment) -> Iterator[Division]:
    world = moment.world
    if world.settings.static:
        exclusive = world.exclusive
        yield Division(world.settings, world.may_be_shared_or_given, world.pool, exclusive, world.left, world.reserved)


_VIEWS: Mapping[type, tuple[Callable[[Any], Iterator[object]], tuple[type, ...]]] = {
    AllocatedCpus: (_of_allocation, (Given, Division, Reuse)),
    Choice: (_of_choice, (Demand,)),
    Admission: (_of_admission, (OnNode, Neighbours, Together, Reuse)),
    State: (_of_state, (OnNode,)),
    ReconcilePass: (_of_pass, (OnNode,)),
    Sighting: (_of_sighting, (OnNode, Neighbours, Together, FoundFile)),
    Restart: (_of_restart, (FoundFile,)),
    ForeignStart: (_of_foreign, (FoundFile,)),
    Moment: (_of_moment, (Division,)),
}


def views(subject: object) -> Iterable[object]:
    """Yield what a subject shows to sentences that others show too."""
    known = _VIEWS.get(type(subject))
    return known[0](subject) if known else ()


def requirements_of(*subjects: type) -> set[str]:
    """Return the requirements by which subjects of some classes may be judged, and their views."""
    shown = {view for subject in subjects if subject in _VIEWS for view in _VIEWS[subject][1]}
    return {check.requirement for subject in {*subjects, *shown} for check in checkers_of(subject)}
