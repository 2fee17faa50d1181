import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.asking.strategies import machines
from numa_conformance.errors import UsageError
from numa_conformance.machine import (
    Cpu,
    Device,
    Machine,
    MemoryNode,
    machine_from_dict,
    machine_to_dict,
    machine_to_yaml,
)


def described(**changes):
    obj = {
        "name": "pair",
        "cpus": [{"id": 0, "core": 0, "socket": 0, "numa": 0}, {"id": 1, "core": 0, "socket": 0, "numa": 0}],
        "memory": [{"node": 0, "memory": 1024}],
    }
    return {**obj, **changes}


def faults_of(obj, place=""):
    with pytest.raises(UsageError) as caught:
        machine_from_dict(obj, place)
    return caught.value.faults


def test_reads_every_field_of_the_json_form():
    machine = machine_from_dict(
        {
            "name": "all",
            "description": "everything",
            "notes": ["a note"],
            "cpus": [
                {"id": 4, "core": 1, "socket": -1, "numa": 2, "uncore": 7},
                {"id": 0, "core": None, "socket": 0, "numa": 0, "uncore": None},
            ],
            "memory": [{"node": 0, "memory": None}, {"node": 2, "memory": 4096, "hugepages": {"2Mi": 3, "1Gi": 0}}],
            "distances": [[10, 20], [20, 10]],
            "devices": [{"resource": "example.com/gpu", "id": "g", "numa": [2, 99], "healthy": False}],
            "devicePlugins": {"example.com/gpu": {"preferredAllocation": "lowest-id"}, "example.com/nic": {}},
            "offline": "1-2,9",
            "uncoreSource": "reported",
        }
    )
    assert machine == Machine(
        name="all",
        description="everything",
        notes=("a note",),
        cpus=(Cpu(0, None, 0, 0, None), Cpu(4, 1, -1, 2, 7)),
        memory=(MemoryNode(0, None), MemoryNode(2, 4096, {"1Gi": 0, "2Mi": 3})),
        distances=((10, 20), (20, 10)),
        devices=(Device("example.com/gpu", "g", (2, 99), False),),
        preferred_allocation={"example.com/gpu": "lowest-id", "example.com/nic": None},
        offline=(1, 2, 9),
        uncore_source="reported",
    )


@given(machine=machines())
def test_a_machine_survives_its_json_form(machine):
    assert machine_from_dict(machine_to_dict(machine)) == machine


@given(machine=machines(max_cpus=8), description=st.text(), notes=st.lists(st.text(), max_size=2))
def test_a_machine_survives_its_yaml_form(machine, description, notes):
    obj = {**machine_to_dict(machine), "description": description, "notes": notes}
    described_one = machine_from_dict(obj)
    assert machine_from_dict(yaml.safe_load(machine_to_yaml(described_one))) == described_one


def test_the_yaml_form_has_a_line_for_each_cpu():
    lines = machine_to_yaml(machine_from_dict(described())).splitlines()
    assert "  - {id: 1, core: 0, socket: 0, numa: 0, uncore: null}" in lines


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        ({"cpus": None}, "cpus", "is missing"),
        ({"cpus": []}, "cpus", "has 0 entries"),
        ({"cpus": {}}, "cpus", "is an object"),
        ({"cpus": [7]}, "cpus[0]", "is a number"),
        ({"cpus": [{"id": True, "socket": 0, "numa": 0}]}, "cpus[0].id", "is True"),
        ({"cpus": [{"id": 65_536, "socket": 0, "numa": 0}]}, "cpus[0].id", "is 65536"),
        ({"cpus": [{"id": 0, "socket": -2, "numa": 0}]}, "cpus[0].socket", "is -2"),
        ({"cpus": [{"id": 0, "numa": 0}]}, "cpus[0].socket", "is missing"),
        ({"cpus": [{"id": 0, "socket": 0, "numa": 1.5}]}, "cpus[0].numa", "is 1.5"),
        (
            {"cpus": [{"id": 0, "socket": 0, "numa": 3}]},
            "cpus",
            "CPU 0 is on NUMA node 3, which `memory` does not name",
        ),
        ({"cpus": [{"id": 2, "socket": 0, "numa": 0}] * 2}, "cpus", "2 is there twice"),
        ({"cpus": [{"id": i, "socket": 0, "numa": 0} for i in range(8193)]}, "cpus", "has 8193 entries"),
        ({"memory": [{"node": n} for n in range(1025)]}, "memory", "has 1025 entries"),
        ({"memory": [{"node": 0}, {"node": 0}]}, "memory", "0 is there twice"),
        ({"memory": [{"node": 1}, {"node": 0}]}, "memory", "do not ascend"),
        ({"memory": [{"node": 0, "memory": "1Gi"}]}, "memory[0].memory", "is '1Gi'"),
        ({"memory": [{"node": 0, "hugepages": {"2M": 1}}]}, "memory[0].hugepages.2M", "is not accepted"),
        ({"memory": [{"node": 0, "hugepages": {"2Mi": -1}}]}, "memory[0].hugepages.2Mi", "is -1"),
        ({"distances": [[10, 20]]}, "distances", "is not square"),
        ({"distances": []}, "distances", "is not square"),
        ({"distances": [["10"]]}, "distances[0][0]", "is '10'"),
        ({"offline": "1-2"}, "offline", "the CPUs 1 are online too"),
        ({"offline": "2-"}, "offline", "'2-'"),
        ({"offline": "3-2"}, "offline", "3 > 2"),
        ({"devices": [{"resource": "a/b"}]}, "devices[0].id", "is missing"),
        ({"devices": [{"resource": "a/b", "id": "x", "healthy": "no"}]}, "devices[0].healthy", "is 'no'"),
        ({"devices": [{"resource": "a/b", "id": "x"}] * 2}, "devices", "the device 'x' of 'a/b' is there twice"),
        (
            {"devicePlugins": {"a/b": {"preferredAllocation": "best"}}},
            "devicePlugins.a/b.preferredAllocation",
            "'best'",
        ),
        ({"devicePlugins": {"a/b": {"prefer": None}}}, "devicePlugins.a/b.prefer", "unknown field"),
        ({"uncoreSource": "guessed"}, "uncoreSource", "is 'guessed'"),
        ({"name": ""}, "name", "is empty"),
        ({"name": 5}, "name", "is a number"),
        ({"description": ["x"]}, "description", "is a list"),
    ],
)
def test_refuses_what_is_no_machine(changes, place, words):
    (fault,) = faults_of(described(**changes))
    assert fault.place == place
    assert words in fault.message


def test_tells_all_faults_at_once_with_the_place_of_the_input_before_them():
    faults = faults_of({"name": "x", "cpus": [{"id": -1, "sokcet": 0, "numa": 0}], "memroy": []}, "node.json")
    assert [fault.place for fault in faults] == [
        "node.json: memroy",
        "node.json: cpus[0].sokcet",
        "node.json: cpus[0].id",
        "node.json: cpus[0].socket",
        "node.json: memory",
    ]
    assert faults[0].suggestion == "memory"
    assert faults[1].suggestion == "socket"


@pytest.mark.parametrize("obj", [None, [], "machine", 3])
def test_refuses_what_is_no_object(obj):
    (fault,) = faults_of(obj)
    assert fault.accepted == "an object"


def test_a_device_may_name_a_node_the_machine_does_not_have():
    machine = machine_from_dict(described(devices=[{"resource": "a/b", "id": "x", "numa": [7]}]))
    assert machine.devices == (Device("a/b", "x", (7,)),)
