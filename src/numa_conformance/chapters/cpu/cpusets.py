"""Which CPUs containers may run on at last. Page: Node Resource Managers, section on policies for CPUs."""

from ...cpuset import format_bits
from ...judging.chapter import Chapter, Judgement, applies, rests_on, violated
from ...judging.may_run import MayRun
from ..conditions import under_none, under_static

chapter = Chapter("node/cpuset", "cpu-manager/static", since="1.8", area="cpu-manager lifecycle")


def cpuset_of(container: MayRun) -> int:
    applies(container.is_reported, "no answer says on which CPUs the container may run")
    return container.cpuset


def settled_cpuset_of(container: MayRun) -> int:
    """Return the CPUs that a container may run on when every cpuset has been sent."""
    under_static(container)
    cpuset = cpuset_of(container)
    applies(container.settled, "cpusets may still be sent: no pass of the reconcile loop yet")
    return cpuset


@chapter.requires("cpu-manager/cpuset/keeps-off-exclusive-cpus")
@rests_on(
    "nrm/cpus/exclusive-against-other-pods",
    "nrm/cpus/cpusets-enforce-exclusivity",
    "nrm/static/cpus-leave-the-pool",
    "cpu-1.8/static/cpusets-enforce-exclusivity",
)
def keeps_off_exclusive_cpus(container: MayRun) -> Judgement:
    """Once cpusets have been sent, the cpuset of every container, shared or not, leaves out the CPUs that are
    exclusive to another container.
    """
    cpuset = settled_cpuset_of(container)
    exclusive = applies(container.of_others, "no other container has CPUs of its own")
    taken = cpuset & exclusive
    why = f"container {container.key} may run on CPUs {format_bits(taken)}, which are exclusive to other containers"
    return violated(not taken, why, got=format_bits(cpuset), allowed=f"none of {format_bits(exclusive)}", both=taken)


@chapter.requires("cpu-manager/cpuset/is-never-empty")
@rests_on(
    "nrm/static/pool-never-empty",
    beyond="The page speaks of the shared pool, in which containers without CPUs of their own run.",
)
def is_never_empty(container: MayRun) -> Judgement:
    """Every container that runs has a CPU to run on."""
    why = f"container {container.key} has no CPU to run on"
    return violated(
        cpuset_of(container), why, got="no CPU", allowed="some; all of the machine where no cpuset keeps it to some"
    )


@chapter.requires("cpu-manager/cpuset/is-online")
@rests_on("nrm/static/pool-holds-all-cpus-at-first", "nrm/static/cpus-leave-the-pool")
def is_online(container: MayRun) -> Judgement:
    """The cpuset of a container has CPUs that are online, and no others."""
    cpuset, online = cpuset_of(container), container.world.online
    beyond = cpuset & ~online
    why = f"container {container.key} is to run on CPUs {format_bits(beyond)}, which are not online"
    return violated(not beyond, why, got=format_bits(cpuset), allowed=f"some of {format_bits(online)}")


@chapter.requires("cpu-manager/cpuset/holds-the-exclusive-cpus")
@rests_on("nrm/static/cpus-are-the-containers-own", "nrm/static/as-many-as-the-limit")
def holds_the_exclusive_cpus(container: MayRun) -> Judgement:
    """The cpuset of a container with exclusive CPUs has these, and no others."""
    cpuset = settled_cpuset_of(container)
    exclusive = applies(container.held.cpus, "the container has no CPUs of its own")
    applies(not container.of_a_whole, "the pod as a whole has resources")
    applies(not cpuset & ~container.world.online, "some of its CPUs are not online")
    why = f"container {container.key} may run on other CPUs than those of its own"
    return violated(
        cpuset == exclusive, why, got=format_bits(cpuset) or "none", allowed=format_bits(exclusive), exclusive=exclusive
    )


@chapter.requires("cpu-manager/cpuset/regains-cpus-on-removal")
@rests_on(
    "nrm/static/cpus-leave-the-pool",
    "cpu-task/configuration/reconciles-through-the-cri",
    beyond="No page says when the CPUs of a removed pod return; which shared CPUs others may use is not asked.",
)
def regains_cpus_on_removal(container: MayRun) -> Judgement:
    """A shared container that gave up CPUs for a pod may run on them again when that pod is gone and cpusets have
    been sent.
    """
    cpuset = settled_cpuset_of(container)
    applies(not container.held.cpus, "the container has CPUs of its own")
    given_up = applies(container.lost, "it gave up no CPUs, or they are still exclusive to others")
    missing = given_up & ~cpuset
    why = f"shared container {container.key} may not run on CPUs {format_bits(missing)} again, which are shared again"
    return violated(not missing, why, got=format_bits(cpuset), allowed=f"{format_bits(given_up)} too", missing=missing)


@Chapter("node/cpuset", "cpu-manager/none", since="1.8", area="cpu-manager lifecycle").requires(
    "cpu-manager/none/keeps-nobody-to-some-cpus"
)
@rests_on("nrm/cpus/none-leaves-cpusets-alone", "nrm/cpus/none-gives-no-affinity")
def none_keeps_nobody_to_some(container: MayRun) -> Judgement:
    """Under policy none every container may run on all CPUs."""
    under_none(container)
    cpuset, online = cpuset_of(container), container.world.online
    missing = online & ~cpuset
    why = f"under policy none container {container.key} is kept off CPUs {format_bits(missing)}"
    return violated(not missing, why, got=format_bits(cpuset), allowed=format_bits(online))
