"""``Start``: a node that was asked to come up with a configuration, and what it did with the pod that came first.

Configurations that a node may refuse, or options it may ignore, say nothing of its later life: histories of these are
read by this alone, and each start is held against the first one of its history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from ...documentation.gates import GATES
from ...documentation.options import POLICY_OPTIONS
from ...documentation.versions import KubernetesVersion
from ...machine import Machine
from ..history.answers import Admitted, NodeStarted, Rejected, Restarted, StartFailed
from ..history.history import Head
from ..history.values import Answer, Held, MemoryNode
from .choice import numa_cpus
from .pods import PodSpec
from .questions import AdmitPod, Question, RestartNode, StartNode
from .settings import FALSE, Settings
from .world import union

__all__ = ["GENERATOR", "MANY_NODES", "MOST_NODES", "FirstPod", "Start", "starts"]

GENERATOR = "start"
"""The generator whose histories hold starts and nothing else."""
MANY_NODES = "max-allowable-numa-nodes"
MOST_NODES = 8
"""NUMA nodes with which a node comes up under a policy that aligns, unless that option says otherwise."""
_GROUP_GATES = {"alpha": "PolicyAlphaOptions", "beta": "PolicyBetaOptions"}
_PREFIXES = {"CPU Manager": "CPUManager", "Topology Manager": "TopologyManager"}


@dataclass(frozen=True, slots=True)
class FirstPod:
    """The pod that came first, and what became of it."""

    spec: PodSpec
    admitted: bool
    held: Mapping[str, Held]
    reason: str

    @property
    def cpus(self) -> int:
        """All exclusive CPUs of its containers, as bits."""
        return union(self.held)


@dataclass(frozen=True, slots=True)
class Start:
    """A configuration, and what became of it. Sets of CPUs are bits.

    ``refusal``: why the node does not come up, None where it does. ``reserved`` and ``pool`` as told, None where they
    are not. ``first``: the first pod, None where none came. ``plain``: the first start of the same history, for which
    nothing was changed yet; None when this is it. ``memory``: the books of its NUMA nodes, where told.
    """

    machine: Machine
    version: KubernetesVersion
    kubelet: Mapping[str, Any]
    settings: Settings
    refusal: str | None
    reserved: int | None = None
    pool: int | None = None
    first: FirstPod | None = None
    plain: Start | None = None
    memory: tuple[MemoryNode, ...] = ()

    @property
    def reserved_told(self) -> int | None:
        """The reserved CPUs as told."""
        return self.reserved

    @property
    def up(self) -> bool:
        """Whether the node came up."""
        return self.refusal is None

    @property
    def nodes_with_cpus(self) -> int:
        """How many NUMA nodes have CPUs."""
        return len(numa_cpus(self.machine))

    @property
    def nodes_in_use(self) -> int:
        """How many NUMA nodes have CPUs or memory: whether empty ones count is left open."""
        filled = {node.node for node in self.machine.memory if node.memory}
        return len(filled.union(node for node, cpus in self.machine.numa_bits.items() if cpus))

    @property
    def named(self) -> frozenset[str]:
        """The options that the configuration names, of both managers, whether they are on or off."""
        fields = ("cpuManagerPolicyOptions", "topologyManagerPolicyOptions")
        return frozenset(name for field in fields for name in self.kubelet.get(field) or ())

    @property
    def tries_options(self) -> bool:
        """Whether it names options, which may be refused, hidden or unknown."""
        return bool(self.named)

    @property
    def on(self) -> frozenset[str]:
        """The named options that are not switched off: what is off is as if it were not named."""
        fields = (self.kubelet.get("cpuManagerPolicyOptions"), self.kubelet.get("topologyManagerPolicyOptions"))
        off = {name for options in fields for name, text in (options or {}).items() if text in FALSE}
        return self.named - off

    def shows(self, option: str) -> bool | None:
        """Tell whether an option is visible with these gates; None where a gate is set that is locked or gone."""
        known = POLICY_OPTIONS[option]
        prefix = _PREFIXES[known.manager]
        whole = self._gate(f"{prefix}PolicyOptions")
        maturity = known.maturity.at(self.version)
        group = True if maturity in (None, "ga") else self._gate(prefix + _GROUP_GATES[str(maturity)])
        if whole is None or group is None:
            return None
        return maturity is not None and whole and group

    def _gate(self, name: str) -> bool | None:
        state = GATES[name].history.at(self.version)
        wanted = (self.kubelet.get("featureGates") or {}).get(name)
        if state is None:
            return None if wanted is not None else False
        if wanted is not None and wanted != state.on and (state.locked or state.stage == "gone"):
            return None
        return state.on if wanted is None else bool(wanted)


def starts(head: Head, steps: Sequence[tuple[Question | None, Answer | None]]) -> Iterator[tuple[int, Start]]:
    """Yield each start with the number of its last step."""
    plain: Start | None = None
    running: StartNode | None = None
    for number, (asked, reply) in enumerate(steps):
        begun = _begun_anew(asked, running) if isinstance(asked, RestartNode) else asked
        if not isinstance(begun, StartNode) or not isinstance(reply, NodeStarted | Restarted | StartFailed):
            continue
        first = _first(*steps[number + 1]) if number + 1 < len(steps) else None
        start = _start(head, begun, reply, first, plain)
        plain, running = plain or start, begun if start.up and first is None else None
        yield number + (first is not None), start


def _begun_anew(asked: RestartNode, running: StartNode | None) -> StartNode | None:
    """Read a restart of a node without pods as a start, where no state file can have a say in it.

    The Topology Manager keeps none, so that what the others are told must be as before.
    """
    if running is None or asked.kubelet is None or asked.files:
        return None
    if _of_others(asked.kubelet) != _of_others(running.kubelet):
        return None
    return msgspec.structs.replace(running, kubelet=asked.kubelet)


def _of_others(kubelet: Mapping[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in kubelet.items() if not field.startswith("topologyManager")}


def _start(
    head: Head,
    asked: StartNode,
    reply: NodeStarted | Restarted | StartFailed,
    first: FirstPod | None,
    plain: Start | None,
) -> Start:
    up = reply if isinstance(reply, NodeStarted) else None
    return Start(
        head.machine,
        KubernetesVersion.parse(asked.kubernetes_version or head.version),
        asked.kubelet,
        Settings.of(asked.kubelet),
        reply.message if isinstance(reply, StartFailed) else None,
        None if up is None else up.reserved_cpus,
        None if up is None else up.default_cpuset,
        first,
        plain,
        (up and up.memory_state) or (),
    )


def _first(asked: Question | None, reply: Answer | None) -> FirstPod | None:
    if not isinstance(asked, AdmitPod):
        return None
    spec = PodSpec.read(asked.pod)
    if isinstance(reply, Admitted):
        return FirstPod(spec, True, reply.containers, "")
    return FirstPod(spec, False, {}, reply.reason) if isinstance(reply, Rejected) else None
