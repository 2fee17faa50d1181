"""``Overheard``: the merges of one admission of the reference, kept to be told beside its answer."""

from __future__ import annotations

from ...kube.container import Container
from ...kube.pod import Pod
from ...wire.messages.node import Alignment
from ..managers.compressed_hints import CompressedHints
from ..managers.provider import Answers
from ..managers.topology import Merged, TopologyPolicy
from .answers import hint_value, hints_answer

Merge = tuple["str | None", Answers, Merged]


class Overheard:
    """Listens to a node as its watcher."""

    def __init__(self) -> None:
        self._merges: list[Merge] = []

    def merged(
        self, pod: Pod, container: Container | None, answers: Answers, merged: Merged, policy: TopologyPolicy
    ) -> None:
        """Keep one merge."""
        self._merges.append((None if container is None else container.name, answers, merged))

    def allocated(self, pod: Pod, container: Container | None, steps: list[str]) -> None:
        """Keep nothing: what was given is told by the answer itself."""

    def refused(self, pod: Pod, container: Container | None, manager: str) -> None:
        """Keep nothing: the answer itself is a refusal."""

    def take(self) -> list[Alignment] | None:
        """Return what was merged since this was asked last; None without a merge, or where hints are not listed."""
        merges, self._merges = self._merges, []
        if not merges or any(_is_compressed(answers) for _, answers, _ in merges):
            return None
        return [_alignment(merge) for merge in merges]


def _is_compressed(answers: Answers) -> bool:
    return any(
        isinstance(hints, CompressedHints) for of_provider in answers.values() for hints in (of_provider or {}).values()
    )


def _alignment(merge: Merge) -> Alignment:
    container, answers, merged = merge
    providers = [hints_answer(answer) for answer in answers.values()]
    return Alignment(container, providers, hint_value(merged.hint), merged.admit)
