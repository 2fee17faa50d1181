"""CPUs over a node's life: exclusive CPUs, restart and reconcile.

The sentences are on the page Node Resource Managers, section Static policy, unless a requirement says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...cpuset import format_bits, iter_bits
from ..judge.checker import Judgement, Violation, checker, violated
from ..judge.node_subjects import Admission, Moment, ReconcilePass, Restart, Run, State
from ..judge.world import World


@checker("cpu-manager/none/gives-no-exclusive-cpus", Admission)
def none_gives_no_exclusive_cpus(admission: Admission) -> Judgement:
    """Policy none: no CPUs of one's own."""
    if admission.before.settings.static or not admission.admitted:
        return None
    own = {name: held.cpus for name, held in admission.held.items() if held.cpus}
    return violated(not own, f"containers have CPUs of their own under policy none: {_told(own)}")


@checker("cpu-manager/static/integral-guaranteed-is-exclusive", Admission)
def integral_guaranteed_is_exclusive(admission: Admission) -> Judgement:
    """Each container of a Guaranteed pod with an integral request has so many CPUs; none is left without."""
    if not _static(admission) or not any(container.exclusive for container in admission.pod.containers):
        return None
    return _numbers(admission, exclusive=True)


@checker("cpu-manager/static/fractional-guaranteed-is-shared", Admission)
def fractional_guaranteed_is_shared(admission: Admission) -> Judgement:
    """Containers of Guaranteed pods with fractional requests run in the shared pool."""
    return _shared(admission, "Guaranteed")


@checker("cpu-manager/static/burstable-is-shared", Admission)
def burstable_is_shared(admission: Admission) -> Judgement:
    """Containers of Burstable pods run in the shared pool."""
    return _shared(admission, "Burstable")


@checker("cpu-manager/static/best-effort-is-shared", Admission)
def best_effort_is_shared(admission: Admission) -> Judgement:
    """Containers of BestEffort pods run in the shared pool."""
    return _shared(admission, "BestEffort")


def _static(admission: Admission) -> bool:
    return admission.before.settings.static and admission.admitted and not admission.pod.whole


def _shared(admission: Admission, qos: str) -> Judgement:
    pod = admission.pod
    if not _static(admission) or pod.qos != qos or all(container.exclusive for container in pod.containers):
        return None
    return _numbers(admission, exclusive=False)


def _numbers(admission: Admission, *, exclusive: bool) -> Iterator[Violation]:
    """Compare the containers that ask for CPUs of their own, or those that do not."""
    for container in admission.pod.containers:
        if admission.again and container.kind == "init":
            continue  # it may have ended, and what it had may be given back
        if bool(container.exclusive) is exclusive:
            held = admission.held.get(container.name)
            number = held.cpus.bit_count() if held else 0
            yield from violated(
                number == container.exclusive,
                f"container {container.name} of the {admission.pod.qos} pod {admission.pod.uid} has {number} CPUs of "
                "its own",
                got=format_bits(held.cpus) if held else "nothing",
                allowed=f"{container.exclusive} CPUs of its own" if container.exclusive else "the shared pool",
            )


@checker("qos/class-is-told-at-admission", Admission)
def class_is_told(admission: Admission) -> Judgement:
    """The QoS class that is told with an admission is the pod's."""
    if admission.qos is None:
        return None
    return violated(
        admission.qos == admission.pod.qos,
        f"pod {admission.pod.uid} is called {admission.qos}",
        got=admission.qos,
        allowed=admission.pod.qos,
    )


@checker("cpu-manager/static/exclusive-cpus-belong-to-one-pod", Moment)
def exclusive_cpus_belong_to_one_pod(moment: Moment) -> Judgement:
    """Exclusivity extends to other pods."""
    if len(moment.world.pods) < 2:
        return None
    return _pairs(moment.world)


def _pairs(world: World) -> Iterator[Violation]:
    owner: dict[int, str] = {}
    for uid, pod in world.pods.items():
        for cpu in iter_bits(pod.kept):
            if cpu in owner:
                yield Violation(f"CPU {cpu} belongs to the pods {owner[cpu]} and {uid}", marks={"twice": 1 << cpu})
                return
            owner[cpu] = uid


@checker("cpu-manager/static/apps-have-cpus-of-their-own", Admission)
def apps_have_cpus_of_their_own(admission: Admission) -> Judgement:
    """The CPUs taken out of the pool are put in the cpuset of the container: two app containers do not share them."""
    apps = [container for container in admission.pod.containers if container.kind == "app" and container.exclusive]
    if not _static(admission) or len(apps) < 2:
        return None
    seen = twice = 0
    for container in apps:
        cpus = admission.held[container.name].cpus if container.name in admission.held else 0
        twice |= seen & cpus
        seen |= cpus
    return violated(
        not twice,
        f"CPUs {format_bits(twice)} are exclusive to two containers of pod {admission.pod.uid}",
        got=_told({name: held.cpus for name, held in admission.held.items()}),
        allowed="CPUs of its own for each app container",
        twice=twice,
    )


@checker("topology-manager/admission/a-refused-pod-leaves-the-node-as-it-was", Admission)
def refused_pod_leaves_no_trace(admission: Admission) -> Judgement:
    """A refused pod holds nothing, and others keep what they have."""
    if admission.admitted or admission.again or not admission.before.settings.static:
        return None
    changed = admission.before.pool ^ admission.after.pool
    return violated(
        not changed & ~admission.before.left,
        f"refusing pod {admission.pod.uid} changed the shared pool by {format_bits(changed)}",
        got=format_bits(admission.after.pool),
        allowed=format_bits(admission.before.pool),
    )


@checker("cpu-manager/static/keeps-cpus-while-it-runs", Run)
def starting_changes_nothing(run: Run) -> Judgement:
    """A container starts on the CPUs it was admitted with."""
    if not run.before.settings.static:
        return None
    admitted = {name: held.cpus for name, held in run.before.pods[run.uid].held.items()}
    started = {name: held.cpus for name, held in run.held.items()}
    kinds = {container.name: container.kind for container in run.after.pods[run.uid].spec.containers}
    moved = {name for name, cpus in started.items() if kinds.get(name) != "init" and admitted.get(name, cpus) != cpus}
    return violated(
        not moved,
        f"containers of pod {run.uid} start on other CPUs than they were given: {', '.join(sorted(moved))}",
        got=_told(started),
        allowed=_told(admitted),
    )


@checker("cpu-manager/static/keeps-cpus-when-admitted-again", Admission)
def admitted_again_keeps_cpus(admission: Admission) -> Judgement:
    """A pod that is on the node already keeps what it has."""
    if not _static(admission) or not admission.again:
        return None
    had = admission.before.pods[admission.pod.uid]
    kept = {name: held.cpus for name, held in had.held.items() if _lives(admission, name)}
    now = {name: held.cpus for name, held in admission.held.items() if _lives(admission, name)}
    return violated(
        kept == now, f"pod {admission.pod.uid}, admitted again, has other CPUs", got=_told(now), allowed=_told(kept)
    )


def _lives(admission: Admission, name: str) -> bool:
    return any(container.name == name and container.kind != "init" for container in admission.pod.containers)


@checker("protocol/state-agrees-with-answers", State)
def state_agrees(state: State) -> Judgement:
    """What a node says it holds is what it answered when it gave it."""
    if not state.world.settings.static:
        return None
    told = {uid: {name: held.cpus for name, held in own.items() if held.cpus} for uid, own in state.pods.items()}
    known = {
        uid: {name: held.cpus for name, held in pod.held.items() if held.cpus} for uid, pod in state.world.pods.items()
    }
    for uid, pod in state.world.pods.items():
        for container in pod.spec.containers:
            if container.kind == "init":
                known[uid].pop(container.name, None)
                told.get(uid, {}).pop(container.name, None)
    return violated(told == known, "the node tells of other CPUs than it gave", got=str(told), allowed=str(known))


@checker("cpu-manager/state-file/assignments-survive-a-restart", Restart)
def cpus_survive_a_restart(restart: Restart) -> Judgement:
    """After a restart on its own state files the node comes up and every container has the CPUs it had."""
    if not restart.plain or not restart.before.settings.static:
        return None
    return _survives(restart)


def _survives(restart: Restart) -> Iterator[Violation]:
    if restart.after is None:
        yield Violation("the node does not come up again after a restart", restart.refusal, "it comes up")
        return
    for uid, why in restart.refused.items():
        yield Violation(f"pod {uid} runs, and is refused after a restart", why, "it is admitted again")
    for uid, pod in restart.before.pods.items():
        if uid in restart.refused:
            continue
        now = restart.held.get(uid)
        if now is None:
            yield Violation(f"pod {uid} is forgotten after a restart", "nothing", "it is admitted again")
            continue
        for container in pod.spec.containers:
            had = pod.held[container.name].cpus if container.name in pod.held else 0
            has = now[container.name].cpus if container.name in now else 0
            if container.kind != "init" and had != has:
                why = f"container {container.name} of pod {uid} has other CPUs after a restart"
                yield Violation(why, format_bits(has), format_bits(had))


@checker("cpu-manager/reconcile/sends-what-is-assigned", ReconcilePass)
def reconcile_sends_what_is_assigned(done: ReconcilePass) -> Judgement:
    """A cpuset that is sent is the container's own, or the shared pool."""
    if not done.world.settings.static or not done.updates:
        return None
    return _wrong_updates(done)


def _wrong_updates(done: ReconcilePass) -> Iterator[Violation]:
    for update in done.updates:
        pod = done.world.pods.get(update.uid)
        held = pod.held.get(update.container) if pod else None
        if held is None:
            yield Violation(f"a cpuset is sent for {update.uid}/{update.container}, which is not on the node")
            continue
        wanted = held.cpus or done.world.pool
        yield from violated(
            update.cpus == wanted,
            f"container {update.container} of pod {update.uid} is sent other CPUs than are assigned",
            got=format_bits(update.cpus),
            allowed=format_bits(wanted),
        )


@checker("cpu-manager/reconcile/running-containers-get-their-cpusets", ReconcilePass)
def reconcile_forgets_nobody(done: ReconcilePass) -> Judgement:
    """After a pass every container runs on what is assigned.

    Asked of shared containers in a pass that sends the pool to some: cpusets may as well be written at once, unseen.
    """
    shared = {
        (uid, container.name)
        for uid, pod in done.world.pods.items()
        for container in pod.spec.containers
        if container.name in pod.held and not pod.held[container.name].cpus
    }
    sent = {(update.uid, update.container): update.cpus for update in done.updates}
    if not done.world.settings.static or not shared & sent.keys():
        return None
    pool = done.world.pool
    stale = sorted(key for key in shared & done.runs_on.keys() if sent.get(key, done.runs_on[key]) != pool)
    return violated(
        not stale,
        f"after the pass {', '.join(map('/'.join, stale))} do not run on the shared pool, though others were sent it",
        got=", ".join(format_bits(sent.get(key, done.runs_on[key])) for key in stale),
        allowed=format_bits(pool),
    )


def _told(cpus: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {format_bits(bits) or '(shared pool)'}" for name, bits in cpus.items()) or "nothing"
