import pytest

from numa_conformance.cpuset import format_bits
from numa_conformance.errors import UsageError
from numa_conformance.machine import Device, machine_from_dict, machine_to_dict

GIB = 2**30


def machine(**fields):
    return machine_from_dict({"name": "m", **fields})


def faults_of(**fields):
    with pytest.raises(UsageError) as caught:
        machine(**fields)
    return caught.value.faults


def texts(groups):
    values = groups.values() if isinstance(groups, dict) else groups
    return [format_bits(bits) for bits in values]


def test_a_two_socket_smt_machine_takes_a_few_lines():
    made = machine(sockets=2, numaPerSocket=2, coresPerNuma=4, threads=2, uncore={"cores": 2}, memory="8Gi")
    assert texts(made.socket_bits) == ["0-7,16-23", "8-15,24-31"]
    assert texts(made.numa_bits) == ["0-3,16-19", "4-7,20-23", "8-11,24-27", "12-15,28-31"]
    assert texts(made.uncore_bits)[:3] == ["0-1,16-17", "2-3,18-19", "4-5,20-21"]
    assert texts(made.core_bits)[:2] == ["0,16", "1,17"]
    assert [node.memory for node in made.memory] == [8 * GIB] * 4


@pytest.mark.parametrize(
    ("numbering", "first_core", "first_socket"),
    [
        ("siblings-offset", "0,8", "0-3,8-11"),
        ("siblings-adjacent", "0-1", "0-7"),
        ("siblings-offset-in-socket", "0,4", "0-7"),
        ("sockets-alternate", "0,8", "0,2,4,6,8,10,12,14"),
        ("nodes-alternate", "0,8", "0-1,4-5,8-9,12-13"),
    ],
)
def test_numbering_deals_out_cpu_ids(numbering, first_core, first_socket):
    made = machine(sockets=2, numaPerSocket=2, coresPerNuma=2, threads=2, numbering=numbering)
    assert format_bits(made.core_bits[0]) == first_core
    assert format_bits(made.socket_bits[0]) == first_socket
    assert made.online_bits == 0xFFFF


def test_nodes_alternate_by_their_ids():
    made = machine(sockets=2, numaPerSocket=2, coresPerNuma=2, numbering="nodes-alternate", numaIds=[0, 2, 1, 3])
    assert texts(made.numa_bits) == ["0,4", "1,5", "2,6", "3,7"]
    assert texts(made.socket_bits) == ["0,2,4,6", "1,3,5,7"]


def test_several_sockets_share_a_node():
    made = machine(sockets=4, socketsPerNuma=2, coresPerNuma=4)
    assert texts(made.numa_bits) == ["0-3", "4-7"]
    assert texts(made.socket_bits) == ["0-1", "2-3", "4-5", "6-7"]


@pytest.mark.parametrize(
    ("uncore", "caches"),
    [
        ("none", []),
        ("numa", ["0-2", "3-5"]),
        ("socket", ["0-5"]),
        ("machine", ["0-5"]),
        ({"cores": 2}, ["0-1", "2", "3-4", "5"]),
        ({"cores": 2, "within": "socket"}, ["0-1", "2-3", "4-5"]),
    ],
)
def test_caches_are_cut_within_what_is_named(uncore, caches):
    assert texts(machine(numaPerSocket=2, coresPerNuma=3, uncore=uncore).uncore_bits) == caches


def test_ids_may_be_sparse():
    made = machine(sockets=2, coresPerNuma=2, cpuIds="4-5,32-33", numaIds=[1, 5], socketIds=[0, 3])
    assert [(cpu.id, cpu.numa, cpu.socket) for cpu in made.cpus] == [(4, 1, 0), (5, 1, 0), (32, 5, 3), (33, 5, 3)]


def test_offline_cpus_leave_their_cores():
    made = machine(coresPerNuma=2, threads=2, offline="1,2")
    assert made.offline == (1, 2)
    assert texts(made.core_bits) == ["0", "3"]


def test_a_node_whose_cpus_are_all_offline_remains():
    made = machine(numaPerSocket=2, coresPerNuma=1, offline=1, memory="1Gi")
    assert made.numa_bits == {0: 1, 1: 0}


def test_groups_describe_irregular_machines():
    made = machine(
        groups=[
            {"cpus": "0-3", "threads": 2, "siblings": "adjacent", "uncore": 0},
            {"cpus": "4-5"},
            {"cpus": "6-7,10-11", "numa": 3, "socket": 1, "threads": 2, "siblings": "offset", "uncore": 4},
        ],
        memory=["1Gi", "2Gi"],
    )
    assert texts(made.core_bits) == ["0-1", "2-3", "4", "5", "6,10", "7,11"]
    assert made.numa_ids == (0, 3)
    assert [cpu.core for cpu in made.cpus if cpu.socket == 0] == [0, 0, 1, 1, 2, 3]
    assert texts(made.uncore_bits) == ["0-3", "6-7,10-11"]


def test_memory_takes_sizes_bytes_and_lists():
    made = machine(numaPerSocket=3, coresPerNuma=1, memory=["1.5Gi", 4096, None], hugepages=[{"2Mi": 8}, None, None])
    assert [node.memory for node in made.memory] == [3 * GIB // 2, 4096, None]
    assert [dict(node.hugepages) for node in made.memory] == [{"2Mi": 8}, {}, {}]


def test_memory_only_nodes_lie_near_others():
    made = machine(
        sockets=2,
        coresPerNuma=1,
        memory="1Gi",
        memoryOnlyNodes=[{"nodes": "4-5", "near": "0-1", "memory": ["2Gi", "3Gi"]}, {"nodes": 9, "memory": 0}],
        distances={"remote": 21, "near": 17},
    )
    assert made.numa_ids == (0, 1, 4, 5, 9)
    assert [node.memory for node in made.memory] == [GIB, GIB, 2 * GIB, 3 * GIB, 0]
    assert made.distances == (
        (10, 21, 17, 21, 21),
        (21, 10, 21, 17, 21),
        (17, 21, 10, 21, 21),
        (21, 17, 21, 10, 21),
        (21, 21, 21, 21, 10),
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ((10, 12), (12, 10))),
        ({"socket": 11}, ((10, 11), (11, 10))),
        ([[1, 2], [3, 4]], ((1, 2), (3, 4))),
        ("none", None),
    ],
)
def test_distances_by_relation_matrix_or_none(given, expected):
    assert machine(numaPerSocket=2, coresPerNuma=1, distances=given).distances == expected


def test_devices_are_numbered_within_their_resource():
    made = machine(
        sockets=2,
        coresPerNuma=1,
        devices=[
            {"resource": "example.com/gpu", "perNuma": 1},
            {"resource": "example.com/gpu", "count": 2, "numa": [0, 1], "healthy": False},
            {"resource": "example.com/nic", "id": "eth0", "numa": 1},
        ],
    )
    assert made.devices == (
        Device("example.com/gpu", "gpu-0", (0,)),
        Device("example.com/gpu", "gpu-1", (1,)),
        Device("example.com/gpu", "gpu-2", (0, 1), healthy=False),
        Device("example.com/gpu", "gpu-3", (0, 1), healthy=False),
        Device("example.com/nic", "eth0", (1,)),
    )


def test_sources_and_assumptions_become_notes():
    made = machine(coresPerNuma=1, notes=["slow"], sources=["a page"], assumed=["memory"])
    assert made.notes == ("slow", "source: a page", "assumed: memory")


def test_the_compact_form_and_its_json_form_are_one_machine():
    made = machine(sockets=2, coresPerNuma=3, threads=4, uncore="socket", memory="1Gi", offline="3")
    assert machine_from_dict(machine_to_dict(made)) == made


@pytest.mark.parametrize(
    ("fields", "place", "words"),
    [
        ({"sockets": 2}, "coresPerNuma", "is missing"),
        ({"coresPerNuma": 0}, "coresPerNuma", "is 0"),
        ({"coresPerNuma": [1, 2]}, "coresPerNuma", "has 2 entries"),
        ({"coresPerNuma": 8192, "threads": 2}, "threads", "makes 16384 CPUs"),
        ({"coresPerNuma": 8192, "sockets": 2}, "coresPerNuma", "makes 16384 cores"),
        ({"coresPerNuma": 1, "sockets": 1024, "numaPerSocket": 2}, "numaPerSocket", "makes 2048 NUMA nodes"),
        ({"coresPerNuma": 1, "sockets": 3, "socketsPerNuma": 2}, "socketsPerNuma", "does not divide"),
        ({"coresPerNuma": 3, "sockets": 2, "socketsPerNuma": 2}, "coresPerNuma", "cannot be shared out"),
        ({"coresPerNuma": 2, "sockets": 2, "socketsPerNuma": 2, "numaPerSocket": 2}, "socketsPerNuma", "combined with"),
        ({"coresPerNuma": 1, "threads": 33}, "threads", "is 33"),
        ({"coresPerNuma": 1, "numbering": "siblings-ofset"}, "numbering", "is 'siblings-ofset'"),
        ({"coresPerNuma": 1, "uncore": "sockets"}, "uncore", "is 'sockets'"),
        ({"coresPerNuma": 1, "uncore": {"cores": 0}}, "uncore.cores", "is 0"),
        ({"coresPerNuma": 2, "cpuIds": "0-4"}, "cpuIds", "names 5 CPUs"),
        ({"coresPerNuma": 2, "numaIds": [0, 1]}, "numaIds", "has 2 entries"),
        ({"coresPerNuma": 1, "numaPerSocket": 2, "numaIds": [1, 1]}, "numaIds", "1 is there twice"),
        ({"coresPerNuma": 2, "offline": "2"}, "offline", "the machine has no CPUs 2"),
        ({"coresPerNuma": 2, "offline": "0-1"}, "offline", "leaves no CPU online"),
        ({"coresPerNuma": 1, "memory": "1 GB"}, "memory", "is '1 GB'"),
        ({"coresPerNuma": 1, "memory": "1Gi\n"}, "memory", "is '1Gi\\n'"),
        ({"coresPerNuma": 1, "hugepages": {"2Mi\n": 1}}, "hugepages.2Mi\n", "is not accepted"),
        ({"coresPerNuma": 1, "memory": [1, 2]}, "memory", "has 2 entries"),
        ({"coresPerNuma": 1, "memory": "1Gi", "hugepages": {"1Gi": 2}}, "hugepages", "more than"),
        ({"coresPerNuma": 1, "memoryOnlyNodes": [{"nodes": 0}]}, "memoryOnlyNodes", "0 is there twice"),
        ({"coresPerNuma": 1, "memoryOnlyNodes": [{"memory": 0}]}, "memoryOnlyNodes[0].nodes", "is missing"),
        (
            {"coresPerNuma": 1, "memoryOnlyNodes": [{"nodes": 1, "near": 2}]},
            "memoryOnlyNodes",
            "no CPUs on NUMA node 2",
        ),
        (
            {"coresPerNuma": 1, "memoryOnlyNodes": [{"nodes": "1-3", "near": "0-1"}]},
            "memoryOnlyNodes[0].near",
            "names 2",
        ),
        ({"coresPerNuma": 1, "distances": [[10, 20]]}, "distances", "is not square"),
        ({"coresPerNuma": 1, "distances": {"romote": 3}}, "distances.romote", "unknown field"),
        ({"coresPerNuma": 1, "distances": "usual"}, "distances", "is 'usual'"),
        ({"coresPerNuma": 1, "devices": [{"resource": "a/b", "id": "x", "count": 2}]}, "devices[0]", "id and count"),
        (
            {"coresPerNuma": 1, "devices": [{"resource": "a/b", "perNuma": 2, "numa": 0}]},
            "devices[0].numa",
            "combined with",
        ),
        ({"coresPerNuma": 1, "groups": [{"cpus": "0"}]}, "coresPerNuma", "cannot be combined with groups"),
        ({"groups": []}, "groups", "has 0 entries"),
        ({"groups": [{"cpus": ""}]}, "groups", "name no CPU"),
        ({"groups": [{"numa": 0}]}, "groups[0].cpus", "is missing"),
        ({"groups": [{"cpus": "0-2", "threads": 2}]}, "groups[0].threads", "do not divide the 3 CPUs"),
        ({"groups": [{"cpus": "0-2"}, {"cpus": "2"}]}, "groups", "2 is there twice"),
        ({"groups": [{"cpus": "0-8192"}]}, "groups", "name 8193 CPUs"),
    ],
)
def test_refuses_what_cannot_be(fields, place, words):
    fault = faults_of(**fields)[0]
    assert fault.place == place
    assert words in fault.message


def test_tells_faults_of_unrelated_fields_at_once():
    faults = faults_of(sockets=0, coresPerNuma="x", uncore={"cors": 4}, memory="much", socket=1)
    places = {fault.place: fault.suggestion for fault in faults}
    assert places == {
        "socket": "sockets",
        "sockets": None,
        "coresPerNuma": None,
        "uncore.cors": "cores",
        "uncore.cores": None,
        "memory": None,
    }
