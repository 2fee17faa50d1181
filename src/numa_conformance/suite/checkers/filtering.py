"""Whether a pod fits a node: the plugin NodeResourcesFit checks that it has all that the pod requests."""

from __future__ import annotations

from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.scored import ScoredNode

__all__: list[str] = []

has_room_for_one_more = Guard[ScoredNode](
    "the node has as many pods as it may have, or the strategy is refused",
    lambda node: node.refused is None and node.room.get("pods", 0) > len(node.used),
)
something_is_insufficient = Guard[ScoredNode]("the pod is said to fit", lambda node: node.insufficient)


@checker("scheduler/filter/refuses-what-has-no-room", ScoredNode, when=(has_room_for_one_more,))
def refuses_what_has_no_room(node: ScoredNode) -> Judgement:
    """A pod fits a node that has all the resources it requests, and no other."""
    lacking = [name for name in sorted(node.pod.resources) if node.lacks(name)]
    return violated(
        bool(node.insufficient) == bool(lacking),
        "the pod is said to fit" if lacking else "the pod is said not to fit",
        got=", ".join(node.insufficient) or "it fits",
        allowed=f"not enough of {', '.join(lacking)}" if lacking else "it fits",
    )


@checker(
    "scheduler/filter/names-what-is-insufficient", ScoredNode, when=(something_is_insufficient, has_room_for_one_more)
)
def names_what_is_insufficient(node: ScoredNode) -> Judgement:
    """Each resource of which there is too little is named, and none of which there is enough."""
    text = " ".join(node.insufficient)
    known = node.pod.resources.union(node.room)
    wrong = [name for name in sorted(known) if (name in text) != node.lacks(name)]
    return violated(
        not wrong,
        f"named or not, that is wrong of {', '.join(wrong)}",
        got=", ".join(node.insufficient),
        allowed=", ".join(name for name in sorted(known) if node.lacks(name)),
    )
