"""align-by-socket. Page: Node Resource Managers."""

from ....cpuset import format_bits
from ....judging.alignment import CpuAlignment, only_a_number
from ....judging.chapter import Chapter, Judgement, applies, configured, rests_on, violated
from ....judging.choice import (
    ACROSS_CORES,
    ACROSS_NUMA,
    BY_SOCKET,
    BY_UNCORE,
    WHOLE_CORES,
    CpuChoice,
    numa_cpus,
    touched,
)
from ....judging.node_subjects import Admission
from ....judging.start_subjects import Start
from ...alignment import count_of, free_text
from ...conditions import leaving_a_shared_cpu, new_pod, under, under_static, with_option
from ...outcomes import must_be_admitted
from ..choices import in_one, off, on, took, whole_or_taken
from .maturity import all_shown, maturity, result_of

chapter = Chapter("cpu-manager/static", f"cpu-manager/{BY_SOCKET}", since="1.25", area="cpu-manager options")
maturity(
    chapter,
    BY_SOCKET,
    "topology-manager/restricted",
    available="cpu-manager/align-by-socket/is-available",
    hidden="cpu-manager/align-by-socket/stays-hidden",
    placements="exact/placements/align-by-socket",
)


@chapter.twin(
    "cpu-manager/align-by-socket/stays-in-one-socket-in-use",
    "What fits one socket comes from one socket, on a machine in use too.",
    rests_on=("nrm/align-by-socket/aligned-at-the-socket",),
)
@chapter.requires("cpu-manager/align-by-socket/stays-in-one-socket", "topology-manager/restricted")
@rests_on("nrm/align-by-socket/aligned-at-the-socket", "nrm/options/align-by-socket")
def stays_in_one_socket(choice: CpuChoice, in_use: bool = False) -> Judgement:
    """A container whose exclusive CPUs fit one socket, but no single NUMA node, is given them from one socket."""
    taken = took(choice)
    on(choice, BY_SOCKET)
    off(choice, ACROSS_CORES)
    applies(len(choice.sockets) <= len(choice.numa), "there are more sockets than NUMA nodes")
    apart = all(len(touched(choice.sockets, cache)) == 1 for cache in choice.caches)
    applies(apart or BY_UNCORE not in choice.options, "an uncore cache lies in several sockets")
    whole = WHOLE_CORES not in choice.options or choice.can_be_whole_cores
    applies(whole, "under full-pcpus-only no free cores add up to the request")
    whole_or_taken(choice, choice.sockets, "socket", in_use)
    return in_one(choice, taken, choice.sockets, "socket")


@chapter.requires("cpu-manager/align-by-socket/refuses-single-numa-node", "topology-manager/single-numa-node")
@rests_on("nrm/align-by-socket/not-with-single-numa-node")
def has_no_effect_under_single_numa_node(start: Start) -> Judgement:
    """align-by-socket takes no effect beside the Topology Manager policy single-numa-node: the node does not come
    up, or refuses what no NUMA node holds.
    """
    alone(start)
    configured(start.settings.topology == "single-numa-node", "the Topology Manager's policy is not single-numa-node")
    first = start.first
    return violated(
        not (start.up and first and first.admitted),
        "align-by-socket takes effect beside single-numa-node",
        got=result_of(start),
        allowed="the node does not come up, or refuses the pod, which no NUMA node holds",
        CPUs=first.cpus if first else 0,
    )


@chapter.requires("cpu-manager/align-by-socket/refuses-more-sockets-than-numa-nodes", "topology-manager/restricted")
@rests_on("nrm/align-by-socket/not-with-more-sockets")
def has_no_effect_with_more_sockets(start: Start) -> Judgement:
    """align-by-socket does not apply to hardware that has more sockets than NUMA nodes: the node does not come
    up, or admits what a NUMA node holds.
    """
    alone(start)
    applies(len(start.machine.socket_bits) > start.nodes_with_cpus, "the machine has no more sockets than NUMA nodes")
    return violated(
        not (start.up and start.first and not start.first.admitted),
        "a pod is refused that a NUMA node holds",
        got=result_of(start),
        allowed="the node does not come up, or does as without the option",
    )


def alone(start: Start) -> None:
    applies(start.on == {BY_SOCKET}, "align-by-socket is not on, or is not alone")
    all_shown(start)


@chapter.requires("cpu-manager/align-by-socket/admits-what-one-socket-holds", "topology-manager/restricted")
@rests_on("nrm/align-by-socket/aligned-at-the-socket")
def restricted_admits_on_one_socket(admission: Admission) -> Judgement:
    """Under restricted a pod is admitted whose CPUs one socket can give, and gets them from one: they are aligned at
    the socket.
    """
    under(admission, "restricted")
    under_static(admission)
    with_option(admission, BY_SOCKET)
    new_pod(admission)
    count, world = count_of(admission), admission.before
    applies(
        only_a_number(world, admission.pod), "more than a number of CPUs is aligned: memory, devices, parts of cores"
    )
    applies(CpuAlignment(world, count).on_one_socket, "no socket has so many free CPUs")
    sockets = world.machine.socket_bits.values()
    apart = all(len(touched(sockets, cpus)) == 1 for cpus in numa_cpus(world.machine))
    applies(apart, "a NUMA node lies in several sockets")
    leaving_a_shared_cpu(admission)
    many = {len(touched(numa_cpus(world.machine), cpus)) for cpus in sockets}
    if admission.admitted and len(many) == 1 and ACROSS_NUMA not in admission.settings.options:
        why = f"{count} CPUs come from several sockets where one can give them"
        within = len(touched(sockets, admission.cpus)) == 1
        return violated(within, why, got=format_bits(admission.cpus), allowed="one socket", available=world.free)
    return must_be_admitted(admission, f"which asks for {count} CPUs that one socket has among {free_text(world)}")
