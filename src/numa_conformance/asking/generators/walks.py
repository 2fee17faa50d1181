"""Walks: lives of nodes. Pods come, run, are started again and go; the node is reconciled, asked and restarted."""

import random
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any

from ...cpuset import CpuSet
from ...judging.choice import numa_cpus
from .cell_kubelets import kubelet_of
from .cells import Cell
from .events import resized_by_lot
from .node_sizes import SMALL_MIB, NodeSizes
from .scenario import Answer, Question, Scenario, Script, admit, remove, start
from .workloads import container, pod, spell_otherwise

KINDS = ("guaranteed", "fraction", "burstable", "best effort")
_MIXED = {"mixed": KINDS, "whole and fraction": KINDS[:2]}
"""Kinds of pods whose containers differ: of any class, and Guaranteed ones."""
UNUSUAL: tuple[dict[str, Any], ...] = (
    {"overhead": {"cpu": "250m", "memory": "16Mi"}},
    {"priority": 2_000_000_000, "priorityClassName": "system-cluster-critical"},
)
"""Fields of every third pod, in turn, that change nothing of what it gets on a node whose fit nobody looks at."""
SPELLED = 0.1
"""How many pods write their amounts otherwise."""
PODS_AT_FIRST = 3
"""Pods that need so many NUMA nodes, asked for on an empty node."""
MOST_FILLED, MOST_BACK = 8, 4
"""NUMA nodes that are filled at the beginning of a life, pods that come again at its end."""


def walks(
    cells: Iterable[Cell], claimed: frozenset[str], *, steps: int, seed: int = 0, kind: str = "walk"
) -> Iterator[Scenario]:
    """Yield a life of about so many steps for each cell, within what a target claims."""
    for number, cell in enumerate(cells):
        name = f"walk {seed} {number} {cell.machine.name} {cell.name}"
        yield Scenario(kind, cell.name, cell.machine, partial(_walk, cell, claimed, steps, name), seed)


def _walk(cell: Cell, claimed: frozenset[str], steps: int, name: str) -> Script:
    walk = Walk(cell, claimed, random.Random(name))
    if not (yield from walk.begin()):
        return
    yield from walk.try_empty_node()
    yield from walk.fragment()
    for _ in range(steps):
        yield from walk.ask(walk.next())
        if walk.down:
            return
    yield from walk.end()


class Walk:
    """What a walk knows of its node: which pods are there, in the order in which they came; how many CPUs are free."""

    def __init__(self, cell: Cell, claimed: frozenset[str], lot: random.Random) -> None:
        self._cell, self._claimed, self._lot = cell, claimed, lot
        self.kubelet = kubelet_of(cell, lot)
        self.pods: dict[str, dict[str, Any]] = {}
        self._running: set[str] = set()
        self._free = self._count = 0
        self.down = False
        self._namespaces: dict[str, int] = {}
        self._refused = ""
        self._threads = cell.machine.core_bits[0].bit_count()
        self._devices_there = Counter(device.resource for device in cell.machine.devices if device.healthy)
        self._resources = sorted({device.resource for device in cell.machine.devices})
        self._pages = sorted({size for node in cell.machine.memory for size in node.hugepages})
        devices = self._resources if "device-manager/allocation" in claimed else []
        pages = self._pages if "memory-manager/hugepages" in claimed else []
        others = [*devices, *(f"hugepages-{size}" for size in pages)]
        self._sizes = NodeSizes(cell, others, lot)

    def begin(self) -> Generator[Question, Answer, bool]:
        """Bring the node up, and tell whether it came up."""
        return "default_cpuset" in (yield from self.ask(start(self.kubelet)))

    def ask(self, question: Question) -> Generator[Question, Answer, Answer]:
        """Ask, and take note of what came of it."""
        answer = yield question
        if "default_cpuset" in answer:
            reserved = CpuSet.parse(self.kubelet.get("reservedSystemCPUs", "")) or CpuSet([0])
            self._free = len(CpuSet.parse(answer["default_cpuset"]) - reserved)
        method, params = question
        wanted = params.get("pod")
        uid = wanted["metadata"]["uid"] if wanted else params.get("uid", "")
        match method, answer.get("result"):
            case ("node.admit", "admitted") | ("node.resize", "resized"):
                self.pods[uid] = params["pod"]
            case "node.admit", "rejected":
                self._namespaces.pop(uid, None)
                self._refused = uid
            case "node.run", _ if uid in self.pods:
                self._running.add(uid)
            case "node.remove", _:
                self.pods.pop(uid, None)
                self._namespaces.pop(uid, None)
                self._running.discard(uid)
            case "node.restart", "failed":
                self.down = True
            case "node.restart", "restarted":
                there = {entry["uid"] for entry in answer.get("pods") or () if entry.get("result") == "admitted"}
                self.pods = {uid: wanted for uid, wanted in self.pods.items() if uid in there}
                self._running &= there
        return answer

    def try_empty_node(self) -> Script:
        """Ask for pods that need so many NUMA nodes, one after the other."""
        for _ in range(PODS_AT_FIRST):
            wanted = self.by_nodes()
            if (yield admit(wanted)).get("result") == "admitted":
                yield remove(wanted["metadata"]["uid"])
            self._namespaces.pop(wanted["metadata"]["uid"], None)

    def fragment(self) -> Script:
        """Put single threads and cores in use, here and there."""
        begin = self._lot.random()
        if not self._cell.static or begin < 0.3:
            return
        if begin < 0.5:
            return (yield from self._fill())
        size = self._threads if "full-pcpus-only" in self._cell.options else 1
        for _ in range(self._lot.randint(2, 6)):
            if self._free > size:
                yield from self.ask(admit(self._plain(size)))
        yield from self._take_away([uid for uid in self.pods if self._lot.random() < 0.5])

    def _fill(self) -> Script:
        """Put pods of the size of a NUMA node on the machine until no more is admitted, and take some of them away."""
        sizes = [cpus.bit_count() for cpus in numa_cpus(self._cell.machine)]
        size = min(sizes) - (self._threads if min(sizes) > self._threads else 0)
        while self._free >= size and len(self.pods) < MOST_FILLED:
            answer = yield from self.ask(admit(self._plain(size)))
            if answer.get("result") != "admitted":
                break
        yield from self._take_away(self._lot.sample(list(self.pods), len(self.pods) // 2))

    def _take_away(self, uids: Iterable[str]) -> Script:
        for uid in uids:
            yield from self.ask(remove(uid))

    def next(self) -> Question:
        """Choose what happens next: mostly pods come, when there is room for them."""
        lot = self._lot
        crowded = self._free <= 1 or len(self.pods) > 6
        kinds: dict[str, float] = {"admit": 3 if crowded else 10, "run": 4, "remove": 6 if crowded else 2}
        kinds |= {"again": 1.5, "stranger": 0.2, "state": 1.5}
        if "cpu-manager/reconcile" in self._claimed:
            kinds["reconcile"] = 2.5
        if "cpu-manager/state-file" in self._claimed or "node/restart" in self._claimed:
            kinds["restart"] = 0.7
        if "node/resize" in self._claimed and self._running:
            kinds["resize"] = 2
        kind = lot.choices(list(kinds), list(kinds.values()))[0]
        waiting = [uid for uid in self.pods if uid not in self._running]
        if kind == "run" and waiting:
            return "node.run", {"uid": lot.choice(waiting)}
        if kind == "remove" and self.pods:
            return remove(lot.choice(list(self.pods)))
        if kind == "stranger" and self._refused:
            return f"node.{lot.choice(('run', 'remove'))}", {"uid": self._refused}
        if kind == "resize":
            return "node.resize", {"pod": resized_by_lot(self.pods[lot.choice(sorted(self._running))], lot)}
        if kind == "again" and self.pods:
            return admit(lot.choice(list(self.pods.values())))
        if kind in ("state", "reconcile", "restart"):
            return f"node.{kind}", {}
        return admit(lot.choices((self._drawn, self.by_nodes), (20, 4))[0]())

    def end(self) -> Script:
        """Start what waits, reconcile, make room, restart, admit one more pod, and remove everything."""
        for uid in [uid for uid in self.pods if uid not in self._running]:
            yield from self.ask(("node.run", {"uid": uid}))
        last: list[Question] = [("node.state", {})]
        if "cpu-manager/reconcile" in self._claimed:
            last.insert(0, ("node.reconcile", {}))
        if "node/restart" in self._claimed:
            last += [*self._making_room(), ("node.restart", {})]
        last.append(admit(self._plain(1)))
        for question in last:
            yield from self.ask(question)
            if self.down:
                return
        gone = list(self.pods.values())
        yield from self._take_away(list(self.pods))
        if self._resources and "device-manager/allocation" in self._claimed:
            everything = {name: str(count) for name, count in self._devices_there.items()}
            single = dict.fromkeys(everything, "1")
            inits = enumerate(self._lot.choice(([], [], [single], [everything, single])))
            first = [container(f"i{number}", other=wanted) for number, wanted in inits]
            yield from self.ask(admit(self._pod([container("c", other=everything)], first)))
            yield from self._take_away(list(self.pods))
        for back in (self._plain(1), *gone[:MOST_BACK]):
            yield from self.ask(admit(back))
        yield "node.state", {}

    def _making_room(self) -> list[Question]:
        """Let a pod go before others, so that what these hold is not what they would be given anew.

        Where there are devices of several resources, pods come for all of them first.
        """
        if len(self._resources) < 2 or "device-manager/allocation" not in self._claimed:
            return [remove(uid) for uid in list(self.pods)[:1]] if len(self.pods) > 1 else []
        request = container("c", cpu="1", memory=f"{SMALL_MIB}Mi", other=dict.fromkeys(self._resources, "1"))
        first, second = self._pod([request]), self._pod([request])
        return [admit(first), admit(second), remove(first["metadata"]["uid"])]

    def alone(self) -> dict[str, Any]:
        """Draw a pod of one app container."""
        kind = self._lot.choices(KINDS, (16, 2, 2, 2))[0]
        return self._pod([self._container("c", kind, max(1, self._free))])

    def by_nodes(self, *, alone: bool = False) -> dict[str, Any]:
        """Draw a pod that needs so many NUMA nodes; one app ``alone`` if that is wanted."""
        apps, init = self._sizes.containers(alone=alone)
        return self._pod(apps, init if "cpu-manager/init-containers" in self._claimed else ())

    def _pod(self, apps: Sequence[dict[str, Any]], init: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
        """Describe the next pod: every other one has a name that others have, in a namespace that none of them is in.

        So a pod may have namespace and name of one that is gone. The uid of one may begin with that of another.
        """
        self._count += 1
        made = pod(f"p{self._count // 3}{'ab'[: self._count % 3]}", apps, init)
        if self._lot.random() < SPELLED:
            spell_otherwise(made)
        if self._count % 3 == 0 and "node/fit" not in self._claimed:
            made["metadata"]["namespace"] = "kube-system"
            made["spec"] |= UNUSUAL[self._count // 3 % len(UNUSUAL)]
        if self._count % 2 == 0:
            free = next(number for number in count(1) if number not in self._namespaces.values())
            self._namespaces[made["metadata"]["uid"]] = free
            made["metadata"] |= {"name": "alike", "namespace": f"n{free}"}
        return made

    def _plain(self, cpus: int) -> dict[str, Any]:
        return self._pod([container("c", cpu=str(cpus), memory=f"{SMALL_MIB}Mi")])

    def _drawn(self) -> dict[str, Any]:
        """Draw a pod: mostly one that could be admitted."""
        lot = self._lot
        kind = lot.choices((*KINDS, "whole and fraction", "mixed"), (16, 2, 3, 3, 2, 2))[0]
        number = lot.choices((1, 2, 3), (6, 3, 1))[0] if kind == "guaranteed" else lot.randint(1, 4)
        room = self._free
        apps = []
        for index in range(number):
            kind_here = lot.choice(_MIXED.get(kind, (kind,)))
            apps.append(self._container(f"c{index}", kind_here, room // (number - index)))
            room -= int(apps[-1]["resources"].get("limits", {}).get("cpu", "0").removesuffix("500m") or 0)
        init: list[dict[str, Any]] = []
        if "cpu-manager/init-containers" in self._claimed and lot.random() < 0.3:
            init = [self._before(f"i{index}", kind, max(room, 1)) for index in range(lot.randint(1, 3))]
        return self._pod(apps, init)

    def _before(self, name: str, kind: str, room: int) -> dict[str, Any]:
        """Draw an init container or sidecar for a pod of such a kind."""
        if kind not in ("guaranteed", "whole and fraction"):
            early = self._container(name, self._lot.choice(_MIXED.get(kind, (kind,))), room)
            return early | ({"restartPolicy": "Always"} if self._lot.random() < 0.3 else {})
        memory = self._sizes.mebibytes() if self._lot.random() < 0.5 else SMALL_MIB
        extra = self._devices() | self._hugepages()
        sidecar = self._lot.random() < 0.3
        return container(name, cpu=str(self._sizes.cpus(room)), memory=f"{memory}Mi", sidecar=sidecar, other=extra)

    def _container(self, name: str, kind: str, room: int) -> dict[str, Any]:
        lot = self._lot
        extra = self._devices()
        if kind == "best effort":
            return container(name, other=extra)
        memory = f"{self._sizes.mebibytes()}Mi"
        if kind == "burstable":
            requests = {"cpu": str(lot.randint(1, 3)), "memory": memory}
            limit = f"{requests['cpu']}500m" if lot.random() < 0.5 else None
            bound = memory if requests["cpu"] == "2" else None  # as a Guaranteed pod has it
            return container(name, cpu=limit, memory=bound, requests=requests, other=extra | self._hugepages())
        extra |= self._hugepages()
        cpu = f"{lot.randint(1, 2)}500m" if kind == "fraction" else str(self._sizes.cpus(max(room, 1)))
        return container(name, cpu=cpu, memory=memory, other=extra)

    def _devices(self) -> dict[str, str]:
        if not self._resources or "device-manager/allocation" not in self._claimed or self._lot.random() >= 0.5:
            return {}
        number = self._lot.choices((1, len(self._resources)), (1, 1))[0]
        return {name: str(self._lot.randint(1, 3)) for name in self._lot.sample(self._resources, number)}

    def _hugepages(self) -> dict[str, str]:
        if not self._pages or "memory-manager/hugepages" not in self._claimed or self._lot.random() >= 0.4:
            return {}
        number = self._lot.choices((1, len(self._pages)), (3, 1))[0]
        sizes = self._lot.sample(self._pages, number)
        return {f"hugepages-{size}": f"{int(size[:-2]) * self._lot.randint(1, 4)}{size[-2:]}" for size in sizes}
