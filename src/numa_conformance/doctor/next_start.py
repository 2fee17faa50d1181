"""Whether a kubelet that starts now comes up on what the node has: its state files, configuration and machine."""

from __future__ import annotations

from dataclasses import replace

from ..errors import NumaConformanceError, StartError
from ..kube.resource_names import is_huge_page
from ..machine import MemoryNode
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
    machine = replace(
        holdings.machine, memory=tuple(_with_empty_pools(sight, each) for each in holdings.machine.memory)
    )
    try:
        Node(machine, sight.configured.kubelet, kubernetes_version=version, store=store, resource_fit=True)
    except StartError as error:
        return f"({error.stage}): {error.message}"
    except NumaConformanceError:  # a version that is not known, say
        return ""
    return ""


def _with_empty_pools(sight: Sight, memory: MemoryNode) -> MemoryNode:
    """Add the page sizes of which the state file has no page: a tree need not tell of them."""
    books = (sight.state.nodes or {}).get(memory.node)
    tables = books.tables.items() if books else ()
    empty = {name.removeprefix("hugepages-"): 0 for name, table in tables if is_huge_page(name) and not table.total}
    return replace(memory, hugepages={**empty, **memory.hugepages})
