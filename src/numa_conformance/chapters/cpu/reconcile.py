"""What a node enforces while containers run: cpusets, by passes of a reconcile loop, and CFS quota.

Pages: Control CPU Management Policies on the Node, and Node Resource Managers.
"""

from collections.abc import Iterator

from ...cpuset import format_bits
from ...judging.chapter import (
    Chapter,
    Judgement,
    Violation,
    applies,
    configured,
    exists,
    recommended_by,
    rests_on,
    violated,
)
from ...judging.node_subjects import ReconcilePass
from ...judging.shared_views import PERIOD, NodeContainer
from ..conditions import under_none, under_static

chapter = Chapter("cpu-manager/static", since="1.8")
policy_none = Chapter("cpu-manager/none", since="1.8")


@chapter.requires("cpu-manager/reconcile/sends-what-is-assigned", "cpu-manager/reconcile")
@rests_on("cpu-task/configuration/reconciles-through-the-cri")
def sends_what_is_assigned(loop: ReconcilePass) -> Iterator[Violation]:
    """A cpuset that the reconcile loop sends has the container's exclusive CPUs, or CPUs of the shared pool alone."""
    under_static(loop)
    for update in applies(loop.updates, "no cpuset is sent"):
        pod = loop.world.pods.get(update.uid)
        held = pod.held.get(update.container) if pod else None
        if held is None:
            yield Violation(f"a cpuset is sent for {update.uid}/{update.container}, which is not on the node")
            continue
        holds = update.cpus == held.cpus if held.cpus else _is_part(update.cpus, loop.world.pool)
        assigned = format_bits(held.cpus) if held.cpus else f"some of {format_bits(loop.world.pool)}"
        why = f"container {update.container} of pod {update.uid} is sent other CPUs than are assigned"
        yield from violated(holds, why, got=format_bits(update.cpus) or "none", allowed=assigned)


def _is_part(cpus: int, pool: int) -> bool:
    """Tell whether a container that runs on some CPUs runs in the shared pool: the pages do not say on how many."""
    return bool(cpus) and not cpus & ~pool


@chapter.requires(
    "cpu-manager/reconcile/running-containers-get-their-cpusets", "cpu-manager/reconcile", area="cpu-manager lifecycle"
)
@rests_on("cpu-task/configuration/reconciles-through-the-cri", "cpu-1.8/configuration/reconciles-through-the-cri")
def runs_on_what_is_assigned(container: NodeContainer) -> Iterator[Violation]:
    """After a pass of the reconcile loop every running container runs on its exclusive CPUs, or in the shared pool as
    it is now.
    """
    runs = applies(container.runs, "it is not seen what the container runs on")
    under_static(container)
    pool = exists(container.pool, "the shared pool is not reported")
    applies(container.cpus or container.settled, "the container is shared, and the pool may have changed a moment ago")
    cpus = applies(container.cpus or pool, "the container is shared, and the pool is empty")
    assigned = f"{'its own' if container.cpus else 'the shared pool'} {format_bits(cpus)}"
    facts = container.about("runs", "cpu" if container.cpus else "pool")
    may_be_a_part = not container.cpus and not container.is_given_the_pool and _is_part(runs.written or 0, cpus)
    if runs.written is not None and runs.written != cpus and not may_be_a_part:
        beyond = format_bits(runs.written) or "nothing: it may run on all of its parent's"
        why = f"the cgroup of container {container.key} has another cpuset than is assigned"
        yield Violation(why, beyond, assigned, about=facts)
    elif runs.effective is not None and runs.effective != cpus & container.machine.online_bits:
        why = f"container {container.key} runs on other CPUs than its cgroup has: a cgroup above it narrows them"
        yield Violation(why, format_bits(runs.effective), assigned, about=(*container.about("effective"), *facts))
    else:
        for threads in runs.threads:
            yield from violated(
                not threads.cpus & ~cpus,
                f"{threads} of container {container.key} may run on CPUs that are not assigned to it",
                got=format_bits(threads.cpus),
                allowed=assigned,
                about=(f"thread:{threads.first}", *facts),
            )


@policy_none.requires(
    "cpu-manager/reconcile/none-writes-nothing", "cpu-manager/reconcile", area="cpu-manager lifecycle"
)
@recommended_by("nrm/cpus/none-leaves-cpusets-alone", beyond="A cpuset of all CPUs would give no affinity either.")
def none_writes_nothing(loop: ReconcilePass) -> Judgement:
    """Under policy none no cpuset is written for any container."""
    under_none(loop)
    applies(loop.runs_on, "no container runs")
    why = "cpusets are written under policy none"
    got = ", ".join(f"{update.uid}/{update.container}: {format_bits(update.cpus)}" for update in loop.updates)
    return violated(not loop.updates, why, got=got, allowed="none")


@policy_none.requires("cpu-manager/none/limits-are-enforced-by-quota", "cpu-manager/cfs-quota")
@rests_on(
    "nrm/cpus/none-bounds-by-quota",
    "cpu-1.8/none/quota",
    "nrm/cpus/quota-by-default",
    beyond="that the quota is the limit to within 1,000 microseconds, the least that CFS knows",
)
def none_enforces_limits(container: NodeContainer) -> Judgement:
    """Under policy none CFS quota enforces the CPU limits of containers of Guaranteed and Burstable pods."""
    under_none(container)
    return _is_bounded(container)


@chapter.requires("cpu-manager/static/shared-limits-are-enforced-by-quota", "cpu-manager/cfs-quota")
@rests_on(
    "nrm/cpus/quota-by-default",
    beyond="that the quota is the limit to within 1,000 microseconds, the least that CFS knows",
)
def static_enforces_shared_limits(container: NodeContainer) -> Judgement:
    """Under policy static CFS quota enforces the CPU limits of containers that have no CPUs of their own."""
    under_static(container)
    applies(not container.exclusive, "the container is owed CPUs of its own")
    return _is_bounded(container)


def _is_bounded(container: NodeContainer) -> Judgement:
    quota = quota_of(container)
    configured(container.settings.quota, "CPU limits are not enforced by quota (cpuCFSQuota)")
    applies(not container.cpus, "the container has CPUs of its own")
    limit = applies(container.limit, "the container has no CPU limit")
    why = f"the CPU limit {float(limit):g} of container {container.key} is not enforced by CFS quota"
    allowed = _in_words(round(limit * PERIOD))
    return violated(quota > 0 and abs(quota - limit * PERIOD) <= 1_000, why, got=_in_words(quota), allowed=allowed)


@chapter.requires("cpu-manager/static/exclusive-cpus-have-no-quota", "cpu-manager/cfs-quota")
@rests_on("nrm/static/no-quota-on-exclusive-cpus", "cpu-1.8/static/quota-is-not-needed")
def exclusive_cpus_have_no_quota(container: NodeContainer) -> Iterator[Violation]:
    """CFS quota does not bound containers with exclusive CPUs."""
    quota, of_pod = quota_of(container), container.pod_quota or 0
    applies(container.cpus, "the container has no CPUs of its own")
    yield from violated(
        of_pod <= 0,
        f"pod {container.uid}, whose container {container.name} has CPUs of its own,"
        " is bounded by CFS quota as a whole",
        got=_in_words(of_pod),
        allowed=_in_words(-1),
        about=(f"pod-limit:{container.uid}", *container.about("cpu")),
    )
    why = f"container {container.key} has CPUs of its own and is bounded by CFS quota"
    yield from violated(
        quota <= 0, why, got=_in_words(quota), allowed=_in_words(-1), about=container.about("limit", "cpu")
    )


def quota_of(container: NodeContainer) -> int:
    """Return the CFS quota of a container in microseconds of each period; none is no more than 0."""
    quota = container.held.quota if container.held else None
    return exists(quota, "the container's quota is not reported, or depends on more than its CPUs")


def _in_words(quota: int) -> str:
    return "no quota" if quota <= 0 else f"{quota} µs of each {PERIOD}"
