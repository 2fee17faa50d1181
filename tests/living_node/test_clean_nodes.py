"""A node that is as documented gives no finding, whatever its policies, its cgroups and who names them."""

import pytest

from fake_nodes import MEMORY, STATIC, FakeNode
from numa_conformance.living_node.findings import check
from numa_conformance.living_node.look import Asked, look

LAYOUTS = [
    (2, "systemd", ""),
    (2, "cgroupfs", ""),
    (1, "systemd", ""),
    (1, "cgroupfs", ""),
    (2, "systemd", "kubelet"),
    (1, "cgroupfs", "kubelet"),
]
ALPHA = {"featureGates": {"CPUManagerPolicyAlphaOptions": True}}
WHOLE_CORES = {**STATIC, "reservedSystemCPUs": "0,16", "cpuManagerPolicyOptions": {"full-pcpus-only": "true"}}
POLICIES = {
    "none": {},
    "static": STATIC,
    "by number": {"cpuManagerPolicy": "static", "kubeReserved": {"cpu": "1500m"}},
    "whole cores": {
        "cpuManagerPolicy": "static",
        "reservedSystemCPUs": "0,16",
        "cpuManagerPolicyOptions": {"full-pcpus-only": "true"},
    },
    "strict": {**STATIC, **ALPHA, "cpuManagerPolicyOptions": {"strict-cpu-reservation": "true"}},
    "across NUMA nodes": {**STATIC, **ALPHA, "cpuManagerPolicyOptions": {"distribute-cpus-across-numa": "true"}},
    "memory": {**STATIC, **MEMORY, "systemReserved": {"memory": "1Gi", "cpu": "1"}},
    "one NUMA node": {**STATIC, **MEMORY, "topologyManagerPolicy": "single-numa-node"},
    "restricted, pod": {**STATIC, **MEMORY, "topologyManagerPolicy": "restricted", "topologyManagerScope": "pod"},
    "best-effort": {**STATIC, "topologyManagerPolicy": "best-effort"},
}


def found(root, **asked):
    told = check(look(Asked(root, **asked)))
    return told, [(one.requirement, one.message, one.got, one.allowed) for one in told.findings]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: "-".join(map(str, layout)).strip("-"))
@pytest.mark.parametrize("policy", POLICIES)
def test_a_node_as_documented_gives_nothing(tmp_path, policy, layout):
    cgroups, driver, above = layout
    FakeNode(tmp_path, kubelet=POLICIES[policy], cgroups=cgroups, driver=driver, above=above)
    told, findings = found(tmp_path)
    assert findings == []
    assert told.notes == ()
    assert told.asked or policy == "none"
