"""Which CPUs are chosen: the static policy and its options, on whatever machine and in whatever state.

Each function is one requirement. The sentences are on the page Node Resource Managers, section Static policy options.
"""

from __future__ import annotations

from collections.abc import Iterable

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
    adds_up,
    fewest,
    touched,
)

was_served = Guard[Choice]("the request was refused", lambda choice: choice.given is not None)
took_its_number = Guard[Choice](
    "so many free CPUs are not given, or the pages leave open where they lie", lambda choice: choice.took is not None
)


def on(*names: str) -> Guard[Choice]:
    """Return the guard that options are on."""
    return Guard(f"{' or '.join(names)} is off", lambda choice: choice.options.issuperset(names))


def off(*names: str) -> Guard[Choice]:
    """Return the guard that options are off."""
    return Guard(f"{' or '.join(names)} is on", lambda choice: choice.options.isdisjoint(names))


def only(*names: str) -> Guard[Choice]:
    """Return the guard that no options are on but these."""
    known = frozenset(names)
    return Guard(
        f"options are on{' beside ' * bool(names)}{' and '.join(names)}", lambda choice: choice.options <= known
    )


untouched = Guard[Choice]("a NUMA node is partly in use", lambda choice: choice.untouched)
in_use = Guard[Choice]("every NUMA node is free as a whole or taken", lambda choice: not choice.untouched)
even = Guard[Choice]("cores have different numbers of threads", lambda choice: choice.even)
nodes_are_alike = Guard[Choice](
    "NUMA nodes differ in size", lambda choice: len({node.bit_count() for node in choice.numa}) == 1
)
among_all = Guard[Choice]("a hint narrows the choice", lambda choice: _scope(choice) == choice.available)
without_a_hint = Guard[Choice]("a hint was followed", lambda choice: choice.near is None)
the_hint_holds_it = Guard[Choice](
    "the NUMA nodes of the hint cannot give so many", lambda choice: _scope(choice) is not None
)
in_steps = Guard[Choice](
    "parts of cores are asked for under full-pcpus-only", lambda choice: choice.count % _step(choice) == 0
)
in_whole_cores = Guard[Choice](
    "parts of cores are asked for, or free",
    lambda choice: not choice.available & ~choice.whole_core_cpus and choice.count % choice.threads == 0,
)
one_node_suffices = Guard[Choice]("no NUMA node can give so many", lambda choice: _one_suffices(choice, choice.numa))


def _several_equal_nodes_are_required(choice: Choice) -> bool:
    scope = _scope(choice) or 0
    sizes = {(node & scope).bit_count() for node in choice.numa} - {0}
    return len(sizes) == 1 and choice.count > min(sizes)


several_equal_nodes_are_required = Guard[Choice](
    "one NUMA node can give so many, or the NUMA nodes that can give some differ in size",
    _several_equal_nodes_are_required,
)


def _each_can_give_its_share(choice: Choice) -> bool:
    room, step = _room(choice, _scope(choice) or 0), _step(choice)
    used = len(touched(choice.numa, choice.took or 0))
    share = -(-choice.count // (used * step)) * step
    return used > 1 and sum((node & room).bit_count() >= share for node in choice.numa) >= used


each_can_give_its_share = Guard[Choice](
    "one NUMA node was used, or fewer than were used can give their share", _each_can_give_its_share
)
sockets_apply = Guard[Choice](
    "there are more sockets than NUMA nodes, or no whole free cores add up under full-pcpus-only",
    lambda choice: (
        len(choice.sockets) <= len(choice.numa) and (WHOLE_CORES not in choice.options or choice.can_be_whole_cores)
    ),
)
sockets_are_whole = Guard[Choice](
    "a socket is partly in use", lambda choice: _whole_or_taken(choice.sockets, choice.available)
)
sockets_are_in_use = Guard[Choice](
    "every socket is free as a whole or taken", lambda choice: not sockets_are_whole.holds(choice)
)
one_socket_suffices = Guard[Choice]("no socket can give so many", lambda choice: _one_suffices(choice, choice.sockets))
caches_are_known = Guard[Choice](
    "the machine does not tell of several uncore caches, or of one for each CPU",
    lambda choice: len(choice.caches) > 1 and not choice.machine.online_bits & ~sum(choice.caches),
)
caches_are_whole = Guard[Choice](
    "an uncore cache is partly in use", lambda choice: _whole_or_taken(choice.caches, choice.available)
)
has_no_excuse = Guard[Choice](
    "parts of cores are asked for, or an uncore cache is partly in use",
    lambda choice: choice.even and not choice.count % choice.threads and caches_are_whole.holds(choice),
)
has_an_excuse = Guard[Choice](
    "whole cores are asked for, and every uncore cache is free as a whole or taken",
    lambda choice: not has_no_excuse.holds(choice),
)
one_cache_suffices = Guard[Choice](
    "no uncore cache can give so many", lambda choice: _one_suffices(choice, choice.caches)
)
no_cache_suffices = Guard[Choice](
    "one uncore cache can give so many",
    lambda choice: fewest((cache.bit_count() for cache in choice.caches if cache & choice.available), choice.count) > 1,
)
enough_are_free = Guard[Choice]("fewer CPUs are free", lambda choice: choice.count <= choice.available.bit_count())
a_hint_narrows = Guard[Choice](
    "no hint was followed, or its NUMA nodes cannot give so many, or are all there are",
    lambda choice: choice.near is not None and _hinted(choice) not in (None, choice.available),
)


BY_CACHE = (took_its_number, on(BY_UNCORE), only(BY_UNCORE, WHOLE_CORES), caches_are_known, among_all)
SOCKET = (took_its_number, on(BY_SOCKET), off(BY_UNCORE, ACROSS_CORES), sockets_apply)
NUMA = (took_its_number, on(ACROSS_NUMA), off(BY_SOCKET, BY_UNCORE), even, the_hint_holds_it, in_steps)


@checker("cpu-manager/static/gives-free-cpus-only", Choice, when=(was_served,))
def gives_free_cpus_only(choice: Choice) -> Judgement:
    """None but free CPUs: none of another pod, none reserved, none that is not online."""
    given = choice.given or 0
    stolen = given & ~choice.available
    return violated(
        not stolen,
        f"CPUs {format_bits(stolen)} are given that are not free",
        got=format_bits(given),
        allowed=f"some of {format_bits(choice.available)}",
        stolen=stolen,
    )


@checker(
    "cpu-manager/static/packs-whole-cores",
    Choice,
    when=(took_its_number, only(WHOLE_CORES, BY_SOCKET, STRICT), untouched, even, among_all),
)
def packs_whole_cores(choice: Choice) -> Judgement:
    """Packed onto as few physical cores as possible, where every NUMA node is free as a whole or taken."""
    return _few_cores(choice)


@checker("cpu-manager/static/packs-few-cores-in-use", Choice, when=(took_its_number, only(), in_use, among_all))
def packs_few_cores_in_use(choice: Choice) -> Judgement:
    """The same on a machine in use: the page says that CPUs tend to be packed."""
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


@checker(
    "cpu-manager/static/packs-few-numa-nodes",
    Choice,
    when=(
        took_its_number,
        only(WHOLE_CORES),
        untouched,
        even,
        nodes_are_alike,
        among_all,
    ),
)
def packs_few_numa_nodes(choice: Choice) -> Judgement:
    """One NUMA node is filled before the next is begun, or the fewest are used, where each is whole or taken."""
    taken = choice.took or 0
    begun = [node for node in touched(choice.numa, taken) if node & choice.whole_core_cpus & ~taken]
    return () if len(begun) <= 1 else _few(choice, choice.numa, "NUMA nodes")


@checker(
    "cpu-manager/static/packs-few-numa-nodes-in-use",
    Choice,
    when=(took_its_number, only(), in_use, among_all, even, in_whole_cores),
)
def packs_few_numa_nodes_in_use(choice: Choice) -> Judgement:
    """On a machine in use the kubelet tries to use the fewest NUMA nodes; asked where no core need be split for it."""
    taken = choice.took or 0
    whole = [(node & choice.whole_core_cpus).bit_count() for node in choice.numa]
    least, nodes = fewest(whole, choice.count), len(touched(choice.numa, taken))
    return violated(
        nodes <= least,
        f"{choice.count} CPUs come from {nodes} NUMA nodes where {least} can give them",
        got=format_bits(taken),
        allowed=f"{least} NUMA nodes",
    )


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
    when=(*NUMA, untouched, several_equal_nodes_are_required),
)
def spreads_evenly(choice: Choice) -> Judgement:
    """Evenly over the NUMA nodes required, where these are alike and free as a whole."""
    return _even(choice)


@checker(
    "cpu-manager/distribute-cpus-across-numa/spreads-evenly-in-use",
    Choice,
    when=(*NUMA, in_use, each_can_give_its_share),
)
def spreads_evenly_in_use(choice: Choice) -> Judgement:
    """The same on a machine in use, where as many NUMA nodes as were used can each give their share."""
    return _even(choice)


def _even(choice: Choice) -> Judgement:
    taken = choice.took or 0
    shares = sorted((node & taken).bit_count() for node in touched(choice.numa, taken))
    return violated(
        len(shares) > 1 and shares[-1] - shares[0] <= _step(choice),
        f"the shares of the NUMA nodes are {', '.join(map(str, shares))}",
        got=format_bits(taken),
        allowed=f"several shares that differ by {_step(choice)} at most",
    )


def _step(choice: Choice) -> int:
    """CPUs in which a distribution goes: one, or a core under full-pcpus-only."""
    return choice.threads if WHOLE_CORES in choice.options else 1


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
    return _few(choice, choice.caches, "uncore caches")


@checker(
    "cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses",
    Choice,
    when=(on(BY_UNCORE), off(WHOLE_CORES), enough_are_free),
)
def never_refuses(choice: Choice) -> Judgement:
    """Best effort: what no cache can hold is given all the same."""
    return violated(
        choice.given is not None or not choice.count,
        "a request is refused though enough CPUs are free",
        got=choice.refusal or "a refusal",
        allowed=f"{choice.count} CPUs, from several caches if need be",
    )


def _hinted(choice: Choice) -> int | None:
    """The CPUs of the hint, where these can give the request; those of a preferred hint can, but for whole cores."""
    scope = _scope(choice)
    if scope is None and choice.preferred and not choice.options & {WHOLE_CORES, BY_SOCKET}:
        return choice.near
    return scope


@checker("topology-manager/best-effort/aligns-when-possible", Choice, when=(took_its_number, a_hint_narrows))
def follows_the_hint(choice: Choice) -> Judgement:
    """The hint that was chosen is used: CPUs come from its NUMA nodes (sockets under align-by-socket) if these can."""
    taken, scope = choice.took or 0, _hinted(choice) or 0
    return violated(
        not taken & ~scope,
        f"CPUs {format_bits(taken & ~scope)} are not of the NUMA nodes of the hint, which can give all",
        got=format_bits(taken),
        allowed=f"some of {format_bits(scope)}",
        hinted=scope,
    )


def _scope(choice: Choice) -> int | None:
    """The CPUs from which a request should come: the hint's, or all; None where the hint's cannot hold it."""
    if choice.near is None:
        return choice.available
    near = choice.near & choice.available
    if BY_SOCKET in choice.options:
        near = sum(touched(choice.sockets, choice.near)) & choice.available
    room = _room(choice, near)
    if WHOLE_CORES in choice.options and not adds_up((core for core in choice.free_cores if core & room), choice.count):
        return None
    return near if room.bit_count() >= choice.count else None


def _room(choice: Choice, cpus: int) -> int:
    """What of these CPUs can be given: under full-pcpus-only the free cores among them."""
    if WHOLE_CORES not in choice.options:
        return cpus
    return sum(core for core in choice.free_cores if core & cpus == core)


def _whole_or_taken(groups: Iterable[int], available: int) -> bool:
    return all(group & available in (0, group) for group in groups)


def _one_suffices(choice: Choice, groups: tuple[int, ...]) -> bool:
    room = _room(choice, _scope(choice) or 0)
    return any((group & room).bit_count() >= choice.count for group in groups)


def _in_one(choice: Choice, groups: tuple[int, ...], name: str) -> Judgement:
    taken = choice.took or 0
    number = len(touched(groups, taken))
    return violated(
        number == 1,
        f"{choice.count} CPUs come from {number} {name}s where one can give them",
        got=format_bits(taken),
        allowed=f"one {name}",
    )


def _few(choice: Choice, groups: tuple[int, ...], name: str) -> Judgement:
    room, taken = _room(choice, choice.available), choice.took or 0
    least = fewest(((group & room).bit_count() for group in groups), choice.count)
    number = len(touched(groups, taken))
    return violated(
        number <= least,
        f"{choice.count} CPUs come from {number} {name} where {least} can give them",
        got=format_bits(taken),
        allowed=f"{least} {name}",
    )
