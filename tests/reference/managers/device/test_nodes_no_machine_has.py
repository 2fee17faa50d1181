"""Devices on NUMA nodes that no machine has, -1 among them: what a node decides, as kubelets' own managers answered.

The kubelet's devicemanager of 1.27.16, 1.31.14, 1.34.10 and 1.37.1, behind the adapter of ``go/kubelet``, was asked all
of it: each gave these answers.
"""

from __future__ import annotations

import pytest

from numa_conformance.machine import machine_from_dict, machine_to_dict
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire.messages.node import AdmitPod, Admitted, Rejected, StartNode

GPU = "example.com/gpu"
ADMITS = {
    (): ("none", "best-effort", "restricted", "single-numa-node"),
    (-1,): ("none", "best-effort"),
    (7,): ("none", "best-effort"),
    (65_535,): ("none", "best-effort"),
    (-1, 7): ("none", "best-effort"),
    (-1, 1): ("none", "best-effort", "restricted", "single-numa-node"),
}
"""NUMA nodes of the only device, and the policies under which a pod with it is admitted."""


@pytest.mark.parametrize("version", ["1.27", "1.31", "1.34", "1.37"])
@pytest.mark.parametrize("level", ["exact", "documented"])
@pytest.mark.parametrize("nodes", ADMITS, ids=str)
def test_a_pod_is_admitted_under_the_policies_under_which_kubelets_admit_it(nodes, level, version):
    described = {"name": "two", "numaPerSocket": 2, "coresPerNuma": 2, "memory": "4Gi"}
    device = {"resource": GPU, "id": "gpu", "numa": list(nodes)}
    machine = machine_to_dict(machine_from_dict({**described, "devices": [device]}, "machine"))
    amounts = {"cpu": "1", "memory": "64Mi", GPU: "1"}
    container = {"name": "c", "image": "i", "resources": {"limits": amounts, "requests": amounts}}
    pod = {"metadata": {"name": "p", "namespace": "default", "uid": "p"}, "spec": {"containers": [container]}}
    admitted = []
    for policy in ADMITS[()]:
        target = ReferenceTarget(level, KubernetesVersion.supported(version))
        kubelet = {"cpuManagerPolicy": "static", "systemReserved": {"cpu": "1"}, "topologyManagerPolicy": policy}
        target.node_start(StartNode(machine, kubelet))
        answer = target.node_admit(AdmitPod(pod))
        if isinstance(answer, Admitted):
            admitted.append(policy)
        else:
            assert isinstance(answer, Rejected)
            assert answer.reason == "TopologyAffinityError"
    assert tuple(admitted) == ADMITS[nodes]
