"""Which CPUs are chosen under options of the static policy, on whatever machine and in whatever state.

The sentences are on the page Node Resource Managers, section Static policy options.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, applies, judges, violated
from ..judge.choice import (
    ACROSS_CORES,
    ACROSS_NUMA,
    BY_SOCKET,
    BY_UNCORE,
    STRICT,
    WHOLE_CORES,
    Choice,
    touched,
)
from .choice_guards import (
    among_all,
    apart_at_least,
    caches_are_whole,
    each_can_give_its_share,
    has_an_excuse,
    has_no_excuse,
    in_steps,
    in_use_or_unclear,
    no_cache_suffices,
    off,
    on,
    one_cache_suffices,
    one_node_suffices,
    one_socket_suffices,
    only,
    several_equal_nodes_are_required,
    shares_are_clear,
    sockets_apply,
    sockets_are_in_use,
    sockets_are_whole,
    the_hint_holds_it,
    took_its_number,
)
from .cpu_choices import few_groups

chapter = Chapter("cpu-manager/static", since="1.32")


def by_cache(subject: Choice) -> None:
    took_its_number(subject)
    on(subject, BY_UNCORE)
    only(subject, BY_UNCORE, WHOLE_CORES, STRICT)
    applies(
        len(subject.caches) > 1 and (not subject.machine.online_bits & ~sum(subject.caches)),
        "the machine does not tell of several uncore caches, or of one for each CPU",
    )
    among_all(subject)


def socket(subject: Choice) -> None:
    took_its_number(subject)
    on(subject, BY_SOCKET)
    off(subject, ACROSS_CORES)
    sockets_apply(subject)


def numa(subject: Choice) -> None:
    took_its_number(subject)
    on(subject, ACROSS_NUMA)
    off(subject, BY_SOCKET, BY_UNCORE)
    the_hint_holds_it(subject)
    in_steps(subject)


@chapter.requires(
    "cpu-manager/distribute-cpus-across-numa/keeps-one-node-where-one-suffices",
    "cpu-manager/distribute-cpus-across-numa",
    on=Choice,
    rests_on=("nrm/distribute-cpus-across-numa/only-where-needed",),
    since="1.23",
    area="cpu-manager options",
)
def keeps_one_node(choice: Choice) -> Judgement:
    """A request that one NUMA node can hold is still given from one NUMA node: the option concerns only requests
    that need more than one.
    """
    numa(choice)
    one_node_suffices(choice)
    taken = choice.took or 0
    nodes = len(touched(choice.numa, taken))
    return violated(
        nodes == 1,
        f"a request that one NUMA node can hold is divided over {nodes}",
        got=format_bits(taken),
        allowed="one NUMA node",
    )


@chapter.requires(
    "cpu-manager/distribute-cpus-across-numa/spreads-evenly",
    "cpu-manager/distribute-cpus-across-numa",
    on=Choice,
    rests_on=(
        "nrm/distribute-cpus-across-numa/even",
        "nrm/distribute-cpus-across-numa/even-over-many-nodes",
        "nrm/distribute-cpus-across-numa/even-in-use",
        "nrm/options/distribute-cpus-across-numa",
    ),
    since="1.23",
    area="cpu-manager options",
)
def spreads_evenly(choice: Choice) -> Judgement:
    """Where one NUMA node is not enough, the exclusive CPUs of a container are divided evenly over the NUMA nodes
    that are needed.
    """
    numa(choice)
    shares_are_clear(choice)
    applies(choice.untouched, "a NUMA node is partly in use")
    several_equal_nodes_are_required(choice)
    return _even(choice)


@chapter.requires(
    "cpu-manager/distribute-cpus-across-numa/spreads-evenly-in-use",
    "cpu-manager/distribute-cpus-across-numa",
    on=Choice,
    rests_on=("nrm/distribute-cpus-across-numa/even-in-use",),
    since="1.23",
    strength="SHOULD",
)
def spreads_evenly_in_use(choice: Choice) -> Judgement:
    """CPUs are divided evenly over the NUMA nodes needed, on a machine in use too, and in whole cores of two
    sizes.
    """
    numa(choice)
    in_use_or_unclear(choice)
    each_can_give_its_share(choice)
    return _even(choice)


def _even(choice: Choice) -> Judgement:
    taken = choice.took or 0
    shares = sorted((node & taken).bit_count() for node in touched(choice.numa, taken))
    apart = apart_at_least(choice) or 0
    return violated(
        len(shares) > 1 and shares[-1] - shares[0] <= apart,
        f"the shares of the NUMA nodes are {', '.join(map(str, shares))}",
        got=format_bits(taken),
        allowed=f"several shares that differ by {apart} at most",
    )


@chapter.requires(
    "cpu-manager/distribute-cpus-across-cores/takes-separate-cores",
    "cpu-manager/distribute-cpus-across-cores",
    on=Choice,
    rests_on=(
        "nrm/distribute-cpus-across-cores/separate-cores",
        "nrm/distribute-cpus-across-cores/as-many-cores-as-possible",
        "nrm/options/distribute-cpus-across-cores",
        "nrm/distribute-cpus-across-cores/less-under-load",
    ),
    since="1.31",
    area="cpu-manager options",
)
def takes_separate_cores(choice: Choice) -> Judgement:
    """Exclusive CPUs are taken from as many different physical cores as have a free CPU."""
    took_its_number(choice)
    on(choice, ACROSS_CORES)
    applies(choice.near is None, "a hint was followed")
    taken = choice.took or 0
    cores, possible = len(touched(choice.machine.core_bits, taken)), min(choice.count, len(choice.open_cores))
    return violated(
        cores >= possible,
        f"{choice.count} CPUs come from {cores} cores though {possible} have one to give",
        got=format_bits(taken),
        allowed=f"{possible} cores",
    )


@chapter.requires(
    "cpu-manager/align-by-socket/stays-in-one-socket",
    "cpu-manager/align-by-socket",
    "topology-manager/restricted",
    on=Choice,
    rests_on=("nrm/align-by-socket/aligned-at-the-socket", "nrm/options/align-by-socket"),
    since="1.25",
    area="cpu-manager options",
)
def stays_in_one_socket(choice: Choice) -> Judgement:
    """A container whose exclusive CPUs fit one socket, but no single NUMA node, is given them from one socket.

    Aligned at the socket: what one socket can hold comes from one, where each is free as a whole or taken.
    """
    socket(choice)
    sockets_are_whole(choice)
    one_socket_suffices(choice)
    return _in_one(choice, choice.sockets, "socket")


@chapter.requires(
    "cpu-manager/align-by-socket/stays-in-one-socket-in-use",
    "cpu-manager/align-by-socket",
    on=Choice,
    rests_on=("nrm/align-by-socket/aligned-at-the-socket",),
    since="1.25",
    strength="SHOULD",
)
def stays_in_one_socket_in_use(choice: Choice) -> Judgement:
    """What fits one socket comes from one socket, on a machine in use too."""
    socket(choice)
    sockets_are_in_use(choice)
    one_socket_suffices(choice)
    return _in_one(choice, choice.sockets, "socket")


@chapter.requires(
    "cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache",
    "cpu-manager/prefer-align-cpus-by-uncorecache",
    on=Choice,
    rests_on=(
        "nrm/prefer-align-cpus-by-uncorecache/one-cache",
        "nrm/prefer-align-cpus-by-uncorecache/best-effort",
        "nrm/options/prefer-align-cpus-by-uncorecache",
    ),
    strength="SHOULD",
    area="cpu-manager options",
)
def stays_in_one_cache(choice: Choice) -> Judgement:
    """A container whose exclusive CPUs fit the free CPUs of one uncore cache is given them from one uncore cache.

    All CPUs share one uncore cache where one can hold them: whole cores, with each cache free or taken.
    """
    by_cache(choice)
    has_no_excuse(choice)
    one_cache_suffices(choice)
    return _in_one(choice, choice.caches, "uncore cache")


@chapter.requires(
    "cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache-in-use",
    "cpu-manager/prefer-align-cpus-by-uncorecache",
    on=Choice,
    rests_on=("nrm/prefer-align-cpus-by-uncorecache/best-effort",),
    strength="SHOULD",
)
def stays_in_one_cache_in_use(choice: Choice) -> Judgement:
    """What fits the free CPUs of one uncore cache comes from one, on a best-effort basis, on a machine in use
    too.
    """
    by_cache(choice)
    has_an_excuse(choice)
    one_cache_suffices(choice)
    return _in_one(choice, choice.caches, "uncore cache")


@chapter.requires(
    "cpu-manager/prefer-align-cpus-by-uncorecache/uses-few-caches",
    "cpu-manager/prefer-align-cpus-by-uncorecache",
    on=Choice,
    rests_on=("nrm/prefer-align-cpus-by-uncorecache/few-caches",),
    strength="SHOULD",
)
def uses_few_caches(choice: Choice) -> Judgement:
    """What no uncore cache can hold comes from as few as possible.

    A request that no cache holds comes from as few as possible; asked where each is free as a whole or taken.
    """
    by_cache(choice)
    caches_are_whole(choice)
    no_cache_suffices(choice)
    return few_groups(choice, choice.caches, "uncore caches")


@judges("cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses", on=Choice)
def never_refuses(choice: Choice) -> Judgement:
    """Best effort: what no cache can hold is given all the same."""
    on(choice, BY_UNCORE)
    applies(choice.count <= choice.available.bit_count(), "fewer CPUs are free")
    applies(
        WHOLE_CORES not in choice.options or (choice.can_be_whole_cores and not choice.reusable),
        "with full-pcpus-only no whole cores that nobody has had add up to the request",
    )
    return violated(
        choice.given is not None or not choice.count,
        "a request is refused though enough CPUs are free",
        got=choice.refusal or "a refusal",
        allowed=f"{choice.count} CPUs, from several caches if need be",
    )


def _in_one(choice: Choice, groups: tuple[int, ...], name: str) -> Judgement:
    taken = choice.took or 0
    number = len(touched(groups, taken))
    return violated(
        number == 1,
        f"{choice.count} CPUs come from {number} {name}s where one can give them",
        got=format_bits(taken),
        allowed=f"one {name}",
    )
