"""Whether a pod fits a node: the plugin NodeResourcesFit checks that it has all that the pod requests."""

from ...judging.chapter import Chapter, Judgement, applies, recommended_by, rests_on, violated
from ...judging.scored import ScoredNode

chapter = Chapter("scheduler/filter", since="1.22")


def has_room_for_one_more(node: ScoredNode, wholes: bool = False) -> None:
    applies(node.has_wholes == wholes, f"{'no' if wholes else 'a'} pod has resources as a whole")
    applies(node.refused is None, "the strategy is refused")
    applies(node.is_counted_alike, "no page decides what a pod requests")
    applies(node.room.get("pods", 0) > len(node.used), "the node has as many pods as it may have")


@chapter.requires("scheduler/filter/refuses-what-has-no-room")
@rests_on(
    "scheduler-configuration/plugins/fit-checks-everything-requested",
    "sidecars/resources/overhead",
    "init-containers/resources/effective-request",
    "nrm/strict-cpu-reservation/admission-compares-requests",
    "reserve/allocatable/not-over-subscribed",
)
def refuses_what_has_no_room(node: ScoredNode) -> Judgement:
    """A pod fits a node that has all the resources it requests, and no other."""
    has_room_for_one_more(node)
    return _fits(node)


@chapter.requires("scheduler/filter/counts-resources-as-a-whole", "node/pod-level-resources", since="1.34")
@rests_on("pod-level/head/takes-precedence", "scheduler-configuration/plugins/fit-checks-everything-requested")
def counts_resources_as_a_whole(node: ScoredNode) -> Judgement:
    """A pod with resources as a whole fits a node that has these, whatever its containers request."""
    has_room_for_one_more(node, wholes=True)
    return _fits(node)


def _fits(node: ScoredNode) -> Judgement:
    lacking = ", ".join(name for name in sorted(node.pod.resources) if node.lacks(name))
    return violated(
        bool(node.insufficient) == bool(lacking),
        "the pod is said to fit" if lacking else "the pod is said not to fit",
        got=", ".join(node.insufficient) or "it fits",
        allowed=f"not enough of {lacking}" if lacking else "it fits",
    )


@chapter.requires("scheduler/filter/names-what-is-insufficient")
@recommended_by(
    "scheduler-configuration/plugins/fit-checks-everything-requested",
    beyond="No page says that each resource that lacks is named.",
)
def names_what_is_insufficient(node: ScoredNode) -> Judgement:
    """A pod does not fit a node that lacks a resource it requests, and each such resource is named; else it fits."""
    applies(node.insufficient, "the pod is said to fit")
    has_room_for_one_more(node)
    text = ", ".join(node.insufficient)
    lacks = {name: node.lacks(name) for name in sorted(node.pod.resources.union(node.room))}
    wrong = [name for name, lacking in lacks.items() if (name in text) != lacking]
    why = f"named or not, that is wrong of {', '.join(wrong)}"
    return violated(not wrong, why, got=text, allowed=", ".join(name for name, lacking in lacks.items() if lacking))
