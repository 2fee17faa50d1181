"""What was admitted once is admitted again where no less is free, and with an init container that adds nothing."""

from __future__ import annotations

from ..judge.alignment import empties_the_pool, only_cpus
from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.choice import BY_SOCKET, WHOLE_CORES, adds_up
from ..judge.node_subjects import AskedAgain
from ..judge.pods import GUARANTEED
from ..judge.start_subjects import MOST_NODES
from .admissions import REFUSING

chapter = Chapter("cpu-manager/static", since="1.8")


def _by_cpus_alone(asked: AskedAgain) -> bool:
    settings = asked.settings
    return (
        only_cpus(asked.now, asked.pod)
        and not (settings.memory_static and asked.pod.qos == GUARANTEED)
        and not settings.options & {BY_SOCKET, WHOLE_CORES}
        and len(asked.now.machine.numa_ids) <= MOST_NODES
    )


def _aligned_alike(asked: AskedAgain) -> bool:
    one_by_one = asked.settings.topology in REFUSING and asked.settings.scope != "pod"
    return not one_by_one or all(container.requests == asked.pod.apps[0].requests for container in asked.pod.containers)


def _in_whole_cores(asked: AskedAgain) -> bool:
    cores = asked.now.machine.core_bits
    return WHOLE_CORES not in asked.settings.options or all(
        adds_up(cores, container.exclusive) for container in asked.pod.containers
    )


@chapter.requires(
    "node/admission/admits-again-what-it-admitted",
    on=AskedAgain,
    rests_on=("nrm/static/exclusive-are-all-but-reserved", "topology/how/policy-decides"),
    area="cpu-manager lifecycle",
    beyond="that what is left behind, and in which order a machine is told, counts for nothing",
)
def admits_again(asked: AskedAgain) -> Judgement:
    """A pod that was admitted is admitted again where no less is free: after others have gone, or a restart."""
    applies(not asked.with_init, "init containers were added")
    applies(not asked.larger, "the machine is a larger one")
    return _admitted_again(asked, "was admitted when no more was free")


@chapter.requires(
    "node/admission/admits-on-a-larger-machine",
    on=AskedAgain,
    rests_on=("topology/how/policy-decides", "nrm/static/exclusive-are-all-but-reserved"),
    area="cpu-manager lifecycle",
    beyond="that further NUMA nodes take nothing away",
)
def admits_on_a_larger_machine(asked: AskedAgain) -> Judgement:
    """A pod that was admitted is admitted on a machine that has further NUMA nodes of the same sizes."""
    applies(not asked.with_init, "init containers were added")
    applies(asked.larger, "the machine is the same")
    applies(
        _by_cpus_alone(asked),
        "how few NUMA nodes hold the pod's memory, devices, whole cores or sockets may be otherwise there",
    )
    return _admitted_again(asked, "was admitted on a part of this machine")


@chapter.requires(
    "node/admission/an-init-container-no-larger-changes-nothing",
    "cpu-manager/init-containers",
    on=AskedAgain,
    rests_on=("init-containers/resources/effective-request", "kep-693/total/larger-of-init-and-apps"),
    since="1.18",
    area="cpu-manager lifecycle",
)
def small_init_changes_nothing(asked: AskedAgain) -> Judgement:
    """A pod that was admitted is admitted with an init container too that is no larger than its app container."""
    applies(asked.with_init, "no init containers were added")
    applies(not asked.larger, "the machine is a larger one")
    applies(_aligned_alike(asked), "a smaller init container is aligned by itself, and may be refused")
    applies(not empties_the_pool(asked.now, asked.pod), "the pool would be empty until the init container ends")
    applies(_in_whole_cores(asked), "an init container asks for a part of a core under full-pcpus-only")
    return _admitted_again(asked, "was admitted without its init containers, of which none is larger than its app")


def _admitted_again(asked: AskedAgain, why: str) -> Judgement:
    return violated(
        asked.admitted,
        f"pod {asked.pod.uid} is refused, and {why}",
        got=asked.refusal,
        allowed="admitted",
        free=asked.now.free,
    )
