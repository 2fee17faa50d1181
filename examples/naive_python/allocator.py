"""A naive CPU allocator: takes the lowest free ids. It passes some of the suite and fails other parts of it.

pytest --numa-conformance --numa-target allocator:Naive      (from this folder)
"""

from numa_conformance.targets import (
    PROTOCOL,
    Admitted,
    Classified,
    ContainerHolding,
    CpuSet,
    Description,
    NodeStarted,
    NodeState,
    Pod,
    PodStarted,
    Rejected,
    Removed,
)


def own_cpus(pod, container):
    """Whole CPUs of a container in a Guaranteed pod."""
    return container.whole_cpus if pod.qos == "Guaranteed" else 0


class Naive:
    """Gives the lowest free CPUs, whatever they share; forgets that reserved CPUs are not to be given."""

    def describe(self, request):
        features = ["cpu-manager/none", "cpu-manager/static", "node/qos"]
        return Description("naive-python-example", "1.0", PROTOCOL, ["node", "classify"], features)

    def classify(self, request):
        pod = Pod.from_dict(request.pod)
        counts = {container.name: own_cpus(pod, container) for container in pod.all_containers}
        return Classified(pod.qos, counts, sum(counts.values()))

    def node_start(self, request):
        self.static = request.kubelet.get("cpuManagerPolicy") == "static"
        self.pool = CpuSet(cpu["id"] for cpu in request.machine["cpus"]) if self.static else CpuSet()
        self.reserved = CpuSet.parse(request.kubelet.get("reservedSystemCPUs", "0"))
        self.pods = {}
        return NodeStarted(str(self.pool), str(self.reserved) if self.static else None)

    def node_admit(self, request):
        pod = Pod.from_dict(request.pod)
        given = {}
        for container in pod.all_containers:
            count = own_cpus(pod, container) if self.static else 0
            if count > len(self.pool):
                return Rejected(str(self.pool), "UnexpectedAdmissionError", "full", pod.qos)
            given[container.name] = CpuSet(list(self.pool)[:count])
            self.pool -= given[container.name]
        self.pods[pod.uid] = given
        return Admitted(str(self.pool), self.view(given), pod.qos)

    def node_run(self, request):
        return PodStarted(str(self.pool), self.view(self.pods[request.uid]))

    def node_remove(self, request):
        for cpus in self.pods.pop(request.uid, {}).values():
            self.pool |= cpus
        return Removed(str(self.pool))

    def node_state(self, request):
        return NodeState(str(self.pool), {uid: self.view(given) for uid, given in self.pods.items()})

    def view(self, given):
        return {name: ContainerHolding(str(cpus)) for name, cpus in given.items()}
