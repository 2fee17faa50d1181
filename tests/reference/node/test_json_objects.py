"""A node takes configurations and pods as JSON objects, and tells CPUs so that a person can read them."""

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.errors import UsageError
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node
from numa_conformance.testing import guaranteed, static

MACHINE = load_machine("t1-one-socket-smt2")


def test_objects_are_read_as_their_classes_would_be():
    node, same = Node(MACHINE, static()), Node(MACHINE, KubeletConfiguration.from_dict(static()))
    assert node.admit(guaranteed("a", 2)) == same.admit(Pod.from_dict(guaranteed("a", 2)))
    assert node.restart(static(reserved="0")).pods[0].admitted


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Node(MACHINE, {"cpuManagerPolicie": "static"}),
        lambda: Node(MACHINE, {}).admit({"spec": {}}),
        lambda: Node(MACHINE, {}).restart({"maxPods": "many"}),
    ],
)
def test_an_object_that_is_none_is_refused_with_its_fields(wrong):
    with pytest.raises(UsageError, match=r"cpuManagerPolicie|spec\.containers|maxPods"):
        wrong()


def test_cpus_print_as_lists():
    admission = Node(MACHINE, static()).admit(guaranteed("a", 2))
    assert admission.placements["c"].cpu_set == CpuSet.parse("1,5")
    assert "CpuHolding(exclusive=<1,5>)" in repr(admission)
    assert "CpuPools(shared=<0,2-4,6-7>, reserved=<0>, allocatable=<1-7>)" in repr(admission)
    assert "CpuPools(shared=<>, reserved=None, allocatable=None)" in repr(Node(MACHINE, {}).pools)
