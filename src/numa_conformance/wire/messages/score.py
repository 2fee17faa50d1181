"""The surface ``score``: NodeResourcesFit for one node."""

from ..message import Request, TaggedReply
from ..values import JsonObject

SURFACE = "NodeResourcesFit scoring and filtering"
FEATURES = {"scheduler/filter": "which resources are insufficient"}


class Scored(TaggedReply, tag="scored", frozen=True):
    """The score from 0 to 100 (null of a target that only filters), and why the pod would not fit.

    ``scores``: of each resource that counts, on the same scale.
    """

    score: int | None
    insufficient: list[str]
    scores: dict[str, float] | None = None


class ScoreRefused(TaggedReply, tag="refused", frozen=True):
    """The arguments of the plugin are refused."""

    message: str


class Score(Request[Scored | ScoreRefused], method="score", surface="score", frozen=True, omit_defaults=False):
    """Score one node for a pod with NodeResourcesFit. ``pods`` are on the node already."""

    strategy: JsonObject
    allocatable: dict[str, str]
    pods: list[JsonObject]
    pod: JsonObject
