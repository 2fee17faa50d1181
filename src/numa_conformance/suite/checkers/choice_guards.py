"""Where a choice of CPUs is judged, and the CPUs from which it should come."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ..judge.checker import Guard
from ..judge.choice import (
    BY_SOCKET,
    WHOLE_CORES,
    Choice,
    adds_up,
    can_be_shared,
    fewest,
    touched,
)

was_served = Guard[Choice]("the request was refused", lambda choice: choice.given is not None)
took_its_number = Guard[Choice](
    "so many free CPUs are not given, or the pages leave open where they lie", lambda choice: choice.took is not None
)


@cache
def on(*names: str) -> Guard[Choice]:
    """Return the guard that options are on."""
    return Guard(f"{' or '.join(names)} is off", lambda choice: choice.options.issuperset(names))


@cache
def off(*names: str) -> Guard[Choice]:
    """Return the guard that options are off."""
    return Guard(f"{' or '.join(names)} is on", lambda choice: choice.options.isdisjoint(names))


@cache
def only(*names: str) -> Guard[Choice]:
    """Return the guard that no options are on but these."""
    known = frozenset(names)
    return Guard(
        f"options are on{' beside ' * bool(names)}{' and '.join(names)}", lambda choice: choice.options <= known
    )


untouched = Guard[Choice]("a NUMA node is partly in use", lambda choice: choice.untouched)
in_use = Guard[Choice]("every NUMA node is free as a whole or taken", lambda choice: not choice.untouched)
even = Guard[Choice]("cores have different numbers of threads", lambda choice: choice.even)


def _is_clear(choice: Choice) -> bool:
    return choice.even or WHOLE_CORES not in choice.options


shares_are_clear = Guard[Choice](
    "under full-pcpus-only cores differ in threads: shares of as many CPUs, or of as many cores", _is_clear
)
in_use_or_unclear = Guard[Choice](
    "every NUMA node is free as a whole or taken", lambda choice: not (choice.untouched and _is_clear(choice))
)
nodes_are_alike = Guard[Choice](
    "NUMA nodes differ in size", lambda choice: len({node.bit_count() for node in choice.numa}) == 1
)
among_all = Guard[Choice]("a hint narrows the choice", lambda choice: scope_of(choice) == choice.available)
without_a_hint = Guard[Choice]("a hint was followed", lambda choice: choice.near is None)
the_hint_holds_it = Guard[Choice](
    "the NUMA nodes of the hint cannot give so many", lambda choice: scope_of(choice) is not None
)


def _in_steps(choice: Choice) -> bool:
    return choice.count % step_of(choice) == 0 if choice.even else apart_at_least(choice) is not None


in_steps = Guard[Choice]("under full-pcpus-only parts of cores are asked for, or cores make no even shares", _in_steps)
in_whole_cores = Guard[Choice](
    "parts of cores are asked for, or free",
    lambda choice: not choice.available & ~choice.whole_core_cpus and choice.count % choice.threads == 0,
)
one_node_suffices = Guard[Choice]("no NUMA node can give so many", lambda choice: _one_suffices(choice, choice.numa))


def _several_equal_nodes_are_required(choice: Choice) -> bool:
    scope = scope_of(choice) or 0
    sizes = {(node & scope).bit_count() for node in choice.numa} - {0}
    return len(sizes) == 1 and choice.count > min(sizes)


several_equal_nodes_are_required = Guard[Choice](
    "one NUMA node can give so many, or the NUMA nodes that can give some differ in size",
    _several_equal_nodes_are_required,
)


def _each_can_give_its_share(choice: Choice) -> bool:
    room, step = room_of(choice, scope_of(choice) or 0), step_of(choice)
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
    lambda choice: choice.near is not None and hinted_cpus(choice) not in (None, choice.available),
)


def step_of(choice: Choice) -> int:
    """CPUs in which a distribution goes: one, or the largest core under full-pcpus-only."""
    return choice.threads if WHOLE_CORES in choice.options else 1


def apart_at_least(choice: Choice) -> int | None:
    """By how much shares of the NUMA nodes that gave CPUs may differ; None where no whole cores make even shares."""
    step = step_of(choice)
    if choice.even or WHOLE_CORES not in choice.options:
        return step
    parts = [[core for core in choice.free_cores if core & node] for node in touched(choice.numa, choice.took or 0)]
    return next((apart for apart in range(step + 1) if can_be_shared(parts, choice.count, apart)), None)


def hinted_cpus(choice: Choice) -> int | None:
    """The CPUs of the hint, where these can give the request; those of a preferred hint can, but for whole cores."""
    scope = scope_of(choice)
    if scope is None and choice.preferred and not choice.options & {WHOLE_CORES, BY_SOCKET}:
        return choice.near
    return scope


def scope_of(choice: Choice) -> int | None:
    """The CPUs from which a request should come: the hint's, or all; None where the hint's cannot hold it."""
    if choice.near is None:
        return choice.available
    near = choice.near & choice.available
    if BY_SOCKET in choice.options:
        near = sum(touched(choice.sockets, choice.near)) & choice.available
    room = room_of(choice, near)
    if WHOLE_CORES in choice.options and not adds_up((core for core in choice.free_cores if core & room), choice.count):
        return None
    return near if room.bit_count() >= choice.count else None


def room_of(choice: Choice, cpus: int) -> int:
    """What of these CPUs can be given: under full-pcpus-only the free cores among them."""
    if WHOLE_CORES not in choice.options:
        return cpus
    return sum(core for core in choice.free_cores if core & cpus == core)


def _whole_or_taken(groups: Iterable[int], available: int) -> bool:
    return all(group & available in (0, group) for group in groups)


def _one_suffices(choice: Choice, groups: tuple[int, ...]) -> bool:
    room = room_of(choice, scope_of(choice) or 0)
    enough = [group & room for group in groups if (group & room).bit_count() >= choice.count]
    if choice.even or WHOLE_CORES not in choice.options:
        return bool(enough)
    return any(adds_up((core for core in choice.free_cores if core & cpus), choice.count) for cpus in enough)
