"""What is worth knowing of a node and is no finding: what disturbs CPUs, and that the next start fails."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..cpuset import format_bits
from ..errors import KubeletFails, NumaConformanceError, StartError
from ..kube.resource_names import is_huge_page
from ..machine import MemoryNode
from ..machine.hostfs import MemoryStore
from ..printable import listed
from ..reference.node import Node
from ..sources.versions import SUPPORTED, KubernetesVersion
from .cgroups import limit_of
from .held_pods import node_holdings
from .look import Sight
from .tree import Line, NodeTree

ISOLATED = "sys/devices/system/cpu/isolated"
"""CPUs that the kernel was started with ``isolcpus`` for."""
INTERRUPTS = "proc/irq"
_AFFINITIES = ("effective_affinity_list", "smp_affinity_list")
_MOST_NAMED = 4


def disturbances(sight: Sight) -> Iterator[str]:
    """Yield a sentence for each kind: isolated CPUs that are shared, visitors on exclusive CPUs, quota from above."""
    cpus = sight.state.cpus
    if cpus is None or sight.configured.kubelet.cpu_manager_policy != "static":
        return
    exclusive = _union((*cpus.pods.values(), *(bits for held in cpus.assignments.values() for bits in held.values())))
    yield from _isolated_and_shared(sight.tree, cpus.default)
    if exclusive:
        yield from _interrupted(sight.tree, exclusive)
        yield from _pause_containers(sight, exclusive)
        yield from _other_processes(sight.tree, exclusive)
        yield from _bounded_from_above(sight)


def _isolated_and_shared(tree: NodeTree, pool: int) -> Iterator[str]:
    shared = (tree.bits(ISOLATED) or 0) & pool
    if shared:
        yield (
            f"CPUs {format_bits(shared)} are isolated by the kernel (isolcpus) and in the shared pool: "
            f"it does not balance threads of shared containers over them ({_shown(tree.line(ISOLATED))})"
        )


def _interrupted(tree: NodeTree, exclusive: int) -> Iterator[str]:
    """Tell which interrupts with a handler may come to exclusive CPUs."""
    hit, named = 0, list[str]()
    for number in sorted(filter(str.isdecimal, tree.folders(INTERRUPTS)), key=int):
        handlers = handlers_of(tree, number)
        affinity = affinity_of(tree, number)
        bits = (tree.parsed(affinity) if affinity is not None and handlers else None) or 0
        if bits & exclusive:
            hit |= bits & exclusive
            named.append(f"{number} ({', '.join(handlers)})")
    if named:
        yield (
            f"interrupts may come to exclusive CPUs {format_bits(hit)}: {listed(named, _MOST_NAMED)}; "
            f"their CPUs are set in /{INTERRUPTS}/NUMBER/smp_affinity_list"
        )


def _pause_containers(sight: Sight, exclusive: int) -> Iterator[str]:
    """Tell of the sandboxes of pods, to which no kubelet gives a cpuset."""
    allowed = [container.effective or 0 for container in sight.nameless if container.cgroup.may_run]
    hit = [bits & exclusive for bits in allowed if bits & exclusive]
    if hit:
        yield (
            f"pause containers, {len(hit)} here, may run on exclusive CPUs {format_bits(_union(hit))}: "
            "a container runtime gives a pod's sandbox all CPUs (containerd/containerd#10155)"
        )


def _other_processes(tree: NodeTree, exclusive: int) -> Iterator[str]:
    """Tell of processes outside of pods; threads of the kernel have no memory, and mostly cannot be moved."""
    hit = dict[str, int]()
    for pid in tree.processes():
        file = f"proc/{pid}/status"
        status = dict(line.partition(":\t")[::2] for line in (tree.text(file) or "").splitlines())
        in_pod = "kubepods" in (tree.text(f"proc/{pid}/cgroup") or "kubepods")
        bits = (tree.parsed(Line.of(status.get("Cpus_allowed_list", ""), file)) or 0) & exclusive
        if "VmSize" in status and not in_pod and bits:
            hit[f"{pid} ({status.get('Name', '')})"] = bits
    if hit:
        yield (
            f"processes outside of pods, {len(hit)} here, may run on exclusive CPUs "
            f"{format_bits(_union(hit.values()))}: {listed(hit, _MOST_NAMED)}; "
            "CPUAffinity of systemd or isolcpus of the kernel keeps them off"
        )


def _union(sets: Iterable[int]) -> int:
    union = 0
    for bits in sets:
        union |= bits
    return union


def next_start(sight: Sight) -> Iterator[str]:
    """Yield why a kubelet that starts now does not come up, in its words; without a known version in all of them."""
    if sight.state.files and (sight.configured.files or sight.configured.process):
        texts = [_failure(sight, version) for version in ((sight.version,) if sight.version else SUPPORTED)]
        if all(texts):
            yield f"the next start of the kubelet fails: {texts[-1]}"


def _failure(sight: Sight, version: KubernetesVersion) -> str:
    holdings, store = node_holdings(sight, ()), MemoryStore()
    for name, text in holdings.files.items():
        store.write(name, text)
    machine = replace(
        holdings.machine, memory=tuple(_with_empty_pools(sight, each) for each in holdings.machine.memory)
    )
    try:
        Node(machine, sight.configured.kubelet, kubernetes_version=version, store=store, resource_fit=True)
    except (StartError, KubeletFails) as error:
        return str(error)
    except NumaConformanceError:  # a version that is not known, say
        return ""
    return ""


def _with_empty_pools(sight: Sight, memory: MemoryNode) -> MemoryNode:
    """Add the page sizes of which the state file has no page: a tree need not tell of them."""
    books = (sight.state.nodes or {}).get(memory.node)
    tables = books.tables.items() if books else ()
    empty = {name.removeprefix("hugepages-"): 0 for name, table in tables if is_huge_page(name) and not table.total}
    return replace(memory, hugepages={**empty, **memory.hugepages})


def handlers_of(tree: NodeTree, number: str) -> list[str]:
    """Return who handles an interrupt; nobody where it has no handler, and never comes."""
    return tree.folders(f"{INTERRUPTS}/{number}")


def affinity_of(tree: NodeTree, number: str) -> Line | None:
    """Return the CPUs to which an interrupt comes, or may come where the kernel does not tell."""
    lines = (tree.line(f"{INTERRUPTS}/{number}/{name}") for name in _AFFINITIES)
    return next((line for line in lines if line), None)


def _bounded_from_above(sight: Sight) -> Iterator[str]:
    """Tell of CPU limits above the pods, which no kubelet sets and every pod is under."""
    if sight.hierarchy is None:
        return
    top = sight.hierarchy.top
    limit = limit_of(sight.tree, sight.hierarchy, top)
    if limit is not None:
        yield (
            f"all pods together are bounded by CFS quota to {float(limit):g} CPUs, "
            f"also those with CPUs of their own (/{top})"
        )


def _shown(line: Line | None) -> str:
    return "" if line is None else f"{line.place}:{line.number}: {line}"
