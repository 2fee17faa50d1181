"""What a manager is made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...machine.kubelet_view import KubeletView
from ...machine.model import Machine
from ...sources.quirks import Quirks
from .provider import Provider


@dataclass(frozen=True)
class NodeSetup:
    """A machine and how its node is configured.

    ``view`` is the machine as the kubelet sees it, where it is at hand: nodes of one kind can share it.
    """

    machine: Machine
    config: KubeletConfiguration
    gates: FeatureGates
    quirks: Quirks
    view: KubeletView | None = None


MakeProvider = Callable[[NodeSetup], Provider]
"""Makes a node's manager at each start of the node agent; raises ``StartError`` where the kubelet would not come up."""
