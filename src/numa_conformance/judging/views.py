"""``views``: what each subject shows that others show too, as ``given`` has it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from ..cpuset import bit_of, format_bits
from ..wire.history.sightings import Runs
from ..wire.history.values import CpuBits, HoldingBits
from .alignment import empties_the_pool, only_cpus
from .allocated import AllocatedCpus
from .chapter import checkers_of
from .choice import WHOLE_CORES, CpuChoice
from .files import CPU_FILE, CPUS, policies_of
from .node_subjects import Admission, ForeignStart, NodeMoment, ReconcilePass, Resize, Restart, State
from .pods import BEST_EFFORT
from .shared_views import (
    ContainerView,
    Demand,
    Division,
    FoundFile,
    Leftover,
    Neighbours,
    NodeContainer,
    Reuse,
    Together,
)
from .sighting import Sighting
from .views_of_sightings import of_sighting


def _of_allocation(allocation: AllocatedCpus) -> Iterator[object]:
    cpus, container = allocation.cpus, allocation.container
    if allocation.policy_refused is None:
        yield ContainerView(
            allocation.machine,
            allocation.settings,
            allocation.pod.uid,
            container.name,
            None if cpus is None else HoldingBits(CpuBits(cpus)),
            allocation.pool,
            allocation.pod.qos,
            container.exclusive,
            container,
            had=allocation.held,
            alone=True,
            reason=allocation.reason,
            refusal=allocation.refusal,
        )
    if cpus is not None:
        whole = allocation.pool | allocation.reusable | cpus
        left, reserved = allocation.reusable, allocation.reserved
        yield Division(allocation.settings, whole, allocation.pool_after, cpus, left, reserved)
    if allocation.held is None and not allocation.might_empty_the_pool:
        room, count = allocation.free | allocation.reusable, allocation.count
        by_number = WHOLE_CORES not in allocation.settings.options
        refusal = allocation.refusal or "a refusal" if cpus is None else None
        if allocation.free.bit_count() < count <= room.bit_count():
            yield Reuse(f"container {container.name}", 0, count, room, by_number, refusal)


def _of_choice(choice: CpuChoice) -> Iterator[Demand]:
    by_number = WHOLE_CORES not in choice.options or choice.can_be_whole_cores
    refusal = choice.refusal or "a refusal" if choice.answer is None else None
    count, text = choice.count, format_bits(choice.answer or 0)
    yield Demand("a container", count, count, choice.available, by_number, refusal, text)


def _of_admission(admission: Admission) -> Iterator[object]:
    yield from _given_to(admission)
    world, pod = admission.before, admission.pod
    if not admission.again and world.settings.static and not pod.whole:
        at_least = sum(container.exclusive for container in pod.containers if container.kind == "app")
        kinds = {container.kind for container in pod.containers}
        refusing = world.settings.topology in ("restricted", "single-numa-node")
        by_number = pod.exclusive < world.free.bit_count() if world.strict else True
        again = kinds == {"init", "app"}
        by_number = by_number and not refusing and only_cpus(world, pod) and (again or kinds == {"app"})
        by_number = by_number and not (again and empties_the_pool(world, pod))
        refusal = None if admission.admitted else f"{admission.reason}: {admission.message}"
        text = ", ".join(f"{name}: {format_bits(held.cpus)}" for name, held in admission.held.items())
        kind = Reuse if again else Demand
        yield kind(f"pod {pod.uid}", at_least, pod.exclusive, world.free, by_number, refusal, text)


def _given_to(admission: Admission) -> Iterator[object]:
    before, pod, again = admission.before, admission.pod, admission.again
    had = before.pods[pod.uid].held if again else {}
    containers = [
        NodeContainer(
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
    yield from containers
    if admission.admitted and before.settings.static:
        apps = tuple(view for view in containers if view.exclusive and view.spec and view.spec.kind == "app")
        if len(apps) > 1:
            yield Neighbours(apps)
    if admission.admitted and not again and before.settings.topology == "single-numa-node":
        whole = before.settings.scope == "pod"
        groups = (
            [(f"pod {pod.uid}", containers)] if whole else [(f"container {view.key}", [view]) for view in containers]
        )
        for who, group in groups:
            places = tuple(place for view in group for place in _near(view))
            if places:
                yield Together(before.settings, who, places, "; ".join(f"{view.name}: {view.held}" for view in group))


def _all_told(held: HoldingBits | None) -> HoldingBits:
    """Return what a container was given at its admission; of memory that is not told it has none."""
    if held is None:
        return HoldingBits(CpuBits(0), memory=())
    return msgspec.structs.replace(held, memory=held.memory or ())


def _near(container: ContainerView) -> Iterator[int]:
    """Yield for each thing that a container has the NUMA nodes (bits) on any of which it may be."""
    held = container.held or HoldingBits(CpuBits(0))
    yield from (bit_of(node) for node, cpus in container.machine.numa_bits.items() if cpus & held.cpus)
    yield from (block.nodes if not block.nodes & (block.nodes - 1) else 0 for block in held.blocks)
    devices = {(device.resource, device.id): device.numa_bits for device in container.machine.devices}
    for resource, ids in (held.devices or {}).items():
        near = (devices.get((resource, id), 0) for id in sorted(ids))
        yield from filter(None, near)


def _of_resize(resize: Resize) -> Iterator[NodeContainer]:
    """Yield the containers of a pod that was resized, with their quota and their limits by now."""
    pod, world = resize.pod, resize.after
    for container in pod.containers if resize.granted and not pod.whole and pod.qos != BEST_EFFORT else ():
        held, limit = resize.held.get(container.name), container.limits.get("cpu")
        if held is not None and container.kind != "init":
            yield NodeContainer(
                world.machine,
                world.settings,
                pod.uid,
                container.name,
                HoldingBits(held.cpus, quota=held.quota),
                None,
                pod.qos,
                None,
                container,
                limit=limit,
            )


def _of_state(state: State) -> Iterator[NodeContainer]:
    """Yield what containers are told to hold, beside what was answered when they were given it."""
    world = state.world
    for uid in dict.fromkeys((*state.pods, *world.pods)):
        pod, state_of = world.pods.get(uid), state.pods.get(uid)
        spec, known = (pod.spec, pod.held) if pod else (None, {})
        bounded = spec is not None and not spec.whole
        containers = spec.by_name if spec else {}
        for name in dict.fromkeys((*(state_of or ()), *containers)):
            held, container = (state_of or {}).get(name, HoldingBits(CpuBits(0))), containers.get(name)
            limited = container is not None and bounded and spec is not None and spec.qos != BEST_EFFORT
            answer = known.get(name, HoldingBits(CpuBits(0)))
            memory = held.memory if answer.memory is not None else None
            quota = held.quota if bounded else None
            yield NodeContainer(
                world.machine,
                world.settings,
                uid,
                name,
                HoldingBits(held.cpus, None, memory, held.devices, quota) if state_of is not None and pod else None,
                world.pool,
                spec.qos if spec else None,
                limit=container.limits.get("cpu") if container and limited else None,
                other=None if container and container.kind == "init" else answer,
            )


def _of_pass(done: ReconcilePass) -> Iterator[NodeContainer]:
    """Yield the containers of which it is told what they ran on, and what a pass sent to them.

    Where that is not told, they are the shared ones of a pass that sends the pool to some: cpusets may as well be
    written at once. Exclusive ones are created with their CPUs, so that a pass has nothing to send to them.
    """
    world = done.world
    holders = {(uid, name): held for uid, pod in world.pods.items() for name, held in pod.held.items()}
    sent = {(update.uid, update.container): update.cpus for update in done.updates}
    untold = {key for key, held in holders.items() if held.cpuset is None and not held.cpus}
    if sent.keys().isdisjoint(untold):
        untold.clear()
    for (uid, name), held in holders.items():
        if (uid, name) in done.runs_on and (held.cpuset is not None or (uid, name) in untold):
            runs = Runs(CpuBits(sent.get((uid, name), done.runs_on[uid, name])))
            yield NodeContainer(world.machine, world.settings, uid, name, HoldingBits(held.cpus), world.pool, runs=runs)


def _of_restart(restart: Restart) -> Iterator[FoundFile]:
    if restart.wanted is None:
        return
    wanted, before = policies_of(restart.wanted), policies_of(restart.before.settings)
    for of, (name, policy, _) in wanted.items():
        if policy != before[of][1] and name not in restart.deleted:
            yield FoundFile(name, of, policy, before[of][1], restart.after is not None)


def _of_foreign(start: ForeignStart) -> Iterator[FoundFile]:
    if start.settings.static:
        yield FoundFile(CPU_FILE, CPUS, "the CPUs that are online", "other CPUs", start.up)


def _of_moment(moment: NodeMoment) -> Iterator[Division]:
    world = moment.world
    if world.settings.static:
        reserved = world.reserved if world.knows_reserved else None
        whole = world.may_be_shared_or_given
        # A pod with CPUs as a whole keeps those that none of its containers has.
        rest = whole & ~world.pool if any(pod.spec.whole for pod in world.pods.values()) else 0
        yield Division(world.settings, whole, world.pool, world.exclusive, world.left | rest, reserved)


_VIEWS: Mapping[type, tuple[Callable[[Any], Iterator[object]], tuple[type, ...]]] = {
    AllocatedCpus: (_of_allocation, (ContainerView, Division, Reuse)),
    CpuChoice: (_of_choice, (Demand,)),
    Admission: (_of_admission, (NodeContainer, Neighbours, Together, Reuse)),
    Resize: (_of_resize, (NodeContainer,)),
    State: (_of_state, (NodeContainer,)),
    ReconcilePass: (_of_pass, (NodeContainer,)),
    Sighting: (of_sighting, (NodeContainer, Neighbours, Together, Leftover, FoundFile)),
    Restart: (_of_restart, (FoundFile,)),
    ForeignStart: (_of_foreign, (FoundFile,)),
    NodeMoment: (_of_moment, (Division,)),
}


def views(subject: object) -> Iterable[object]:
    """Yield what a subject shows to sentences that others show too."""
    known = _VIEWS.get(type(subject))
    return known[0](subject) if known else ()


def requirements_of(*subjects: type) -> set[str]:
    """Return the requirements by which subjects of some classes may be judged, and their views."""
    shown = {view for subject in subjects if subject in _VIEWS for view in _VIEWS[subject][1]}
    return {check.requirement for subject in {*subjects, *shown} for check in checkers_of(subject)}
