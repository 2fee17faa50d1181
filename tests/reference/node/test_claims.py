"""What a claim stands for: extended resources of the pod's status, and amounts that are told where nobody adds them."""

from dataclasses import replace
from typing import Any

import pytest

from numa_conformance.asking.generators.workloads import guaranteed
from numa_conformance.kube import Pod
from numa_conformance.machine import load_machine
from numa_conformance.machine.model import Device
from numa_conformance.reference.node import Node

GPU = "example.com/gpu"
GATE = "DRANodeAllocatableResources"


def of_claim(number: int = 2) -> Pod:
    status = {"requestMappings": [{"containerName": "c", "resourceName": GPU, "requestName": "r"}]}
    described = guaranteed("claimed", 1, **{GPU: str(number)})
    return Pod.from_dict({**described, "status": {"extendedResourceClaimStatus": status}})


@pytest.mark.parametrize(("version", "reason"), [("1.34", "UnexpectedAdmissionError"), ("1.36", None), ("1.37", None)])
def test_a_resource_that_a_claim_stands_for_is_nobodys(version, reason):
    """The machine has one device of a plugin, the pod asks for two by the same name."""
    machine = replace(load_machine("t1-one-socket-smt2"), devices=(Device(GPU, "a", (0,)),))
    up = Node(machine, {}, kubernetes_version=version, resource_fit=True)
    assert up.admit(of_claim()).reason == reason
    if reason is None:
        assert up.state().pods["claimed"]["c"].devices == {}
        assert up.restart().pods[0].admitted


def test_what_claims_add_is_told_where_the_gate_is_on():
    described = guaranteed("a", 1)
    described["spec"]["resourceClaims"] = [{"name": "cpus"}]
    asking = Pod.from_dict(described)

    def uses(**config: Any) -> list[str]:
        up = Node(load_machine("t1-one-socket-smt2"), config, resource_fit=True)
        return [each.use for each in up.chain.unmodelled(asking)]

    assert uses() == []
    assert uses(featureGates={GATE: True}) == ["CPU, memory and huge pages of resource claims"]
