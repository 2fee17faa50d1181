"""``Start``: a node that was asked to come up with a configuration, and what it did with the pod that came first.

A configuration that a node may refuse, or options it may ignore, say nothing of its later life. So a start is read by
itself, where nothing but a first pod follows it, and held against the first such start of its history.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ..errors import UsageError
from ..machine import Machine
from ..sources.gates import GATES
from ..sources.options import POLICY_OPTIONS
from ..sources.versions import NEWEST, KubernetesVersion
from ..wire.history.answers import StartedNode
from ..wire.history.history import Head
from ..wire.history.values import HoldingBits, holdings_of, optional_bits
from ..wire.message import Message
from ..wire.messages.node import (
    AdmitPod,
    Admitted,
    MemoryNode,
    Rejected,
    Restarted,
    RestartNode,
    StartFailed,
    StartNode,
)
from .choice import numa_cpus
from .pods import PodSpec
from .settings import FALSE, Settings
from .world import exclusive_of

MANY_NODES = "max-allowable-numa-nodes"
MOST_NODES = 8
"""NUMA nodes with which a node comes up under a policy that aligns, unless that option says otherwise."""
_GROUP_GATES = {"alpha": "PolicyAlphaOptions", "beta": "PolicyBetaOptions"}
_PREFIXES = {"CPU Manager": "CPUManager", "Topology Manager": "TopologyManager"}


class FirstPod(msgspec.Struct, frozen=True):
    """The pod that came first, and what became of it."""

    spec: PodSpec
    admitted: bool
    held: Mapping[str, HoldingBits]
    reason: str

    @property
    def cpus(self) -> int:
        """All exclusive CPUs of its containers, as bits."""
        return exclusive_of(self.held)


class Start(msgspec.Struct, frozen=True):
    """A configuration, and what became of it. Sets of CPUs are bits.

    ``refusal``: why the node does not come up, None where it does. ``reserved`` and ``pool`` as told, None where they
    are not. ``first``: the first pod, None where none came. ``plain``: the first start of the same history, for which
    nothing was changed yet; None when this is it. ``memory``: its books, where told.
    """

    machine: Machine
    version: KubernetesVersion
    kubelet: Mapping[str, Any]
    settings: Settings
    refusal: str | None
    reserved: int | None = None
    pool: int | None = None
    first: FirstPod | None = None
    plain: "Start | None" = None
    memory: Sequence[MemoryNode] | None = None

    @property
    def reported_reserved(self) -> int | None:
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

    @property
    def most_nodes(self) -> int:
        """The NUMA nodes that an option allows; 0 where none names a number."""
        text = self.settings.topology_options.get(MANY_NODES, "")
        return int(text) if text.isdecimal() and len(text) < 10 else 0

    def shows(self, option: str) -> bool | None:
        """Tell whether an option is visible with these gates; None where a gate is set that is locked or gone."""
        known = POLICY_OPTIONS[option]
        prefix = _PREFIXES[known.manager]
        whole = self.gate(f"{prefix}PolicyOptions")
        maturity = known.maturity.at(self.version)
        group = True if maturity in (None, "ga") else self.gate(prefix + _GROUP_GATES[str(maturity)])
        if whole is None or group is None:
            return None
        return maturity is not None and whole and group

    def gate(self, name: str) -> bool | None:
        """Tell whether a gate is on; None where it is set and is locked otherwise, or gone."""
        state = GATES[name].history.at(self.version)
        wanted = (self.kubelet.get("featureGates") or {}).get(name)
        if state is None:
            return None if wanted is not None else False
        if wanted is not None and wanted != state.on and (state.locked or state.stage == "gone"):
            return None
        return state.on if wanted is None else bool(wanted)


def starts(head: Head, steps: Sequence[tuple[Message | None, Message | None]]) -> Iterator[tuple[int, Start]]:
    """Yield each start after which at most a first pod is asked for, with the number of its last step."""
    plain: Start | None = None
    running: StartNode | None = None
    for number, (question, reply) in enumerate(steps):
        begun = _begun_anew(question, running) if isinstance(question, RestartNode) else question
        if not isinstance(begun, StartNode) or not isinstance(reply, StartedNode | Restarted | StartFailed):
            continue
        then = steps[number + 1 : number + 3]
        with_a_pod = bool(then) and isinstance(then[0][0], AdmitPod)
        running = begun if isinstance(reply, StartedNode) and not with_a_pod else None
        after = (following for following, _ in then[with_a_pod:][:1])
        if begun.machine or begun.files or not all(isinstance(each, StartNode | RestartNode) for each in after):
            continue
        first = _first(*then[0]) if with_a_pod else None
        start = start_of(head.machine, head.version, begun, reply, first, plain)
        plain = plain or start
        yield number + (first is not None), start


def _begun_anew(question: RestartNode, running: StartNode | None) -> StartNode | None:
    """Read a restart of a node without pods as a start, where no state file can have a say in it.

    The Topology Manager keeps none, so that what the others are told must be as before.
    """
    if running is None or question.kubelet is None or question.files:
        return None
    if _of_others(question.kubelet) != _of_others(running.kubelet):
        return None
    return msgspec.structs.replace(running, kubelet=question.kubelet)


def _of_others(kubelet: Mapping[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in kubelet.items() if not field.startswith("topologyManager")}


def start_of(
    machine: Machine,
    version: str,
    question: StartNode,
    reply: StartedNode | Restarted | StartFailed,
    first: FirstPod | None = None,
    plain: Start | None = None,
) -> Start:
    """Return a start: what was asked, and what came of it."""
    up = reply if isinstance(reply, StartedNode) else None
    return Start(
        machine,
        _version(question.kubernetes_version or version),
        question.kubelet,
        Settings.of(question.kubelet),
        reply.message if isinstance(reply, StartFailed) else None,
        None if up is None else optional_bits(up.reserved_cpus),
        None if up is None else optional_bits(up.default_cpuset),
        first,
        plain,
        up.memory_state if up else None,
    )


def _version(text: str) -> KubernetesVersion:
    """Read a version; of a history that names none, the newest is assumed."""
    try:
        return KubernetesVersion.parse(text)
    except UsageError:
        return NEWEST


def _first(question: Message | None, reply: Message | None) -> FirstPod | None:
    if not isinstance(question, AdmitPod):
        return None
    spec = PodSpec.of(question.pod)
    if isinstance(reply, Admitted):
        return FirstPod(spec, True, holdings_of(reply.containers), "")
    return FirstPod(spec, False, {}, reply.reason) if isinstance(reply, Rejected) else None
