"""distribute-cpus-across-cores. Page: Node Resource Managers."""

from ....cpuset import format_bits
from ....judging.chapter import Chapter, Judgement, applies, rests_on, violated
from ....judging.choice import ACROSS_CORES, ACROSS_NUMA, WHOLE_CORES, CpuChoice, touched
from ..choices import on, spreading, took
from .maturity import excluded, maturity

chapter = Chapter("cpu-manager/static", f"cpu-manager/{ACROSS_CORES}", since="1.31", area="cpu-manager options")
maturity(
    chapter,
    ACROSS_CORES,
    available="cpu-manager/distribute-cpus-across-cores/is-available",
    hidden="cpu-manager/distribute-cpus-across-cores/stays-hidden",
    placements="exact/placements/distribute-cpus-across-cores",
)
excluded(
    chapter,
    "cpu-manager/distribute-cpus-across-cores/refuses-full-pcpus-only",
    ACROSS_CORES,
    WHOLE_CORES,
    "cpu-task/options/across-cores-stands-alone",
)
excluded(
    chapter,
    "cpu-manager/distribute-cpus-across-cores/refuses-distribution-across-numa",
    ACROSS_CORES,
    ACROSS_NUMA,
    "cpu-task/options/across-cores-stands-alone",
)


@chapter.requires("cpu-manager/distribute-cpus-across-cores/takes-separate-cores")
@rests_on(
    "nrm/distribute-cpus-across-cores/separate-cores",
    "nrm/distribute-cpus-across-cores/as-many-cores-as-possible",
    "nrm/options/distribute-cpus-across-cores",
    "nrm/distribute-cpus-across-cores/less-under-load",
)
def takes_separate_cores(choice: CpuChoice) -> Judgement:
    """Exclusive CPUs are taken from as many different physical cores as have a free CPU."""
    taken = took(choice)
    on(choice, ACROSS_CORES)
    applies(choice.near is None, "a hint was followed")
    spreading(choice.machine.core_bits, "core")
    cores, possible = len(touched(choice.machine.core_bits, taken)), min(choice.count, len(choice.open_cores))
    why = f"{choice.count} CPUs come from {cores} cores though {possible} have one to give"
    return violated(cores >= possible, why, got=format_bits(taken), allowed=f"{possible} cores")
