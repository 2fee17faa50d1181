"""A shim between your allocator and numa-conformance. It claims policy none, which gives no exclusive CPUs.

    numa-conformance smoke --target numa_target:make
    pytest --numa-conformance --numa-target numa_target:make

Next: let ``give`` ask your allocator, add "cpu-manager/static" to FEATURES, and read what the suite says. All features
are listed in docs/protocol.md of numa-conformance, all messages are classes of ``numa_conformance.targets``.
"""

from numa_conformance.targets import (
    PROTOCOL,
    AdmitPod,
    Admitted,
    ContainerHolding,
    CpuSet,
    Describe,
    Description,
    NodeStarted,
    NodeState,
    Pod,
    PodStarted,
    ReadState,
    Rejected,
    Removed,
    RemovePod,
    RunPod,
    StartNode,
    UnknownPod,
)

SURFACES = ["node"]
FEATURES = ["cpu-manager/none"]


class Target:
    """One node: ``free`` are the CPUs nobody holds exclusively, ``pods`` what each container of each pod holds."""

    def describe(self, request: Describe) -> Description:
        """Say who this is and what it claims; only that is tested."""
        return Description("my-allocator", "0.1.0", PROTOCOL, SURFACES, FEATURES)

    def node_start(self, request: StartNode) -> NodeStarted:
        """Come up on a machine, under a KubeletConfiguration."""
        self.static = request.kubelet.get("cpuManagerPolicy") == "static"
        self.reserved = CpuSet.parse(request.kubelet.get("reservedSystemCPUs", "")) if self.static else CpuSet()
        self.free = CpuSet(cpu["id"] for cpu in request.machine["cpus"]) if self.static else CpuSet()
        self.pods: dict[str, dict[str, CpuSet]] = {}
        return NodeStarted(str(self.free), str(self.reserved) if self.static else None)

    def node_admit(self, request: AdmitPod) -> Admitted | Rejected:
        """Place a pod, or refuse it and leave everything as it was."""
        pod = Pod.from_dict(request.pod)
        before, name = self.free, {}
        for container in pod.all_containers:
            wanted = container.whole_cpus if self.static and pod.qos == "Guaranteed" else 0
            cpus = self.give(wanted)
            if cpus is None:
                self.free = before
                reason, message = "UnexpectedAdmissionError", "not enough free CPUs"
                return Rejected(str(self.free), reason, message, pod.qos)
            name[container.name] = cpus
        self.pods[pod.uid] = name
        return Admitted(str(self.free), self.held(name), pod.qos)

    def give(self, count: int) -> CpuSet | None:
        """Take exclusive CPUs for one container: here the lowest ids. Your allocator goes here."""
        takeable = list(self.free - self.reserved)
        if count > len(takeable):
            return None
        cpus = CpuSet(takeable[:count])
        self.free -= cpus
        return cpus

    def node_run(self, request: RunPod) -> PodStarted | UnknownPod:
        """Start a pod's containers; one that was refused is not here."""
        if request.uid not in self.pods:
            return UnknownPod(str(self.free))
        return PodStarted(str(self.free), self.held(self.pods[request.uid]))

    def node_remove(self, request: RemovePod) -> Removed:
        """Forget a pod; what it held is free again."""
        for cpus in self.pods.pop(request.uid, {}).values():
            self.free |= cpus
        return Removed(str(self.free))

    def node_state(self, request: ReadState) -> NodeState:
        """Tell what everybody holds."""
        return NodeState(str(self.free), {uid: self.held(name) for uid, name in self.pods.items()})

    def held(self, name: dict[str, CpuSet]) -> dict[str, ContainerHolding]:
        """Return what containers hold in the form of the protocol; no CPUs means the shared pool."""
        return {name: ContainerHolding(str(cpus)) for name, cpus in name.items()}


def make() -> Target:
    """Make the target; called once per run, and again after a crash."""
    return Target()
