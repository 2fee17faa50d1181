"""The NUMA nodes whose memory a container may use. What containers hold is judged by ``containers``."""

from __future__ import annotations

from collections.abc import Iterator

from ...cpuset import format_bits
from ..judge.chapter import Violation, applies, judges
from ..judge.given import OnNode
from ..judge.may_run import MayRun
from ..judge.seen import Runs


@judges("memory-manager/static/guarantees-memory-to-guaranteed-pods", on=(OnNode, MayRun))
def memory_is_where_it_was_given(given: OnNode | MayRun) -> Iterator[Violation]:
    """A container whose memory is guaranteed on NUMA nodes may use these, and its threads no others."""
    applies(given.settings.memory_static, "the Memory Manager's policy is None")
    applies(given.runs is not None, "it is not seen what the container runs on")
    applies(
        any(block.bytes for block in (given.held.memory if given.held else None) or ()),
        "the container has no memory of its own",
    )
    nodes = 0
    for block in (given.held.memory if given.held else None) or ():
        nodes |= block.nodes  # also of what an init container has left of it
    facts, runs = given.about("mems", "memory"), given.runs or Runs(None, None, None, ())
    if runs.mems is not None and runs.mems != nodes:
        why = f"the cgroup of container {given.key} takes memory from other NUMA nodes than it is guaranteed on"
        yield Violation(why, format_bits(runs.mems) or "any", format_bits(nodes), about=facts)
        return
    for threads in runs.threads:
        if threads.mems is not None and threads.mems & ~nodes:
            why = f"{threads} of container {given.key} may take memory from other NUMA nodes"
            about = (f"thread:{threads.first}", *facts)
            yield Violation(why, format_bits(threads.mems), format_bits(nodes), about=about)
