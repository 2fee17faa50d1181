"""prefer-align-cpus-by-uncorecache. Page: Node Resource Managers."""

from ....judging.chapter import Chapter, Judgement, applies, judges, recommended_by, rests_on, violated
from ....judging.choice import BY_UNCORE, STRICT, WHOLE_CORES, CpuChoice, fewest
from ....judging.node_subjects import Admission
from ...alignment import for_cpus_alone, free_text
from ...conditions import leaving_a_shared_cpu, new_pod, under, under_static, with_option, without_option
from ...outcomes import must_be_admitted
from ..choices import among_all, in_few, in_one, on, only, took, whole_or_taken
from .maturity import maturity

chapter = Chapter("cpu-manager/static", f"cpu-manager/{BY_UNCORE}", since="1.32", area="cpu-manager options")
maturity(
    chapter,
    BY_UNCORE,
    available="cpu-manager/prefer-align-cpus-by-uncorecache/is-available",
    hidden="cpu-manager/prefer-align-cpus-by-uncorecache/stays-hidden",
    placements="exact/placements/prefer-align-cpus-by-uncorecache",
)


def taken_by_cache(choice: CpuChoice) -> int:
    taken = took(choice)
    on(choice, BY_UNCORE)
    only(choice, BY_UNCORE, WHOLE_CORES, STRICT)
    applies(len(choice.caches) > 1, "the machine does not have several uncore caches")
    applies(not choice.machine.online_bits & ~sum(choice.caches), "the machine does not have the cache of each CPU")
    among_all(choice)
    return taken


@chapter.twin(
    "cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache-in-use",
    "What fits the free CPUs of one uncore cache comes from one, on a best-effort basis, on a machine in use too.",
    rests_on=("nrm/prefer-align-cpus-by-uncorecache/best-effort",),
)
@chapter.requires("cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache")
@recommended_by(
    "nrm/prefer-align-cpus-by-uncorecache/one-cache",
    "nrm/prefer-align-cpus-by-uncorecache/best-effort",
    "nrm/options/prefer-align-cpus-by-uncorecache",
)
def stays_in_one_cache(choice: CpuChoice, in_use: bool = False) -> Judgement:
    """A container whose exclusive CPUs fit the free CPUs of one uncore cache is given them from one uncore cache."""
    taken = taken_by_cache(choice)
    whole = choice.even and not choice.count % choice.threads and choice.whole(choice.caches)
    applies(
        whole != in_use,
        "whole cores are asked for, and every uncore cache is free as a whole or taken"
        if in_use
        else "parts of cores are asked for, or an uncore cache is partly in use",
    )
    return in_one(choice, taken, choice.caches, "uncore cache")


@chapter.requires("cpu-manager/prefer-align-cpus-by-uncorecache/uses-few-caches")
@recommended_by("nrm/prefer-align-cpus-by-uncorecache/few-caches")
def uses_few_caches(choice: CpuChoice) -> Judgement:
    """What no uncore cache can hold comes from as few as possible."""
    taken = taken_by_cache(choice)
    whole_or_taken(choice, choice.caches, "uncore cache")
    sizes = (cache.bit_count() for cache in choice.caches if cache & choice.available)
    applies(fewest(sizes, choice.count) > 1, "one uncore cache can give so many")
    return in_few(choice, taken, choice.caches, "uncore cache")


@judges("cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses")
def never_refuses(choice: CpuChoice) -> Judgement:
    """Best effort: what no cache can hold is given all the same."""
    on(choice, BY_UNCORE)
    applies(choice.count <= choice.available.bit_count(), "fewer CPUs are free")
    able = WHOLE_CORES not in choice.options or (choice.can_be_whole_cores and not choice.reusable)
    applies(able, "with full-pcpus-only no whole cores that nobody has had add up to the request")
    return violated(
        choice.answer is not None or not choice.count,
        "a request is refused though enough CPUs are free",
        got=choice.refusal or "a refusal",
        allowed=f"{choice.count} CPUs, from several caches if need be",
    )


@chapter.requires("cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses")
@rests_on(
    "nrm/prefer-align-cpus-by-uncorecache/never-refuses", "nrm/prefer-align-cpus-by-uncorecache/falls-back-to-packing"
)
def caches_are_no_reason_to_refuse(admission: Admission) -> Judgement:
    """Alignment to uncore caches is best effort: a container that no cache can hold is admitted all the same."""
    under_static(admission)
    with_option(admission, BY_UNCORE)
    without_option(admission, WHOLE_CORES)
    under(admission, "none", "best-effort")
    new_pod(admission)
    for_cpus_alone(admission)
    applies(len(admission.pod.containers) == 1, "the pod has several containers")
    count, world = admission.pod.exclusive, admission.before
    applies(0 < count <= world.free.bit_count(), "the pod asks for no CPUs of its own, or for more than are free")
    leaving_a_shared_cpu(admission)
    return must_be_admitted(admission, f"which asks for {count} of {free_text(world)}")
