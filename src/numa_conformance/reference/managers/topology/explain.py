"""Why a merge of provider hints came out as it did."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..compressed_hints import CompressedHints
from ..hint import Hint
from ..provider import Answer
from .merge import Axis, axes_of, bound_of, narrower, preferred_masks, single_node_axis
from .policy import TopologyPolicy


@dataclass(frozen=True, slots=True)
class MergeExplanation:
    """How a policy came to a hint: ``rule`` says what decided."""

    hint: Hint
    rule: str


def explain_merge(policy: TopologyPolicy, answers: Collection[Answer]) -> MergeExplanation:
    """Merge once more and say which rule decided (TOPO-MERGE-07..14, TOPO-POL-05)."""
    hint = policy.merge(answers).hint
    if not policy.aligns:
        return MergeExplanation(hint, "policy none merges nothing")
    axes = axes_of(answers)
    if policy.one_node_only:
        axes = [single_node_axis(axis) for axis in axes]
    count = len(preferred_masks(axes, policy.everything))
    rule = _preferred_rule(policy, axes, count) if count else _other_rule(policy, axes, hint, bound_of(axes))
    return MergeExplanation(hint, rule)


def _preferred_rule(policy: TopologyPolicy, axes: Sequence[Axis], count: int) -> str:
    if all(isinstance(axis, tuple) and all(hint.mask is None for hint in axis) for axis in axes):
        return "no manager has an opinion"
    if count == 1:
        return "the only set of NUMA nodes that all prefer"
    return f"of {count} sets of NUMA nodes that all prefer, the one of fewest nodes, then {_fittest(policy)}"


def _other_rule(policy: TopologyPolicy, axes: Sequence[Axis], hint: Hint, needed: int) -> str:
    if policy.one_node_only:
        if not all(axes):
            return "a resource has no preferred hint of one NUMA node"
        return "no single NUMA node is preferred by all"
    if hint.mask is None or (hint.mask == policy.everything and not all(_can_be_all(axis, hint.mask) for axis in axes)):
        return "no NUMA node is in some hint of every resource"
    size = hint.mask.bit_count()
    if size == needed:
        return f"none is preferred by all; among overlaps of hints that span the {needed} needed, {_fittest(policy)}"
    if size < needed:
        return (
            f"none is preferred by all; the widest overlap of hints below the {needed} needed, then {_fittest(policy)}"
        )
    return (
        f"none is preferred by all; the narrowest overlap of hints above the {needed} needed, then {_fittest(policy)}"
    )


def _can_be_all(axis: Axis, everything: int) -> bool:
    if isinstance(axis, CompressedHints):
        return any(not everything & ~(mask | axis.free) for mask in axis.base) or any(
            not everything & ~mask for mask in axis.fixed
        )
    return any(hint.mask is None or not everything & ~hint.mask for hint in axis)


def _fittest(policy: TopologyPolicy) -> str:
    return "the lowest mask" if policy.fitness is narrower else "the one of least average distance"
