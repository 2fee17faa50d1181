"""A node that is as documented gives no finding, whatever its policies, its cgroups and who names them."""

import pytest

from asked_in_full import DEEP
from fake_nodes import MEMORY, PODS, STATIC, FakeNode
from numa_conformance.doctor.findings import check
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.machine import catalogue_names, load_machine
from numa_conformance.reference.node import Node
from numa_conformance.sources.quirks import Quirks

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
    told = check(look(NodeSource(root, **asked)))
    return told, [(one.requirement, one.message, one.got, one.allowed) for one in told.findings]


PAIRS = [
    pytest.param(policy, layout, id=f"{policy}-{'-'.join(map(str, layout)).strip('-')}")
    for turn, policy in enumerate(POLICIES)
    for layout in (LAYOUTS if DEEP else (2 * LAYOUTS)[turn % 6 : turn % 6 + 3 : 2])
]
"""Every policy with every layout; on most days with two, so that each layout meets three policies at least."""


@pytest.mark.parametrize(("policy", "layout"), PAIRS)
def test_a_node_as_documented_gives_nothing(tmp_path, policy, layout):
    cgroups, driver, above = layout
    FakeNode(tmp_path, kubelet=POLICIES[policy], cgroups=cgroups, driver=driver, above=above).program("v1.32.10")
    told, findings = found(tmp_path)
    assert findings == []
    assert told.notes == ()
    assert told.counts or policy == "none"


SMALL = [name for name in catalogue_names() if len(load_machine(name).cpus) <= 32]


@pytest.mark.parametrize("machine", SMALL if DEEP else SMALL[::4])
def test_no_machine_gives_anything_by_its_layout(tmp_path, machine):
    """Nodes as documented: some machines have kubelets take the reserved CPUs, a known departure that is found."""
    kubelet = {"cpuManagerPolicy": "static", "reservedSystemCPUs": str(load_machine(machine).cpus[0].id)}
    trial = Node(load_machine(machine), kubelet, kubernetes_version="1.32", quirks=Quirks.none())
    fitting = tuple(one for one in PODS if trial.admit(one).admitted)
    FakeNode(tmp_path, machine, kubelet, fitting, quirks=Quirks.none())
    assert found(tmp_path)[1] == []
