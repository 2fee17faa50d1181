"""What mypy refuses to do with a stranger's number: each line would cost what the number says.

mypy reads this file (``pyproject.toml``) and runs none of it: an ignored error that is none any more is one.
"""

from collections.abc import Iterator

from numa_conformance.cpuset import bit_of, bits_of, checked
from numa_conformance.reference.managers.memory.memory_state import PinnedBlock
from numa_conformance.wire.history.values import MemoryBits
from numa_conformance.wire.messages.classify import Classified
from numa_conformance.wire.messages.node import MemoryBlock, MemoryNode


def of_an_answer(node: MemoryNode, block: MemoryBlock, pod: Classified) -> Iterator[object]:
    yield 1 << node.node  # type: ignore[operator]
    yield range(node.node)  # type: ignore[arg-type]
    yield [0] * node.node  # type: ignore[operator]
    yield bytes(block.bytes)  # type: ignore[arg-type]
    yield sum(1 << each for each in block.nodes)  # type: ignore[operator, misc]
    yield range(pod.pod_cpus)  # type: ignore[arg-type]
    yield "x" * pod.container_cpus["c"]  # type: ignore[operator]


def of_a_history(block: MemoryBits) -> Iterator[object]:
    yield 1 << block.bytes  # type: ignore[operator]
    yield range(block.bytes)  # type: ignore[arg-type]


def of_a_state_file(block: PinnedBlock) -> Iterator[object]:
    yield [1 << node for node in block.nodes]  # type: ignore[operator]
    yield range(max(block.nodes))  # type: ignore[arg-type]


def checked_numbers(node: MemoryNode, block: MemoryBlock) -> Iterator[int]:
    """Take what is checked."""
    yield bit_of(node.node)
    yield bits_of(block.nodes)
    yield 1 << checked(node.node, 0, 63)
    yield from range(checked(node.node))
    yield block.bytes + block.bytes
