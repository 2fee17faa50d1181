"""Inside a real kernel with several NUMA nodes: reading the host, writing real cpusets, and checking the node."""

from pathlib import Path

import pytest

from guests import in_a_guest, needs_qemu
from numa_conformance.cpuset import format_bits
from numa_conformance.machine import machine_from_dict

pytestmark = needs_qemu
RECONCILE = "cpu-manager/reconcile/running-containers-get-their-cpusets"
GUARANTEES = "memory-manager/static/guarantees-memory-to-guaranteed-pods"


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    return in_a_guest(Path(__file__).with_name("guest.py"), tmp_path_factory.mktemp("guest"))


def test_the_host_is_read_as_it_was_made(told):
    machine = machine_from_dict(told["machine"])
    assert {node: format_bits(cpus) for node, cpus in machine.numa_bits.items()} == {
        0: "0-3",
        1: "4-7",
        2: "8-11",
        3: "12-15",
    }
    assert [format_bits(core) for core in machine.core_bits][:2] == ["0-1", "2-3"]
    assert {socket: format_bits(cpus) for socket, cpus in machine.socket_bits.items()} == {0: "0-7", 1: "8-15"}
    assert told["machine"]["distances"][0] == [10, 12, 21, 21]


def test_cpusets_reach_real_cgroups_and_bind_real_threads(told):
    assert told["updates"] == ["0-1,6-15"]
    statuses = {name: (one["Cpus_allowed_list"], one["Mems_allowed_list"]) for name, one in told["statuses"].items()}
    assert statuses == {"db": ("2-3", "0"), "web": ("4-5", "1"), "log": ("0-1,6-15", "0")}


def test_containers_that_were_not_reconciled_are_found(told):
    found = [(requirement, message) for requirement, message, _ in told["before"]]
    assert (RECONCILE, "the cgroup of container log/main has another cpuset than is assigned") in found
    assert {requirement for requirement, _ in found} == {RECONCILE, GUARANTEES}
    assert len(found) == 4


@pytest.mark.parametrize(
    ("fault", "requirement", "file"),
    [
        ("other cpuset", RECONCILE, "kubepods-poddb.slice/cri-main.scope/cpuset.cpus"),
        ("shared on all", RECONCILE, "kubepods-podlog.slice/cri-main.scope/cpuset.cpus"),
        ("narrowed from above", RECONCILE, "kubepods-podlog.slice/cri-main.scope/cpuset.cpus.effective"),
        ("memory from anywhere", GUARANTEES, "kubepods-poddb.slice/cri-main.scope/cpuset.mems"),
        ("damaged file", "cpu-manager/state-file/assignments-survive-a-restart", "cpu_manager_state"),
        ("a CPU offline", "cpu-manager/state-file/changed-cpus-are-refused", "cpu_manager_state"),
    ],
)
def test_what_is_planted_in_a_real_kernel_is_found(told, fault, requirement, file):
    found = told["planted"][fault]
    assert requirement in {one[0] for one in found}
    assert any(one[0] == requirement and one[2].endswith(file) for one in found)


def test_a_node_that_is_as_documented_gives_nothing_alive_and_as_a_dump(told):
    assert told["after"] == told["dump"] == []
    assert told["secrets"] == ""
