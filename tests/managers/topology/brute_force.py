"""The merge as its rules state it, over the whole cross product; the slow judge of the fast one.

Written from the rules TOPO-MERGE-01..14 and TOPO-POL-01..06, with the two-way choice of the rules as a fold.
"""

from collections.abc import Mapping, Sequence
from itertools import product

from numa_conformance.managers.hint import Hint

Answers = Sequence[Mapping[str, Sequence[Hint] | None] | None]
Distances = Sequence[Sequence[int]] | None


class BruteForce:
    """One policy on the NUMA nodes ``nodes``; ``distances`` only where the closest nodes are preferred."""

    def __init__(self, policy: str, nodes: Sequence[int], distances: Distances = None) -> None:
        self.policy = policy
        self.nodes = list(nodes)
        self.distances = None if policy == "single-numa-node" else distances
        self.everything = sum(2**node for node in nodes)

    def merge(self, answers: Answers) -> tuple[Hint, bool]:
        axes = self._axes(answers)
        if self.policy == "single-numa-node":
            axes = [[h for h in axis if h.preferred and (h.mask is None or _size(h.mask) == 1)] for axis in axes]
        best = self._fold(axes)
        if self.policy == "single-numa-node" and best.mask == self.everything:
            best = Hint(None, best.preferred)
        return best, best.preferred or self.policy == "best-effort"

    @staticmethod
    def _axes(answers: Answers) -> list[list[Hint]]:
        axes = []
        for answer in answers:
            if answer is None or len(answer) == 0:
                axes.append([Hint(None, True)])
                continue
            for hints in answer.values():
                if hints is None:
                    axes.append([Hint(None, True)])
                else:
                    axes.append(list(hints) if len(hints) else [Hint(None, False)])
        return axes

    def _fold(self, axes: list[list[Hint]]) -> Hint:
        real = [[_size(h.mask) for h in axis if h.mask is not None] for axis in axes]
        bound = max((min(sizes) for sizes in real if sizes), default=0)
        best: Hint | None = None
        for element in product(*axes):
            masks = [hint.mask for hint in element if hint.mask is not None]
            merged = self.everything
            for mask in masks:
                merged &= mask
            preferred = all(hint.preferred for hint in element) and len(set(masks)) < 2
            candidate = Hint(merged, preferred)
            if merged and (best is None or self._replaces(candidate, best, bound)):
                best = candidate
        return best or Hint(self.everything, False)

    def _replaces(self, candidate: Hint, current: Hint, bound: int) -> bool:
        if candidate.preferred != current.preferred:
            return candidate.preferred
        new, old = candidate.mask or 0, current.mask or 0
        if candidate.preferred:
            return self._fitter(new, old)
        new_class, old_class = _class(new, bound), _class(old, bound)
        if new_class != old_class:
            return new_class < old_class
        if new_class == 1 and _size(new) != _size(old):
            return _size(new) > _size(old)
        return self._fitter(new, old)

    def _fitter(self, new: int, old: int) -> bool:
        if _size(new) != _size(old):
            return _size(new) < _size(old)
        if self.distances is not None and self._average(new) != self._average(old):
            return self._average(new) < self._average(old)
        return new < old

    def _average(self, mask: int) -> float:
        assert self.distances is not None
        rows = [place for place, node in enumerate(self.nodes) if mask // 2**node % 2]
        return sum(self.distances[one][other] for one in rows for other in rows) / len(rows) ** 2


def _size(mask: int) -> int:
    return bin(mask).count("1")


def _class(mask: int, bound: int) -> int:
    return 0 if _size(mask) == bound else 1 if _size(mask) < bound else 2
