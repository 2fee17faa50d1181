"""The methods of the protocol: each with its request, its reply and its surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import node, stateless
from .values import Message

__all__ = ["METHODS", "Message", "Method", "request_of"]


@dataclass(frozen=True, slots=True)
class Method:
    """One method: its name on the wire, the surface it belongs to, its request and reply classes."""

    name: str
    surface: str
    request: type[Message]
    reply: type[Message]

    @property
    def attribute(self) -> str:
        """The name of the Python method that answers it in process."""
        return self.name.replace(".", "_")


_TABLE: tuple[tuple[str, str, type[Message], type[Message]], ...] = (
    ("describe", "describe", stateless.Describe, stateless.Description),
    ("pick", "pick", stateless.Pick, stateless.PickReply),
    ("allocate", "allocate", stateless.Allocate, stateless.AllocateReply),
    ("hints", "hints", stateless.Hints, stateless.HintsReply),
    ("merge", "merge", stateless.Merge, stateless.MergeReply),
    ("classify", "classify", stateless.Classify, stateless.ClassifyReply),
    ("score", "score", stateless.Score, stateless.ScoreReply),
    ("host.discover", "host", stateless.Discover, stateless.DiscoverReply),
    ("host.reconcile", "host", stateless.HostReconcile, node.ReconcileReply),
    ("node.start", "node", node.StartNode, node.NodeStarted),
    ("node.admit", "node", node.AdmitPod, node.PodAnswer),
    ("node.run", "node", node.RunPod, node.PodAnswer),
    ("node.remove", "node", node.RemovePod, node.PodAnswer),
    ("node.state", "node", node.ReadState, node.NodeStateReply),
    ("node.reconcile", "node", node.Reconcile, node.ReconcileReply),
    ("node.checkpoints", "node", node.ReadCheckpoints, node.Checkpoints),
    ("node.restart", "node", node.RestartNode, node.RestartReply),
)

METHODS: Mapping[str, Method] = {row[0]: Method(*row) for row in _TABLE}
"""Every method by its name on the wire."""

_BY_REQUEST: Mapping[type[Message], Method] = {method.request: method for method in METHODS.values()}


def request_of(message: Message) -> Method:
    """Return the method that a request belongs to."""
    return _BY_REQUEST[type(message)]
