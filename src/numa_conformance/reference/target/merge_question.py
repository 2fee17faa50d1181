"""One merge of provider hints, read from the wire with every fault at once."""

from collections.abc import Iterator, Sequence

from ...cpuset import bits_of
from ...errors import Fault, UsageError, closest
from ...kube import FeatureGates
from ...kube.container import Container
from ...kube.pod import Pod
from ...sources.changes import Changes
from ...sources.policies import TOPOLOGY_POLICIES
from ...sources.quirks.areas import TopologyQuirks
from ...sources.versions import KubernetesVersion
from ...wire.messages.merge import Merge, Merged
from ...wire.messages.node import Alignment
from ...wire.values import HintLists, HintValue
from ..managers.compressed_hints import CompressedHints
from ..managers.hint import HIGHEST_NODE, Hint
from ..managers.provider import Answers
from ..managers.topology import MergedHint as MergedHint
from ..managers.topology import TopologyPolicy, parse_options, policy_of
from .answers import hint_value, hints_answer

NODE_IDS = f"NUMA node ids from 0 to {HIGHEST_NODE}"


def ask_merge(
    request: Merge, version: KubernetesVersion, quirks: TopologyQuirks, changes: Changes | None = None
) -> Merged:
    """Merge what the request says.

    Raises ``UsageError`` for what no machine has, and ``StartError`` for options with which no node comes up.
    """
    if faults := list(_faults(request)):
        raise UsageError(faults)
    options = parse_options(request.options, FeatureGates.build(version, {}, changes), quirks, nodes=len(request.nodes))
    policy = policy_of(request.policy, "container", options, request.nodes, request.distances, quirks)
    merged = policy.merge([_answer(provider) for provider in request.providers])
    hint = hint_value(merged.hint)
    return Merged(hint.nodes, hint.preferred, merged.admit)


def hint_of(value: HintValue | None) -> Hint:
    """Return a hint; a missing one is what a manager reads where none was stored. Raises ``UsageError``."""
    if value is None or value.nodes is None:
        return Hint(None, value.preferred if value else False)
    if not _are_ids(value.nodes):
        raise UsageError(_bad_ids("nodes", value.nodes))
    return Hint(bits_of(value.nodes), value.preferred)


def _answer(provider: HintLists | None) -> dict[str, list[Hint] | None] | None:
    if provider is None:
        return None
    return {name: None if hints is None else [hint_of(hint) for hint in hints] for name, hints in provider.items()}


def _faults(request: Merge) -> Iterator[Fault]:
    if request.policy not in TOPOLOGY_POLICIES:
        accepted = ", ".join(TOPOLOGY_POLICIES)
        yield Fault("policy", f"is {request.policy!r}", accepted, closest(request.policy, TOPOLOGY_POLICIES))
    nodes = request.nodes
    if not nodes or not _are_ids(nodes) or len(set(nodes)) < len(nodes):
        yield _bad_ids("nodes", nodes, "different ")
    rows = request.distances
    if rows is not None and {len(nodes)} != {len(rows), *map(len, rows)}:
        yield Fault(
            "distances", f"is no table of {len(nodes)} rows and columns", "one row and column per node, or null"
        )
    for index, provider in enumerate(request.providers):
        for resource, hints in (provider or {}).items():
            for place, hint in enumerate(hints or ()):
                if hint.nodes is not None and not _are_ids(hint.nodes):
                    yield _bad_ids(f"providers[{index}].{resource}[{place}].nodes", hint.nodes)


def _are_ids(nodes: Sequence[int]) -> bool:
    return all(0 <= node <= HIGHEST_NODE for node in nodes)


def _bad_ids(place: str, nodes: Sequence[int], kind: str = "") -> Fault:
    return Fault(place, f"is {list(nodes)}", kind + NODE_IDS)


RecordedMerge = tuple["str | None", Answers, MergedHint]


class Overheard:
    """Listens to a node as its watcher."""

    def __init__(self) -> None:
        self._merges: list[RecordedMerge] = []

    def merged(
        self, pod: Pod, container: Container | None, answers: Answers, merged: MergedHint, policy: TopologyPolicy
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
        return [
            Alignment(container, [*map(hints_answer, answers.values())], hint_value(merged.hint), merged.admit)
            for container, answers, merged in merges
        ]


def _is_compressed(answers: Answers) -> bool:
    return any(
        isinstance(hints, CompressedHints) for of_provider in answers.values() for hints in (of_provider or {}).values()
    )
