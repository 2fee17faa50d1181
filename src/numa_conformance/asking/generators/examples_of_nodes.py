"""Examples on a node: the pods that the pages print, the requests that they work out, and what lives rarely come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...machine import Machine, load_machine, machine_from_dict, machine_to_dict
from .pods import EXAMPLES
from .scenario import Question, Scenario, Script, ask_all
from .workloads import best_effort, container, guaranteed, kubelet, pod, static, static_memory

Json = Mapping[str, Any]
Row = tuple[str, str, Json, Sequence["Json | str"]]
"""Features to claim, machine, configuration; pods to admit and uids of pods to remove."""
GPU, NIC, USB = "example.com/gpu", "example.com/nic", "example.com/usb"
HUGE = "hugepages-2Mi"
QUAD, PAIR, DEVICES = "t3-two-numa-per-socket", "two-nodes-hugepages", "two-nodes-devices"
"""Four NUMA nodes of 8 CPUs; two NUMA nodes of 8 GiB, with 256 huge pages of 2 MiB each; two with two GPUs each."""
SINGLE, RESTRICTED = "topology-manager/single-numa-node", "topology-manager/restricted"
STATIC, MEMORY, GIVEN_DEVICES = "cpu-manager/static", "memory-manager/static", "device-manager/allocation"
CONTAINER, POD = "topology-manager/scope/container", "topology-manager/scope/pod"
INIT, PAGES, RESTART = "cpu-manager/init-containers", "memory-manager/hugepages", "node/restart"
FULL, NUMA, SOCKET = "full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket"
UNCORE = "prefer-align-cpus-by-uncorecache"
CPU_FILE = "cpu_manager_state"


def _quad(policy: str, scope: str = "container") -> Json:
    """Return a configuration for the machine of four NUMA nodes: the first has 6 CPUs free, the others 8."""
    return static(reserved="0,16", topology=policy, scope=scope)


def _several(name: str, *sizes: int, init: int = 0) -> Json:
    """Return a pod of containers with so many CPUs, one of them an init container where ``init`` is not 0."""
    before = [container("i", cpu=str(init), memory="64Mi")] if init else []
    return pod(name, [container(f"c{n}", cpu=str(size), memory="64Mi") for n, size in enumerate(sizes)], init=before)


def _in_turn(name: str, *gpus: int, sidecars: bool = False) -> Json:
    """Return a pod of containers with a CPU and so many devices; all but the last are init containers or sidecars."""
    *before, last = (
        container(f"c{n}", cpu="1", memory="64Mi", other={GPU: str(number)}, sidecar=sidecars and n < len(gpus) - 1)
        for n, number in enumerate(gpus)
    )
    return pod(name, [last], init=before)


ALIGNED, ON_ONE_NODE = static(topology="single-numa-node"), static_memory("single-numa-node")
ON_FEW_NODES = static_memory("restricted")
ALIGNED_DEVICES, SINGLE_MEMORY = f"{STATIC} {SINGLE} {GIVEN_DEVICES}", f"{STATIC} {MEMORY} {SINGLE}"
RESTRICTED_MEMORY = f"{STATIC} {MEMORY} {RESTRICTED}"


def _row(needed: str, machine: str, config: Json, steps: Sequence[Json | str]) -> Row:
    return needed, machine, config, steps


_ROWS: Mapping[str, Row] = {
    "options that add up": _row(
        f"{STATIC} cpu-manager/{FULL} cpu-manager/{NUMA} cpu-manager/{SOCKET} topology-manager/best-effort",
        QUAD,
        static(FULL, NUMA, SOCKET, reserved="0,16", topology="best-effort"),
        [guaranteed("a", 12), guaranteed("b", 3)],
    ),
    "what the one socket of two NUMA nodes holds": _row(
        f"{STATIC} {RESTRICTED} cpu-manager/{SOCKET}",
        "caches-across-nodes",
        static(SOCKET, topology="restricted"),
        [guaranteed("a", 13), "a", guaranteed("b", 1), guaranteed("c", 12), guaranteed("d", 8)],
    ),
    "more than a cache holds": _row(
        f"{STATIC} cpu-manager/{UNCORE}", "t4-four-uncores", static(UNCORE, reserved="0,16"), [guaranteed("a", 13)]
    ),
    "what one of three free NUMA nodes holds": _row(
        STATIC,
        "intel-cascadelake-6230-snc2-pmem",
        static(reserved=",".join(map(str, range(0, 80, 4)))),
        [guaranteed("a", 4)],
    ),
    "more than a NUMA node ever holds": _row(
        f"{STATIC} {RESTRICTED}",
        QUAD,
        _quad("restricted"),
        [guaranteed("a", 10), "a", guaranteed("b", 16), "b", guaranteed("c", 18)],
    ),
    "containers on NUMA nodes of their own": _row(
        f"{STATIC} {SINGLE} {CONTAINER}", QUAD, _quad("single-numa-node"), [_several("a", 6, 6)]
    ),
    "a pod as a whole": _row(f"{STATIC} {SINGLE} {POD}", QUAD, _quad("single-numa-node", "pod"), [_several("a", 6, 6)]),
    "init containers and a pod as a whole": _row(
        f"{STATIC} {SINGLE} {POD} {INIT}",
        QUAD,
        _quad("single-numa-node", "pod"),
        [_several("a", 3, 3, init=8), _several("b", 1, init=9)],
    ),
    "devices of init containers and a pod as a whole": _row(
        f"{STATIC} {SINGLE} {POD} {INIT} {GIVEN_DEVICES}",
        DEVICES,
        static(topology="single-numa-node", scope="pod"),
        [
            _in_turn("a", 1, 2, sidecars=True),
            _in_turn("b", 2, 1, 1),
            _in_turn("c", 1, 1, sidecars=True),
            "b",
            "c",
            _in_turn("d", 1, 1, 1, 1),
            _in_turn("e", 1, 2),
        ],
    ),
    "devices beside CPUs": _row(
        ALIGNED_DEVICES,
        DEVICES,
        ALIGNED,
        [guaranteed("a", 2, **{GPU: "2"}), guaranteed("b", 2, **{GPU: "1"}), "a", guaranteed("c", 2, **{GPU: "2"})],
    ),
    "a device behind CPUs on the other NUMA node": _row(
        ALIGNED_DEVICES, DEVICES, ALIGNED, [guaranteed("filler", 6), guaranteed("a", 4, **{GPU: "1"})]
    ),
    "a device of two NUMA nodes": _row(
        ALIGNED_DEVICES, "two-nodes-shared-device", ALIGNED, [guaranteed("filler", 7), guaranteed("a", 6, **{NIC: "1"})]
    ),
    "devices of no NUMA node": _row(
        ALIGNED_DEVICES, DEVICES, ALIGNED, [guaranteed("a", 6, **{USB: "1"}), guaranteed("b", 6, **{USB: "1"})]
    ),
    "a plugin's preference": _row(
        "device-manager/preferred-allocation",
        "two-nodes-preferring-plugin",
        kubelet(),
        [best_effort("a", **{GPU: "2"}), best_effort("b", **{GPU: "1"}), "a", best_effort("c", **{GPU: "3"})],
    ),
    "devices that return": _row(
        GIVEN_DEVICES, DEVICES, kubelet(), [best_effort("a", **{GPU: "4"}), "a", best_effort("b", **{GPU: "4"})]
    ),
    "devices alone": _row(
        f"{SINGLE} {GIVEN_DEVICES}",
        DEVICES,
        kubelet(topologyManagerPolicy="single-numa-node"),
        [best_effort("b", **{GPU: "3"}), best_effort("a", **{GPU: "2"})],
    ),
    "devices beside a fraction of a CPU": _row(
        ALIGNED_DEVICES, DEVICES, ALIGNED, [guaranteed("a", "300m", **{GPU: "1"})]
    ),
    "memory until there is no more": _row(
        SINGLE_MEMORY, PAIR, ON_ONE_NODE, [guaranteed(f"p{n}", "100m", "1Gi") for n in range(16)]
    ),
    "more memory than there is": _row(RESTRICTED_MEMORY, PAIR, ON_FEW_NODES, [guaranteed("a", 1, "17Gi")]),
    "memory of both NUMA nodes, then of one": _row(
        RESTRICTED_MEMORY, PAIR, ON_FEW_NODES, [guaranteed("wide", "100m", "10Gi"), guaranteed("narrow", "100m", "1Gi")]
    ),
    "memory of one NUMA node, then of both": _row(
        RESTRICTED_MEMORY, PAIR, ON_FEW_NODES, [guaranteed("narrow", "100m", "1Gi"), guaranteed("wide", "100m", "10Gi")]
    ),
    "memory that returns": _row(
        SINGLE_MEMORY,
        PAIR,
        ON_ONE_NODE,
        [guaranteed("a", "100m", "7Gi"), "a", guaranteed("b", "100m", "6Gi"), "b", guaranteed("c", "100m", "6Gi")],
    ),
    "huge pages": _row(
        f"{STATIC} {MEMORY} {PAGES} {SINGLE}",
        PAIR,
        ON_ONE_NODE,
        [
            guaranteed("a", 1, "1Gi", **{"hugepages-2Mi": "64Mi"}),
            guaranteed("b", 1, "1Gi", **{"hugepages-2Mi": "600Mi"}),
        ],
    ),
}


def examples_of_nodes(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield the examples within what a target claims."""
    yield from _of_the_pages(claimed)
    for about, (needed, machine, config, steps) in _ROWS.items():
        if claimed.issuperset(needed.split()):
            admissions = [_remove(step) if isinstance(step, str) else _admit(step) for step in steps]
            for suffix, kubelet in _in_each_scope(config, claimed).items():
                questions = [_start(kubelet), *admissions, ("node.state", {})]
                yield Scenario("example", f"node, {about}{suffix}", load_machine(machine), partial(ask_all, questions))
    yield from _of_many_nodes(claimed)
    yield from _of_restarts(claimed)


def _in_each_scope(config: Json, claimed: frozenset[str]) -> dict[str, Json]:
    """Return a configuration and, where pods are aligned container by container, the same with pods as a whole."""
    if config.get("topologyManagerScope") == "container" and POD in claimed:
        return {"": config, ", as a whole": {**config, "topologyManagerScope": "pod"}}
    return {"": config}


def _of_many_nodes(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Fill the NUMA nodes of a machine that has more than are allowed by default; two of them lack a CPU each."""
    option = "topology-manager/max-allowable-numa-nodes"
    if not {STATIC, SINGLE, option} <= claimed:
        return
    machine = machine_from_dict({"name": "nine-numa-nodes", "numaPerSocket": 9, "coresPerNuma": 2, "memory": "18Gi"})
    lifted = {"topologyManagerPolicyOptions": {"max-allowable-numa-nodes": str(len(machine.numa_ids))}}
    config = static(reserved="0,2", topology="single-numa-node", more=lifted)
    pods = [_admit(guaranteed(f"p{node}", 2)) for node in machine.numa_ids[1:]]
    yield Scenario("example", "node, nine NUMA nodes", machine, partial(ask_all, [_start(config), *pods]))


def _of_the_pages(claimed: frozenset[str]) -> Iterator[Scenario]:
    if STATIC not in claimed:
        return
    machine = load_machine("t1-one-socket-smt2")
    for number, (name, spec) in enumerate(EXAMPLES.items(), 1):
        uid = f"example-{number}"
        printed = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": uid, "uid": uid}, "spec": spec}
        yield _lived(name, machine, static(), printed)
    if {MEMORY, RESTRICTED} <= claimed:
        wide = machine_from_dict({"name": "two-of-125Gi", "sockets": 2, "coresPerNuma": 2, "memory": "125Gi"})
        about = "Troubleshooting, 150Gi of 125Gi on each of two"
        yield _lived(about, wide, static_memory("restricted"), guaranteed("wide", 3, "150Gi"))


def _lived(name: str, machine: Machine, config: Json, wanted: Json) -> Scenario:
    """Admit a pod, run it, look at the node, and take it away."""
    uid = wanted["metadata"]["uid"]
    questions = [_start(config), _admit(wanted), ("node.run", {"uid": uid}), ("node.state", {}), _remove(uid)]
    return Scenario("example", f"node, {name}", machine, partial(ask_all, questions))


def _of_restarts(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield restarts with another configuration, and on the state file of a node with other CPUs."""
    if not {STATIC, RESTART} <= claimed:
        return
    small, large = load_machine("t1-one-socket-smt2"), load_machine(QUAD)
    if "cpu-manager/strict-cpu-reservation" in claimed:
        yield _changed("strict-cpu-reservation", small, static(), static("strict-cpu-reservation"))
    if MEMORY in claimed:
        other = static(topology="none", memoryManagerPolicy="None")
        yield _changed("no memory manager", load_machine(PAIR), static_memory(), other, guaranteed("a", 1, "1Gi"))
    if "cpu-manager/state-file" in claimed:
        yield Scenario("example", "node, restarted on the state file of other CPUs", large, partial(_foreign, small))


def _changed(to: str, machine: Machine, config: Json, other: Json, *pods: Json) -> Scenario:
    questions = [_start(config), *map(_admit, pods), ("node.restart", {"kubelet": other})]
    return Scenario("example", f"node, restarted with {to}", machine, partial(ask_all, questions))


def _foreign(other: Machine) -> Script:
    """Give the state file of a node to another one, with fewer CPUs."""
    yield _start(static())
    yield _admit(guaranteed("a", 2))
    answer = yield "node.checkpoints", {}
    yield "node.start", {"machine": machine_to_dict(other), "kubelet": static()}
    if CPU_FILE in answer.get("checkpoints", {}):
        yield "node.restart", {"files": {CPU_FILE: answer["checkpoints"][CPU_FILE]}}


def _start(config: Json) -> Question:
    return "node.start", {"kubelet": config}


def _admit(wanted: Json) -> Question:
    return "node.admit", {"pod": wanted}


def _remove(uid: str) -> Question:
    return "node.remove", {"uid": uid}
