"""How hints, sets of NUMA nodes and what containers hold are written in what judges say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..cpuset import format_bits
from ..wire.history.quantities import size_told
from ..wire.history.values import Affinity, Held

IMPOSSIBLE = "no hint: an empty list, not null, which is no opinion"


def is_impossible(offered: Iterable[Affinity] | None) -> bool:
    """Tell whether hints say that nothing will do, where no opinion would say that anything will."""
    return offered is not None and all(hint == Affinity(None, False) for hint in offered)


def is_no_opinion(offered: Collection[Affinity] | None) -> bool:
    """Tell whether hints say that any NUMA nodes will do, explicitly or not."""
    return offered is None or {*offered} == {Affinity(None, True)}


def listed(offered: Iterable[Affinity] | None) -> str:
    """Write hints; None is no opinion, none at all is no way."""
    if offered is None:
        return "no opinion"
    texts = [("any" if hint.nodes is None else f"{{{format_bits(hint.nodes)}}}", hint.preferred) for hint in offered]
    return ", ".join(f"{nodes} preferred" if preferred else nodes for nodes, preferred in texts) or "no hint"


def number_of(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"one {noun}" if number == 1 else f"{number} {noun}s"


def amounts_text(amounts: Mapping[str, int]) -> str:
    """Write how many of each resource, which may be none of any."""
    return ", ".join(f"{number} of {name}" for name, number in amounts.items()) or "none"


def memory_text(amounts: Mapping[str, int], joint: str = ", ") -> str:
    """Write how many bytes of each type of memory, which may be none of any."""
    return joint.join(f"{size_told(number)} of {kind}" for kind, number in amounts.items() if number) or "none"


def in_words(held: Mapping[str, Held]) -> str:
    """Write what the containers of a pod hold."""
    return "; ".join(f"{name}: {holding}" for name, holding in held.items())


def devices_text(held: Held | None) -> str:
    """Write the devices that a container holds."""
    known = sorted(held.devices_by_resource.items()) if held else ()
    return ", ".join(f"{name}: {', '.join(sorted(ids))}" for name, ids in known) or "none"


def sets_text(sets: Iterable[int]) -> str:
    """Write sets of NUMA nodes."""
    return ", ".join(f"{{{format_bits(nodes)}}}" for nodes in sets)


def memory_in_words(held: Held | None) -> str:
    """Write the memory that a container holds."""
    return ", ".join(map(str, (held.memory if held else None) or ())) or "none"
