"""Policy Static of the Memory Manager."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import partial

from ....cpuset import bits_of, iter_bits
from ....errors import KubeletCrashes, Refusal
from ....kube.container import Container
from ....kube.pod import Pod
from ..compressed_hints import CompressedHints
from ..departures import Documented
from ..eligibility import empty_pool, is_pinned, pod_parts
from ..hint import HIGHEST_NODE, Hint
from ..provider import Active, release_inactive
from .charging import Amounts, ReusableMemory, charge, container_amounts, discharge, pod_amounts, shrink_init_blocks
from .memory_hints import MemoryHints, breaks_a_group, memory_hints
from .memory_state import WRAP, MemoryBlocks, MemoryHolding, MemoryPools, NodeMemory, PinnedBlock
from .provider import MemoryManager
from .restore import StateCheck


class StaticMemoryManager(Documented, MemoryManager):
    """Pins the memory of Guaranteed pods to NUMA nodes."""

    policy = "Static"

    def __init__(self, nodes: dict[int, NodeMemory]) -> None:
        super().__init__(nodes)
        self._empty = _copied(nodes)
        self._reusable = ReusableMemory()

    def hints(self, pod: Pod, container: Container) -> dict[str, MemoryHints] | None:
        """Offer hints for one container; None for pods of other classes and where nothing can be said."""
        if not is_pinned(pod) or self._has_returned(pod, container):
            return None
        return self._hints(pod, container_amounts(pod, container), self.blocks.known(pod.uid, container.name))

    def pod_hints(self, pod: Pod) -> dict[str, MemoryHints] | None:
        """Offer hints for the pod; one that has blocks is judged by its first container's (MEM-HINT-09)."""
        if not is_pinned(pod):
            return None
        known = (self.blocks.known(pod.uid, container.name) for container in pod.all_containers)
        held = next((blocks for blocks in known if blocks is not None), None)
        amounts = self._pod_amounts(pod)
        if pod.served == "pod" and amounts and empty_pool(pod, amounts, partial(_owed, pod)):
            return {name: [] for name in amounts}
        whole = self._whole(pod.uid)
        return self._hints(pod, amounts, held if whole is None else whole)

    def _pod_amounts(self, pod: Pod) -> Amounts | None:
        return pod_amounts(pod, drops_init_only=False)

    def _whole(self, uid: str) -> list[PinnedBlock] | None:
        """Return the blocks of a pod that was given its memory in one piece; None where it was not."""
        return self.blocks.pods.get(uid)

    def _hints(
        self, pod: Pod, amounts: Amounts | None, held: list[PinnedBlock] | None
    ) -> dict[str, MemoryHints] | None:
        if amounts is None:
            return None
        if held is not None:
            if len(held) != len(amounts) or any(amounts.get(block.type) != block.bytes for block in held):
                return None
            return {block.type: [Hint(bits_of(block.nodes), True)] for block in held}  # (MEM-HINT-08)
        return self._answer(amounts, self._masks(pod, amounts))

    def _answer(self, amounts: Amounts, hints: MemoryHints) -> dict[str, MemoryHints]:
        return dict.fromkeys(amounts, hints)

    def _masks(self, pod: Pod, amounts: Amounts) -> MemoryHints:
        """Return the NUMA masks that hold all amounts; raises ``KubeletCrashes`` where the kubelet trips on the way."""
        return memory_hints(self.nodes, amounts, self._reusable.of(pod.uid))

    def allocate(self, pod: Pod, container: Container, affinity: Hint, trace: list[str] | None = None) -> None:
        """Give a container of a Guaranteed pod its memory, told to ``trace``; raises ``Refusal`` (MEM-ALLOC-01..10)."""
        if not is_pinned(pod) or self._has_returned(pod, container):
            return
        ordinary_init = pod.leaves_for_reuse(container)
        if (held := self.blocks.known(pod.uid, container.name)) is not None:
            self._reusable.update(pod.uid, held, gives=ordinary_init)
            return
        amounts = container_amounts(pod, container)
        if amounts is None:
            raise Refusal.unexpected("[memorymanager] failed to represent quantity as int64")
        if not self._takes_part(amounts):
            return
        mask = self._choose(pod, amounts, affinity)
        members = tuple(iter_bits(mask))
        blocks = []
        for resource, amount in amounts.items():
            reused = min(self._reusable.of(pod.uid).get(mask, {}).get(resource, 0), amount)
            charge(self.nodes, members, resource, amount - reused)
            blocks.append(PinnedBlock(members, resource, amount))
        if trace is not None:
            trace += map(str, blocks)
        self._reusable.update(pod.uid, blocks, gives=ordinary_init)
        self.blocks.give(pod.uid, container.name, blocks)
        shrink_init_blocks(self.blocks, pod, container, blocks)

    def allocate_pod(self, pod: Pod, affinity: Hint, trace: list[str] | None = None) -> None:
        """Give a pod its memory in one piece, and its containers their parts (MEM-PLR-01..03); raises ``Refusal``."""
        amounts = self._pod_amounts(pod) if is_pinned(pod) else None
        if amounts is None or self._whole(pod.uid) is not None:
            return
        if empty := empty_pool(pod, amounts, partial(_owed, pod)):
            raise Refusal("EmptyPodSharedPoolError", empty)
        members = tuple(iter_bits(self._choose(pod, amounts, affinity)))
        self.blocks.pods[pod.uid] = [PinnedBlock(members, resource, amount) for resource, amount in amounts.items()]
        for resource, amount in amounts.items():
            charge(self.nodes, members, resource, amount)
            if trace is not None:
                trace.append(f"{amount} bytes of {resource} on NUMA nodes {list(members)}")
        parts = pod_parts(pod, amounts, lambda container, left: _owed(pod, container), _less)
        for name, part in parts.items():
            blocks = [PinnedBlock(members, resource, amount) for resource, amount in part.items() if amount > 0]
            self.blocks.give(pod.uid, name, blocks)

    def _has_returned(self, pod: Pod, container: Container) -> bool:
        """Tell whether a container of a pod that is admitted again had ended and given its memory back."""
        ended = self.has_ended is not None and self.has_ended(pod.uid, container.name)
        return ended and self.blocks.known(pod.uid, container.name) is None

    def _takes_part(self, amounts: Amounts) -> bool:
        """Tell whether a container gets memory of its own; the others share what is left."""
        return bool(amounts)

    def _choose(self, pod: Pod, amounts: Amounts, affinity: Hint) -> int:
        """Return the mask to use: the affinity, a default in its place, or an extension of it (MEM-ALLOC-03..05)."""
        mask, preferred = affinity
        if mask is None:
            mask, preferred = self._default(pod, amounts, preferred=preferred)
        if self._leaves_a_group(mask) or not self._has_room(mask, amounts) or self._gives_way(mask):
            mask = self._extended(pod, amounts, mask, preferred=preferred)
        if self._crosses_a_group(mask):
            raise Refusal.unexpected("[memorymanager] preferred hint violates NUMA node allocation")
        return mask

    def _gives_way(self, mask: int) -> bool:
        """Tell whether memory comes from elsewhere than the mask, which would break a group."""
        return self._crosses_a_group(mask)

    def _leaves_a_group(self, mask: int) -> bool:
        """Tell whether the mask is one NUMA node that serves containers together with others."""
        return any(mask == 1 << node and len(memory.group) > 1 for node, memory in self.nodes.items())

    def _crosses_a_group(self, mask: int) -> bool:
        """Tell whether one of several NUMA nodes serves containers alone or in another group."""
        return mask.bit_count() > 1 and breaks_a_group(self.nodes, mask)

    def _default(self, pod: Pod, amounts: Amounts, *, preferred: bool) -> tuple[int, bool]:
        best = _best(self._masks(pod, amounts) if amounts else [], 0)
        if best.mask is None:
            raise Refusal.unexpected(
                "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available"
            )
        if preferred and not best.preferred:
            raise Refusal.unexpected("[memorymanager] failed to find the default preferred hint")
        return best.mask, best.preferred

    def _has_room(self, mask: int, amounts: Amounts) -> bool:
        members = [self.nodes[node].tables for node in iter_bits(mask)]
        return all(
            sum(tables[resource].free for tables in members if resource in tables) % WRAP >= amount
            for resource, amount in amounts.items()
        )

    def _extended(self, pod: Pod, amounts: Amounts, mask: int, *, preferred: bool) -> int:
        masks = self._masks(pod, amounts)
        best = _best(masks, mask)
        if best.mask is None and not preferred:
            best = self._elsewhere(masks)
        if best.mask is None:
            raise Refusal.unexpected("[memorymanager] failed to find NUMA nodes to extend the current topology hint")
        if preferred and not best.preferred:
            raise Refusal.unexpected("[memorymanager] failed to find the extended preferred hint")
        return best.mask

    def _elsewhere(self, masks: MemoryHints) -> Hint:
        """Return what is best where no hint contains an affinity that nothing prefers."""
        return _best(masks, 0)

    def release(self, uid: str, container: str) -> None:
        """Take back the memory of a container."""
        self._forget_reusable(uid)
        for block in self.blocks.take_back(uid, container):
            discharge(self.nodes, block)

    def _forget_reusable(self, uid: str) -> None:
        self._reusable.forget(uid)

    def remove_stale(self, active: Active, uids: Iterable[str] | None = None) -> bool:
        """Take back the memory of containers that are gone; tell whether there were any (MEM-GC-01)."""
        return release_inactive(self.blocks.by_pod, active, self.release, uids)

    def container_starts(self, pod: Pod, container: Container) -> bool:
        """Take back what ordinary init containers before this one hold (MEM-REUSE-07)."""
        released = False
        for earlier in pod.init_containers:
            if earlier.name == container.name:
                break
            if pod.leaves_for_reuse(earlier) and self.blocks.of(pod.uid, earlier.name):
                self.release(pod.uid, earlier.name)
                released = True
        return released

    def holding(self, uid: str, container: str) -> MemoryHolding:
        """Return a container's blocks, sorted by type."""
        return MemoryHolding(tuple(sorted(self.blocks.of(uid, container), key=lambda block: block.type)))

    def pools(self) -> MemoryPools:
        """Return the memory of every NUMA node, ascending."""
        return MemoryPools(dict(sorted(_copied(self.nodes).items())))

    def restore(self, nodes: Mapping[int, NodeMemory], blocks: MemoryBlocks) -> bool:
        """Take over a state file's content, or begin anew where it has no machine state (MEM-CKPT-03..06)."""
        if StateCheck.of(self.quirks)().takes_over(self._empty, nodes, blocks):
            self.nodes = _copied(nodes)
            self.blocks = deepcopy(blocks)
            return False
        self.nodes = _copied(self._empty)
        return True


class _NoOpinion(StaticMemoryManager, quirk="no_memory_anywhere_is_no_opinion"):
    """Gives no hints at all where no NUMA mask holds the request."""

    def _answer(self, amounts: Amounts, hints: MemoryHints) -> dict[str, MemoryHints]:
        return super()._answer(amounts, hints) if hints else {}


class _AppsAlone(StaticMemoryManager, quirk="init_only_types_are_dropped"):
    """Leaves a type of memory out of a pod's hints that only init containers ask for."""

    def _pod_amounts(self, pod: Pod) -> Amounts | None:
        return pod_amounts(pod, drops_init_only=True)


class _ChargedAgain(StaticMemoryManager, quirk="whole_pods_are_charged_again"):
    """Gives a pod its memory once more that was given it in one piece."""

    def _whole(self, uid: str) -> list[PinnedBlock] | None:
        return None


class _RefusesNothing(StaticMemoryManager, quirk="container_without_memory_is_refused"):
    """Looks for NUMA nodes with room for no memory."""

    def _takes_part(self, amounts: Amounts) -> bool:
        return True


class _BreaksGroups(StaticMemoryManager, quirk="single_node_blocks_break_groups"):
    """Takes memory of one NUMA node of a group."""

    def _leaves_a_group(self, mask: int) -> bool:
        return False


class _ReusesReturned(StaticMemoryManager, quirk="returned_memory_is_reused"):
    """Still takes for reusable what a container has given back."""

    def _forget_reusable(self, uid: str) -> None:
        pass


class _ChargesEnded(StaticMemoryManager, quirk="ended_init_containers_are_charged_again"):
    """Gives an init container that has ended its memory once more at a restart."""

    def _has_returned(self, pod: Pod, container: Container) -> bool:
        return False


class _RefusesUnaligned(StaticMemoryManager, quirk="memory_off_the_affinity_is_refused"):
    """Takes memory of the affinity or more, though nothing prefers it."""

    def _gives_way(self, mask: int) -> bool:
        return False

    def _elsewhere(self, masks: MemoryHints) -> Hint:
        return Hint(None, False)


class _CrossesGroups(StaticMemoryManager, quirk="groups_may_cross"):
    """Takes memory of NUMA nodes of several groups."""

    def _crosses_a_group(self, mask: int) -> bool:
        return False


class _MissingPageSize(StaticMemoryManager, quirk="missing_page_size_crashes"):
    """Crashes at a huge page size that some NUMA node does not list."""

    def __init__(self, nodes: dict[int, NodeMemory]) -> None:
        super().__init__(nodes)
        self._listed_everywhere = frozenset.intersection(*(frozenset(memory.tables) for memory in nodes.values()))

    def _masks(self, pod: Pod, amounts: Amounts) -> MemoryHints:
        if not amounts.keys() <= self._listed_everywhere:
            missing = min(amounts.keys() - self._listed_everywhere)
            node = next(node for node, memory in self.nodes.items() if missing not in memory.tables)
            raise KubeletCrashes("missing-page-size-crashes", f"NUMA node {node} does not know {missing}")
        return super()._masks(pod, amounts)


class _NodePast63(StaticMemoryManager, quirk="memory_of_node_past_63_crashes"):
    """Crashes on a machine whose NUMA nodes do not fit in a word."""

    def _masks(self, pod: Pod, amounts: Amounts) -> MemoryHints:
        if max(self.nodes, default=0) > HIGHEST_NODE:
            raise KubeletCrashes("memory-of-node-past-63-crashes", f"NUMA node {max(self.nodes)} fits in no mask")
        return super()._masks(pod, amounts)


def _copied(nodes: Mapping[int, NodeMemory]) -> dict[int, NodeMemory]:
    return {node: memory.copy() for node, memory in nodes.items()}


def _owed(pod: Pod, container: Container) -> Amounts:
    return container_amounts(pod, container) or {}


def _less(amounts: Amounts, taken: Amounts) -> Amounts:
    return {name: max(amount - taken.get(name, 0), 0) for name, amount in amounts.items()}


def _best(hints: MemoryHints, within: int) -> Hint:
    """Return the best hint that contains ``within``: preferred first, then the narrowest, then the lowest mask."""
    if isinstance(hints, CompressedHints):
        return hints.best_containing(within)
    suited = [hint for hint in hints if hint.mask is not None and hint.mask & within == within]
    return (
        min(suited, key=lambda hint: (not hint.preferred, (hint.mask or 0).bit_count(), hint.mask))
        if suited
        else Hint(None, False)
    )
