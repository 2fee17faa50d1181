"""Which CPUs containers have: their own, or those of the shared pool. Page: Node Resource Managers, Static policy."""

from collections.abc import Iterator
from itertools import combinations

from ...cpuset import bit_of, format_bits, iter_bits
from ...judging.chapter import Chapter, Judgement, Violation, applies, exists, judges, rests_on, violated
from ...judging.choice import CpuChoice
from ...judging.node_subjects import NodeMoment
from ...judging.pods import BEST_EFFORT, BURSTABLE, GUARANTEED
from ...judging.rest import CPUS, START, Rest
from ...judging.shared_views import ContainerView, Neighbours
from ..conditions import under_none, under_static
from ..outcomes import changed, number_of

chapter = Chapter("cpu-manager/static", since="1.8")


@chapter.requires("cpu-manager/static/integral-guaranteed-is-exclusive")
@rests_on(
    "nrm/cpus/static-gives-exclusive-cpus",
    "nrm/static/as-many-as-the-limit",
    "nrm/static/example-4-placement",
    "cpu-1.8/static/example-placements",
    "nrm/full-pcpus-only/default-gives-threads",
    "cpu-1.8/static/as-many-as-the-limit",
)
def gives_the_number(container: ContainerView) -> Judgement:
    """A container of a Guaranteed pod with an integral CPU request has exactly that many CPUs of its own."""
    served(container)
    under_static(container)
    count = applies(container.exclusive, "the container shares its CPUs, or nothing says how many it asks for")
    applies(container.pool is not None, "the shared pool is not reported")
    applies(not container.ended, "an init container may have ended")
    return _as_many(f"container {container.key}", count, container.cpus, container.about("cpu", "limit"))


@judges("cpu-manager/static/integral-guaranteed-is-exclusive")
def chooses_the_number(choice: CpuChoice) -> Judgement:
    """The CPUs that are chosen are as many as are asked for."""
    return _as_many("the request", choice.count, exists(choice.answer, "the request was refused"))


def served(container: ContainerView) -> None:
    applies(container.held is not None, "the request was refused")


def _as_many(who: str, count: int, cpus: int, about: tuple[str, ...] = ()) -> Judgement:
    why = f"{who} asks for {number_of(count, 'CPU')} and is given {cpus.bit_count()}"
    allowed = f"{number_of(count, 'CPU')} of its own"
    return violated(cpus.bit_count() == count, why, got=format_bits(cpus) or "none", allowed=allowed, about=about)


@chapter.requires("cpu-manager/static/fractional-guaranteed-is-shared")
@rests_on("nrm/static/fractional-is-shared", "nrm/static/example-5-placement")
def fractional_is_shared(container: ContainerView) -> Judgement:
    """A container of a Guaranteed pod with a fractional CPU request runs in the shared pool."""
    return _shares(container, GUARANTEED, "limit")


@chapter.requires("cpu-manager/static/burstable-is-shared")
@rests_on(
    "nrm/static/burstable-is-shared",
    "nrm/static/example-2-placement",
    "nrm/static/example-3-placement",
    "cpu-1.8/static/example-placements",
)
def burstable_is_shared(container: ContainerView) -> Judgement:
    """Containers of Burstable pods run in the shared pool, whatever they request."""
    return _shares(container, BURSTABLE, "qos")


@chapter.requires("cpu-manager/static/best-effort-is-shared")
@rests_on("nrm/static/best-effort-is-shared", "nrm/static/example-1-placement", "cpu-1.8/static/example-placements")
def best_effort_is_shared(container: ContainerView) -> Judgement:
    """Containers of BestEffort pods run in the shared pool."""
    return _shares(container, BEST_EFFORT, "qos")


def _shares(container: ContainerView, qos: str, fact: str) -> Judgement:
    applies(container.qos == qos, f"the pod is not {qos}")
    under_static(container)
    applies(container.pool is not None, "the shared pool is not reported")
    applies(container.exclusive == 0, "the container asks for CPUs of its own, or that is not known")
    _is_there(container)
    applies(not container.ended, "an init container may have ended")
    return _has_no_cpus(container, fact)


@Chapter("cpu-manager/none", since="1.8").requires("cpu-manager/none/gives-no-exclusive-cpus")
@rests_on("nrm/cpus/none-gives-no-affinity")
def none_gives_none(container: ContainerView) -> Judgement:
    """Under policy none no container has CPUs of its own."""
    under_none(container)
    _is_there(container)
    return _has_no_cpus(container, "config:cpuManagerPolicy")


def _is_there(container: ContainerView) -> None:
    applies(container.held is not None or container.alone, "the pod was refused")


def _has_no_cpus(container: ContainerView, fact: str) -> Judgement:
    of_class = f" of a {container.qos} pod" if container.qos else ""
    return violated(
        container.held is not None and not container.cpus,
        f"container {container.key}{of_class} has CPUs of its own, or is refused",
        got=container.in_words,
        allowed="the shared pool",
        about=container.about("cpu", fact),
        exclusive=container.cpus,
    )


@chapter.requires("cpu-manager/static/exclusive-cpus-belong-to-one-pod")
@rests_on("nrm/cpus/exclusive-against-other-pods", "cpu-1.8/static/exclusive-against-other-pods")
def exclusive_cpus_belong_to_one_pod(moment: NodeMoment) -> Iterator[Violation]:
    """No CPU is exclusive to containers of two pods."""
    applies(len(moment.world.pods) > 1, "fewer than two pods are on the node")
    applies(any(pod.exclusive for pod in moment.world.pods.values()), "nobody has CPUs of its own")
    owners: dict[int, str] = {}
    for uid, pod in moment.world.pods.items():
        for cpu in iter_bits(pod.exclusive):
            owner = owners.setdefault(cpu, uid)
            if owner != uid:
                yield Violation(f"CPU {cpu} belongs to the pods {owner} and {uid}", marks={"twice": bit_of(cpu)})
                return


@chapter.requires("cpu-manager/static/apps-have-cpus-of-their-own")
@rests_on("nrm/static/cpus-are-the-containers-own", "nrm/static/cpus-leave-the-pool")
def apps_have_cpus_of_their_own(neighbours: Neighbours) -> Iterator[Violation]:
    """No two app containers of a pod have an exclusive CPU in common."""
    for first, second in combinations(neighbours.containers, 2):
        both = first.cpus & second.cpus
        yield from violated(
            not both,
            f"containers {first.key} and {second.name} of the same pod run at once, with CPUs in common",
            got=format_bits(both),
            allowed="CPUs of its own for each",
            about=(*first.about("cpu"), *second.about("cpu")),
            twice=both,
        )


@chapter.requires("cpu-manager/static/keeps-cpus-while-it-runs")
@rests_on("nrm/static/cpus-are-the-containers-own")
def starting_changes_nothing(rest: Rest) -> Iterator[Violation]:
    """A container runs on the exclusive CPUs it was admitted with."""
    applies(rest.event == START, "no container is started")
    under_static(rest)
    return changed(CPUS, ((stay.who, stay.had, stay.has) for stay in rest.stays), rest.in_words)


@chapter.requires("cpu-manager/static/keeps-cpus-when-admitted-again")
@rests_on("topology-source/cpu-hints/held-cpus-again", "nrm/static/cpus-are-the-containers-own")
def keeps_its_cpus(container: ContainerView) -> Judgement:
    """A pod that is on the node and admitted again keeps its CPUs."""
    had = applies(container.had, "the container had no CPUs of its own before")
    applies(had.bit_count() == container.exclusive, "the container asks for another number of CPUs than it had")
    under_static(container)
    _is_there(container)
    why = f"container {container.key} has its CPUs already and is given others"
    return violated(container.cpus == had, why, got=container.in_words, allowed=format_bits(had), held=had)
