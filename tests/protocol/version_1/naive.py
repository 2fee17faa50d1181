"""A naive CPU allocator: takes the lowest free ids. It passes some of the suite and fails other parts of it.

pytest --numa-conformance --numa-target allocator:Naive      (from this folder)
"""

from numa_conformance.cpuset import CpuSet
from numa_conformance.kube import Pod
from numa_conformance.target import wire


class Naive:
    """Gives the lowest free CPUs, whatever they share; forgets that reserved CPUs are not to be given."""

    def describe(self, request):
        features = ["cpu-manager/none", "cpu-manager/static", "node/qos"]
        return wire.Description("naive-python-example", "1.0", "1", ["node", "classify"], features)

    def classify(self, request):
        pod = Pod.from_dict(request.pod)
        own = {one.name: pod.exclusive_cpus(one) for one in pod.all_containers}
        return wire.ClassifyReply(pod.qos, own, sum(own.values()))

    def node_start(self, request):
        self.static = request.kubelet.get("cpuManagerPolicy") == "static"
        self.pool = CpuSet(cpu["id"] for cpu in request.machine["cpus"]) if self.static else CpuSet()
        self.reserved = CpuSet.parse(request.kubelet.get("reservedSystemCPUs", "0"))
        self.pods = {}
        return wire.NodeStarted(str(self.pool), str(self.reserved) if self.static else None)

    def node_admit(self, request):
        pod = Pod.from_dict(request.pod)
        given = {}
        for container in pod.all_containers:
            count = pod.exclusive_cpus(container) if self.static else 0
            if count > len(self.pool):
                return wire.PodAnswer(
                    "rejected", str(self.pool), pod.qos, reason="UnexpectedAdmissionError", message="full"
                )
            given[container.name] = CpuSet(list(self.pool)[:count])
            self.pool -= given[container.name]
        self.pods[pod.uid] = given
        return wire.PodAnswer("admitted", str(self.pool), pod.qos, self.view(given))

    def node_run(self, request):
        return wire.PodAnswer("started", str(self.pool), containers=self.view(self.pods[request.uid]))

    def node_remove(self, request):
        for cpus in self.pods.pop(request.uid, {}).values():
            self.pool |= cpus
        return wire.PodAnswer("removed", str(self.pool))

    def node_state(self, request):
        return wire.NodeStateReply(str(self.pool), {uid: self.view(given) for uid, given in self.pods.items()})

    def view(self, given):
        return {name: wire.ContainerHolding(str(cpus)) for name, cpus in given.items()}
