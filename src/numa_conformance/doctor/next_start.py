"""Whether a kubelet that starts now comes up on what the node has: its state files, configuration and machine."""

from __future__ import annotations

from ..errors import NumaConformanceError, StartError
from ..machine.hostfs import MemoryStore
from ..reference.node import Node
from ..sources.versions import SUPPORTED, KubernetesVersion
from .held_pods import node_holdings
from .look import Sight


def next_start(sight: Sight) -> str:
    """Return why the next start fails, in the kubelet's words; empty where it does not, or nothing tells."""
    if not sight.state.files or not (sight.configured.files or sight.configured.process):
        return ""
    # Without a known version it must fail in every one.
    texts = [_failure(sight, version) for version in ((sight.version,) if sight.version else SUPPORTED)]
    return f"the next start of the kubelet fails {texts[-1]}" if all(texts) else ""


def _failure(sight: Sight, version: KubernetesVersion) -> str:
    holdings = node_holdings(sight, sight.machine, ())
    store = MemoryStore()
    for name, text in holdings.files.items():
        store.write(name, text)
    try:
        Node(holdings.machine, sight.configured.kubelet, kubernetes_version=version, store=store, resource_fit=True)
    except StartError as error:
        return f"({error.stage}): {error.message}"
    except NumaConformanceError:  # a version that is not known, say
        return ""
    return ""
