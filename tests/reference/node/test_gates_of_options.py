import pytest

from numa_conformance.errors import StartError
from numa_conformance.kube import KubeletConfiguration
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            {"topologyManagerPolicyOptions": {"prefer-closest-numa-nodes": "true"}},
            "topology manager policy options map[prefer-closest-numa-nodes:true] require feature gates "
            '"TopologyManagerPolicyOptions" enabled',
        ),
        (
            {"cpuManagerPolicyOptions": {}},
            'CPU Manager policy options map[] require feature gates "CPUManager", "CPUManagerPolicyOptions" enabled',
        ),
    ],
)
def test_options_need_the_gate_of_all_options_under_any_policy(fields, text):
    gates = {"CPUManagerPolicyOptions": False, "TopologyManagerPolicyOptions": False}
    config = KubeletConfiguration.from_dict({"featureGates": gates, **fields})
    with pytest.raises(StartError) as refused:
        Node(load_machine("t1-one-socket-smt2"), config, kubernetes_version="1.32")
    assert (refused.value.stage, refused.value.message) == ("kubelet", text)
