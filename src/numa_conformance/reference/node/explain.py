"""Why a pod was placed or refused as it was: hints per manager, the merge, what each manager gave."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ...cpuset import iter_bits
from ...kube.container import Container
from ...kube.pod import Pod
from ...printable import listed
from ..managers.compressed_hints import CompressedHints
from ..managers.hint import Hint
from ..managers.provider import Answer, Answers
from ..managers.topology import MergedHint, TopologyPolicy, explain_merge

SHOWN = 8
"""Hints of one resource that are shown; the rest are counted."""


@dataclass(frozen=True)
class MergeTrace:
    """One merge, for a container or (None) the pod as a whole: each manager's answer by its name, in their order."""

    container: str | None
    answers: Answers
    hint: Hint
    admit: bool
    rule: str


@dataclass
class Explainer:
    """Listens to a node's merges and allocations and tells them by pod."""

    merges: dict[str, list[MergeTrace]] = field(default_factory=dict)
    steps: dict[str, list[tuple[str | None, list[str]]]] = field(default_factory=dict)
    refusals: dict[str, tuple[str | None, str]] = field(default_factory=dict)

    def merged(
        self, pod: Pod, container: Container | None, answers: Answers, merged: MergedHint, policy: TopologyPolicy
    ) -> None:
        """Remember one merge, and the rule that decided."""
        name, rule = None if container is None else container.name, explain_merge(policy, answers.values()).rule
        self.merges.setdefault(pod.uid, []).append(MergeTrace(name, answers, merged.hint, merged.admit, rule))

    def allocated(self, pod: Pod, container: Container | None, steps: list[str]) -> None:
        """Remember what a container, or the pod as a whole, was given, in order."""
        self.steps.setdefault(pod.uid, []).append((None if container is None else container.name, steps))

    def refused(self, pod: Pod, container: Container | None, manager: str) -> None:
        """Remember where a pod was refused, and by which manager."""
        self.refusals[pod.uid] = (None if container is None else container.name, manager)

    def to_text(self, uid: str, indent: str = "") -> str:
        """Tell a pod's decisions as a tree in words."""
        lines = []
        for trace in self.merges.get(uid, []):
            hint = trace.hint
            lines.append(f"{_whom(trace.container)}:")
            for provider, answer in trace.answers.items():
                lines += [f"  {provider}, {resource}: {_hints(hints)}" for resource, hints in (answer or {}).items()]
            lines.append(f"  merged: {_nodes(hint.mask)}{'' if hint.preferred else ' (not preferred)'}, {_why(trace)}")
            lines.append(f"  decided by: {trace.rule}")
        for container, steps in self.steps.get(uid, []):
            if steps:
                lines.append(f"{_whom(container)} was given, in this order:")
                lines += [f"  {step}" for step in _folded(steps)]
        if uid in self.refusals:
            where, manager = self.refusals[uid]
            lines.append(f"refused at {_whom(where)}, by {_MANAGERS.get(manager, manager)}")
        return "\n".join(indent + line for line in lines or ["no hints were asked for (topology policy none)"])

    def to_dict(self, uid: str) -> dict[str, Any]:
        """Return a pod's decisions for a program."""
        refusal = self.refusals.get(uid)
        return {
            "merges": [
                {
                    "container": trace.container,
                    "hints": {provider: _answer_dict(answer) for provider, answer in trace.answers.items()},
                    "merged": _hint_dict(trace.hint),
                    "admitted": trace.admit,
                    "why": _why(trace),
                    "rule": trace.rule,
                }
                for trace in self.merges.get(uid, [])
            ],
            "refused": refusal and {"container": refusal[0], "by": refusal[1]},
            "taken": [{"container": name, "steps": steps} for name, steps in self.steps.get(uid, [])],
        }


_MANAGERS = {
    "cpus": "the CPU Manager",
    "memory": "the Memory Manager",
    "devices": "the Device Manager",
    "topology": "the Topology Manager",
}
_NUMBERED = re.compile(r"(core|CPU) (\d+)")


def _whom(container: str | None) -> str:
    return "the pod as a whole" if container is None else f"container {container}"


def _folded(steps: Iterable[str]) -> Iterator[str]:
    """Yield the steps with cores or CPUs that follow one another in one line, in their order."""
    for kind, group in groupby(steps, lambda step: match[1] if (match := _NUMBERED.fullmatch(step)) else ""):
        run = list(group)
        if not kind or len(run) == 1:
            yield from run
        else:
            yield f"{kind}s {', '.join(_runs([int(step.split()[1]) for step in run]))}"


def _runs(numbers: Sequence[int]) -> Iterator[str]:
    """Yield numbers in their order, those that count up by one as a range."""
    for _, group in groupby(enumerate(numbers), lambda item: item[1] - item[0]):
        run = [number for _, number in group]
        yield str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"


def _hints(hints: Sequence[Hint] | CompressedHints | None) -> str:
    if hints is None:
        return "no opinion on it"
    if isinstance(hints, CompressedHints):
        return f"{len(hints.base)} sets of NUMA nodes that matter, with any of {hints.free.bit_count()} others"
    if not hints:
        return "no set of NUMA nodes can hold it"
    preferred = [hint for hint in hints if hint.preferred]
    shown = listed((_nodes(hint.mask) for hint in preferred), SHOWN) or "none"
    return f"preferred {shown}; {len(hints) - len(preferred)} wider or fuller sets would do"


def _why(trace: MergeTrace) -> str:
    if trace.hint.preferred:
        reason = "every manager prefers it or has no opinion"
    elif any(hints is not None and not hints for answer in trace.answers.values() for hints in (answer or {}).values()):
        reason = "a resource cannot be had on any set of NUMA nodes"
    else:
        reason = "no set of NUMA nodes is preferred by all"
    return f"{reason}: {'admitted' if trace.admit else 'refused'}"


def _nodes(mask: int | None) -> str:
    return "any NUMA node" if mask is None else "{" + ",".join(map(str, iter_bits(mask))) + "}"


def _hint_dict(hint: Hint) -> dict[str, Any]:
    return {"nodes": None if hint.mask is None else list(iter_bits(hint.mask)), "preferred": hint.preferred}


def _answer_dict(answer: Answer) -> dict[str, Any] | None:
    return None if answer is None else {name: _listed(hints) for name, hints in answer.items()}


def _listed(hints: Sequence[Hint] | CompressedHints | None) -> Any:
    if hints is None:
        return None
    if isinstance(hints, CompressedHints):
        every = (len(hints.base) << hints.free.bit_count()) + len(hints.fixed) - (0 in hints.base)
        preferred = [list(iter_bits(mask)) for mask in sorted(hints.preferred)]
        return {"preferred": preferred, "others": every - len(preferred)}
    named = [None if hint.mask is None else list(iter_bits(hint.mask)) for hint in hints if hint.preferred]
    return {"preferred": named, "others": len(hints) - len(named)}
