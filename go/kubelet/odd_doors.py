"""Questions about what a kubelet does around its managers: odd configurations, and pods at the limits of a node.

Each question is a JSON object as ``door.go`` reads it. Kinds: ``start`` has a configuration that may end the kubelet,
``admission`` a node with pods and one more pod.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from numa_conformance.sources.gates import GATES
from numa_conformance.sources.versions import KubernetesVersion

__all__ = ["odd_doors"]

MIB, GIB = 2**20, 2**30
DEVICE, OTHER, UNLISTED = "example.com/gpu", "example.com/nic", "example.com/none"
NATIVE = "kubernetes.io/odd"
LEVEL, WHOLE, SIDECARS_STAY = "PodLevelResources", 34, 33
"""A gate, and the minors from which on pods have resources as a whole by default, and that of sidecars is locked."""
CRITICAL = 2_000_000_000
LABELS = {"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux", "kubernetes.io/hostname": "node"}
SYSCTLS = (
    "kernel.shm_rmid_forced",
    "net.ipv4.tcp_syncookies",
    "net/ipv4/ip_local_port_range",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.core.somaxconn",
    "kernel.msgmax",
    "fs.mqueue.msg_max",
    "kernel.domainname",
    "kernel/sem",
)
ALLOWED = ("net.core.*", "kernel.msg*", "kernel.sem", "fs.mqueue.msg_max", "net.core.somaxconn", "net/core/*")

Json = dict[str, Any]


def odd_doors(lot: random.Random, version: KubernetesVersion, more: int = 0) -> Iterator[tuple[str, Json]]:
    """Yield kinds and questions without end; ``more``: how many pods come after the first that is asked about."""
    while True:
        machine = _machine(lot)
        if lot.random() < 0.25:
            yield "start", {"machine": machine, "configuration": _odd_configuration(machine, lot, version)}
        else:
            yield "admission", _admission(machine, lot, version, more)


def _machine(lot: random.Random) -> Json:
    nodes = lot.choice((1, 1, 2))
    count = lot.choice((1, 2, 4, 4, 6))
    cpus = [{"id": cpu, "core": cpu, "socket": 0, "numa": cpu * nodes // count} for cpu in range(count)]
    memory = [
        {
            "node": node,
            "memory": lot.choice((1, 2, 4)) * GIB + lot.choice((0, 0, 37 * MIB)),
            "hugepages": lot.choice(({}, {}, {"2Mi": lot.choice((0, 4, 64))}, {"2Mi": 8, "1Gi": lot.randint(0, 2)})),
        }
        for node in range(nodes)
    ]
    devices = [
        {"resource": name, "id": f"{name[-3:]}{place}", "numa": [], "healthy": lot.random() < 0.8}
        for name in (DEVICE, OTHER)
        if lot.random() < 0.4
        for place in range(lot.randint(1, 4))
    ]
    return {"cpus": cpus, "memory": memory, "devices": devices}


def _some(lot: random.Random, chance: float, name: str, value: Any) -> Json:
    return {name: value} if lot.random() < chance else {}


def _configuration(lot: random.Random, version: KubernetesVersion) -> Json:
    """Draw a configuration with which a kubelet starts."""
    reserved = {"cpu": lot.choice(("500m", "250m")), "memory": lot.choice(("100Mi", "300M"))}
    eviction = {"memory.available": lot.choice(("0%", "100%", "5%", "12.5%", "100Mi", "7%"))}
    return {
        **_some(lot, 0.3, "maxPods", lot.choice((0, 1, 2, 3, 4, 110))),
        **_some(lot, 0.3, "podsPerCore", lot.choice((0, 1, 2, 10))),
        **_some(lot, 0.3, "kubeReserved", dict(lot.sample(list(reserved.items()), lot.randint(1, 2)))),
        **_some(lot, 0.3, "systemReserved", {"memory": "50Mi"}),
        **_some(lot, 0.3, "evictionHard", eviction),
        **_some(lot, 0.2, "allowedUnsafeSysctls", lot.sample(ALLOWED, lot.randint(1, 3))),
        **_some(lot, 0.1, "reservedSystemCPUs", "0"),
        **_some(lot, 0.1, "mergeDefaultEvictionSettings", lot.random() < 0.5),
        **_some(lot, 0.1, "maxPod", 1),
        **_some(lot, 0.2, "featureGates", _gates(lot, version)),
    }


def _gates(lot: random.Random, version: KubernetesVersion) -> dict[str, bool]:
    """Switch what decides at admission, with what needs it."""
    on = lot.random() < 0.5
    made = {name: on for name, gate in GATES.items() if name == LEVEL or (not on and LEVEL in gate.needs)}
    if version.minor < SIDECARS_STAY:
        made["SidecarContainers"] = lot.random() < 0.5
    states = {name: GATES[name].history.at(version) for name in made}
    return {name: value for name, value in made.items() if states[name] and states[name].stage != "gone"}


def _odd_configuration(machine: Json, lot: random.Random, version: KubernetesVersion) -> Json:
    """Draw a configuration of which one or two things may be wrong."""
    made = _configuration(lot, version)
    for _ in range(lot.choice((1, 1, 2))):
        made.update(_oddity(machine, lot))
    return made


def _oddity(machine: Json, lot: random.Random) -> Json:
    cpus, memory = len(machine["cpus"]), sum(node["memory"] for node in machine["memory"])
    amounts = {
        "cpu": lot.choice((str(cpus), str(cpus + 1), f"{cpus * 1000 + 1}m", "0", "-1", "one", "1e3", "")),
        "memory": lot.choice((str(memory), str(memory + 1), f"{memory // MIB}Mi", "99Gi", "-1Gi", "1GB", "10%", "0")),
        "ephemeral-storage": lot.choice(("1Gi", "0", "-1", "x")),
        "pid": lot.choice(("100", "-5", "0")),
        "nvidia.com/gpu": "1",
        "hugepages-2Mi": "2Mi",
    }
    signals = {
        "memory.available": lot.choice(
            ("0", "0%", "100%", "99%", "101%", "-5%", "-1Mi", "5", "x", "10Gi", "50%", "", "1.5%", str(memory))
        ),
        "nodefs.available": lot.choice(("10%", "0%", "1Gi", "-1%", "100%", "x")),
        "nodefs.inodesFree": lot.choice(("5%", "0%")),
        "imagefs.available": lot.choice(("15%", "200%")),
        "pid.available": lot.choice(("10%", "100")),
        "allocatableMemory.available": "5%",
        "memory.avail": "5%",
    }
    gates = {
        "CPUManagerPolicyAlphaOptions": lot.random() < 0.5,
        "CPUManagerPolicyBetaOptions": lot.random() < 0.5,
        "CPUManager": lot.random() < 0.5,
        "MemoryManager": lot.random() < 0.5,
        "TopologyManager": lot.random() < 0.5,
        "InPlacePodVerticalScaling": lot.random() < 0.5,
        "NoSuchGate": True,
        "CPUManagerPolicyOption": True,
        "AllAlpha": lot.random() < 0.5,
        "AllBeta": False,
        "PodLevelResourceManagers": True,
        "DynamicResourceAllocation": lot.random() < 0.5,
        "NodeSwap": lot.random() < 0.5,
        "GracefulNodeShutdown": lot.random() < 0.5,
        "DevicePlugins": lot.random() < 0.5,
        "KubeletPodResourcesGet": lot.random() < 0.5,
        "TopologyManagerPolicyOptions": False,
    }
    hard, soft = lot.choice(list(signals.items())), lot.choice(list(signals.items()))
    more = lot.choice(list(signals.items()))
    enforced = ["pods", "system-reserved", "kube-reserved", "none", "system-reserved-compressible", "pod", "pods"]
    return lot.choice(
        (
            {lot.choice(("kubeReserved", "systemReserved")): dict(lot.sample(list(amounts.items()), 1))},
            {name: {"memory": amounts["memory"]} for name in ("kubeReserved", "systemReserved")},
            {"evictionHard": dict([hard])},
            {"evictionHard": dict([hard, more])},
            {
                "evictionSoft": dict([soft]),
                **_some(lot, 0.6, "evictionSoftGracePeriod", {soft[0]: lot.choice(("1m", "-1s", "x"))}),
            },
            {"evictionSoftGracePeriod": {"memory.available": "1m"}},
            {"evictionMinimumReclaim": {"memory.available": lot.choice(("1Mi", "-1Mi", "5%", "x"))}},
            {"featureGates": dict(lot.sample(list(gates.items()), lot.choice((1, 1, 2))))},
            {"enforceNodeAllocatable": lot.sample(enforced, lot.choice((1, 1, 2)))},
            {
                "enforceNodeAllocatable": ["pods", "kube-reserved"],
                "kubeReservedCgroup": "/kube",
                "kubeReserved": {"cpu": "100m"},
            },
            {"cgroupsPerQOS": False, **_some(lot, 0.5, "enforceNodeAllocatable", [])},
            {"reservedSystemCPUs": lot.choice(("0", f"0-{cpus - 1}", f"0-{cpus}", "0,", "1-0", "x", "99"))},
            {"reservedSystemCPUs": "0", "systemReservedCgroup": "/system"},
            {
                lot.choice(("maxPod", "MaxPods", "maxpods", "cpumanagerPolicy", "podPerCore")): lot.choice(
                    (1, "1", None)
                )
            },
            {lot.choice(("maxPods", "podsPerCore")): lot.choice((-1, 0, "3", 2.5, None, 2**31, True))},
            {"evictionHard": lot.choice(({}, None, [], "5%", {"memory.available": 5}))},
            {"kubeReserved": lot.choice((None, {}, {"cpu": 1}, [], "cpu=1"))},
            {"featureGates": lot.choice((None, {}, {"CPUManager": "true"}, {"CPUManager": 1}, []))},
            {
                "allowedUnsafeSysctls": lot.choice(
                    ([], ["net.*"], ["kernel.foo"], ["net.core.somaxconn", "x"], ["*"], "net.*")
                )
            },
            {"topologyManagerPolicy": lot.choice(("none", "best_effort", "restricted", ""))},
            {"topologyManagerScope": lot.choice(("pod", "node", ""))},
            {"memorySwap": {"swapBehavior": lot.choice(("LimitedSwap", "UnlimitedSwap", "NoSwap", "x"))}},
            {"runOnce": lot.random() < 0.5},
            {"registerWithTaints": [{"key": "k", "effect": lot.choice(("NoExecute", "Never")), "value": "v"}]},
            {"podPidsLimit": lot.choice((-1, 0, 100, "100"))},
            {
                "imageGCHighThresholdPercent": lot.choice((80, 85, 101)),
                "imageGCLowThresholdPercent": lot.choice((80, 90)),
            },
            {
                "shutdownGracePeriod": lot.choice(("30s", "500ms", "x")),
                "shutdownGracePeriodCriticalPods": lot.choice(("10s", "40s")),
            },
            {"cpuCFSQuotaPeriod": lot.choice(("100ms", "50ms", "2s", "0s"))},
            {"failSwapOn": lot.choice((True, "yes"))},
            {"memoryThrottlingFactor": lot.choice((0.9, 0.5, 1.5))},
            {"hairpinMode": lot.choice(("none", "veth"))},
            {"nodeStatusMaxImages": lot.choice((-1, -2, 50))},
        )
    )


def _admission(machine: Json, lot: random.Random, version: KubernetesVersion, more: int) -> Json:
    taints = [
        {
            "key": lot.choice(("a", "b")),
            "value": lot.choice(("1", "2", "")),
            "effect": lot.choice(("NoExecute", "NoSchedule")),
        }
        for _ in range(lot.choice((0, 0, 0, 1, 2)))
    ]
    pressures = lot.choice(([],) * 40 + (["MemoryPressure"], ["DiskPressure"], ["MemoryPressure", "PIDPressure"]))
    storage = lot.choice((GIB, 10 * GIB))
    supports = lot.choice((True, False, None))
    node = {
        "metadata": {"name": "node", "labels": {**LABELS, **_labels(lot)}},
        "spec": {"taints": taints},
        "status": {
            "conditions": [{"type": name, "status": "True"} for name in pressures],
            **({} if supports is None else {"features": {"supplementalGroupsPolicy": supports}}),
        },
    }
    crowd = _Crowd(machine, taints, storage, version.minor, lot, many=more > 0)
    return {
        "machine": machine,
        "configuration": _configuration(lot, version),
        "node": node,
        "storage": storage,
        "pods": [crowd.pod(f"o{place}", there=True) for place in range(lot.choice((0, 1, 2, 3, 4, 6)))],
        "pod": crowd.pod("p", there=False),
        "more": [crowd.pod(f"m{place}", there=False) for place in range(more)],
    }


def _labels(lot: random.Random) -> dict[str, str]:
    return {name: lot.choice(("1", "2", "10", "x")) for name in ("zone", "rank", "gpu") if lot.random() < 0.6}


def _sysctls(spec: Json) -> list[Json]:
    """Return the sysctls of a pod; the API server refuses those of a namespace that is the host's."""
    return spec.get("securityContext", {}).get("sysctls", [])


class _Crowd:
    """Draws pods that share a node; ``there``: they are on it already."""

    def __init__(
        self, machine: Json, taints: Sequence[Json], storage: int, minor: int, lot: random.Random, *, many: bool
    ) -> None:
        self.lot = lot
        self.minor = minor
        self.cpus = len(machine["cpus"]) * 1000
        self.memory = sum(node["memory"] for node in machine["memory"]) // MIB
        self.storage = storage // MIB
        self.taints = taints
        self.quiet = lot.random() < (0.8 if many else 0.5)
        """Whether resources alone decide."""
        self.critical = lot.random() < (0.8 if many else 0.4)

    def pod(self, name: str, *, there: bool) -> Json:
        lot = self.lot
        odd = 0.0 if self.quiet and lot.random() < 0.9 else 0.15
        spec: Json = {"containers": [self._container(f"c{place}") for place in range(lot.choice((1, 1, 1, 2)))]}
        init = [self._init(f"i{place}") for place in range(lot.choice((0, 0, 0, 1, 2)))]
        spec |= {"initContainers": init} if init else {}
        spec |= _some(lot, 0.1, "overhead", {"cpu": lot.choice(("100m", "250m")), **_some(lot, 0.5, "memory", "64Mi")})
        metadata: Json = {"name": name, "namespace": "default", "uid": name}
        self._priority(metadata, spec, there=there)
        if not there:
            self._choosy(metadata, spec, odd)
        if lot.random() < odd * 2 and not any("net" in each["name"] for each in _sysctls(spec)):
            spec["hostNetwork"] = True
        if lot.random() < odd * 3:
            for container in lot.sample(spec["containers"] + [each for each in init if "restartPolicy" in each], 1):
                container["ports"] = [self._port(host="hostNetwork" in spec)]
        if self.minor >= WHOLE and spec.get("os", {}).get("name") != "windows" and lot.random() < 0.08:
            self._whole(spec)
        return {"metadata": metadata, "spec": spec}

    def _priority(self, metadata: Json, spec: Json, *, there: bool) -> None:
        lot = self.lot
        spec |= _some(lot, 0.4, "priority", lot.choice((0, 10, 10, 1000, -5)))
        draw = lot.random()
        if draw < (0.15 if there else 0.5 if self.critical else 0.1):
            kind = lot.choice(("priority", "class", "static", "static", "mirror"))
            if kind == "priority":
                spec["priority"] = lot.choice((CRITICAL - 1, CRITICAL, CRITICAL + 1000))
            elif kind == "class":
                spec["priority"] = CRITICAL + 1000
                spec["priorityClassName"] = "system-node-critical"
            elif kind == "static":
                metadata["annotations"] = {"kubernetes.io/config.source": lot.choice(("file", "http", "api"))}
            else:
                metadata["annotations"] = {"kubernetes.io/config.mirror": "x", "kubernetes.io/config.source": "api"}
                spec["nodeName"] = "node"

    def _choosy(self, metadata: Json, spec: Json, odd: float) -> None:
        """Let a pod require things of its node."""
        lot = self.lot
        if lot.random() < odd:
            spec["nodeSelector"] = {lot.choice(("zone", "rank", "none")): lot.choice(("1", "2", ""))}
        if lot.random() < odd * 1.5:
            required = {"nodeSelectorTerms": [self._term() for _ in range(lot.choice((1, 1, 2)))]}
            spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
        if lot.random() < odd / 3:
            metadata["labels"] = {"kubernetes.io/os": lot.choice(("linux", "windows"))}
        if lot.random() < odd / 2:
            spec["os"] = {"name": lot.choice(("linux", "linux", "windows"))}
        if lot.random() < 0.6:
            spec["tolerations"] = [self._toleration() for _ in range(lot.choice((1, 2, 2)))]
        if lot.random() < odd and spec.get("os", {}).get("name") != "windows":
            spec["securityContext"] = {
                **_some(lot, 0.5, "supplementalGroupsPolicy", lot.choice(("Strict", "Merge"))),
                **_some(
                    lot,
                    0.7,
                    "sysctls",
                    [{"name": name, "value": "1"} for name in lot.sample(SYSCTLS, lot.choice((1, 1, 2)))],
                ),
            }
        if lot.random() < odd:
            spec["nodeName"] = "node"

    def _term(self) -> Json:
        lot = self.lot
        made: Json = {"matchExpressions": [self._expression() for _ in range(lot.choice((0, 1, 1, 2)))]}
        if lot.random() < 0.3:
            value = lot.choice(("node", "other"))
            made["matchFields"] = [{"key": "metadata.name", "operator": lot.choice(("In", "NotIn")), "values": [value]}]
        return made

    def _expression(self) -> Json:
        lot = self.lot
        operator = lot.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
        made: Json = {"key": lot.choice(("zone", "rank", "gpu", "kubernetes.io/os")), "operator": operator}
        if operator in ("In", "NotIn"):
            made["values"] = lot.sample(("1", "2", "10", "x", "linux"), lot.choice((1, 2)))
        elif operator in ("Gt", "Lt"):
            made["values"] = [lot.choice(("1", "2", "5", "x"))]
        return made

    def _toleration(self) -> Json:
        lot = self.lot
        operator = lot.choice(("Exists", "Equal", "", "Equal"))
        key = lot.choice(("a", "b", "node.kubernetes.io/memory-pressure"))
        if operator == "Exists":
            key = lot.choice((key, ""))
        effect = lot.choice(("NoExecute", "NoExecute", "NoSchedule", ""))
        made = {"key": key, "operator": operator, "effect": effect}
        if operator != "Exists":
            made["value"] = lot.choice(("1", "2", ""))
        if effect == "NoExecute" and lot.random() < 0.1:
            made["tolerationSeconds"] = 5
        return {name: value for name, value in made.items() if value != ""}

    def _port(self, *, host: bool) -> Json:
        lot = self.lot
        number = lot.choice((80, 80, 81))
        made: Json = {"containerPort": number, **_some(lot, 0.5, "protocol", lot.choice(("TCP", "UDP")))}
        if host or lot.random() < 0.7:
            made["hostPort"] = number
        if not host and lot.random() < 0.4:
            made["hostIP"] = lot.choice(("0.0.0.0", "127.0.0.1", "10.0.0.1"))
        return made

    def _init(self, name: str) -> Json:
        made = self._container(name)
        return {**made, "restartPolicy": "Always"} if self.lot.random() < 0.4 else made

    def _container(self, name: str) -> Json:
        lot = self.lot
        requests: dict[str, str] = {}
        if lot.random() < 0.6:
            share = lot.choice(
                (0, 1, 50, 100, 250, self.cpus // 4, self.cpus // 2, self.cpus // 2 + 1, self.cpus - 500, self.cpus)
            )
            requests["cpu"] = lot.choice((f"{max(share, 0)}m", str(max(share, 0) // 1000)))
        if lot.random() < 0.6:
            share = lot.choice(
                (0, 10, 64, self.memory // 8, self.memory // 4, self.memory // 2, self.memory - 100, self.memory)
            )
            requests["memory"] = lot.choice((f"{share}Mi", str(share * MIB + 1), f"{share}M"))
        if lot.random() < 0.1:
            requests["ephemeral-storage"] = lot.choice((f"{self.storage // 2}Mi", f"{self.storage}Mi", "1", "0"))
        limits = dict(requests) if lot.random() < 0.3 else {}
        if lot.random() < 0.15:
            size = lot.choice(("2Mi", "2Mi", "1Gi", "64Ki"))
            limits[f"hugepages-{size}"] = (
                lot.choice((size, "64Mi", "2Gi")) if size != "1Gi" else lot.choice(("1Gi", "2Gi"))
            )
            requests.setdefault("cpu", "1m")
        if lot.random() < 0.2:
            limits[lot.choice((DEVICE, DEVICE, OTHER, UNLISTED))] = str(lot.choice((0, 1, 1, 2, 5)))
        if lot.random() < 0.03:
            limits[NATIVE] = str(lot.choice((0, 1)))
        for resource in limits:
            if "/" in resource or resource.startswith("hugepages"):
                requests[resource] = limits[resource]
        resources = {name: value for name, value in (("requests", requests), ("limits", limits)) if value}
        described: Json = {
            "name": name,
            "image": "example",
            "imagePullPolicy": "Always",
            "terminationMessagePolicy": "File",
            "terminationMessagePath": "/dev/log",
        }
        return {**described, "resources": resources} if resources else described

    def _whole(self, spec: Json) -> None:
        lot = self.lot
        cpu = lot.choice((str(self.cpus // 1000), f"{self.cpus * 2}m", "100m"))
        memory = lot.choice((f"{self.memory}Mi", f"{self.memory * 3}Mi", "100Mi"))
        requests = {**_some(lot, 0.8, "cpu", cpu), **_some(lot, 0.7, "memory", memory)}
        spec["resources"] = {"requests": requests, **({"limits": dict(requests)} if lot.random() < 0.4 else {})}
