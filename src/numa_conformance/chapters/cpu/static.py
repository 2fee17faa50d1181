"""Who gets exclusive CPUs, and which. Page: Node Resource Managers, section Static policy."""

from ...cpuset import format_bits
from ...judging.chapter import Chapter, Judgement, applies, exists, recommended_by, rests_on, violated
from ...judging.choice import BY_SOCKET, STRICT, WHOLE_CORES, CpuChoice, fewest, touched
from ...judging.shared_views import ContainerView
from ..conditions import under_static
from ..outcomes import number_of
from .choices import among_all, at_most, in_few, only, same_cores, spreading, took, whole_or_taken
from .lifecycle import gives_the_number, served

chapter = Chapter("cpu-manager/static", since="1.8")


def asks_for_cpus(container: ContainerView) -> None:
    under_static(container)
    applies(container.exclusive, "the container asks for no CPUs of its own")
    applies(container.had is None and not container.ended, "the pod was on the node before")
    served(container)


@chapter.requires("cpu-manager/static/limits-alone-make-guaranteed")
@rests_on("nrm/static/example-6-class", "nrm/static/example-6-placement", "nrm/static/requests-default-to-limits")
def limits_alone_give_cpus(container: ContainerView) -> Judgement:
    """Where only limits are given requests default to them: such a pod is Guaranteed and gets exclusive CPUs."""
    asks_for_cpus(container)
    implied = container.spec is not None and container.spec.implied & {"cpu", "memory"}
    applies(implied, "the container's requests for CPU and memory are given")
    count = number_of(container.exclusive or 0, "CPU")
    why = f"container {container.key} has limits alone, of {count}, and has no CPUs of its own"
    return violated(container.cpus, why, got=container.in_words, allowed=f"{count} of its own")


@chapter.requires("cpu-manager/static/sidecars-and-init-containers-are-eligible", "cpu-manager/init-containers")
@rests_on("nrm/cpus/static-gives-exclusive-cpus", "sidecars/kubernetes/are-init-containers")
def init_containers_and_sidecars_are_eligible(container: ContainerView) -> Judgement:
    """Init containers and sidecars of a Guaranteed pod get exclusive CPUs for integral requests, as others do."""
    asks_for_cpus(container)
    applies(container.spec is not None and container.spec.kind != "app", "the container is an app container")
    return gives_the_number(container)


@chapter.requires("cpu-manager/static/gives-free-cpus-only")
@rests_on("nrm/static/exclusive-are-all-but-reserved", "nrm/cpus/exclusive-against-other-pods")
def gives_free_cpus_only(choice: CpuChoice) -> Judgement:
    """Exclusive CPUs are taken from those that are free, and from nowhere else."""
    cpus = exists(choice.answer, "the request was refused")
    stolen = cpus & ~choice.available
    why = f"CPUs {format_bits(stolen)} are given that are not free"
    return violated(
        not stolen, why, got=format_bits(cpus), allowed=f"some of {format_bits(choice.available)}", stolen=stolen
    )


@chapter.twin(
    "cpu-manager/static/packs-few-cores-in-use",
    "By default CPUs tend to be packed onto as few physical cores as possible, on a machine in use too.",
    rests_on=("nrm/distribute-cpus-across-cores/default-packs-cores",),
)
@chapter.requires("cpu-manager/static/packs-whole-cores")
@rests_on("nrm/distribute-cpus-across-cores/default-packs-cores", "nrm/full-pcpus-only/default-is-best-fit")
def packs_few_cores(choice: CpuChoice, in_use: bool = False) -> Judgement:
    """On an empty machine a request of whole cores is given whole physical cores."""
    taken = took(choice)
    only(choice, *(() if in_use else (WHOLE_CORES, BY_SOCKET, STRICT)))
    whole_or_taken(choice, choice.numa, "NUMA node", in_use)
    if not in_use:
        same_cores(choice)
    among_all(choice)
    least = fewest((core.bit_count() for core in choice.open_cores), choice.count)
    return at_most(choice, taken, choice.machine.core_bits, "core", least)


@chapter.requires("cpu-manager/static/packs-few-numa-nodes")
@rests_on(
    "nrm/distribute-cpus-across-numa/default-fills-one-node",
    "nrm/distribute-cpus-across-numa/default-spills-over",
    "nrm/align-by-socket/default-aligns-at-numa",
    "nrm/align-by-socket/default-takes-few-nodes",
)
def packs_few_numa_nodes(choice: CpuChoice) -> Judgement:
    """On an empty machine one NUMA node is filled before the next is begun, or the fewest are used."""
    taken = took(choice)
    only(choice, WHOLE_CORES)
    whole_or_taken(choice, choice.numa, "NUMA node")
    same_cores(choice)
    applies(len({node.bit_count() for node in choice.numa}) == 1, "NUMA nodes differ in size")
    among_all(choice)
    spreading(choice.numa, "NUMA node")
    begun = [node for node in touched(choice.numa, taken) if node & choice.whole_core_cpus & ~taken]
    return () if len(begun) <= 1 else in_few(choice, taken, choice.numa, "NUMA node")


@chapter.requires("cpu-manager/static/packs-few-numa-nodes-in-use")
@recommended_by("nrm/align-by-socket/default-takes-few-nodes")
def packs_few_numa_nodes_in_use(choice: CpuChoice) -> Judgement:
    """By default CPUs come from the minimum number of NUMA nodes if possible, on a machine in use too."""
    taken = took(choice)
    only(choice)
    whole_or_taken(choice, choice.numa, "NUMA node", in_use=True)
    among_all(choice)
    same_cores(choice)
    applies(choice.count % choice.threads == 0, "parts of cores are asked for")
    applies(choice.available == choice.whole_core_cpus, "parts of cores are free")
    return in_few(choice, taken, choice.numa, "NUMA node")
