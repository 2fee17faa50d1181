"""CPUs over a node's life: admission, start and reconcile.

The sentences are on the page Node Resource Managers, section Static policy, unless a requirement says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...cpuset import bit_of, format_bits, iter_bits
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.node_subjects import Admission, Moment, ReconcilePass, Run
from .guards import for_the_first_time, none, refused, static

class_is_in_the_answer = Guard[Admission]("the pod's class is not told", lambda admission: admission.qos is not None)


@checker("qos/class-is-told-at-admission", Admission, when=(class_is_in_the_answer,))
def class_is_told(admission: Admission) -> Judgement:
    """The QoS class that is told with an admission is the pod's."""
    return violated(
        admission.qos == admission.pod.qos,
        f"pod {admission.pod.uid} is called {admission.qos}",
        got=admission.qos,
        allowed=admission.pod.qos,
    )


with_two_pods = Guard[Moment]("fewer than two pods are on the node", lambda moment: len(moment.world.pods) > 1)


@checker("cpu-manager/static/exclusive-cpus-belong-to-one-pod", Moment, when=(with_two_pods,))
def exclusive_cpus_belong_to_one_pod(moment: Moment) -> Iterator[Violation]:
    """Exclusivity extends to other pods."""
    owner: dict[int, str] = {}
    for uid, pod in moment.world.pods.items():
        for cpu in iter_bits(pod.kept):
            if cpu in owner:
                yield Violation(f"CPU {cpu} belongs to the pods {owner[cpu]} and {uid}", marks={"twice": bit_of(cpu)})
                return
            owner[cpu] = uid


@checker(
    "topology-manager/admission/a-refused-pod-leaves-the-node-as-it-was",
    Admission,
    when=(refused, for_the_first_time, static),
)
def refused_pod_leaves_no_trace(admission: Admission) -> Judgement:
    """A refused pod holds nothing, and others keep what they have."""
    changed = admission.before.pool ^ admission.after.pool
    return violated(
        not changed & ~admission.before.left,
        f"refusing pod {admission.pod.uid} changed the shared pool by {format_bits(changed)}",
        got=format_bits(admission.after.pool),
        allowed=format_bits(admission.before.pool),
    )


@checker("cpu-manager/static/keeps-cpus-while-it-runs", Run, when=(static,))
def starting_changes_nothing(run: Run) -> Judgement:
    """A container starts on the CPUs it was admitted with."""
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


sends_something = Guard[ReconcilePass]("no cpuset is sent", lambda done: done.updates)


@checker("cpu-manager/reconcile/sends-what-is-assigned", ReconcilePass, when=(static, sends_something))
def reconcile_sends_what_is_assigned(done: ReconcilePass) -> Iterator[Violation]:
    """A cpuset that is sent is the container's own, or the shared pool."""
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


with_running_containers = Guard[ReconcilePass]("no container runs", lambda done: done.runs_on)


@checker("cpu-manager/reconcile/none-writes-nothing", ReconcilePass, when=(none, with_running_containers))
def none_writes_nothing(done: ReconcilePass) -> Judgement:
    """Under policy none no cpuset is written."""
    return violated(
        not done.updates,
        "cpusets are written under policy none",
        got=", ".join(f"{update.uid}/{update.container}: {format_bits(update.cpus)}" for update in done.updates),
        allowed="none",
    )


def _told(cpus: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {format_bits(bits) or '(shared pool)'}" for name, bits in cpus.items()) or "nothing"
