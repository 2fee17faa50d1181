"""Which CPUs are chosen: the static policy and its options, on whatever machine and in whatever state.

Each function is one requirement. The sentences are on the page Node Resource Managers, section Static policy options.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...cpuset import format_bits
from ..judge.checker import Judgement, Violation, checker, violated
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

_PACKING = frozenset({WHOLE_CORES, BY_SOCKET, STRICT})
"""Options beside which CPUs are packed as without any."""


@checker("cpu-manager/static/integral-guaranteed-is-exclusive", Choice)
def gives_the_number(choice: Choice) -> Judgement:
    """As many CPUs as were asked for."""
    if choice.given is None:
        return None
    number = choice.given.bit_count()
    return violated(
        number == choice.count,
        f"{number} CPUs are given where {choice.count} are asked for",
        got=format_bits(choice.given),
        allowed=f"{choice.count} CPUs",
    )


@checker("cpu-manager/static/gives-free-cpus-only", Choice)
def gives_free_cpus_only(choice: Choice) -> Judgement:
    """None but free CPUs: none of another pod, none reserved, none that is not online."""
    if choice.given is None:
        return None
    stolen = choice.given & ~choice.available
    return violated(
        not stolen,
        f"CPUs {format_bits(stolen)} are given that are not free",
        got=format_bits(choice.given),
        allowed=f"some of {format_bits(choice.available)}",
        **{"not free": stolen},
    )


@checker("cpu-manager/static/refuses-what-is-not-free", Choice)
def refuses_what_is_not_free(choice: Choice) -> Judgement:
    """More than are free cannot be had."""
    if choice.count <= choice.available.bit_count():
        return None
    return violated(
        choice.given is None,
        f"{choice.count} CPUs are asked for, {choice.available.bit_count()} are free, and the request is served",
        got=format_bits(choice.given or 0),
        allowed="a refusal",
    )


@checker("cpu-manager/static/serves-what-is-free", Choice)
def serves_what_is_free(choice: Choice) -> Judgement:
    """So many free CPUs serve so many; under full-pcpus-only so many whole free cores do."""
    if not choice.count or choice.count > choice.available.bit_count():
        return None
    if WHOLE_CORES in choice.options and not choice.can_be_whole_cores:
        return None
    return violated(
        choice.given is not None,
        f"{choice.count} CPUs are refused where {choice.available.bit_count()} are free",
        got=choice.refusal or "a refusal",
        allowed=f"{choice.count} of {format_bits(choice.available)}",
        free=choice.available,
    )


@checker("cpu-manager/full-pcpus-only/gives-whole-cores", Choice)
def gives_whole_cores(choice: Choice) -> Judgement:
    """Full physical cores, always."""
    taken = choice.took
    if taken is None or WHOLE_CORES not in choice.options or not choice.can_be_whole_cores:
        return None
    return _not_split(choice, taken)


def _not_split(choice: Choice, taken: int) -> Iterator[Violation]:
    split = sum(core for core in choice.machine.core_bits if core & taken and core & ~taken)
    return violated(
        not split,
        f"cores are split: of the CPUs {format_bits(split)} only {format_bits(split & taken)} are given",
        got=format_bits(taken),
        allowed="whole cores",
        split=split,
    )


@checker("cpu-manager/static/packs-whole-cores", Choice)
def packs_whole_cores(choice: Choice) -> Judgement:
    """Packed onto as few physical cores as possible, where every NUMA node is free as a whole or taken."""
    taken = choice.took
    if taken is None or choice.options - _PACKING or not choice.untouched:
        return None
    if not choice.even or _scope(choice) != choice.available:
        return None
    return _few_cores(choice, taken)


@checker("cpu-manager/static/packs-few-cores-in-use", Choice)
def packs_few_cores_in_use(choice: Choice) -> Judgement:
    """The same on a machine in use: the page says that CPUs tend to be packed."""
    taken = choice.took
    if taken is None or choice.options or choice.untouched or _scope(choice) != choice.available:
        return None
    return _few_cores(choice, taken)


def _few_cores(choice: Choice, taken: int) -> Iterator[Violation]:
    cores = len(touched(choice.machine.core_bits, taken))
    return violated(
        cores <= choice.fewest_cores,
        f"{choice.count} CPUs come from {cores} cores where {choice.fewest_cores} can give them",
        got=format_bits(taken),
        allowed=f"{choice.fewest_cores} cores",
    )


@checker("cpu-manager/static/packs-few-numa-nodes", Choice)
def packs_few_numa_nodes(choice: Choice) -> Judgement:
    """One NUMA node is filled before the next is begun, or the fewest are used, where each is whole or taken."""
    taken = choice.took
    if taken is None or choice.options - {WHOLE_CORES} or not choice.untouched or _scope(choice) != choice.available:
        return None
    if not choice.even or len({node.bit_count() for node in choice.numa}) > 1:
        return None
    begun = [node for node in touched(choice.numa, taken) if node & choice.whole_core_cpus & ~taken]
    return () if len(begun) <= 1 else _few(choice, taken, choice.numa, "NUMA nodes")


@checker("cpu-manager/static/packs-few-numa-nodes-in-use", Choice)
def packs_few_numa_nodes_in_use(choice: Choice) -> Judgement:
    """On a machine in use the kubelet tries to use the fewest NUMA nodes; asked where no core need be split for it."""
    taken = choice.took
    if taken is None or choice.options or choice.untouched or _scope(choice) != choice.available:
        return None
    whole = [(node & choice.whole_core_cpus).bit_count() for node in choice.numa]
    if choice.available & ~choice.whole_core_cpus or not choice.even or choice.count % choice.threads:
        return None
    least, nodes = fewest(whole, choice.count), len(touched(choice.numa, taken))
    return violated(
        nodes <= least,
        f"{choice.count} CPUs come from {nodes} NUMA nodes where {least} can give them",
        got=format_bits(taken),
        allowed=f"{least} NUMA nodes",
    )


@checker("cpu-manager/distribute-cpus-across-numa/keeps-one-node-where-one-suffices", Choice)
def keeps_one_node(choice: Choice) -> Judgement:
    """Distribution begins only where more than one NUMA node is required."""
    taken = choice.took
    if taken is None or ACROSS_NUMA not in choice.options or choice.options & {BY_SOCKET, BY_UNCORE}:
        return None
    scope = _scope(choice)
    if scope is None or not choice.even or choice.count % _step(choice):
        return None
    room = _room(choice, scope)
    if not any((node & room).bit_count() >= choice.count for node in choice.numa):
        return None
    nodes = len(touched(choice.numa, taken))
    return violated(
        nodes == 1,
        f"a request that one NUMA node can hold is divided over {nodes}",
        got=format_bits(taken),
        allowed="one NUMA node",
    )


@checker("cpu-manager/distribute-cpus-across-numa/spreads-evenly", Choice)
def spreads_evenly(choice: Choice) -> Judgement:
    """Evenly over the NUMA nodes required, where these are alike and free as a whole."""
    taken = choice.took
    if taken is None or ACROSS_NUMA not in choice.options or not choice.untouched or not choice.even:
        return None
    scope = _scope(choice)
    sizes = {(node & (scope or 0)).bit_count() for node in choice.numa} - {0}
    if len(sizes) != 1 or choice.options & {BY_SOCKET, BY_UNCORE} or choice.count <= min(sizes):
        return None
    if choice.count % _step(choice):
        return None
    return _even(choice, taken)


@checker("cpu-manager/distribute-cpus-across-numa/spreads-evenly-in-use", Choice)
def spreads_evenly_in_use(choice: Choice) -> Judgement:
    """The same on a machine in use, where as many NUMA nodes as were used can each give their share."""
    taken = choice.took
    if taken is None or ACROSS_NUMA not in choice.options or choice.untouched or not choice.even:
        return None
    scope = _scope(choice)
    if scope is None:
        return None
    room = _room(choice, scope)
    used = len(touched(choice.numa, taken))
    share = -(-choice.count // (used * _step(choice))) * _step(choice)
    able = sum((node & room).bit_count() >= share for node in choice.numa)
    if used < 2 or able < used or choice.options & {BY_SOCKET, BY_UNCORE} or choice.count % _step(choice):
        return None
    return _even(choice, taken)


def _even(choice: Choice, taken: int) -> Iterator[Violation]:
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


@checker("cpu-manager/distribute-cpus-across-cores/takes-separate-cores", Choice)
def takes_separate_cores(choice: Choice) -> Judgement:
    """As many different physical cores as have a free CPU."""
    taken = choice.took
    if taken is None or ACROSS_CORES not in choice.options or choice.near is not None:
        return None
    cores, possible = len(touched(choice.machine.core_bits, taken)), min(choice.count, len(choice.open_cores))
    return violated(
        cores >= possible,
        f"{choice.count} CPUs come from {cores} cores though {possible} have one to give",
        got=format_bits(taken),
        allowed=f"{possible} cores",
    )


@checker("cpu-manager/align-by-socket/stays-in-one-socket", Choice)
def stays_in_one_socket(choice: Choice) -> Judgement:
    """Aligned at the socket: what one socket can hold comes from one, where each is free as a whole or taken."""
    taken = choice.took
    if taken is None or not _by_socket(choice) or not _whole_or_taken(choice.sockets, choice.available):
        return None
    return _one_where_one_suffices(choice, taken, choice.sockets, "socket")


@checker("cpu-manager/align-by-socket/stays-in-one-socket-in-use", Choice)
def stays_in_one_socket_in_use(choice: Choice) -> Judgement:
    """The same on a machine in use."""
    taken = choice.took
    if taken is None or not _by_socket(choice) or _whole_or_taken(choice.sockets, choice.available):
        return None
    return _one_where_one_suffices(choice, taken, choice.sockets, "socket")


def _by_socket(choice: Choice) -> bool:
    """The page: the option does not apply where there are more sockets than NUMA nodes."""
    alone = not choice.options & {BY_UNCORE, ACROSS_CORES}
    applies = len(choice.sockets) <= len(choice.numa) and (
        WHOLE_CORES not in choice.options or choice.can_be_whole_cores
    )
    return BY_SOCKET in choice.options and alone and applies


@checker("cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache", Choice)
def stays_in_one_cache(choice: Choice) -> Judgement:
    """All CPUs share one uncore cache where one can hold them: whole cores, with each cache free or taken."""
    taken = choice.took
    if taken is None or not _by_cache(choice) or not _has_no_excuse(choice):
        return None
    return _one_where_one_suffices(choice, taken, choice.caches, "uncore cache")


@checker("cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache-in-use", Choice)
def stays_in_one_cache_in_use(choice: Choice) -> Judgement:
    """The same on a machine in use, and for parts of cores: on a best-effort basis, as the page says."""
    taken = choice.took
    if taken is None or not _by_cache(choice) or _has_no_excuse(choice):
        return None
    return _one_where_one_suffices(choice, taken, choice.caches, "uncore cache")


@checker("cpu-manager/prefer-align-cpus-by-uncorecache/uses-few-caches", Choice)
def uses_few_caches(choice: Choice) -> Judgement:
    """A request that no cache holds comes from as few as possible; asked where each is free as a whole or taken."""
    taken = choice.took
    if taken is None or not _by_cache(choice) or not _whole_or_taken(choice.caches, choice.available):
        return None
    if fewest((cache.bit_count() for cache in choice.caches if cache & choice.available), choice.count) < 2:
        return None
    return _few(choice, taken, choice.caches, "uncore caches")


@checker("cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses", Choice)
def never_refuses(choice: Choice) -> Judgement:
    """Best effort: what no cache can hold is given all the same."""
    if BY_UNCORE not in choice.options or WHOLE_CORES in choice.options or choice.count > choice.available.bit_count():
        return None
    return violated(
        choice.given is not None or not choice.count,
        "a request is refused though enough CPUs are free",
        got=choice.refusal or "a refusal",
        allowed=f"{choice.count} CPUs, from several caches if need be",
    )


def _has_no_excuse(choice: Choice) -> bool:
    """Whether the best of efforts must find one cache: whole cores are asked for, each cache is free or taken."""
    whole = choice.even and not choice.count % choice.threads
    return whole and _whole_or_taken(choice.caches, choice.available)


def _by_cache(choice: Choice) -> bool:
    """Whether every CPU has an uncore cache, and the option stands alone beside full-pcpus-only."""
    known = not choice.machine.online_bits & ~sum(choice.caches) and len(choice.caches) > 1
    plain = not choice.options - {BY_UNCORE, WHOLE_CORES}
    return BY_UNCORE in choice.options and known and plain and _scope(choice) == choice.available


@checker("topology-manager/best-effort/aligns-when-possible", Choice)
def follows_the_hint(choice: Choice) -> Judgement:
    """The hint that was chosen is used: CPUs come from its NUMA nodes (sockets under align-by-socket) if these can.

    Those of a preferred hint can, or it would not have been one; under full-pcpus-only a hint may not know of cores.
    """
    taken = choice.took
    scope = _scope(choice)
    if scope is None and choice.preferred and not choice.options & {WHOLE_CORES, BY_SOCKET}:
        scope = choice.near
    if taken is None or choice.near is None or scope is None or scope == choice.available:
        return None
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


def _one_where_one_suffices(choice: Choice, taken: int, groups: tuple[int, ...], name: str) -> Judgement:
    scope = _scope(choice)
    room = _room(choice, scope or 0)
    if not any((group & room).bit_count() >= choice.count for group in groups):
        return None
    number = len(touched(groups, taken))
    return violated(
        number == 1,
        f"{choice.count} CPUs come from {number} {name}s where one can give them",
        got=format_bits(taken),
        allowed=f"one {name}",
    )


def _few(choice: Choice, taken: int, groups: tuple[int, ...], name: str) -> Iterator[Violation]:
    room = _room(choice, choice.available)
    least = fewest(((group & room).bit_count() for group in groups), choice.count)
    number = len(touched(groups, taken))
    return violated(
        number <= least,
        f"{choice.count} CPUs come from {number} {name} where {least} can give them",
        got=format_bits(taken),
        allowed=f"{least} {name}",
    )
