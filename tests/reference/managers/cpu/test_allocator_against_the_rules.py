"""The allocator against the rules of 1.32 word for word, on machines of every shape."""

from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.cpuset import CpuSet
from numa_conformance.errors import KubeletFails
from numa_conformance.machine.model import KubeletView
from numa_conformance.reference.managers.cpu import CpuAllocator, CpuTopology, NotEnoughCpus
from numa_conformance.sources.changes import Changes
from numa_conformance.sources.options import StaticOptions
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion
from reference.managers.cpu.literal_allocator import EndlessError, FailedError, Literal
from reference.managers.cpu.random_machines import regular_views, tangled_views, uneven_views

VERSION = KubernetesVersion(1, 32)
EXACT = Quirks.of(VERSION).cpu
VIEWS = st.one_of(regular_views(), uneven_views(), tangled_views())
OPTIONS = st.sampled_from(
    [
        StaticOptions(),
        StaticOptions(distribute_cpus_across_cores=True),
        StaticOptions(prefer_align_cpus_by_uncorecache=True),
        StaticOptions(distribute_cpus_across_numa=True),
        StaticOptions(distribute_cpus_across_numa=True, full_pcpus_only=True),
    ]
)


def ours(view: KubeletView, options: StaticOptions, available: set[int], count: int) -> object:
    try:
        allocator = CpuAllocator.of(EXACT, Changes.of(VERSION))(CpuTopology(view), options)
        return set(CpuSet.from_bits(allocator.allocate(CpuSet(available).bits, count)))
    except NotEnoughCpus as fault:
        return str(fault)
    except KubeletFails:
        return "never ends"


def by_the_rules(view: KubeletView, options: StaticOptions, available: set[int], count: int) -> object:
    literal = Literal(view, available, count)
    try:
        if options.distribute_cpus_across_numa:
            return literal.distributed(literal.per_core if options.full_pcpus_only else 1)
        return literal.packed(
            spread=options.distribute_cpus_across_cores, align_uncore=options.prefer_align_cpus_by_uncorecache
        )
    except FailedError as fault:
        return str(fault)
    except EndlessError:
        return "never ends"


@given(VIEWS, OPTIONS, st.data())
def test_takes_what_the_rules_say(view: KubeletView, options: StaticOptions, data: st.DataObject) -> None:
    ids = [cpu.id for cpu in view.cpus]
    taken = data.draw(st.sets(st.sampled_from(ids)), label="not available")
    count = data.draw(st.integers(0, len(ids) + 1), label="count")
    available = set(ids) - taken
    assert ours(view, options, available, count) == by_the_rules(view, options, available, count)
