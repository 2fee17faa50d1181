"""Where a choice of CPUs is judged, and the CPUs from which it should come."""

from __future__ import annotations

from collections.abc import Iterable

from ..judge.chapter import applies
from ..judge.choice import (
    BY_SOCKET,
    WHOLE_CORES,
    Choice,
    adds_up,
    can_be_shared,
    fewest,
    touched,
)


def took_its_number(choice: Choice) -> None:
    applies(choice.took is not None, "so many free CPUs are not given, or the pages leave open where they lie")


def on(choice: Choice, *names: str) -> None:
    """Return the guard that options are on."""
    applies(choice.options.issuperset(names), f"{' or '.join(names)} is off")


def off(choice: Choice, *names: str) -> None:
    """Return the guard that options are off."""
    applies(choice.options.isdisjoint(names), f"{' or '.join(names)} is on")


def only(choice: Choice, *names: str) -> None:
    """Return the guard that no options are on but these."""
    known = frozenset(names)
    applies(choice.options <= known, f"options are on{' beside ' * bool(names)}{' and '.join(names)}")


def _is_clear(choice: Choice) -> bool:
    return choice.even or WHOLE_CORES not in choice.options


def shares_are_clear(subject: Choice) -> None:
    applies(
        _is_clear(subject), "under full-pcpus-only cores differ in threads: shares of as many CPUs, or of as many cores"
    )


def in_use_or_unclear(choice: Choice) -> None:
    applies(not (choice.untouched and _is_clear(choice)), "every NUMA node is free as a whole or taken")


def among_all(choice: Choice) -> None:
    applies(scope_of(choice) == choice.available, "a hint narrows the choice")


def the_hint_holds_it(choice: Choice) -> None:
    applies(scope_of(choice) is not None, "the NUMA nodes of the hint cannot give so many")


def _in_steps(choice: Choice) -> bool:
    return choice.count % step_of(choice) == 0 if choice.even else apart_at_least(choice) is not None


def in_steps(subject: Choice) -> None:
    applies(_in_steps(subject), "under full-pcpus-only parts of cores are asked for, or cores make no even shares")


def one_node_suffices(choice: Choice) -> None:
    applies(_one_suffices(choice, choice.numa), "no NUMA node can give so many")


def _several_equal_nodes_are_required(choice: Choice) -> bool:
    scope = scope_of(choice) or 0
    sizes = {(node & scope).bit_count() for node in choice.numa} - {0}
    return len(sizes) == 1 and choice.count > min(sizes)


def several_equal_nodes_are_required(subject: Choice) -> None:
    applies(
        _several_equal_nodes_are_required(subject),
        "one NUMA node can give so many, or the NUMA nodes that can give some differ in size",
    )


def _each_can_give_its_share(choice: Choice) -> bool:
    room, step = room_of(choice, scope_of(choice) or 0), step_of(choice)
    used = len(touched(choice.numa, choice.took or 0))
    share = -(-choice.count // (used * step)) * step
    return used > 1 and sum((node & room).bit_count() >= share for node in choice.numa) >= used


def each_can_give_its_share(subject: Choice) -> None:
    applies(_each_can_give_its_share(subject), "one NUMA node was used, or fewer than were used can give their share")


def sockets_apply(choice: Choice) -> None:
    applies(
        len(choice.sockets) <= len(choice.numa) and (WHOLE_CORES not in choice.options or choice.can_be_whole_cores),
        "there are more sockets than NUMA nodes, or no whole free cores add up under full-pcpus-only",
    )


def sockets_are_whole(choice: Choice) -> None:
    applies(_whole_or_taken(choice.sockets, choice.available), "a socket is partly in use")


def sockets_are_in_use(choice: Choice) -> None:
    applies(not _whole_or_taken(choice.sockets, choice.available), "every socket is free as a whole or taken")


def one_socket_suffices(choice: Choice) -> None:
    applies(_one_suffices(choice, choice.sockets), "no socket can give so many")


def caches_are_whole(choice: Choice) -> None:
    applies(_whole_or_taken(choice.caches, choice.available), "an uncore cache is partly in use")


def _has_no_excuse(choice: Choice) -> bool:
    return choice.even and not choice.count % choice.threads and _whole_or_taken(choice.caches, choice.available)


def has_no_excuse(choice: Choice) -> None:
    applies(_has_no_excuse(choice), "parts of cores are asked for, or an uncore cache is partly in use")


def has_an_excuse(choice: Choice) -> None:
    applies(not _has_no_excuse(choice), "whole cores are asked for, and every uncore cache is free as a whole or taken")


def one_cache_suffices(choice: Choice) -> None:
    applies(_one_suffices(choice, choice.caches), "no uncore cache can give so many")


def no_cache_suffices(choice: Choice) -> None:
    applies(
        fewest((cache.bit_count() for cache in choice.caches if cache & choice.available), choice.count) > 1,
        "one uncore cache can give so many",
    )


def a_hint_narrows(choice: Choice) -> None:
    applies(
        choice.near is not None and hinted_cpus(choice) not in (None, choice.available),
        "no hint was followed, or its NUMA nodes cannot give so many, or are all there are",
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
