"""The surface ``merge``: one decision of the Topology Manager."""

from ..message import Message, Request
from ..values import HintLists, NodeId, NodeIds

SURFACE = "merging provider hints under a Topology Manager policy"


class Merged(Message, frozen=True, omit_defaults=False):
    """The merged hint and whether the policy admits the pod."""

    nodes: NodeIds | None
    preferred: bool
    admit: bool


class Merge(Request[Merged], method="merge", surface="merge", frozen=True, omit_defaults=False):
    """Merge the hints of providers (each null, or resource to hints) under a Topology Manager policy."""

    policy: str
    options: dict[str, str]
    nodes: list[NodeId]
    distances: list[list[int]] | None
    providers: list[HintLists | None]
