"""Exclusive CPUs that must be had, or cannot be: sentences of the CPU Manager."""

from ...cpuset import format_bits
from ...judging.chapter import Chapter, Judgement, applies, rests_on, violated
from ...judging.node_subjects import Admission
from ...judging.shared_views import Demand, Reuse
from ..alignment import ALIGNING, for_cpus_alone
from ..conditions import fitting, under, under_none
from ..outcomes import must_be_admitted

chapter = Chapter("cpu-manager/static", since="1.8")
none = Chapter("cpu-manager/none", "topology-manager/best-effort", since="1.18")


@none.requires("cpu-manager/none/has-no-preference")
@rests_on("topology/interactions/none-gives-the-default-hint")
def none_has_no_preference(admission: Admission) -> Judgement:
    """Under CPU policy none no policy of the Topology Manager refuses a pod for the CPUs it asks for."""
    under_none(admission)
    under(admission, *ALIGNING)
    applies(any(container.cpu for container in admission.pod.containers), "no container requests CPUs")
    for_cpus_alone(admission)
    fitting(admission)
    return must_be_admitted(admission, "though nothing but CPUs is asked for, of which policy none has no preference")


def by_number(demand: Demand) -> None:
    applies(demand.enough > 0, "no CPUs of its own are asked for")
    applies(demand.enough <= demand.available.bit_count(), "fewer are free")
    applies(
        demand.by_number,
        "more than the number of free CPUs decides: alignment, whole cores, a pool that must not empty",
    )


@chapter.requires("cpu-manager/static/serves-what-is-free")
@rests_on("nrm/static/exclusive-are-all-but-reserved", "nrm/cpus/static-gives-exclusive-cpus")
def free_cpus_serve(demand: Demand) -> Judgement:
    """A request for no more exclusive CPUs than are free is served, where nothing else stands against it."""
    applies(not isinstance(demand, Reuse), "CPUs of an init container may have to serve again")
    by_number(demand)
    return must_be_served(demand)


@chapter.requires("cpu-manager/static/init-cpus-serve-later-containers", "cpu-manager/init-containers")
@rests_on(
    "init-containers/resources/effective-request",
    "topology-source/cpu-hints/reusable",
    beyond="The pages give a pod's effective request; that its init containers' CPUs serve the later ones only the "
    "source says.",
)
def init_cpus_serve_later_containers(demand: Reuse) -> Judgement:
    """CPUs of an init container that has ended serve the later containers of its pod: a pod whose init and app
    containers each fit the free CPUs is admitted.
    """
    by_number(demand)
    return must_be_served(demand)


def must_be_served(demand: Demand) -> Judgement:
    """Judge that a request for exclusive CPUs is served."""
    return violated(
        demand.refusal is None,
        f"{demand.who} needs {demand.enough} CPUs at once and is refused where {demand.available.bit_count()} can be "
        "given",
        got=demand.refusal,
        allowed=f"{demand.enough} of {format_bits(demand.available)}",
        available=demand.available,
    )


@chapter.requires("cpu-manager/static/refuses-what-is-not-free")
@rests_on(
    "nrm/static/exclusive-are-all-but-reserved",
    "topology-source/admission/errors-refuse",
    "topology-source/admission/allocation-errors-refuse",
)
def refuses_what_is_not_free(demand: Demand) -> Judgement:
    """A pod that asks for more exclusive CPUs than are free is refused, and holds nothing."""
    applies(demand.at_least > demand.available.bit_count(), "so many CPUs are free")
    why = f"{demand.who} asks for {demand.at_least} CPUs where {demand.available.bit_count()} are free, and is served"
    return violated(
        demand.refusal is not None, why, got=demand.in_words, allowed="a refusal", available=demand.available
    )
