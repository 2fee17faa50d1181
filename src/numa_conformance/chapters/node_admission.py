"""What was admitted once is admitted again where no less is free; what an event does not name stays as it was.

Pages: Node Resource Managers, Control Topology Management Policies on a node, Init Containers.
"""

from collections.abc import Iterator

from ..judging.alignment import empties_the_pool, memory_of, only_cpus
from ..judging.chapter import Chapter, Judgement, Violation, applies, judges, rests_on, violated
from ..judging.choice import WHOLE_CORES, adds_up
from ..judging.earlier_admissions import RepeatedAdmission
from ..judging.node_subjects import Admission, Resize, Restart
from ..judging.pods import PodSpec
from ..judging.rest import ADMISSION, CPUS, MEMORY, QUOTA, REMOVAL, START, Rest
from ..judging.start_subjects import MOST_NODES
from ..judging.world import World
from .alignment import REFUSING
from .conditions import pods_and_cpus
from .outcomes import changed, losses, must_be_admitted, must_be_refused

chapter = Chapter("cpu-manager/static", since="1.8", area="cpu-manager lifecycle")


@chapter.requires("node/admission/admits-again-what-it-admitted")
@rests_on(
    "nrm/static/exclusive-are-all-but-reserved",
    "topology/how/policy-decides",
    beyond="that what is left behind, or the order of a description, counts for nothing; that a pod keeps what it has",
)
def admits_again(question: RepeatedAdmission) -> Judgement:
    """A pod that was admitted is admitted again where no less is free: after others have gone, or a restart."""
    applies(not question.with_init, "init containers were added")
    applies(not question.larger, "the machine is a larger one")
    return must_be_admitted_again(question, "was admitted when no more was free")


@judges("node/admission/admits-again-what-it-admitted")
def admits_a_pod_that_is_there(admission: Admission) -> Judgement:
    """A pod that is on the node, and is asked for once more, keeps what it has, whatever else is free."""
    applies(admission.again, "the pod is new")
    pod = admission.pod
    applies(pod == admission.before.pods[pod.uid].spec, "the pod asks for something else than before")
    early, apps = (
        [memory_of(admission.before, pod, each) for each in pod.containers if each.kind == kind]
        for kind in ("init", "app")
    )
    larger = (amount > app.get(name, 0) for each in early for name, amount in each.items() for app in apps)
    applies(not any(larger), "an init container asks for more memory than an app: others may have that by now")
    return must_be_admitted(admission, "which is on the node")


@chapter.requires("node/admission/admits-on-a-larger-machine")
@rests_on(
    "topology/how/policy-decides",
    "nrm/static/exclusive-are-all-but-reserved",
    beyond="that further NUMA nodes take nothing away",
)
def admits_on_a_larger_machine(question: RepeatedAdmission) -> Judgement:
    """A pod that was admitted is admitted on a machine that has further NUMA nodes of the same sizes."""
    applies(not question.with_init, "init containers were added")
    applies(question.larger, "the machine is the same")
    now = question.now
    applies(
        only_cpus(now, question.pod)
        and WHOLE_CORES not in now.settings.options
        and len(now.machine.numa_ids) <= MOST_NODES,
        "how few NUMA nodes hold the pod's memory, devices, whole cores or sockets may be otherwise there",
    )
    return must_be_admitted_again(question, "was admitted on a part of this machine")


@chapter.requires(
    "node/admission/an-init-container-no-larger-changes-nothing", "cpu-manager/init-containers", since="1.18"
)
@rests_on("init-containers/resources/effective-request", "kep-693/total/larger-of-init-and-apps")
def small_init_changes_nothing(question: RepeatedAdmission) -> Judgement:
    """A pod that was admitted is admitted with an init container too that is no larger than its app container."""
    applies(question.with_init, "no init containers were added")
    applies(not question.larger, "the machine is a larger one")
    settings, pod = question.settings, question.pod
    one_by_one = settings.topology in REFUSING and settings.scope != "pod"
    alike = all(each.requests == pod.apps[0].requests for each in pod.containers)
    applies(not one_by_one or alike, "a smaller init container is aligned by itself, and may be refused")
    applies(not empties_the_pool(question.now, pod), "the pool would be empty until the init container ends")
    cores = question.now.machine.core_bits
    applies(
        WHOLE_CORES not in settings.options or all(adds_up(cores, each.exclusive) for each in pod.containers),
        "an init container asks for a part of a core under full-pcpus-only",
    )
    return must_be_admitted_again(
        question, "was admitted without its init containers, of which none is larger than its app"
    )


@chapter.requires("node/fit/refuses-more-cpus-than-are-allocatable", "node/fit", since="1.32")
@rests_on("nrm/strict-cpu-reservation/admission-compares-requests")
def refuses_more_than_is_allocatable(admission: Admission) -> Judgement:
    """A pod is refused that makes the CPUs that all pods request more than those of the node less reserved ones."""
    return must_be_refused(admission, requested_in_vain(admission.before, admission.pod))


@judges("node/fit/refuses-more-cpus-than-are-allocatable")
def grants_no_more_than_is_allocatable(resize: Resize) -> Judgement:
    """A resize that makes them so many is not granted."""
    why = f"pod {resize.pod.uid} is resized, {requested_in_vain(resize.before, resize.pod)}"
    return violated(not resize.granted, why, got="resized", allowed="pending")


def requested_in_vain(before: World, pod: PodSpec) -> str:
    """Apply where all pods would request more CPUs than are allocatable; return how many."""
    pods, room = pods_and_cpus(before, pod)
    applies(not before.settings.reserved_by_fraction, "parts of a CPU are reserved")
    wanted = sum(each.scheduled("cpu") for each in pods)
    applies(wanted > room, "the requests are no more than is allocatable")
    return f"and {float(wanted):g} CPUs are requested in all, of {room}"


@chapter.requires("node/events/leave-the-rest-as-it-was")
@rests_on(
    "nrm/static/cpus-are-the-containers-own",
    "memory/head/guarantees",
    "device-plugins/example/gets-what-it-asks-for",
    beyond="that an event takes nothing from containers and NUMA nodes that it does not name",
)
def leaves_the_rest(rest: Rest) -> Iterator[Violation]:
    """An event of a node changes what it names: containers keep the CPUs, memory, devices and CFS quota that they have,
    and NUMA nodes what they have free.
    """
    others = {ADMISSION: CPUS, START: CPUS}.get(rest.event)  # which other sentences tell
    for stay in rest.stays:
        for fact in stay.facts:
            if fact != others:
                yield from changed(fact, [(stay.who, stay.had, stay.has)], rest.in_words)
    if rest.event != REMOVAL:
        yield from losses(rest)


@judges("node/events/leave-the-rest-as-it-was")
def a_restart_leaves_containers(restart: Restart) -> Iterator[Violation]:
    """A restart that changes no policy of CPUs or memory moves no container and forgets no pod. One that changes
    nothing leaves CFS quota too; the rest is in other requirements.
    """
    after = applies(restart.after, "the node does not come up")
    applies(restart.with_its_files, "the state files are not those that the node left")
    if restart.plain:
        yield from changed(QUOTA, restart.readmitted, "a restart")
        return
    before, now = restart.before.settings, after.settings
    for uid in restart.before.pods:
        if uid not in restart.held and uid not in restart.refused:
            yield Violation(f"pod {uid} is forgotten after a restart", "nothing", "it is admitted again, or refused")
    there = [each for each in restart.readmitted if each[1] and not each[1].cpus & after.reserved]
    if before.static and now.static:
        yield from changed(CPUS, there, "a restart")
    if before.memory_static and now.memory_static:
        yield from changed(MEMORY, there, "a restart")


def must_be_admitted_again(question: RepeatedAdmission, why: str) -> Judgement:
    """Judge that the pod is admitted; ``why`` says when it was before."""
    reason = f"pod {question.pod.uid} is refused, and {why}"
    return violated(question.admitted, reason, got=question.refusal, allowed="admitted", available=question.now.free)
