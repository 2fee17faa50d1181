"""``Small``: a node with the small allocator, as a target of the surfaces pick and node."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec

from numa_conformance.cpuset import CpuSet, format_bits
from numa_conformance.machine import Machine, machine_from_dict
from numa_conformance.wire import METHODS
from numa_conformance.wire.message import Message

from .choosing import WHOLE, Chooser
from .pods import PodReader, ReadContainer, ReadPod, decimal

__all__ = ["Small"]

Json = dict[str, Any]
STRICT = "strict-cpu-reservation"
OPTIONS = ("full-pcpus-only", "distribute-cpus-across-numa", "distribute-cpus-across-cores", STRICT)
POLICIES = ("none", "best-effort", "restricted", "single-numa-node")


class Refused(Exception):  # noqa: N818  (an answer, not an error)
    """A pod cannot be had: the reason, and a message."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Small:
    """The target. Sets of CPUs are bits; ``held`` is pod to container to its own CPUs."""

    reader: type[PodReader] = PodReader
    chooser: type[Chooser] = Chooser
    surfaces = ("node", "pick")

    def __init__(self) -> None:
        self.pods = self.reader()
        self._machines: tuple[Any, Machine] | None = None

    def __getattr__(self, attribute: str) -> Callable[[Message], Any]:
        method = next((method for method in METHODS.values() if method.attribute == attribute), None)
        if method is None or method.surface not in (*self.surfaces, "describe"):
            raise AttributeError(attribute)
        return lambda message: msgspec.convert(self.answer(method.name, msgspec.to_builtins(message)), method.reply)

    def answer(self, method: str, question: Json) -> Json:
        """Answer in plain values."""
        return getattr(self, "on_" + method.removeprefix("node."))(question)  # type: ignore[no-any-return]

    def on_describe(self, question: Json) -> Json:
        """Say who this is."""
        features = [f"cpu-manager/{name}" for name in ("none", "static", "init-containers", "reconcile", *OPTIONS)]
        features += [f"topology-manager/{name}" for name in (*POLICIES, "scope/container", "scope/pod")]
        features += ["node/qos", "node/restart"]
        told = {"name": type(self).__name__, "version": "1", "protocol": "2", "kubernetes_version": "1.32"}
        return {**told, "surfaces": sorted(self.surfaces), "features": features}

    def machine_of(self, described: Json) -> Machine:
        """Read a machine, once."""
        if self._machines is None or self._machines[0] is not described:
            self._machines = described, machine_from_dict(described, "machine")
        return self._machines[1]

    def on_pick(self, question: Json) -> Json:
        """Choose CPUs out of free ones."""
        machine = self.machine_of(question["machine"])
        chooser = self.chooser(machine, [name for name, on in (question.get("options") or {}).items() if on])
        nodes = (question.get("affinity") or {}).get("nodes")
        near = None if nodes is None else sum(machine.numa_bits[node] for node in nodes)
        free = CpuSet.parse(question["available"]).bits & machine.online_bits
        cpus = chooser.choose(free, question["count"], near)
        if cpus is None:
            return {"result": "refused", "message": f"{question['count']} CPUs cannot be given"}
        return {"result": "picked", "cpus": format_bits(cpus)}

    def on_start(self, question: Json) -> Json:
        """Bring a node up."""
        kubelet = question["kubelet"]
        self.machine = self.machine_of(question["machine"])
        self.static = kubelet.get("cpuManagerPolicy") == "static"
        wrong = self.settings(kubelet)
        if wrong is not None:
            return {"result": "failed", "stage": wrong[0], "message": wrong[1]}
        self.running: dict[str, ReadPod] = {}
        self.known: dict[str, ReadPod] = {}
        self.held: dict[str, dict[str, int]] = {}
        self.hints: dict[str, dict[str, Json | None]] = {}
        self.sent: dict[tuple[str, str], int] = {}
        self.reserved = self.reservation(kubelet) if self.static else 0
        if self.static and not self.reserved:
            return {"result": "failed", "stage": "cpumanager", "message": "static needs a reservation above zero"}
        self.pool = self.machine.online_bits & ~(self.reserved if self.strict else 0)
        if not self.static:
            return {"result": "started", "default_cpuset": self.told_pool()}
        free = format_bits(self.machine.online_bits & ~self.reserved)
        told = {"default_cpuset": self.told_pool(), "reserved_cpus": format_bits(self.reserved)}
        return {"result": "started", **told, "allocatable_cpus": free}

    def settings(self, kubelet: Json) -> tuple[str, str] | None:
        """Read a configuration; return a stage and what is wrong with it."""
        options = {name for name, text in (kubelet.get("cpuManagerPolicyOptions") or {}).items() if text == "true"}
        hidden = options - {WHOLE, STRICT} and not (kubelet.get("featureGates") or {}).get(
            "CPUManagerPolicyAlphaOptions"
        )
        shown = (kubelet.get("featureGates") or {}).get("CPUManagerPolicyBetaOptions", True)
        if options - set(OPTIONS) or hidden or (WHOLE in options and not shown):
            return "cpumanager", f"these options are not to be had: {', '.join(sorted(options))}"
        if "distribute-cpus-across-cores" in options and options & {WHOLE, "distribute-cpus-across-numa"}:
            return "cpumanager", "distribute-cpus-across-cores goes with no other option"
        self.topology = kubelet.get("topologyManagerPolicy") or "none"
        self.scope = kubelet.get("topologyManagerScope") or "container"
        if self.topology not in POLICIES or self.scope not in ("container", "pod"):
            return "topologymanager", f"no policy {self.topology} per {self.scope}"
        if self.topology != "none" and len(self.machine.numa_ids) > 8:
            return "topologymanager", "more than 8 NUMA nodes"
        if kubelet.get("cpuManagerPolicy", "none") not in ("none", "static"):
            return "cpumanager", f"no policy {kubelet['cpuManagerPolicy']}"
        self.strict = self.static and STRICT in options
        self.choosing = self.chooser(self.machine, options)
        return None

    def reservation(self, kubelet: Json) -> int:
        """Return the reserved CPUs."""
        if kubelet.get("reservedSystemCPUs"):
            return CpuSet.parse(kubelet["reservedSystemCPUs"]).bits & self.machine.online_bits
        parts = [(kubelet.get(key) or {}).get("cpu", "0") for key in ("kubeReserved", "systemReserved")]
        return self.choosing.ascending_cores(self.reserved_number([str(part) for part in parts]))

    def reserved_number(self, parts: list[str]) -> int:
        """Return how many CPUs are reserved: the sum, rounded up."""
        return math.ceil(sum(decimal(part) for part in parts))

    def told_pool(self) -> str:
        """Return the shared pool as text."""
        return format_bits(self.pool)

    @property
    def free(self) -> int:
        """CPUs that can be given."""
        return self.pool & ~self.reserved

    def on_admit(self, question: Json) -> Json:
        """Admit a pod, or refuse it and keep nothing of it."""
        pod = self.pods.read(question["pod"])
        if pod.uid in self.held:
            return {"result": "admitted", "qos": pod.qos, **self.told(pod.uid)}
        before = self.pool
        self.held[pod.uid], self.hints[pod.uid] = {}, {}
        try:
            if self.static:
                self.place(pod)
        except Refused as refused:
            self.undo(pod, before)
            told = {"reason": refused.reason, "message": str(refused)}
            return {"result": "rejected", "qos": pod.qos, "default_cpuset": self.told_pool(), **told}
        self.known[pod.uid] = pod
        return {"result": "admitted", "qos": pod.qos, **self.told(pod.uid)}

    def undo(self, pod: ReadPod, pool: int) -> None:
        """Forget a pod that was refused."""
        self.pool = pool
        del self.held[pod.uid], self.hints[pod.uid]

    def place(self, pod: ReadPod) -> None:
        """Give every container its CPUs; raises ``Refused``."""
        whole = (
            self.align(self.pods.at_once(pod), self.free) if self.topology != "none" and self.scope == "pod" else None
        )
        if self.topology != "none" and self.scope == "pod":
            self.hints[pod.uid] = dict.fromkeys((container.name for container in pod.containers), whole)
        reusable = 0
        for container in pod.containers:
            if self.topology != "none" and self.scope == "container":
                self.hints[pod.uid][container.name] = self.align(container.cpus, self.free | reusable)
            if not container.cpus:
                continue
            own = self.give(pod, container, reusable)
            self.held[pod.uid][container.name] = own
            self.pool &= ~own
            reusable = self.still_reusable(container, own, reusable)
        if self.strict and not self.pool:
            raise Refused("UnexpectedAdmissionError", "the shared pool would be empty")

    def still_reusable(self, container: ReadContainer, own: int, reusable: int) -> int:
        """Return what later containers of the pod may use again."""
        return reusable | own if container.kind == "init" else reusable & ~own

    def give(self, pod: ReadPod, container: ReadContainer, reusable: int) -> int:
        """Choose the CPUs of one container: first what an init container leaves, if that is enough."""
        hint = self.hints[pod.uid].get(container.name)
        nodes = hint["nodes"] if hint else None
        near = None if nodes is None else sum(self.machine.numa_bits[node] for node in nodes)
        *earlier, last = self.sources(reusable)
        if near is not None:
            earlier = [available & near for available in earlier]
        for available in (*earlier, last):
            cpus = self.choosing.choose(available, container.cpus, near)
            if cpus is not None:
                return cpus
        if WHOLE in self.choosing.options:
            raise Refused("SMTAlignmentError", f"SMT Alignment Error: {container.cpus} CPUs are not whole cores")
        raise Refused("UnexpectedAdmissionError", f"not enough cpus available: {container.cpus} asked for")

    def sources(self, reusable: int) -> list[int]:
        """Return the sets of CPUs from which a container may be served, the first that can is used."""
        return [self.free | reusable]

    def align(self, count: int, free: int) -> Json | None:
        """Return the hint for a request under the topology policy; raises ``Refused``."""
        if not count:
            return {"nodes": None, "preferred": True}
        nodes, preferred = self.choosing.affinity(self.choosing.offered(free), count)
        if self.topology == "single-numa-node" and (not preferred or len(nodes) > 1):
            raise Refused("TopologyAffinityError", "Resources cannot be allocated with Topology locality")
        if self.topology == "restricted" and not preferred:
            raise Refused("TopologyAffinityError", "Resources cannot be allocated with Topology locality")
        return {"nodes": nodes or None, "preferred": preferred}

    def told(self, uid: str) -> Json:
        """Return the pool and what a pod holds."""
        return {"default_cpuset": self.told_pool(), "containers": self.holdings(uid)}

    def holdings(self, uid: str) -> Json:
        """Return what each container of a pod holds."""
        pod = self.known.get(uid)
        names = [container.name for container in pod.containers] if pod else list(self.held[uid])
        for name in self.hints[uid]:
            if name not in names:
                names.append(name)
        return {name: self.holding(uid, name) for name in names}

    def holding(self, uid: str, name: str) -> Json:
        """Return what one container holds."""
        told: Json = {"cpus": format_bits(self.held[uid].get(name, 0))}
        hint = self.hints[uid].get(name)
        return {**told, "affinity": hint} if hint else told

    def on_run(self, question: Json) -> Json:
        """Start the containers of a pod."""
        uid = question["uid"]
        if uid not in self.known:
            return {"result": "unknown", "default_cpuset": self.told_pool()}
        told = self.holdings(uid)
        self.running[uid] = self.known[uid]
        self.started(self.known[uid])
        for container in self.known[uid].containers:
            if container.kind != "init":
                self.sent[uid, container.name] = self.held[uid].get(container.name, 0) or self.pool
        return {"result": "started", "default_cpuset": self.told_pool(), "containers": told}

    def started(self, pod: ReadPod) -> None:
        """Take note of a pod that runs, whose init containers have ended."""

    def on_remove(self, question: Json) -> Json:
        """Take a pod off the node."""
        uid = question["uid"]
        if uid not in self.known:
            return {"result": "unknown", "default_cpuset": self.told_pool()}
        self.release(uid)
        del self.known[uid]
        self.running.pop(uid, None)
        self.sent = {key: cpus for key, cpus in self.sent.items() if key[0] != uid}
        return {"result": "removed", "default_cpuset": self.told_pool()}

    def release(self, uid: str) -> None:
        """Give back what a pod held."""
        for cpus in self.held.pop(uid).values():
            self.pool |= cpus
        del self.hints[uid]

    def on_state(self, question: Json) -> Json:
        """Tell all that is on the node."""
        told = {uid: self.holdings(uid) for uid in self.known}
        return {"default_cpuset": self.told_pool(), "containers": told}

    def on_reconcile(self, question: Json) -> Json:
        """Send cpusets that have changed."""
        updates, handled = [], 0
        for uid, pod in self.running.items():
            for container in pod.containers:
                wanted = self.cpuset(uid, container.name)
                if container.kind == "init" or not wanted:
                    continue
                handled += 1
                if self.is_sent((uid, container.name), wanted):
                    updates.append({"uid": uid, "container": container.name, "cpus": format_bits(wanted)})
                    self.sent[uid, container.name] = wanted
        return {"result": "reconciled", "updates": updates, "handled": handled, "skipped": []}

    def is_sent(self, key: tuple[str, str], wanted: int) -> bool:
        """Tell whether a cpuset is sent in this pass."""
        return self.sent.get(key) != wanted

    def cpuset(self, uid: str, name: str) -> int:
        """Return what a container is to run on; nothing under policy none."""
        return (self.held[uid].get(name, 0) or self.pool) if self.static else 0

    def on_restart(self, question: Json) -> Json:
        """Start anew: every pod keeps what it has."""
        if question.get("kubelet") or question.get("files"):
            return {"result": "failed", "stage": "cpumanager", "message": "what is stored is of other settings"}
        pods = [{"result": "admitted", "uid": uid, "containers": self.holdings(uid)} for uid in self.known]
        return {"result": "restarted", "pods": pods, "default_cpuset": self.told_pool()}

    def on_checkpoints(self, question: Json) -> Json:
        """Tell the state files: one, of its own layout."""
        return {"result": "checkpoints", "checkpoints": {"small.json": msgspec.json.encode(self.on_state({})).decode()}}
