"""Choices of exclusive CPUs: what the sentences of the static policy and its options have in common."""

from collections.abc import Sequence

from ...cpuset import format_bits
from ...judging.chapter import Judgement, applies, configured, violated
from ...judging.choice import WHOLE_CORES, CpuChoice, adds_up, fewest, touched
from ...judging.shared_views import ContainerView
from ..outcomes import number_of

Groups = Sequence[int]
"""The CPUs of each core, uncore cache, NUMA node or socket."""


def on(subject: CpuChoice | ContainerView, option: str) -> None:
    configured(option in subject.options, f"{option} is off")


def off(choice: CpuChoice, *options: str) -> None:
    configured(choice.options.isdisjoint(options), f"{' or '.join(options)} is on")


def only(choice: CpuChoice, *options: str) -> None:
    configured(choice.options <= {*options}, "other options are on")


def took(choice: CpuChoice) -> int:
    return applies(choice.took, "so many free CPUs are not given, or the pages leave open where they lie")


def among_all(choice: CpuChoice) -> None:
    applies(choice.scope == choice.available, "a hint narrows the choice")


def same_cores(choice: CpuChoice) -> None:
    applies(choice.even, "cores have different numbers of threads")


def whole_or_taken(choice: CpuChoice, groups: Groups, name: str, in_use: bool = False) -> None:
    """Go on where each group is free as a whole or taken; for what is recommended in use, where one is neither."""
    applies(
        choice.whole(groups) != in_use,
        f"every {name} is free as a whole or taken" if in_use else f"some {name} is partly in use",
    )


def spreading(groups: Groups, name: str) -> None:
    """Go on where CPUs can lie in more groups than need be."""
    can_be = len(groups) > 1 and any(group & (group - 1) for group in groups)
    applies(can_be, f"there is one {name}, or each has one CPU")


def in_few(choice: CpuChoice, taken: int, groups: Groups, name: str) -> Judgement:
    """Judge that the CPUs come from as few groups as can give them."""
    room = choice.room(choice.available)
    least = fewest(((group & room).bit_count() for group in groups), choice.count)
    return at_most(choice, taken, groups, name, least)


def in_one(choice: CpuChoice, taken: int, groups: Groups, name: str) -> Judgement:
    """Judge that the CPUs come from one group, where one can give them."""
    room = choice.room(choice.scope)
    able = [group & room for group in groups if (group & room).bit_count() >= choice.count]
    if not choice.even and WHOLE_CORES in choice.options:
        able = [cpus for cpus in able if adds_up((core for core in choice.free_cores if core & cpus), choice.count)]
    applies(able, f"no {name} can give so many")
    return at_most(choice, taken, groups, name, 1)


def at_most(choice: CpuChoice, taken: int, groups: Groups, name: str, least: int) -> Judgement:
    """Judge that the CPUs come from no more than so many groups."""
    spreading(groups, name)
    number, enough = len(touched(groups, taken)), "one" if least == 1 else least
    why = f"{choice.count} CPUs come from {number} {name}s where {enough} can give them"
    return violated(number <= least, why, got=format_bits(taken), allowed=number_of(least, name))
