"""The merge as its rules state it, over the whole cross product; the slow judge of the fast one.

Written from the rules TOPO-MERGE-01..14 and TOPO-POL-01..06, with the two-way choice of the rules as a fold.
"""

from collections.abc import Mapping, Sequence
from itertools import product

from numa_conformance.reference.managers.hint import Hint

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
            if merged:
                candidate = Hint(merged, preferred)
                best = candidate if best is None else self._choose(best, candidate, bound)
        return best or Hint(self.everything, False)

    def _choose(self, current: Hint, candidate: Hint, bound: int) -> Hint:
        """TOPO-MERGE-09..13: keep the current result or take the candidate."""
        if current.preferred != candidate.preferred:
            return current if current.preferred else candidate
        old, new = current.mask or 0, candidate.mask or 0
        fit = Hint(self._fitter(old, new), current.preferred)
        if current.preferred or _size(old) > bound:
            return fit
        if _size(old) == bound:
            return fit if _size(new) == bound else current
        if _size(new) == bound:
            return candidate
        if _size(new) > bound:
            return current
        if _size(old) == _size(new):
            return fit
        return candidate if _size(new) > _size(old) else current

    def _fitter(self, first: int, second: int) -> int:
        """TOPO-MERGE-14: fewer nodes, then (with distances) nearer on average, then the lower number."""
        if _size(first) != _size(second):
            return min(first, second, key=_size)
        if self.distances is not None and self._average(first) != self._average(second):
            return min(first, second, key=self._average)
        return min(first, second)

    def _average(self, mask: int) -> float:
        assert self.distances is not None
        rows = [place for place, node in enumerate(self.nodes) if mask // 2**node % 2]
        return sum(self.distances[row][column] for row in rows for column in rows) / len(rows) ** 2


def _size(mask: int) -> int:
    return bin(mask).count("1")
