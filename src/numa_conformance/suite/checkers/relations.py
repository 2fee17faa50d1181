"""What was admitted once is admitted again where no less is free, and with an init container that adds nothing."""

from __future__ import annotations

from ..judge.alignment import empties_the_pool, only_cpus
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.choice import BY_SOCKET, WHOLE_CORES, adds_up
from ..judge.node_subjects import AskedAgain
from ..judge.pods import GUARANTEED
from ..judge.start_subjects import MOST_NODES
from .admissions import REFUSING

as_it_was = Guard[AskedAgain]("init containers were added", lambda asked: not asked.with_init)
on_the_same_machine = Guard[AskedAgain]("the machine is a larger one", lambda asked: not asked.larger)
on_a_larger_machine = Guard[AskedAgain]("the machine is the same", lambda asked: asked.larger)


def _by_cpus_alone(asked: AskedAgain) -> bool:
    settings = asked.settings
    return (
        only_cpus(asked.now, asked.pod)
        and not (settings.memory_static and asked.pod.qos == GUARANTEED)
        and not settings.options & {BY_SOCKET, WHOLE_CORES}
        and len(asked.now.machine.numa_ids) <= MOST_NODES
    )


by_cpus_alone = Guard[AskedAgain](
    "how few NUMA nodes hold the pod's memory, devices, whole cores or sockets may be otherwise there", _by_cpus_alone
)
with_init_containers = Guard[AskedAgain]("no init containers were added", lambda asked: asked.with_init)


def _aligned_alike(asked: AskedAgain) -> bool:
    one_by_one = asked.settings.topology in REFUSING and asked.settings.scope != "pod"
    return not one_by_one or all(container.requests == asked.pod.apps[0].requests for container in asked.pod.containers)


aligned_alike = Guard[AskedAgain]("a smaller init container is aligned by itself, and may be refused", _aligned_alike)
leaving_a_shared_cpu = Guard[AskedAgain](
    "the pool would be empty until the init container ends", lambda asked: not empties_the_pool(asked.now, asked.pod)
)


def _in_whole_cores(asked: AskedAgain) -> bool:
    cores = asked.now.machine.core_bits
    return WHOLE_CORES not in asked.settings.options or all(
        adds_up(cores, container.exclusive) for container in asked.pod.containers
    )


in_whole_cores = Guard[AskedAgain]("an init container asks for a part of a core under full-pcpus-only", _in_whole_cores)


@checker("node/admission/admits-again-what-it-admitted", AskedAgain, when=(as_it_was, on_the_same_machine))
def admits_again(asked: AskedAgain) -> Judgement:
    """What was admitted is admitted again where no less is free: after pods have gone, a restart, or a new start."""
    return _admitted_again(asked, "was admitted when no more was free")


@checker(
    "node/admission/admits-on-a-larger-machine",
    AskedAgain,
    when=(as_it_was, on_a_larger_machine, by_cpus_alone),
)
def admits_on_a_larger_machine(asked: AskedAgain) -> Judgement:
    """What was admitted is admitted on a machine with further NUMA nodes of the same sizes, where as much is free."""
    return _admitted_again(asked, "was admitted on a part of this machine")


@checker(
    "node/admission/an-init-container-no-larger-changes-nothing",
    AskedAgain,
    when=(with_init_containers, on_the_same_machine, aligned_alike, leaving_a_shared_cpu, in_whole_cores),
)
def small_init_changes_nothing(asked: AskedAgain) -> Judgement:
    """The larger of init containers and app counts: an init container no larger than the app changes no verdict."""
    return _admitted_again(asked, "was admitted without its init containers, of which none is larger than its app")


def _admitted_again(asked: AskedAgain, why: str) -> Judgement:
    return violated(
        asked.admitted,
        f"pod {asked.pod.uid} is refused, and {why}",
        got=asked.refusal,
        allowed="admitted",
        free=asked.now.free,
    )
