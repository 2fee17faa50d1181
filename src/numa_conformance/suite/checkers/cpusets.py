"""Which CPUs each container may run on at last: page Node Resource Managers, its section on policies for CPUs."""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.may_run import MayRun
from .guards import none, static

__all__ = ["cpuset_is_told"]

cpuset_is_told = Guard[MayRun]("it is not told on which CPUs the container may run", lambda may: may.told)
settled = Guard[MayRun]("cpusets may still be sent: no pass of the reconcile loop yet", lambda may: may.settled)
has_its_own = Guard[MayRun]("the container has no CPUs of its own", lambda may: may.held.cpus)
shares = Guard[MayRun]("the container has CPUs of its own", lambda may: not may.held.cpus)
all_online = Guard[MayRun]("some of its CPUs are not online", lambda may: not may.cpuset & ~may.world.online)
of_containers = Guard[MayRun]("the pod as a whole has resources", lambda may: not may.of_a_whole)
others_have_some = Guard[MayRun]("no other container has CPUs of its own", lambda may: may.of_others)
gave_some_up = Guard[MayRun]("it gave up no CPUs, or they are still exclusive to others", lambda may: may.given_up)


@checker(
    "cpu-manager/cpuset/keeps-off-exclusive-cpus",
    MayRun,
    when=(static, cpuset_is_told, others_have_some, settled),
)
def keeps_off_exclusive_cpus(may: MayRun) -> Judgement:
    """No container runs on CPUs that are exclusive to another one."""
    taken = may.cpuset & may.of_others
    return violated(
        not taken,
        f"container {may.key} may run on CPUs {format_bits(taken)}, which are exclusive to other containers",
        got=format_bits(may.cpuset),
        allowed=f"none of {format_bits(may.of_others)}",
        both=taken,
    )


@checker("cpu-manager/cpuset/is-never-empty", MayRun, when=(cpuset_is_told,))
def is_never_empty(may: MayRun) -> Judgement:
    """A container has CPUs to run on."""
    return violated(
        may.cpuset,
        f"container {may.key} has no CPU to run on",
        got="no CPU",
        allowed="some; all of the machine where no cpuset keeps it to some",
    )


@checker("cpu-manager/cpuset/is-online", MayRun, when=(cpuset_is_told,))
def is_online(may: MayRun) -> Judgement:
    """Shared and exclusive CPUs are those of the node: there are no others to run on."""
    beyond = may.cpuset & ~may.world.online
    return violated(
        not beyond,
        f"container {may.key} is to run on CPUs {format_bits(beyond)}, which are not online",
        got=format_bits(may.cpuset),
        allowed=f"some of {format_bits(may.world.online)}",
    )


@checker(
    "cpu-manager/cpuset/holds-the-exclusive-cpus",
    MayRun,
    when=(static, cpuset_is_told, has_its_own, of_containers, settled, all_online),
)
def holds_the_exclusive_cpus(may: MayRun) -> Judgement:
    """Exclusive CPUs are the cpuset of their container: as many as its limit, and no others."""
    return violated(
        may.cpuset == may.held.cpus,
        f"container {may.key} may run on other CPUs than those of its own",
        got=format_bits(may.cpuset) or "none",
        allowed=format_bits(may.held.cpus),
        exclusive=may.held.cpus,
    )


@checker(
    "cpu-manager/cpuset/regains-cpus-on-removal",
    MayRun,
    when=(static, cpuset_is_told, shares, gave_some_up, settled),
)
def regains_cpus_on_removal(may: MayRun) -> Judgement:
    """A shared container that gave CPUs up for a pod may run on them again once they are shared again."""
    missing = may.given_up & ~may.cpuset
    return violated(
        not missing,
        f"shared container {may.key} may not run on CPUs {format_bits(missing)} again, which are shared again",
        got=format_bits(may.cpuset),
        allowed=f"{format_bits(may.given_up)} too",
        missing=missing,
    )


@checker("cpu-manager/none/keeps-nobody-to-some-cpus", MayRun, when=(none, cpuset_is_told))
def none_keeps_nobody_to_some(may: MayRun) -> Judgement:
    """Policy none gives no affinity: a container may run on every CPU."""
    missing = may.world.online & ~may.cpuset
    return violated(
        not missing,
        f"under policy none container {may.key} is kept off CPUs {format_bits(missing)}",
        got=format_bits(may.cpuset),
        allowed=format_bits(may.world.online),
    )
