"""What schedulers assign themselves is read from objects, and judged as they promise; strange objects are refused."""

import json

import pytest

from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.doctor.assigning import read_assignments
from numa_conformance.doctor.assignments import judge_assigned
from numa_conformance.documents import Text
from numa_conformance.errors import UsageError
from numa_conformance.machine import load_machine

CPUS = {cpu: {"core": cpu % 4, "socket": 0, "node": cpu % 4 // 2} for cpu in range(8)}
"""Cores 0,4 and 1,5 on NUMA node 0; 2,6 and 3,7 on NUMA node 1."""
KOORDINATOR, VOLCANO = "scheduling.koordinator.sh/", "volcano.sh/"
BIND, ALIGN = "node.koordinator.sh/cpu-bind-policy", "node.koordinator.sh/numa-topology-policy"
THERE, APART, COUNT = "cpus/are-of-the-node", "cpus/are-of-one-pod", "cpus/are-as-many-as-requested"
PLACES, ROOM = "numa-nodes/are-those-of-the-cpus", "numa-nodes/have-so-many-cpus"
FULL, SPREAD, SINGLE = "full-cores/are-whole", "spread/is-over-cores", "single-numa-node/is-one"


def node(labels=None, annotations=None):
    metadata = {"name": "n", "labels": labels or {}, "annotations": annotations or {}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": {"cpu": "8"}}}


def pod(name, cpu, cpus=None, *, ended=False):
    status = {} if cpus is None else {f"{KOORDINATOR}resource-status": cpus}
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in status.items()}
    resources = {"limits": {"cpu": str(cpu), "memory": "1Gi"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "x", "uid": name, "annotations": texts},
        "spec": {"nodeName": "n", "containers": [{"name": "c0", "image": "i", "resources": resources}]},
        "status": {"phase": "Succeeded"} if ended else {},
    }


def noted(name, cpu, key, value, **more):
    made = pod(name, cpu, **more)
    made["metadata"]["annotations"][key] = value if isinstance(value, str) else json.dumps(value)
    return made


def topology(zones=(), policies=()):
    detail = [{"id": cpu, **place} for cpu, place in CPUS.items()]
    texts = {"node.koordinator.sh/cpu-topology": json.dumps({"detail": detail})}
    return {
        "apiVersion": "topology.node.k8s.io/v1alpha1",
        "kind": "NodeResourceTopology",
        "metadata": {"name": "n", "annotations": texts},
        "topologyPolicies": list(policies),
        "zones": [
            {"name": f"node-{numa}", "type": "Node", "resources": [{"name": "cpu", "allocatable": cpu}]}
            for numa, cpu in enumerate(zones)
        ],
    }


def koordinated(key, value):
    made = topology()
    made["metadata"]["annotations"][key] = json.dumps(value)
    return made


def numatopology(policy="none", **allocated):
    allocations = [
        {"namespace": "x", "name": name, "containerAllocations": [{"name": "c0", "allocations": {"cpu": cpus}}]}
        for name, cpus in allocated.items()
    ]
    detail = {
        str(cpu): {key: value for key, value in {"numa": place["node"], "core": place["core"]}.items() if value}
        for cpu, place in CPUS.items()
    }
    spec = {"policies": {"TopologyManagerPolicy": policy}, "cpuDetail": detail, "podAllocations": allocations}
    return {
        "apiVersion": "nodeinfo.volcano.sh/v1alpha1",
        "kind": "Numatopology",
        "metadata": {"name": "n"},
        "spec": spec,
    }


def resource(policy, *zones):
    children = [
        {
            "type": "Numa",
            "name": str(numa),
            "resources": {"allocatable": {"cpu": cpu}},
            "allocations": [{"consumer": f"x/{name}/{name}", "requests": {"cpu": had}} for name, had in held.items()],
        }
        for numa, (cpu, held) in enumerate(zones)
    ]
    return {
        "apiVersion": "node.katalyst.kubewharf.io/v1alpha1",
        "kind": "CustomNodeResource",
        "metadata": {"name": "n"},
        "status": {"topologyPolicy": policy, "topologyZone": [{"type": "Socket", "name": "0", "children": children}]},
    }


def by_numa(cpus="", **amounts):
    nodes = [{"node": int(numa[1:]), "resources": {"cpu": cpu}} for numa, cpu in amounts.items()]
    return {"cpuset": cpus, "numaNodeResources": nodes}


def dedicated(name, cpu):
    return noted(name, cpu, "katalyst.kubewharf.io/qos_level", "dedicated_cores")


def read(*objects, machine=None):
    return read_assignments([Text("objects", json.dumps({"kind": "List", "items": objects}))], machine)


RIGHT = {
    "apart": [topology(), pod("a", 2, {"cpuset": "0,4"}), pod("b", 2, {"cpuset": "1,5"})],
    "full cores": [node({BIND: "FullPCPUsOnly"}), topology(), pod("a", 4, {"cpuset": "0-1,4-5"})],
    "spread": [node({BIND: "SpreadByPCPUs"}), topology(), pod("a", 4, {"cpuset": "0-3"})],
    "half cores where nobody demands full ones": [topology(), pod("a", 2, {"cpuset": "0,1"})],
    "a preferred policy is no promise": [
        topology(),
        noted("a", 2, f"{KOORDINATOR}resource-spec", {"preferredCPUBindPolicy": "FullPCPUs"}, cpus={"cpuset": "0,1"}),
    ],
    "a single NUMA node": [node({ALIGN: "SingleNUMANode"}), topology(["4", "4"]), pod("a", 2, by_numa("0,1", n0="2"))],
    "a label of the node comes before its kubelet's policy": [
        node({ALIGN: "BestEffort"}),
        topology(policies=["SingleNUMANodePodLevel"]),
        pod("a", 2, {"cpuset": "0,2"}),
    ],
    "a node that binds is not asked by a pod whose class asks for nothing": [
        node({BIND: "FullPCPUsOnly"}),
        topology(),
        noted(
            "a", 2, f"{KOORDINATOR}resource-spec", {"requiredCPUBindPolicy": "SpreadByPCPUs"}, cpus={"cpuset": "0,4"}
        ),
    ],
    "a part of a CPU": [topology(["4", "4"]), pod("a", "500m", by_numa(n0="500m"))],
    "a pod that has ended": [topology(), pod("a", 2, {"cpuset": "0,4"}), pod("b", 2, {"cpuset": "0,4"}, ended=True)],
    "amplified": [
        node(annotations={"node.koordinator.sh/resource-amplification-ratio": '{"cpu": 2}'}),
        topology(["4", "4"]),
        pod("a", 2, by_numa("0,4", n0="4")),
    ],
    "Volcano": [
        numatopology("single-numa-node", a="0,4"),
        noted("a", 2, f"{VOLCANO}topology-decision", {"numa": {"0": {"cpu": "2"}}}),
    ],
    "Katalyst": [resource("SingleNUMANodePodLevel", ("4", {"a": "4"}), ("4", {})), dedicated("a", 2)],
    "Katalyst's shared cores": [resource("None", ("4", {"a": "1"}), ("4", {"a": "1"})), pod("a", 4)],
}
WRONG = {
    "a CPU that the node has not": ([topology(), pod("a", 2, {"cpuset": "0,8"})], {THERE}),
    "a NUMA node that it has not": ([topology(), pod("a", 2, by_numa(n2="2"))], {THERE}),
    "CPUs of two pods": ([topology(), pod("a", 2, {"cpuset": "0,4"}), pod("b", 2, {"cpuset": "1,4"})], {APART}),
    "CPUs that the kubelet has given": (
        [
            koordinated(
                "node.koordinator.sh/pod-cpu-allocs",
                [{"namespace": "x", "name": "k", "uid": "k", "cpuset": "4-5", "managedByKubelet": True}],
            ),
            pod("a", 2, {"cpuset": "0,4"}),
        ],
        {APART},
    ),
    "too few CPUs": ([topology(), pod("a", 3, {"cpuset": "0,4"})], {COUNT}),
    "too many CPUs": ([topology(), pod("a", 2, {"cpuset": "0,4-5"})], {COUNT}),
    "too few by NUMA node": ([topology(["4", "4"]), pod("a", "1500m", by_numa(n0="1"))], {COUNT}),
    "CPUs of another NUMA node": ([topology(["4", "4"]), pod("a", 2, by_numa("0,4", n1="2"))], {PLACES}),
    "fewer there than it says": ([topology(["4", "4"]), pod("a", 2, by_numa("0,2", n0="2"))], {PLACES}),
    "a NUMA node that is full": (
        [topology(["3", "4"]), pod("a", 2, by_numa(n0="2")), pod("b", 2, by_numa(n0="2"))],
        {ROOM},
    ),
    "half cores, of a node": ([node({BIND: "FullPCPUsOnly"}), topology(), pod("a", 2, {"cpuset": "0-1"})], {FULL}),
    "half cores, of a kubelet": (
        [
            koordinated(
                "kubelet.koordinator.sh/cpu-manager-policy",
                {"policy": "static", "options": {"full-pcpus-only": "true"}},
            ),
            pod("a", 2, {"cpuset": "0-1"}),
        ],
        {FULL},
    ),
    "half cores, of a pod": (
        [
            topology(),
            noted(
                "a", 2, f"{KOORDINATOR}resource-spec", {"requiredCPUBindPolicy": "FullPCPUs"}, cpus={"cpuset": "0-1"}
            ),
        ],
        {FULL},
    ),
    "two CPUs of a core": ([node({BIND: "SpreadByPCPUs"}), topology(), pod("a", 2, {"cpuset": "0,4"})], {SPREAD}),
    "two NUMA nodes, of a node": (
        [node({ALIGN: "SingleNUMANode"}), topology(), pod("a", 2, {"cpuset": "0,2"})],
        {SINGLE},
    ),
    "two NUMA nodes, of a kubelet": (
        [topology(policies=["SingleNUMANodePodLevel"]), pod("a", 2, {"cpuset": "0,2"})],
        {SINGLE},
    ),
    "two NUMA nodes, of a pod": (
        [
            topology(["4", "4"]),
            noted(
                "a",
                2,
                f"{KOORDINATOR}numa-topology-spec",
                {"numaTopologyPolicy": "SingleNUMANode"},
                cpus=by_numa(n0="1", n1="1"),
            ),
        ],
        {SINGLE},
    ),
    "Volcano: CPUs of two pods": ([numatopology(a="0,4", b="4-5")], {APART}),
    "Volcano: too few CPUs": ([numatopology(a="0"), pod("a", 2)], {COUNT}),
    "Volcano: two NUMA nodes": ([numatopology("single-numa-node", a="0,2")], {SINGLE}),
    "Volcano: a decision of too few": (
        [noted("a", 2, f"{VOLCANO}topology-decision", {"numa": {"0": {"cpu": "1"}}})],
        {COUNT},
    ),
    "Volcano: a decision of more than there are": (
        [numatopology(), noted("a", 6, f"{VOLCANO}topology-decision", {"numa": {"0": {"cpu": "6"}}})],
        {ROOM},
    ),
    "Katalyst: a NUMA node that is full": ([resource("None", ("4", {"a": "3", "b": "2"}))], {ROOM}),
    "Katalyst: too few CPUs": ([resource("None", ("4", {"a": "1"})), dedicated("a", 2)], {COUNT}),
    "Katalyst: two NUMA nodes": (
        [resource("SingleNUMANodePodLevel", ("4", {"a": "1"}), ("4", {"a": "1"})), dedicated("a", 2)],
        {SINGLE},
    ),
}


def unmet(nodes):
    verdicts = [verdict for each in nodes.values() for verdict in judge_assigned(each)]
    assert verdicts
    return {requirement.id.removeprefix("assignment/") for requirement, fault in verdicts if fault}


@pytest.mark.parametrize("objects", RIGHT.values(), ids=RIGHT)
def test_what_is_right_meets_all(objects):
    assert unmet(read(*objects)) == set()


@pytest.mark.parametrize(("objects", "expected"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_condemned_by_its_heading_alone(objects, expected):
    assert unmet(read(*objects)) == expected


def test_each_heading_has_a_wrong_case():
    headings = {id for id, each in REQUIREMENTS.items() if each.command == "cluster check-assignments"}
    assert {f"assignment/{id}" for _, expected in WRONG.values() for id in expected} == headings


def test_a_machine_stands_for_cpus_that_no_object_has():
    objects = [pod("a", 2, {"cpuset": "0,999"})]
    assert unmet(read(*objects)) == set()
    assert unmet(read(*objects, machine=load_machine("two-nodes-hugepages"))) == {THERE}


STRANGE = {
    "no cpuset": ([pod("a", 2, {"cpuset": "0-x"})], "'0-x' in '0-x' is not an id or a range of ids"),
    "no object": ([pod("a", 2, "[]")], "metadata.annotations[scheduling.koordinator.sh/resource-status]: Expected"),
    "no JSON": ([pod("a", 2, "{")], "metadata.annotations[scheduling.koordinator.sh/resource-status]: Input data"),
    "deep JSON": ([pod("a", 2, "[" * 100_000)], "metadata.annotations[scheduling.koordinator.sh/resource-status]"),
    "an id of a stranger": ([pod("a", 2, by_numa(n99999999="1"))], "a NUMA node: Expected `int` <= 65535"),
    "no amount": ([pod("a", 2, by_numa(n0="much"))], "quantit"),
    "CPUs of strangers": (
        [koordinated("node.koordinator.sh/cpu-topology", {"detail": [{"id": -1}]}), pod("a", 2, {"cpuset": "0"})],
        "metadata.annotations[node.koordinator.sh/cpu-topology]: Expected `int` >= 0",
    ),
    "a cpuset that is no text": ([pod("a", 2, {"cpuset": 5})], "a set of CPUs: Expected `str`"),
    "amounts that are no list": ([pod("a", 2, {"numaNodeResources": {}})], "numaNodeResources: Expected `array`"),
    "policies that are no list": ([topology() | {"topologyPolicies": 5}], "topologyPolicies: Expected `array`"),
    "no name": ([topology() | {"metadata": {}}], "metadata.name: Expected `str`"),
    "no allocation": ([numatopology(a=["0"])], "a set of CPUs: Expected `str`"),
    "no NUMA node": ([resource("None") | {"status": {"topologyZone": [{"type": "Numa"}]}}], "a NUMA node: Expected"),
    "nothing": ([pod("a", 2)], "nothing there is assigned CPUs"),
}


@pytest.mark.parametrize(("objects", "text"), STRANGE.values(), ids=STRANGE)
def test_what_is_strange_is_refused(objects, text):
    with pytest.raises(UsageError) as error:
        read(*objects)
    assert text in str(error.value)
