"""What is worth knowing of a node and is no finding: what disturbs CPUs, and that the next start fails.

State files tell what containers were given, and not what they asked for. A pod of which nothing else is known is made
of that: it asks for what it holds. With its manifest it asks for all that it did.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..cpuset import format_bits, union
from ..errors import KubeletFails, NumaConformanceError, StartError
from ..kube import Container, Pod, Quantity
from ..kube.container import QosClass
from ..kube.resource_names import is_huge_page
from ..machine import Device, Machine, MemoryNode
from ..machine.hostfs import MemoryStore
from ..printable import listed
from ..reference.managers.device import DEVICE_FILE
from ..reference.node import Node
from ..sources.versions import SUPPORTED, KubernetesVersion
from .cgroups import limit_of
from .look import Sight
from .tree import Line, NodeTree

Amounts = dict[str, dict[str, int]]


@dataclass(frozen=True)
class NodeHoldings:
    """A node to go on from.

    ``files``: its state files by name. ``pods``: those that hold something. ``names``: namespace and name by uid, the
    uid where they are not known. ``new``: the manifests that are of none of them. ``notes``: what is not known.
    """

    machine: Machine
    files: Mapping[str, str]
    pods: tuple[Pod, ...]
    names: Mapping[str, str]
    new: tuple[Pod, ...]
    notes: tuple[str, ...]


def node_holdings(sight: Sight, manifests: Sequence[Pod]) -> NodeHoldings:
    """Return what a node holds; manifests are matched by uid, or by namespace and name where the node tells them."""
    holdings, guaranteed = _amounts(sight)
    names = {container.uid: (container.namespace, container.pod) for container in sight.names.values() if container.uid}
    by_name = {name: uid for uid, name in names.items() if uid in holdings}
    known: dict[str, Pod] = {}
    new: list[Pod] = []
    for pod in manifests:
        uid = pod.uid if pod.uid in holdings else by_name.get((pod.namespace, pod.name))
        if uid is None:
            new.append(pod)
        else:
            known[uid] = replace(pod, uid=uid)
    made = {
        uid: _made(uid, *names.get(uid, ("", uid)), containers, "Guaranteed" if uid in guaranteed else None)
        for uid, containers in holdings.items()
        if uid not in known
    }
    pods = sorted({**known, **made}.values(), key=lambda pod: (pod.created, pod.uid))
    machine, unplaced = _with_devices(sight, sight.machine)
    files = {name: file.text for name, file in sight.state.files.items()}
    shown = {pod.uid: f"{pod.namespace}/{pod.name}" if pod.namespace else pod.uid for pod in pods}
    return NodeHoldings(machine, files, tuple(pods), shown, tuple(new), tuple(_notes(made, unplaced)))


def _amounts(sight: Sight) -> tuple[dict[str, Amounts], set[str]]:
    """Return what each container holds of each resource, by uid and name, and the uids of Guaranteed pods."""
    by_pod: dict[str, Amounts] = {}
    state = sight.state

    def container(uid: str, name: str) -> dict[str, int]:
        return by_pod.setdefault(uid, {}).setdefault(name, {})

    for uid, containers in (state.cpus.assignments if state.cpus else {}).items():
        for name, cpus in containers.items():
            container(uid, name)["cpu"] = cpus.bit_count()
    for uid, memory in state.blocks.items():
        for name, blocks in memory.items():
            for block in blocks:
                amounts = container(uid, name)
                amounts[block.type] = amounts.get(block.type, 0) + block.bytes
    guaranteed = set(by_pod)  # none else is given CPUs or memory of its own
    for entry in state.devices or ():
        ids = {device for listed in entry.devices.values() for device in listed}
        container(entry.uid, entry.container)[entry.resource] = len(ids)
    return by_pod, guaranteed


def _made(uid: str, namespace: str, name: str, holdings: Amounts, qos: QosClass | None) -> Pod:
    containers = []
    for container, amounts in sorted(holdings.items()):
        limits = {
            resource: Quantity(amount, "binary" if resource == "memory" or is_huge_page(resource) else "decimal")
            for resource, amount in amounts.items()
        }
        containers.append(Container(container, limits, limits))
    return Pod(uid, name, namespace, (), tuple(containers), status_qos_class=qos)


def _with_devices(sight: Sight, machine: Machine) -> tuple[Machine, int]:
    """Add the devices that the Device Manager knows, unless the machine has some; count those of unknown NUMA node.

    A host tree tells of no devices, and the Device Manager's file of the NUMA nodes of those alone that are given.
    """
    if sight.state.devices is None or machine.devices:
        return machine, 0
    near: dict[tuple[str, str], set[int]] = {}
    for entry in sight.state.devices:
        for node, ids in entry.devices.items():
            for device in ids:
                near.setdefault((entry.resource, device), set()).update({node} - {-1})
    registered = json.loads(sight.state.files[DEVICE_FILE].text)["Data"].get("RegisteredDevices") or {}
    healthy = {(resource, device) for resource, ids in registered.items() for device in ids or ()}
    devices = [
        Device(resource, name, tuple(sorted(near.get((resource, name), ()))), (resource, name) in healthy)
        for resource, name in sorted(near.keys() | healthy)
    ]
    return replace(machine, devices=tuple(devices)), len(healthy - near.keys())


def _notes(made: Mapping[str, Pod], unplaced: int) -> Iterable[str]:
    if made:
        yield (
            f"pods known by what they hold alone, and taken to ask for just that: {len(made)}; "
            "name their manifests (kubectl get pods -A -o yaml) to have all counted that they ask for"
        )
    if unplaced:
        yield f"of {unplaced} devices that are free the NUMA nodes are not known: a machine with them is --machine FILE"


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
    exclusive = union((*cpus.pods.values(), *(bits for held in cpus.assignments.values() for bits in held.values())))
    tree = sight.tree
    if shared := (tree.bits(ISOLATED) or 0) & cpus.default:
        line = tree.line(ISOLATED)
        shown = "" if line is None else f"{line.place}:{line.number}: {line}"
        yield (
            f"CPUs {format_bits(shared)} are isolated by the kernel (isolcpus) and in the shared pool: "
            f"it does not balance threads of shared containers over them ({shown})"
        )
    if exclusive:
        hit, named = 0, list[str]()
        for number in sorted(filter(str.isdecimal, sight.tree.folders(INTERRUPTS)), key=int):
            handlers = handlers_of(sight.tree, number)
            affinity = affinity_of(sight.tree, number)
            bits = (sight.tree.parsed(affinity) if affinity is not None and handlers else None) or 0
            if bits & exclusive:
                hit |= bits & exclusive
                named.append(f"{number} ({', '.join(handlers)})")
        if named:
            yield (
                f"interrupts may come to exclusive CPUs {format_bits(hit)}: {listed(named, _MOST_NAMED)}; "
                f"their CPUs are set in /{INTERRUPTS}/NUMBER/smp_affinity_list"
            )
        yield from _pause_containers(sight, exclusive)
        yield from _other_processes(sight.tree, exclusive)
        yield from _bounded_from_above(sight)


def _pause_containers(sight: Sight, exclusive: int) -> Iterator[str]:
    """Tell of the sandboxes of pods, to which no kubelet gives a cpuset."""
    allowed = [container.effective or 0 for container in sight.nameless if container.cgroup.may_run]
    if hit := [bits & exclusive for bits in allowed if bits & exclusive]:
        yield (
            f"pause containers, {len(hit)} here, may run on exclusive CPUs {format_bits(union(hit))}: "
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
            f"{format_bits(union(hit.values()))}: {listed(hit, _MOST_NAMED)}; "
            "CPUAffinity of systemd or isolcpus of the kernel keeps them off"
        )


def next_start(sight: Sight) -> Iterator[str]:
    """Yield why a kubelet that starts now does not come up, in its words; without a known version in all of them."""
    if sight.state.files and (sight.configured.files or sight.configured.process):
        texts = [_failure(sight, version) for version in ((sight.version,) if sight.version else SUPPORTED)]
        if all(texts):
            yield f"the next start of the kubelet fails: {texts[-1]}"


def _failure(sight: Sight, version: KubernetesVersion) -> str:
    held, store = node_holdings(sight, ()), MemoryStore()
    for name, text in held.files.items():
        store.write(name, text)
    machine = replace(held.machine, memory=tuple(_with_empty_pools(sight, each) for each in held.machine.memory))
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
    return next(filter(None, (tree.line(f"{INTERRUPTS}/{number}/{name}") for name in _AFFINITIES)), None)


def _bounded_from_above(sight: Sight) -> Iterator[str]:
    """Tell of CPU limits above the pods, which no kubelet sets and every pod is under."""
    if sight.hierarchy is None:
        return
    top = sight.hierarchy.top
    if (limit := limit_of(sight.tree, sight.hierarchy, top)) is not None:
        yield (
            f"all pods together are bounded by CFS quota to {float(limit):g} CPUs, "
            f"also those with CPUs of their own (/{top})"
        )
