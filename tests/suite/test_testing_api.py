"""What users import for tests of their own, used as a user would: the reference keeps every invariant."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asked_in_full import deep
from numa_conformance.asking.generators.picks import renumber
from numa_conformance.cpuset import CpuSet
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node
from numa_conformance.testing import (
    cpu_violations,
    device_violations,
    footprint,
    kubelet_configurations,
    machines,
    memory_violations,
    pods,
    split_cores,
    workloads,
)

T3 = load_machine("t3-two-numa-per-socket")


@given(st.data())
def test_the_reference_keeps_every_invariant_on_drawn_workloads(data):
    machine = data.draw(machines(max_cpus=16, max_nodes=2, sane=True))
    config = KubeletConfiguration.from_dict(data.draw(kubelet_configurations(machine)))
    node = Node(machine, config)
    resources = sorted({device.resource for device in machine.devices})
    for pod in data.draw(workloads(max_pods=5, resources=resources)):
        node.admit(Pod.from_dict(pod))
    state, initial = node.state(), node.pools
    if initial.reserved is not None:
        sets = CpuSet.from_bits
        held = {uid: {name: sets(one.cpus) for name, one in pod.items()} for uid, pod in state.pods.items()}
        strict = "strict-cpu-reservation" in (config.cpu_manager_policy_options or {})
        online, reserved = CpuSet.from_bits(machine.online_bits), CpuSet.from_bits(initial.reserved)
        assert cpu_violations(online, reserved, CpuSet.from_bits(state.default), held, strict=strict) == []
    for resource in resources:
        ids = [device.id for device in machine.devices if device.resource == resource]
        taken = {
            uid: {name: (one.devices or {}).get(resource, ()) for name, one in placed.items()}
            for uid, placed in state.pods.items()
        }
        assert device_violations(ids, taken) == []


@pytest.mark.parametrize(
    ("free", "granted", "said"),
    [
        ({0: {"memory": 10}, 1: {"memory": 4}}, [("memory", 6, [1])], []),
        ({0: {"memory": 10}, 1: {"memory": 4}}, [], ["6 bytes of memory are not free, 0 are granted"]),
        ({0: {"memory": 10}, 1: {"memory": 12}}, [], ["NUMA node 1 has 12 bytes", "-2 bytes of memory are not free"]),
        ({0: {"memory": 10}, 1: {"memory": 10}}, [("memory", 0, [7])], ["on NUMA nodes [7], which have none"]),
    ],
)
def test_memory_must_add_up(free, granted, said):
    found = memory_violations({0: {"memory": 10}, 1: {"memory": 10}}, free, granted)
    assert len(found) == len(said)
    assert all(part in text for part, text in zip(said, found, strict=True))


def test_a_device_is_there_and_belongs_to_one_pod():
    held = {"a": {"c": ["d0", "d9"]}, "b": {"c": ["d0"]}}
    assert device_violations(["d0", "d1"], held) == [
        "container c of pod a has the device d9, which does not exist",
        "device d0 belongs to the pods a and b",
    ]


def test_split_cores():
    assert split_cores(T3, CpuSet.parse("0,16,1")) == [CpuSet.parse("1,17")]
    assert split_cores(T3, CpuSet.parse("0-3,16-19")) == []


def test_a_footprint_counts_what_is_touched():
    found = footprint(T3, CpuSet.parse("0,16,1,8"))
    assert (found.cores, found.numa_nodes, found.sockets) == ((2, 1, 1), (3, 1), (3, 1))


@given(st.sets(st.sampled_from(range(32))), st.permutations(range(32)))
def test_renumbering_changes_no_footprint(cpus, order):
    moved = renumber(T3, dict(enumerate(order)))
    assert footprint(T3, CpuSet(cpus)) == footprint(moved, CpuSet(order[cpu] for cpu in cpus))


@given(pods("a"))
def test_a_drawn_pod_is_one_that_the_api_would_accept(pod):
    assert Pod.from_dict(pod).uid == "a"


@deep
@given(st.data())
@settings(max_examples=300)
def test_every_drawn_configuration_comes_up(data):
    machine = data.draw(machines(max_cpus=16, max_nodes=2, sane=True))
    Node(machine, KubeletConfiguration.from_dict(data.draw(kubelet_configurations(machine))))
