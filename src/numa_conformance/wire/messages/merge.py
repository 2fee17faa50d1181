"""The surface ``merge``: one decision of the Topology Manager."""

from ..message import Message, Request
from ..values import AnsweredNodes, HintLists, QuestionNode

SURFACE = "merging provider hints under a Topology Manager policy"


class Merged(Message, frozen=True, omit_defaults=False):
    """The merged hint and whether the policy admits the pod."""

    nodes: AnsweredNodes | None
    preferred: bool
    admit: bool


class Merge(Request[Merged], method="merge", surface="merge", frozen=True, omit_defaults=False):
    """Merge the hints of providers (each null, or resource to hints) under a Topology Manager policy."""

    policy: str
    options: dict[str, str]
    nodes: list[QuestionNode]
    distances: list[list[int]] | None
    providers: list[HintLists | None]
