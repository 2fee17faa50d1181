"""Which CPUs are chosen under options of the static policy, on whatever machine and in whatever state.

The sentences are on the page Node Resource Managers, section Static policy options.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, checker, violated
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
    caches_are_known,
    caches_are_whole,
    each_can_give_its_share,
    enough_are_free,
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
    untouched,
    without_a_hint,
)
from .cpu_choices import few_groups

BY_CACHE = (took_its_number, on(BY_UNCORE), only(BY_UNCORE, WHOLE_CORES, STRICT), caches_are_known, among_all)
SOCKET = (took_its_number, on(BY_SOCKET), off(ACROSS_CORES), sockets_apply)
NUMA = (took_its_number, on(ACROSS_NUMA), off(BY_SOCKET, BY_UNCORE), the_hint_holds_it, in_steps)


@checker(
    "cpu-manager/distribute-cpus-across-numa/keeps-one-node-where-one-suffices", Choice, when=(*NUMA, one_node_suffices)
)
def keeps_one_node(choice: Choice) -> Judgement:
    """Distribution begins only where more than one NUMA node is required."""
    taken = choice.took or 0
    nodes = len(touched(choice.numa, taken))
    return violated(
        nodes == 1,
        f"a request that one NUMA node can hold is divided over {nodes}",
        got=format_bits(taken),
        allowed="one NUMA node",
    )


@checker(
    "cpu-manager/distribute-cpus-across-numa/spreads-evenly",
    Choice,
    when=(*NUMA, shares_are_clear, untouched, several_equal_nodes_are_required),
)
def spreads_evenly(choice: Choice) -> Judgement:
    """Evenly over the NUMA nodes required, where these are alike and free as a whole."""
    return _even(choice)


@checker(
    "cpu-manager/distribute-cpus-across-numa/spreads-evenly-in-use",
    Choice,
    when=(*NUMA, in_use_or_unclear, each_can_give_its_share),
)
def spreads_evenly_in_use(choice: Choice) -> Judgement:
    """The same on a machine in use, and in cores of two sizes, where the NUMA nodes used can each give their share."""
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


@checker(
    "cpu-manager/distribute-cpus-across-cores/takes-separate-cores",
    Choice,
    when=(took_its_number, on(ACROSS_CORES), without_a_hint),
)
def takes_separate_cores(choice: Choice) -> Judgement:
    """As many different physical cores as have a free CPU."""
    taken = choice.took or 0
    cores, possible = len(touched(choice.machine.core_bits, taken)), min(choice.count, len(choice.open_cores))
    return violated(
        cores >= possible,
        f"{choice.count} CPUs come from {cores} cores though {possible} have one to give",
        got=format_bits(taken),
        allowed=f"{possible} cores",
    )


@checker(
    "cpu-manager/align-by-socket/stays-in-one-socket", Choice, when=(*SOCKET, sockets_are_whole, one_socket_suffices)
)
def stays_in_one_socket(choice: Choice) -> Judgement:
    """Aligned at the socket: what one socket can hold comes from one, where each is free as a whole or taken."""
    return _in_one(choice, choice.sockets, "socket")


@checker(
    "cpu-manager/align-by-socket/stays-in-one-socket-in-use",
    Choice,
    when=(*SOCKET, sockets_are_in_use, one_socket_suffices),
)
def stays_in_one_socket_in_use(choice: Choice) -> Judgement:
    """The same on a machine in use."""
    return _in_one(choice, choice.sockets, "socket")


@checker(
    "cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache",
    Choice,
    when=(*BY_CACHE, has_no_excuse, one_cache_suffices),
)
def stays_in_one_cache(choice: Choice) -> Judgement:
    """All CPUs share one uncore cache where one can hold them: whole cores, with each cache free or taken."""
    return _in_one(choice, choice.caches, "uncore cache")


@checker(
    "cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache-in-use",
    Choice,
    when=(*BY_CACHE, has_an_excuse, one_cache_suffices),
)
def stays_in_one_cache_in_use(choice: Choice) -> Judgement:
    """The same on a machine in use, and for parts of cores: on a best-effort basis, as the page says."""
    return _in_one(choice, choice.caches, "uncore cache")


@checker(
    "cpu-manager/prefer-align-cpus-by-uncorecache/uses-few-caches",
    Choice,
    when=(*BY_CACHE, caches_are_whole, no_cache_suffices),
)
def uses_few_caches(choice: Choice) -> Judgement:
    """A request that no cache holds comes from as few as possible; asked where each is free as a whole or taken."""
    return few_groups(choice, choice.caches, "uncore caches")


whole_cores_suffice = Guard[Choice](
    "with full-pcpus-only no whole cores that nobody has had add up to the request",
    lambda choice: WHOLE_CORES not in choice.options or (choice.can_be_whole_cores and not choice.reusable),
)


@checker(
    "cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses",
    Choice,
    when=(on(BY_UNCORE), enough_are_free, whole_cores_suffice),
)
def never_refuses(choice: Choice) -> Judgement:
    """Best effort: what no cache can hold is given all the same."""
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
