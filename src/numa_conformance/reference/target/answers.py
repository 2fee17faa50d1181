"""From what a node and its managers hold to the messages that tell it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import UNSET

from ...cpuset import format_bits, iter_bits
from ...wire.messages import node as messages
from ...wire.values import HintLists, HintValue
from ..managers.compressed_hints import CompressedHints
from ..managers.hint import Hint
from ..managers.memory import Table
from ..managers.topology import Answer
from ..node import AdmissionResult, Books, NodeContents, NodePools, Placement, ReconcileResult, RestartResult

MAX_HINTS = 100_000
"""Most hints of one resource that are listed on the wire."""
NO_BOUND = -1
"""What is told of a container without CFS quota, as the Container Runtime Interface has it."""


@lru_cache(maxsize=4096)
def hint_value(hint: Hint) -> HintValue:
    """Return a hint with its NUMA nodes listed."""
    return HintValue(None if hint.mask is None else list(iter_bits(hint.mask)), hint.preferred)


def hints_answer(answer: Answer) -> HintLists | None:
    """Return a provider's answer; compressed hints are listed. Raises ``UsageError`` when they are too long to list."""
    if answer is None:
        return None
    return {
        name: None if hints is None else [hint_value(hint) for hint in _listed(hints)] for name, hints in answer.items()
    }


def _listed(hints: Sequence[Hint] | CompressedHints) -> Sequence[Hint]:
    return hints.expand(MAX_HINTS) if isinstance(hints, CompressedHints) else hints


def placements_answer(placements: Mapping[str, Placement]) -> dict[str, messages.ContainerHolding]:
    """Return container name to what it holds."""
    return {name: _holding(placement) for name, placement in placements.items()}


def _holding(placement: Placement) -> messages.ContainerHolding:
    memory, devices = placement.memory, placement.devices
    return messages.ContainerHolding(
        cpus=format_bits(placement.cpus),
        affinity=None if placement.affinity is None else hint_value(placement.affinity),
        memory=None
        if memory is None
        else [messages.MemoryBlock(block.type, block.bytes, list(block.nodes)) for block in memory],
        devices=None if devices is None else {resource: list(ids) for resource, ids in devices.items()},
        cpu_quota=NO_BOUND if placement.cpu_quota is None else placement.cpu_quota,
        cpuset=UNSET if placement.cpuset is None else format_bits(placement.cpuset),
        mems=UNSET if placement.mems is None else format_bits(placement.mems),
        further=placement.further or UNSET,
    )


def memory_state(books: Books | None, *, whole: bool = False) -> list[messages.MemoryNode] | None:
    """Return what is free on each NUMA node, or its ``whole`` tables; None unless the Memory Manager is Static."""
    if books is None:
        return None
    return [
        messages.MemoryNode(
            node,
            memory.assignments,
            sorted(memory.group),
            None if whole else {name: table.free for name, table in memory.tables.items()},
            {name: _table(table) for name, table in memory.tables.items()} if whole else None,
        )
        for node, memory in books.items()
    ]


def _table(table: Table) -> messages.MemoryTable:
    return messages.MemoryTable(table.total, table.system_reserved, table.allocatable, table.reserved, table.free)


def started_answer(initial: NodePools) -> messages.NodeStarted:
    """Return a node that has come up, with whole memory tables."""
    return messages.NodeStarted(
        default_cpuset=format_bits(initial.default),
        reserved_cpus=None if initial.reserved is None else format_bits(initial.reserved),
        allocatable_cpus=None if initial.allocatable is None else format_bits(initial.allocatable),
        memory_state=memory_state(initial.memory, whole=True),
    )


def admission_answer(
    outcome: AdmissionResult, merges: list[messages.Alignment] | None = None
) -> messages.Admitted | messages.Rejected:
    """Return the outcome of one admission, and the merges of hints that led to it."""
    pool, memory = format_bits(outcome.default), memory_state(outcome.memory)
    if outcome.reason is None:
        return messages.Admitted(pool, placements_answer(outcome.placements), outcome.qos, memory, merges)
    message, phase = outcome.message or "", outcome.pod_phase
    return messages.Rejected(pool, outcome.reason, message, outcome.qos, memory, phase, merges)


def state_answer(state: NodeContents) -> messages.NodeState:
    """Return all that is on the node."""
    pods = {uid: placements_answer(placements) for uid, placements in state.pods.items()}
    return messages.NodeState(format_bits(state.default), pods, memory_state(state.memory))


def reconciled_answer(done: ReconcileResult) -> messages.Reconciled:
    """Return one pass of the reconcile loop."""
    return messages.Reconciled(
        [messages.Update(update.uid, update.container, format_bits(update.cpus)) for update in done.updates],
        done.handled,
        [messages.SkippedContainer(skipped.uid, skipped.container) for skipped in done.skipped],
    )


def restarted_answer(done: RestartResult) -> messages.Restarted:
    """Return a node that came up again."""
    return messages.Restarted(
        [_readmitted(outcome) for outcome in done.pods], format_bits(done.default), memory_state(done.memory)
    )


def _readmitted(outcome: AdmissionResult) -> messages.ReadmittedPod | messages.RejectedPod:
    if outcome.reason is None:
        return messages.ReadmittedPod(outcome.uid, placements_answer(outcome.placements))
    return messages.RejectedPod(outcome.uid, outcome.reason, outcome.message or "")
