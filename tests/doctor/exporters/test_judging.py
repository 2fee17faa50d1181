"""An object that tells of a node as its kubelet keeps it is right; each thing that it says otherwise is told."""

import copy
import gzip
import json

import pytest

from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.doctor.exporters import judge_exported, node_amounts
from numa_conformance.machine import load_machine, machine_to_dict
from stored_histories import FOLDER

MACHINE = load_machine("two-nodes-hugepages-devices")
GIB = 1 << 30
GPU = "example.com/gpu"


def table(allocatable, free):
    return {"allocatable": allocatable, "free": free}


TOLD = {
    "machine": machine_to_dict(MACHINE),
    "policy": "restricted",
    "scope": "pod",
    "allocatable_cpus": "1-31",
    "held_cpus": "1,17",
    "memory": [
        {"node": 0, "tables": {"memory": table(20 * GIB, 19 * GIB), "hugepages-1Gi": table(2 * GIB, None)}},
        {"node": 1, "tables": {"memory": table(22 * GIB, 22 * GIB)}},
    ],
    "devices": {},
}


def right(kept):
    """The object that says just what the kubelet keeps."""
    zones = []
    for row, (node, amounts) in enumerate(kept.amounts.items()):
        resources = [
            {
                "name": name,
                "capacity": str(each.capacity),
                "allocatable": str(each.capacity if each.allocatable is None else each.allocatable),
                "available": str(0 if each.available is None else each.available),
            }
            for name, each in amounts.items()
        ]
        costs = [{"name": f"node-{other}", "value": cost} for other, cost in enumerate(kept.machine.distances[row])]
        zones.append({"name": f"node-{node}", "type": "Node", "costs": costs, "resources": resources})
    attributes = {"topologyManagerPolicy": kept.policy, "topologyManagerScope": kept.scope}
    return {"zones": zones, "attributes": [{"name": name, "value": value} for name, value in attributes.items()]}


def resource(exported, node, name):
    return next(one for one in exported["zones"][node]["resources"] if one["name"] == name)


def drop(exported, node, name):
    exported["zones"][node]["resources"].remove(resource(exported, node, name))


FAULTS = {
    "a NUMA node is left out": ("zones", lambda told: told["zones"].pop()),
    "zones that are none": ("zones", lambda told: told.update(zones={"a": 1})),
    "a zone that is none": ("zones", lambda told: told["zones"].append(7)),
    "a zone twice": ("zones", lambda told: told["zones"].append(told["zones"][0])),
    "a distance that is none": ("zones", lambda told: told["zones"][0]["costs"][0].update(value=[])),
    "a resource twice": ("zones", lambda told: told["zones"][0]["resources"].append({"name": "cpu"})),
    "attributes that are none": ("zones", lambda told: told.update(attributes=[None])),
    "a zone of another name": ("zones", lambda told: told["zones"][0].update(name="numa0")),
    "a distance": ("costs", lambda told: told["zones"][0]["costs"][1].update(value=99)),
    "a distance is left out": ("costs", lambda told: told["zones"][1]["costs"].pop()),
    "another policy": ("attributes", lambda told: told["attributes"][0].update(value="none")),
    "another scope": ("attributes", lambda told: told["attributes"][1].update(value="container")),
    "CPUs that the node has not": ("capacity", lambda told: resource(told, 0, "cpu").update(capacity="17")),
    "memory without huge pages": ("capacity", lambda told: resource(told, 1, "memory").update(capacity="20Gi")),
    "a resource that is not there": (
        "capacity",
        lambda told: told["zones"][1]["resources"].append(
            {"name": "example.com/x", "capacity": "1", "allocatable": "1"}
        ),
    ),
    "reserved CPUs as allocatable": ("allocatable", lambda told: resource(told, 0, "cpu").update(allocatable="16")),
    "reserved memory as allocatable": (
        "allocatable",
        lambda told: resource(told, 0, "memory").update(allocatable="24Gi"),
    ),
    "a pod's CPUs as available": ("available", lambda told: resource(told, 0, "cpu").update(available="15")),
    "a pod's memory as available": ("available", lambda told: resource(told, 0, "memory").update(available="20Gi")),
    "no number": ("available", lambda told: resource(told, 0, "cpu").update(available="many")),
    "nothing of CPUs": ("resources", lambda told: drop(told, 0, "cpu")),
    "nothing of devices": ("resources", lambda told: drop(told, 0, GPU)),
}


@pytest.fixture(scope="module")
def kept():
    return node_amounts(TOLD)


def test_an_object_that_says_what_the_kubelet_keeps_is_right(kept):
    assert judge_exported(right(kept), kept) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_and_nothing_else(kept, fault):
    part, plant = FAULTS[fault]
    exported = copy.deepcopy(right(kept))
    plant(exported)
    assert {unmet.requirement.id.split("/")[1] for unmet in judge_exported(exported, kept)} == {part}


def test_every_requirement_has_a_fault_that_it_tells():
    held_to = {id for id, requirement in REQUIREMENTS.items() if requirement.command == "cluster check-exporter"}
    assert {part for part, _ in FAULTS.values()} == {id.split("/")[1] for id in held_to}


def test_an_object_that_is_not_there_is_told(kept):
    (unmet,) = judge_exported(None, kept)
    assert str(unmet).startswith("exporter/zones/are-the-numa-nodes: the object: does not exist")


@pytest.mark.parametrize("written", ["16", 16, "16000m", "0.016k"])
def test_a_number_may_be_written_in_every_way(kept, written):
    exported = right(kept)
    resource(exported, 1, "cpu").update(capacity=written)
    assert judge_exported(exported, kept) == []


def test_what_no_interface_tells_is_not_judged(kept):
    """CPUs under policy none, costs and attributes that are left out, zones of sockets, what several nodes gave."""
    free = node_amounts({**TOLD, "allocatable_cpus": "", "held_cpus": ""})
    exported = right(free)
    resource(exported, 0, "cpu").update(allocatable="16", available="3")
    resource(exported, 0, "hugepages-1Gi").update(available="1Gi")
    for zone in exported["zones"]:
        del zone["costs"]
    exported["zones"].append({"name": "socket-0", "type": "Socket"})
    del exported["attributes"]
    assert judge_exported(exported, free) == []


def test_unhealthy_devices_may_be_left_out_of_the_capacity(kept):
    ((node, name, amounts),) = (
        (node, name, each) for node, of in kept.amounts.items() for name, each in of.items() if each.unhealthy
    )
    exported = right(kept)
    resource(exported, node, name).update(capacity=str(amounts.capacity - amounts.unhealthy))
    assert judge_exported(exported, kept) == []


@pytest.mark.parametrize(("held", "available"), [("1,17", {"13"}), ("0,1,17", {"13", "12"}), ("0", {"15", "14"})])
def test_reserved_cpus_that_containers_hold_may_count(held, available):
    """By quirk full-by-machine-average a container gets CPU 0, which is reserved: it is less of 15, or none of them."""
    kept = node_amounts({**TOLD, "held_cpus": held})
    exported = right(kept)
    for number in map(str, range(16)):
        resource(exported, 0, "cpu").update(available=number)
        assert (judge_exported(exported, kept) == []) == (number in available)


def test_stored_objects_are_judged_as_before():
    """Objects beside what a kubelet kept, right and wrong, that every later version reads."""
    with gzip.open(FOLDER / "exporter.jsonl.gz", "rt", encoding="utf-8") as file:
        stored = [json.loads(line) for line in file]
    for each in stored:
        unmet = judge_exported(each["exported"], node_amounts(each["kept"]))
        assert sorted({one.requirement.id for one in unmet}) == each["unmet"], each["name"]
    assert [each["name"] for each in stored if not each["unmet"]] == ["right"]
