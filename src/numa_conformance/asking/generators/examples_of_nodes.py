"""Examples on a node: the pods that the pages print, the requests that they work out, and what lives rarely come to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...judging.choice import numa_cpus
from ...judging.room import ordinary
from ...machine import Device, Machine, load_machine, machine_from_dict, machine_to_dict
from .picks import renumber
from .pods import EXAMPLES
from .scenario import Question, Scenario, Script, admit, ask_all, remove, start
from .workloads import best_effort, burstable, container, guaranteed, kubelet, pod, static, static_memory

Json = Mapping[str, Any]
SINGLE, RESTRICTED = "topology-manager/single-numa-node", "topology-manager/restricted"
STATIC, MEMORY, RESTART = "cpu-manager/static", "memory-manager/static", "node/restart"
CPU_FILE, INIT, DEVICES = "cpu_manager_state", "cpu-manager/init-containers", "device-manager/allocation"


def examples_of_nodes(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield the examples within what a target claims."""
    yield from _of_the_pages(claimed)
    yield from _of_many_nodes(claimed)
    yield from _of_neighbours(claimed)
    yield from _of_memory(claimed)
    yield from _of_sidecars(claimed)
    yield from _of_distant_nodes(claimed)
    yield from _of_restarts(claimed)
    yield from _of_the_loop(claimed)


def _of_many_nodes(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Fill the NUMA nodes of a machine that has more than are allowed by default; two of them lack a CPU each."""
    option = "topology-manager/max-allowable-numa-nodes"
    if not {STATIC, SINGLE, option} <= claimed:
        return
    machine = machine_from_dict({"name": "nine-numa-nodes", "numaPerSocket": 9, "coresPerNuma": 2, "memory": "18Gi"})
    lifted = {"topologyManagerPolicyOptions": {"max-allowable-numa-nodes": str(len(machine.numa_ids))}}
    config = static(reserved="0,2", topology="single-numa-node", more=lifted)
    pods = [admit(guaranteed(f"p{node}", 2)) for node in machine.numa_ids[1:]]
    yield _example("nine NUMA nodes", machine, [start(config), *pods])


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


def _of_neighbours(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield a node without a reservation, containers and sockets that hold what is asked, and memory elsewhere."""
    if "cpu-manager/none" in claimed:
        questions = [start(kubelet(cpuManagerPolicy="none")), admit(guaranteed("a", 1)), admit(best_effort("b"))]
        yield _example("no reservation", load_machine("t1-one-socket-smt2"), questions)
    if {STATIC, SINGLE, "topology-manager/scope/container"} <= claimed:
        config = static(reserved="0,16", topology="single-numa-node")
        apart = {"a": (6, 8), "b": (7, 8), "c": (5, 7)}
        pods = [pod(uid, [container(f"c{n}", cpu=str(n), memory="64Mi") for n in both]) for uid, both in apart.items()]
        questions = [start(config), admit(pods[0]), admit(pods[1]), remove("b"), remove("a"), admit(pods[2])]
        machine = load_machine("t3-two-numa-per-socket")
        yield _example("containers on nodes of their own", machine, questions)
    socket, cores = "align-by-socket", "full-pcpus-only"
    if {STATIC, SINGLE, f"cpu-manager/{cores}"} <= claimed:
        machine = load_machine("two-nodes-devices")
        size = max(map(int.bit_count, numa_cpus(machine))) - 2
        begin = start(static(cores, reserved="0,2", topology="single-numa-node"))
        questions = [begin, admit(guaranteed("a", size)), admit(guaranteed("b", size))]
        yield _example("as many threads as are free, of cores in use", machine, questions)
    if {STATIC, RESTRICTED, f"cpu-manager/{socket}"} <= claimed:
        begin = start(static(socket, topology="restricted"))
        for large, wanted in (("caches-across-nodes", (13, 1, 12, 8)), ("t6-eight-numa-no-smt", (3, 3, 4, 9))):
            first, *rest = [admit(guaranteed(name, cpus)) for name, cpus in zip("abcd", wanted, strict=True)]
            yield _example("what one socket holds", load_machine(large), [begin, first, remove("a"), *rest])
    if {STATIC, MEMORY, "topology-manager/best-effort"} <= claimed:
        machine = load_machine("t6-eight-numa-no-smt")
        whole, left, eviction = ordinary(machine.memory[0]) >> 20, 64, 100
        others = sum(cpus for node, cpus in machine.numa_bits.items() if node != machine.memory[0].node)
        pinned = [{"numaNode": machine.memory[0].node, "limits": {"memory": f"{whole - left}Mi"}}]
        more = {"kubeReserved": {"memory": f"{whole - left - eviction}Mi"}, "memoryManagerPolicy": "Static"}
        config = static(reserved=others, topology="best-effort", more=more, reservedMemory=pinned)
        sizes = enumerate((whole // 2, whole, whole * 5 // 4, whole * 9 // 4))
        pods = [guaranteed(f"p{number}", 1, f"{mib}Mi") for number, mib in sizes]
        comings = [each for wanted in pods for each in (admit(wanted), remove(wanted["metadata"]["uid"]))]
        yield _example("memory elsewhere", machine, [start(config), *comings])


def _of_memory(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield memory of two NUMA nodes beside memory of one, and memory that is to change in place."""
    machine = load_machine("t3-two-numa-per-socket")
    mib = ordinary(machine.memory[-1]) >> 20
    if {STATIC, MEMORY, RESTRICTED} <= claimed:
        pods = [admit(guaranteed("wide", "100m", f"{mib * 5 // 4}Mi")), admit(guaranteed("narrow", "100m", "64Mi"))]
        questions = [start(static_memory("restricted")), *pods, ("node.state", {})]
        yield _example("memory of two and of one", machine, questions)
    if {STATIC, MEMORY} <= claimed:
        sizes = {"64Ki": 8192, "32Mi": 16, "512Mi": 1}
        nodes = tuple(replace(node, hugepages=sizes) for node in machine.memory)
        paged = replace(machine, name=f"{machine.name} with huge pages of other sizes", memory=nodes)
        for size in sizes:
            wanted = {f"hugepages-{size}": "512Mi"}
            pods = [admit(guaranteed(f"p{number}", 1, "500M", **wanted)) for number in range(len(nodes) + 1)]
            yield _example(f"huge pages of {size}", paged, [start(static_memory()), *pods])
    if {"node/resize", "node/fit"} <= claimed:
        half = len(machine.cpus) // 2
        small, large = (burstable("grows", cpus) for cpus in (1, half + 1))
        come = [start(static()), admit(burstable("beside", half)), admit(small), ("node.run", {"uid": "grows"})]
        yield _example("a resize beside others", machine, [*come, ("node.resize", {"pod": large})])
    if {STATIC, MEMORY, "node/resize"} <= claimed:
        first = container("a", cpu="1", memory="64Mi")
        two = [pod("two", [first, container("b", cpu="1", memory=size)]) for size in ("64Mi", "128Mi")]
        yield _lived("memory that is resized", machine, static_memory(), *two)
        both = [
            pod("both", [container("a", cpu="500m", memory=memory), container("b", cpu=cpu, memory="64Mi")])
            for memory, cpu in (("64Mi", "2"), ("128Mi", "4"))
        ]
        yield _lived("containers that are resized together", machine, static(), *both)


def _of_sidecars(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield a sidecar with a CPU of its own, and pods with sidecars and devices that are to change in place."""
    if not {STATIC, INIT} <= claimed:
        return
    init, sidecar, app = (container(each, cpu="1", memory="64Mi", sidecar=each == "s") for each in "isc")
    machine = load_machine("t1-one-socket-smt2")
    yield _lived("a sidecar that owns a CPU", machine, static(), pod("own", [app], [sidecar]))
    if "node/resize" in claimed:
        shares, more = container("a", cpu="500m", memory="64Mi"), container("s", cpu="2", memory="64Mi", sidecar=True)
        pods = [pod("own", [shares], [each]) for each in (sidecar, more)]
        yield _lived("a sidecar that is to own more CPUs", machine, static(), *pods)
    policies, managers = ("none", "best-effort", "restricted"), {"cpu-manager/none", DEVICES}
    if {"node/resize", *managers, *(f"topology-manager/{policy}" for policy in policies)} <= claimed:
        machine, gpu = load_machine("two-nodes-devices"), {"example.com/gpu": "1"}
        whole, *parts = (container("c", cpu=cpu, memory="64Mi", other=gpu) for cpu in ("1", "300m", "500m"))
        late = {"name": "s", "restartPolicy": "Always"}
        most = [pod("most", [whole, {**part, "name": "part"}], [init, part | late]) for part in parts]
        others = {name: str(sum(device.resource == name for device in machine.devices) - 1) for name in gpu}
        least = pod("least", [container("c", other=others)], [container("s", sidecar=True, other=gpu)])
        for policy in policies:
            for config in (kubelet(cpuManagerPolicy="none", topologyManagerPolicy=policy), static(topology=policy)):
                under = f"under {config['cpuManagerPolicy']} and {policy}"
                yield _lived(f"CPUs that are resized {under}", machine, config, *most)
                yield _lived(f"a resize without CPUs {under}", machine, config, least, least)


def _of_distant_nodes(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield pods whose NUMA nodes are near or far, and devices of which each of many NUMA nodes has one left."""
    closest, many = "prefer-closest-numa-nodes", "max-allowable-numa-nodes"
    eight, twelve = load_machine("amd-naples-7451"), load_machine("twelve-numa-nodes")
    near = (("pod", "the closer of two", eight), ("container", "a later container near", eight))
    for scope, about, machine in (*near, ("pod", "the closer of twelve", twelve)):
        lifted = {many: "12"} if machine is twelve else {}
        options = {closest: "true", **lifted}
        if {STATIC, RESTRICTED, *(f"topology-manager/{name}" for name in (f"scope/{scope}", *options))} <= claimed:
            early = [container("i", cpu="1", memory="64Mi")] if scope == "pod" and INIT in claimed else []
            size = max(map(int.bit_count, numa_cpus(machine))) - 1
            first, wide = [admit(guaranteed(f"p{node}", size)) for node in range(len(machine.numa_ids) // 2)], 2 * size
            apps = [container("c", cpu="500m", memory="64Mi"), container("w", cpu=f"{wide}", memory="64Mi")]
            without, config = (
                static(reserved="0", topology="restricted", scope=scope, more={"topologyManagerPolicyOptions": written})
                for written in (lifted, options)
            )
            last = [admit(guaranteed("wide", wide)), remove("wide"), admit(pod("parts", apps, early))]
            switched = [start(without), ("node.restart", {"kubelet": config})]
            begin = switched if lifted and RESTART in claimed else [start(config)]
            yield _example(about, machine, [*begin, *first, remove("p0"), *last])
    if {DEVICES, RESTRICTED, f"topology-manager/{many}"} <= claimed:
        kind = "example.com/nic"
        devices = tuple(Device(kind, f"nic-{node}-{n}", (node,)) for node in twelve.numa_ids for n in range(2))
        machine = replace(twelve, name=f"{twelve.name} with devices", devices=devices)
        lifted = {many: str(len(twelve.numa_ids))}
        config = kubelet(topologyManagerPolicy="restricted", topologyManagerPolicyOptions=lifted)
        pods = [admit(best_effort(f"p{number}", **{kind: "1"})) for number in range(len(machine.devices))]
        questions = [start(config), *pods, remove("p0"), remove("p2"), admit(best_effort("both", **{kind: "2"}))]
        yield _example("a device here and there", machine, questions)


def _of_the_loop(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield a shared pool that changes and stays as large, limits of any size, a static pod, and a pod of many CPUs."""
    if STATIC not in claimed:
        return
    begin, machine = start(static()), load_machine("two-nodes-devices")
    if "cpu-manager/reconcile" in claimed:
        system = best_effort("system")
        system["metadata"]["namespace"] = "kube-system"
        first = [("node.run", {"uid": uid}) for uid in ("s", "system")]
        pods = [admit(guaranteed(uid, size)) for uid, size in (("a", 4), ("b", 2), ("c", 2))]
        loop: Question = ("node.reconcile", {})
        again, last = [remove("b"), remove("c")], admit(guaranteed("d", 4))
        questions = [begin, admit(best_effort("s")), admit(system), *first, *pods, loop, remove("a"), loop]
        late: list[Question] = [remove("d"), admit(best_effort("late")), ("node.run", {"uid": "late"}), last, loop]
        yield _example("a pool as large as before", machine, [*questions, *again, last, loop, *late])
    if DEVICES in claimed:
        kind = machine.devices[0].resource
        count = sum(device.resource == kind and device.healthy for device in machine.devices)
        pods = [admit(best_effort(f"p{number}", **{kind: f"{number}"})) for number in (count, 0)]
        yield _example("0 devices where all are in use", machine, [begin, *pods])
        devices = tuple(replace(device, healthy=False) for device in machine.devices)
        ill = replace(machine, name=f"{machine.name} with none that is healthy", devices=devices)
        yield _example("no device that is healthy", ill, [begin, admit(best_effort("p", **{kind: "1"}))])
    limits = [container(f"c{n}", cpu=cpu, requests={"cpu": "1m"}) for n, cpu in enumerate(("5m", "10500m"))]
    yield _lived("limits small and large", machine, static(), pod("limits", limits))
    fixed = guaranteed("fixed", 2)
    fixed["metadata"]["annotations"] = {"kubernetes.io/config.source": "file"}
    yield _lived("a static pod", machine, static(), fixed)
    dozen = pod("dozen", [container(f"c{n}", cpu="1", memory="64Mi") for n in range(12)])
    yield _lived("many containers", load_machine("t3-two-numa-per-socket"), static(), dozen)
    yield _lived("many CPUs", load_machine("amd-turin-9965-nps1"), static(), guaranteed("many", 300))
    high = replace(renumber(machine, {cpu.id: cpu.id + 1020 for cpu in machine.cpus}), name=f"{machine.name}, high ids")
    yield _lived("CPU ids around 1024", high, static(reserved="1020-1020"), guaranteed("half", len(machine.cpus) // 2))


def _example(about: str, machine: Machine, questions: Sequence[Question]) -> Scenario:
    return Scenario("example", f"node, {about}", machine, partial(ask_all, questions))


def _lived(name: str, machine: Machine, config: Json, wanted: Json, *changed: Json) -> Scenario:
    """Admit a pod twice, run it, look at the node, resize the pod, take it away, and let it come again."""
    uid, once = wanted["metadata"]["uid"], admit(wanted)
    resizes = [("node.resize", {"pod": each}) for each in changed]
    questions = [start(config), once, once, ("node.run", {"uid": uid}), ("node.state", {}), *resizes, remove(uid), once]
    return _example(name, machine, questions)


def _of_restarts(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield restarts with another configuration, and on the state file of a node with other CPUs."""
    if not {STATIC, RESTART} <= claimed:
        return
    small, large = load_machine("t1-one-socket-smt2"), load_machine("t3-two-numa-per-socket")
    if "cpu-manager/strict-cpu-reservation" in claimed:
        yield _changed("strict-cpu-reservation", small, static(), static("strict-cpu-reservation"))
    if MEMORY in claimed:
        other = static(topology="none", memoryManagerPolicy="None")
        yield _changed(
            "no memory manager", load_machine("two-nodes-hugepages"), static_memory(), other, guaranteed("a", 1, "1Gi")
        )
    questions = [
        start(static(cpuCFSQuota=False)),
        ("node.restart", {"kubelet": static()}),
        admit(guaranteed("a", "500m")),
    ]
    yield _example("restarted with limits by quota", small, questions)
    some, many = (kubelet(cpuManagerPolicy="static", kubeReserved={"cpu": cpu}) for cpu in ("1", "3"))
    for before, after in ((some, many), (many, some)):
        questions = [start(before), ("node.restart", {"kubelet": after}), admit(guaranteed("a", 5))]
        yield _example(f"restarted with {after['kubeReserved']['cpu']} CPUs reserved", small, questions)
    if DEVICES in claimed:
        yield _alike()
    if "cpu-manager/state-file" in claimed:
        yield Scenario("example", "node, restarted on the state file of other CPUs", large, partial(_foreign, small))


def _changed(to: str, machine: Machine, config: Json, other: Json, *pods: Json) -> Scenario:
    questions = [start(config), *map(admit, pods), ("node.restart", {"kubelet": other})]
    return _example(f"restarted with {to}", machine, questions)


def _alike() -> Scenario:
    """Return a node whose pods, containers and devices have long names that begin alike, and many devices."""
    kind, begin = "example.com/gpu", "0b6cb2a8-9c3f-4d1e-8f57"
    known = load_machine("two-nodes-devices")
    devices = tuple(Device(kind, f"GPU-{begin}-{number}", (number % 2,)) for number in range(6))
    devices += tuple(Device("example.com/vf", f"vf-{number}", (0,)) for number in range(130))  # beyond 64 bits
    machine = replace(known, name=f"{known.name} with long ids", devices=devices)
    both = [container(f"inference-server-{n}", cpu="2", memory="64Mi", other={kind: "1"}) for n in range(2)]
    pods = [pod(f"{begin}-{number}", both) for number in range(3)]
    for each, namespace, name in zip(pods, ("a", "a-b", "b"), ("b-c", "c", "c"), strict=True):
        each["metadata"] |= {"namespace": namespace, "name": name}
    first, second, third = map(admit, pods)
    restart: Question = ("node.restart", {})
    gone = [remove(f"{begin}-0"), restart, restart, third, admit(guaranteed("many", 1, **{"example.com/vf": "120"}))]
    begun = start(static(topology="best-effort"))
    return _example("names that begin alike", machine, [begun, first, second, restart, third, *gone])


def _foreign(other: Machine) -> Script:
    """Give the state file of a node to another one, with fewer CPUs."""
    yield start(static())
    yield admit(guaranteed("a", 2))
    answer = yield "node.checkpoints", {}
    yield "node.start", {"machine": machine_to_dict(other), "kubelet": static()}
    if CPU_FILE in answer.get("checkpoints", {}):
        yield "node.restart", {"files": {CPU_FILE: answer["checkpoints"][CPU_FILE]}}
