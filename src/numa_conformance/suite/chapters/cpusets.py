"""Which CPUs each container may run on at last: page Node Resource Managers, its section on policies for CPUs."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.may_run import MayRun

chapter = Chapter("node/cpuset", since="1.8")


@chapter.requires(
    "cpu-manager/cpuset/keeps-off-exclusive-cpus",
    "cpu-manager/static",
    on=MayRun,
    rests_on=(
        "nrm/cpus/exclusive-against-other-pods",
        "nrm/cpus/cpusets-enforce-exclusivity",
        "nrm/static/cpus-leave-the-pool",
        "cpu-1.8/static/cpusets-enforce-exclusivity",
    ),
    area="cpu-manager lifecycle",
)
def keeps_off_exclusive_cpus(may: MayRun) -> Judgement:
    """No container may run on CPUs that are exclusive to another one: the cpuset of every container, shared or
    not, leaves them out once cpusets have been sent.
    """
    applies(may.settings.static, "the CPU Manager's policy is none")
    applies(may.told, "it is not told on which CPUs the container may run")
    applies(may.of_others, "no other container has CPUs of its own")
    applies(may.settled, "cpusets may still be sent: no pass of the reconcile loop yet")
    taken = may.cpuset & may.of_others
    return violated(
        not taken,
        f"container {may.key} may run on CPUs {format_bits(taken)}, which are exclusive to other containers",
        got=format_bits(may.cpuset),
        allowed=f"none of {format_bits(may.of_others)}",
        both=taken,
    )


@chapter.requires(
    "cpu-manager/cpuset/is-never-empty",
    "cpu-manager/static",
    on=MayRun,
    rests_on=("nrm/static/pool-never-empty",),
    area="cpu-manager lifecycle",
    beyond="The page speaks of the shared pool, in which containers without CPUs of their own run.",
)
def is_never_empty(may: MayRun) -> Judgement:
    """Every container that runs has a CPU to run on."""
    applies(may.told, "it is not told on which CPUs the container may run")
    return violated(
        may.cpuset,
        f"container {may.key} has no CPU to run on",
        got="no CPU",
        allowed="some; all of the machine where no cpuset keeps it to some",
    )


@chapter.requires(
    "cpu-manager/cpuset/is-online",
    "cpu-manager/static",
    on=MayRun,
    rests_on=("nrm/static/pool-holds-all-cpus-at-first", "nrm/static/cpus-leave-the-pool"),
    area="cpu-manager lifecycle",
)
def is_online(may: MayRun) -> Judgement:
    """Containers are told to run on CPUs that are online, and on no others."""
    applies(may.told, "it is not told on which CPUs the container may run")
    beyond = may.cpuset & ~may.world.online
    return violated(
        not beyond,
        f"container {may.key} is to run on CPUs {format_bits(beyond)}, which are not online",
        got=format_bits(may.cpuset),
        allowed=f"some of {format_bits(may.world.online)}",
    )


@chapter.requires(
    "cpu-manager/cpuset/holds-the-exclusive-cpus",
    "cpu-manager/static",
    on=MayRun,
    rests_on=("nrm/static/cpus-are-the-containers-own", "nrm/static/as-many-as-the-limit"),
    area="cpu-manager lifecycle",
)
def holds_the_exclusive_cpus(may: MayRun) -> Judgement:
    """The cpuset of a container with exclusive CPUs has these, and no others."""
    applies(may.settings.static, "the CPU Manager's policy is none")
    applies(may.told, "it is not told on which CPUs the container may run")
    applies(may.held.cpus, "the container has no CPUs of its own")
    applies(not may.of_a_whole, "the pod as a whole has resources")
    applies(may.settled, "cpusets may still be sent: no pass of the reconcile loop yet")
    applies(not may.cpuset & ~may.world.online, "some of its CPUs are not online")
    return violated(
        may.cpuset == may.held.cpus,
        f"container {may.key} may run on other CPUs than those of its own",
        got=format_bits(may.cpuset) or "none",
        allowed=format_bits(may.held.cpus),
        exclusive=may.held.cpus,
    )


@chapter.requires(
    "cpu-manager/cpuset/regains-cpus-on-removal",
    "cpu-manager/static",
    on=MayRun,
    rests_on=("nrm/static/cpus-leave-the-pool", "cpu-task/configuration/reconciles-through-the-cri"),
    area="cpu-manager lifecycle",
    beyond="No page says when the CPUs of a removed pod return; which shared CPUs others may use is not asked.",
)
def regains_cpus_on_removal(may: MayRun) -> Judgement:
    """A shared container that gave up CPUs for a pod may run on them again when that pod is gone and cpusets have
    been sent.
    """
    applies(may.settings.static, "the CPU Manager's policy is none")
    applies(may.told, "it is not told on which CPUs the container may run")
    applies(not may.held.cpus, "the container has CPUs of its own")
    applies(may.given_up, "it gave up no CPUs, or they are still exclusive to others")
    applies(may.settled, "cpusets may still be sent: no pass of the reconcile loop yet")
    missing = may.given_up & ~may.cpuset
    return violated(
        not missing,
        f"shared container {may.key} may not run on CPUs {format_bits(missing)} again, which are shared again",
        got=format_bits(may.cpuset),
        allowed=f"{format_bits(may.given_up)} too",
        missing=missing,
    )


@chapter.requires(
    "cpu-manager/none/keeps-nobody-to-some-cpus",
    "cpu-manager/none",
    on=MayRun,
    rests_on=("nrm/cpus/none-leaves-cpusets-alone", "nrm/cpus/none-gives-no-affinity"),
    area="cpu-manager lifecycle",
)
def none_keeps_nobody_to_some(may: MayRun) -> Judgement:
    """Under policy none every container may run on all CPUs."""
    applies(not may.settings.static, "the CPU Manager's policy is static")
    applies(may.told, "it is not told on which CPUs the container may run")
    missing = may.world.online & ~may.cpuset
    return violated(
        not missing,
        f"under policy none container {may.key} is kept off CPUs {format_bits(missing)}",
        got=format_bits(may.cpuset),
        allowed=format_bits(may.world.online),
    )
