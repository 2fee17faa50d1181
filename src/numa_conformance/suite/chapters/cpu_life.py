"""CPUs over a node's life: admission, start and reconcile.

The sentences are on the page Node Resource Managers, section Static policy, unless a requirement says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...cpuset import bit_of, format_bits, iter_bits
from ..judge.chapter import Chapter, Judgement, Violation, applies, violated
from ..judge.node_subjects import Admission, Moment, ReconcilePass, Run

chapter = Chapter(since="1.8")


@chapter.requires(
    "qos/class-is-told-at-admission",
    "node/qos",
    on=Admission,
    rests_on=("nrm/static/example-4-class", "nrm/static/example-2-class", "nrm/static/example-1-class"),
    beyond="that an admission tells the class: the target protocol says it",
)
def class_is_told(admission: Admission) -> Judgement:
    """The QoS class that is told with an admission is the pod's."""
    applies(admission.qos is not None, "the pod's class is not told")
    return violated(
        admission.qos == admission.pod.qos,
        f"pod {admission.pod.uid} is called {admission.qos}",
        got=admission.qos,
        allowed=admission.pod.qos,
    )


@chapter.requires(
    "cpu-manager/static/exclusive-cpus-belong-to-one-pod",
    "cpu-manager/static",
    on=Moment,
    rests_on=("nrm/cpus/exclusive-against-other-pods", "cpu-1.8/static/exclusive-against-other-pods"),
)
def exclusive_cpus_belong_to_one_pod(moment: Moment) -> Iterator[Violation]:
    """No CPU is exclusive to containers of two pods.

    Exclusivity extends to other pods.
    """
    applies(len(moment.world.pods) > 1, "fewer than two pods are on the node")
    owner: dict[int, str] = {}
    for uid, pod in moment.world.pods.items():
        for cpu in iter_bits(pod.kept):
            if cpu in owner:
                yield Violation(f"CPU {cpu} belongs to the pods {owner[cpu]} and {uid}", marks={"twice": bit_of(cpu)})
                return
            owner[cpu] = uid


@chapter.requires(
    "topology-manager/admission/a-refused-pod-leaves-the-node-as-it-was",
    "topology-manager/restricted",
    "cpu-manager/static",
    on=Admission,
    rests_on=("topology/restricted/refuses", "topology-source/admission/others-go-on"),
    since="1.18",
    beyond="No page says what a refused pod holds.",
)
def refused_pod_leaves_no_trace(admission: Admission) -> Judgement:
    """A refused pod holds nothing: the next pod finds the node as it was before.

    A refused pod holds nothing, and others keep what they have.
    """
    applies(not admission.admitted, "the pod was admitted")
    applies(not admission.again, "the pod was on the node before")
    applies(admission.settings.static, "the CPU Manager's policy is none")
    changed = admission.before.pool ^ admission.after.pool
    return violated(
        not changed & ~admission.before.left,
        f"refusing pod {admission.pod.uid} changed the shared pool by {format_bits(changed)}",
        got=format_bits(admission.after.pool),
        allowed=format_bits(admission.before.pool),
    )


@chapter.requires(
    "cpu-manager/static/keeps-cpus-while-it-runs",
    "cpu-manager/static",
    on=Run,
    rests_on=("nrm/static/cpus-are-the-containers-own",),
)
def starting_changes_nothing(run: Run) -> Judgement:
    """A container runs on the exclusive CPUs it was admitted with."""
    applies(run.settings.static, "the CPU Manager's policy is none")
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


@chapter.requires(
    "cpu-manager/reconcile/sends-what-is-assigned",
    "cpu-manager/static",
    "cpu-manager/reconcile",
    on=ReconcilePass,
    rests_on=("cpu-task/configuration/reconciles-through-the-cri",),
)
def reconcile_sends_what_is_assigned(done: ReconcilePass) -> Iterator[Violation]:
    """A cpuset that the reconcile loop sends is the container's own, or the shared pool."""
    applies(done.settings.static, "the CPU Manager's policy is none")
    applies(done.updates, "no cpuset is sent")
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


@chapter.requires(
    "cpu-manager/reconcile/none-writes-nothing",
    "cpu-manager/none",
    "cpu-manager/reconcile",
    on=ReconcilePass,
    rests_on=("nrm/cpus/none-leaves-cpusets-alone",),
    strength="SHOULD",
    area="cpu-manager lifecycle",
    beyond="A cpuset of all CPUs would give no affinity either.",
)
def none_writes_nothing(done: ReconcilePass) -> Judgement:
    """Under policy none no cpuset is written for any container."""
    applies(not done.settings.static, "the CPU Manager's policy is static")
    applies(done.runs_on, "no container runs")
    return violated(
        not done.updates,
        "cpusets are written under policy none",
        got=", ".join(f"{update.uid}/{update.container}: {format_bits(update.cpus)}" for update in done.updates),
        allowed="none",
    )


def _told(cpus: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {format_bits(bits) or '(shared pool)'}" for name, bits in cpus.items()) or "nothing"
