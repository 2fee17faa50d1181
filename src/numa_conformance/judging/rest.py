"""``Rest``: what an event of a node does not name, before and after it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from ..cpuset import bit_of, union
from ..wire.history.quantities import size_of, size_text
from ..wire.history.values import HoldingBits, MemoryBits, nodes_text
from ..wire.message import Message
from ..wire.messages.node import AdmitPod, Admitted, MemoryNode, Rejected, RemovePod, ResizePod, RestartNode, RunPod
from .node_subjects import OfBefore
from .pods import ContainerSpec, PodSpec
from .world import AdmittedPod, World

Books = Mapping[tuple[int, str], int]
"""NUMA node (bit) and type of memory to the bytes that are free."""
CPUS, MEMORY, DEVICES, QUOTA = "CPUs", "memory", "devices", "CFS quota"
"""What a container holds."""
ADMISSION, START, REMOVAL = "admission", "start", "removal"
_EVENTS: Mapping[type, str] = {RunPod: START, RemovePod: REMOVAL, ResizePod: "resize", RestartNode: "restart"}


class Stay(msgspec.Struct, frozen=True):
    """A container that stays: what it had and has; ``facts``: what of that the event does not name."""

    who: str
    had: HoldingBits
    has: HoldingBits
    facts: tuple[str, ...] = (CPUS, MEMORY, DEVICES, QUOTA)

    def __str__(self) -> str:
        """Write who it is and what it has, for a person."""
        return f"{self.who} has {self.has}"


class Balance(msgspec.Struct, frozen=True):
    """What NUMA nodes (bits) have free of a type of memory, and the least that an event leaves free there."""

    nodes: int
    kind: str
    free: int
    least: int

    def __str__(self) -> str:
        """Write what is free, for a person."""
        return f"{size_text(self.free)} of {self.kind} are free on {nodes_text(self.nodes)}"


class Rest(OfBefore, msgspec.Struct, frozen=True):
    """What one event leaves as it was: containers that its answer tells of, and the books of NUMA nodes where told.

    ``event`` and ``uid``: what happened, and to which pod; none at a restart, or where the node is looked at.
    """

    before: World
    event: str
    uid: str
    stays: tuple[Stay, ...]
    balances: tuple[Balance, ...] = ()

    @property
    def in_words(self) -> str:
        """What happened, for a person."""
        return f"the {self.event} of pod {self.uid}" if self.uid else f"a {self.event}"


def books_of(memory: Sequence[MemoryNode] | None) -> Books:
    """Return the books of NUMA nodes; none where they are not told."""
    return {
        (bit_of(node.node), kind): size_of(free)
        for node in memory or ()
        for kind, free in (node.free or {name: table.free for name, table in (node.tables or {}).items()}).items()
    }


def rest_of(before: World, after: World, question: Message, reply: Message, was: Books) -> Rest | None:
    """Return what an event leaves as it was; ``was``: the books before it. None where nothing of that is told."""
    uid = named(question)
    had, has = before.pods.get(uid), after.pods.get(uid)
    stays = tuple(_stays(had, has, question)) if had and has and has is not had else ()
    memory = getattr(reply, "memory_state", None) if before.settings.memory_static else None
    now = books_of(memory)
    of = [(had, has)]
    if isinstance(question, RestartNode):  # each pod is admitted anew, with its init containers
        of = [(pod, after.pods.get(name)) for name, pod in before.pods.items()]
    unknown = memory is None or (had and isinstance(reply, Rejected))
    balances = () if unknown else tuple(_balances(of, was, now, _groups(before)))
    return Rest(before, _event(question, reply), uid, stays, balances) if stays or balances else None


def named(question: Message) -> str:
    """Return the uid of the pod that a question names; none is empty."""
    if isinstance(question, AdmitPod | ResizePod):
        return PodSpec.of(question.pod).uid
    return question.uid if isinstance(question, RunPod | RemovePod) else ""


def _event(question: Message, reply: Message) -> str:
    if isinstance(question, AdmitPod):
        return ADMISSION if isinstance(reply, Admitted) else "refusal"
    return next((event for kind, event in _EVENTS.items() if isinstance(question, kind)), "look")


def _stays(had: AdmittedPod, has: AdmittedPod, question: Message) -> Iterator[Stay]:
    if isinstance(question, AdmitPod) and has.spec != had.spec:
        return
    for container in had.spec.containers:
        name, wanted = container.name, has.spec.by_name.get(container.name)
        if container.kind != "init" and wanted and name in had.held and name in has.held:
            stay = Stay(f"container {name} of pod {had.spec.uid}", had.held[name], has.held[name])
            yield replace(stay, facts=tuple(_unnamed(container, wanted))) if isinstance(question, ResizePod) else stay


def _unnamed(was: ContainerSpec, wanted: ContainerSpec) -> Iterator[str]:
    yield DEVICES
    for fact, resource in ((CPUS, "cpu"), (QUOTA, "cpu"), (MEMORY, "memory")):
        before, after = ((each.requests.get(resource), each.limits.get(resource)) for each in (was, wanted))
        if before == after:
            yield fact


def _groups(world: World) -> list[int]:
    """Return the NUMA nodes (bits) that serve some containers together: of which of them bytes return is not said."""
    groups: list[int] = []
    for pod in world.pods.values():
        for nodes in (block.nodes for held in pod.held.values() for block in held.blocks):
            joined = [group for group in groups if group & nodes]
            groups = [group for group in groups if not group & nodes]
            groups.append(union((nodes, *joined)))
    return groups


def _balances(
    of: Iterable[tuple[AdmittedPod | None, AdmittedPod | None]], was: Books, now: Books, groups: Sequence[int]
) -> Iterator[Balance]:
    """Yield what is free and what is due: each group of NUMA nodes outside what some pods had and have, and those."""
    moved, nodes = Counter[str](), 0
    for block, sign in _moved(of):
        if block is None:
            return
        nodes |= block.nodes
        moved[block.type] += sign * block.bytes
    nodes = union((nodes, *(group for group in groups if group & nodes)))
    free, least = Counter[tuple[int, str]](), Counter({(nodes, kind): number for kind, number in moved.items()})
    for (node, kind), bytes_before in was.items():
        bytes_now = now.get((node, kind), None if now else 0)  # told, and empty: nothing is free
        if bytes_now is not None:
            together = nodes if node & nodes else next((group for group in groups if group & node), node)
            free[together, kind] += bytes_now
            least[together, kind] += bytes_before
    for (together, kind), number in free.items():
        yield Balance(together, kind, number, least[together, kind])


def _moved(of: Iterable[tuple[AdmittedPod | None, AdmittedPod | None]]) -> Iterator[tuple[MemoryBits | None, int]]:
    """Yield blocks of memory that pods had and surely had until now (1), and have (-1); None where it is not told."""
    for had, has in of:
        for pod, sign in ((had, 1), (has, -1)):
            for container in pod.spec.containers if pod else ():
                held = pod.held.get(container.name) if pod else None
                may_have_ended = sign > 0 and pod is not None and pod.ran and container.kind == "init"
                if held and not may_have_ended:
                    yield from ((block, sign) for block in held.blocks)
                if held and held.memory is None:
                    yield None, 0
