"""Which CPUs are chosen by the static policy without options, on whatever machine and in whatever state.

The sentences are on the page Node Resource Managers, section Static policy.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, applies, judges, violated
from ..judge.choice import (
    BY_SOCKET,
    STRICT,
    WHOLE_CORES,
    Choice,
    fewest,
    touched,
)
from .choice_guards import (
    a_hint_narrows,
    among_all,
    hinted_cpus,
    only,
    room_of,
    took_its_number,
)

chapter = Chapter("cpu-manager/static", since="1.8")


@chapter.requires(
    "cpu-manager/static/gives-free-cpus-only",
    on=Choice,
    rests_on=("nrm/static/exclusive-are-all-but-reserved", "nrm/cpus/exclusive-against-other-pods"),
)
def gives_free_cpus_only(choice: Choice) -> Judgement:
    """Exclusive CPUs are taken from those that are free, and from nowhere else.

    None but free CPUs: none of another pod, none reserved, none that is not online.
    """
    applies(choice.given is not None, "the request was refused")
    given = choice.given or 0
    stolen = given & ~choice.available
    return violated(
        not stolen,
        f"CPUs {format_bits(stolen)} are given that are not free",
        got=format_bits(given),
        allowed=f"some of {format_bits(choice.available)}",
        stolen=stolen,
    )


@chapter.requires(
    "cpu-manager/static/packs-whole-cores",
    on=Choice,
    rests_on=("nrm/distribute-cpus-across-cores/default-packs-cores", "nrm/full-pcpus-only/default-is-best-fit"),
)
def packs_whole_cores(choice: Choice) -> Judgement:
    """On an empty machine a request of whole cores is given whole physical cores.

    Packed onto as few physical cores as possible, where every NUMA node is free as a whole or taken.
    """
    took_its_number(choice)
    only(choice, WHOLE_CORES, BY_SOCKET, STRICT)
    applies(choice.untouched, "a NUMA node is partly in use")
    applies(choice.even, "cores have different numbers of threads")
    among_all(choice)
    return _few_cores(choice)


@chapter.requires(
    "cpu-manager/static/packs-few-cores-in-use",
    on=Choice,
    rests_on=("nrm/distribute-cpus-across-cores/default-packs-cores",),
    strength="SHOULD",
)
def packs_few_cores_in_use(choice: Choice) -> Judgement:
    """By default CPUs tend to be packed onto as few physical cores as possible, on a machine in use too."""
    took_its_number(choice)
    only(choice)
    applies(not choice.untouched, "every NUMA node is free as a whole or taken")
    among_all(choice)
    return _few_cores(choice)


def _few_cores(choice: Choice) -> Judgement:
    taken = choice.took or 0
    cores = len(touched(choice.machine.core_bits, taken))
    return violated(
        cores <= choice.fewest_cores,
        f"{choice.count} CPUs come from {cores} cores where {choice.fewest_cores} can give them",
        got=format_bits(taken),
        allowed=f"{choice.fewest_cores} cores",
    )


@chapter.requires(
    "cpu-manager/static/packs-few-numa-nodes",
    on=Choice,
    rests_on=(
        "nrm/distribute-cpus-across-numa/default-fills-one-node",
        "nrm/distribute-cpus-across-numa/default-spills-over",
        "nrm/align-by-socket/default-aligns-at-numa",
        "nrm/align-by-socket/default-takes-few-nodes",
    ),
)
def packs_few_numa_nodes(choice: Choice) -> Judgement:
    """On an empty machine one NUMA node is filled before the next is begun, or the fewest are used."""
    took_its_number(choice)
    only(choice, WHOLE_CORES)
    applies(choice.untouched, "a NUMA node is partly in use")
    applies(choice.even, "cores have different numbers of threads")
    applies(len({node.bit_count() for node in choice.numa}) == 1, "NUMA nodes differ in size")
    among_all(choice)
    taken = choice.took or 0
    begun = [node for node in touched(choice.numa, taken) if node & choice.whole_core_cpus & ~taken]
    return () if len(begun) <= 1 else few_groups(choice, choice.numa, "NUMA nodes")


@chapter.requires(
    "cpu-manager/static/packs-few-numa-nodes-in-use",
    on=Choice,
    rests_on=("nrm/align-by-socket/default-takes-few-nodes",),
    strength="SHOULD",
)
def packs_few_numa_nodes_in_use(choice: Choice) -> Judgement:
    """By default CPUs come from the minimum number of NUMA nodes if possible, on a machine in use too.

    On a machine in use the kubelet tries to use the fewest NUMA nodes; asked where no core need be split for it.
    """
    took_its_number(choice)
    only(choice)
    applies(not choice.untouched, "every NUMA node is free as a whole or taken")
    among_all(choice)
    applies(choice.even, "cores have different numbers of threads")
    applies(
        not choice.available & ~choice.whole_core_cpus and choice.count % choice.threads == 0,
        "parts of cores are asked for, or free",
    )
    taken = choice.took or 0
    whole = [(node & choice.whole_core_cpus).bit_count() for node in choice.numa]
    least, nodes = fewest(whole, choice.count), len(touched(choice.numa, taken))
    return violated(
        nodes <= least,
        f"{choice.count} CPUs come from {nodes} NUMA nodes where {least} can give them",
        got=format_bits(taken),
        allowed=f"{least} NUMA nodes",
    )


@judges("topology-manager/best-effort/aligns-when-possible", on=Choice)
def follows_the_hint(choice: Choice) -> Judgement:
    """The hint that was chosen is used: CPUs come from its NUMA nodes (sockets under align-by-socket) if these can."""
    took_its_number(choice)
    a_hint_narrows(choice)
    taken, scope = choice.took or 0, hinted_cpus(choice) or 0
    return violated(
        not taken & ~scope,
        f"CPUs {format_bits(taken & ~scope)} are not of the NUMA nodes of the hint, which can give all",
        got=format_bits(taken),
        allowed=f"some of {format_bits(scope)}",
        hinted=scope,
    )


def few_groups(choice: Choice, groups: tuple[int, ...], name: str) -> Judgement:
    """Judge that a choice touches as few of some groups as can give so many."""
    room, taken = room_of(choice, choice.available), choice.took or 0
    least = fewest(((group & room).bit_count() for group in groups), choice.count)
    number = len(touched(groups, taken))
    return violated(
        number <= least,
        f"{choice.count} CPUs come from {number} {name} where {least} can give them",
        got=format_bits(taken),
        allowed=f"{least} {name}",
    )
