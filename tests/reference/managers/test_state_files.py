import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.reference.managers.cpu import CpuState
from numa_conformance.reference.managers.cpu import state_file as cpu_file
from numa_conformance.reference.managers.device import DeviceEntry
from numa_conformance.reference.managers.device import state_file as device_file
from numa_conformance.reference.managers.memory import MemoryBlocks, NodeMemory, PinnedBlock, Table
from numa_conformance.reference.managers.memory import state_file as memory_file
from numa_conformance.reference.managers.state_file import CheckpointError
from numa_conformance.reference.managers.state_formats import fnv1a_32
from numa_conformance.sources.policies import CPU_POLICIES

NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8)
SETS = st.integers(0, 2**24 - 1)
AMOUNTS = st.integers(0, 2**63 - 1)


@pytest.mark.parametrize(("text", "value"), [("", 0x811C9DC5), ("a", 0xE40C292C), ("foobar", 0xBF9CF968)])
def test_the_hash_is_fnv_1a(text, value):
    """The published test vectors."""
    assert fnv1a_32(text) == value


CPU_FILES = [
    ("none", CpuState(), '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}'),
    ("static", CpuState(0xFF), '{"policyName":"static","defaultCpuSet":"0-7","checksum":14413152}'),
    (
        "static",
        CpuState(0b11110001, {"uid-b": {"c2": 0b1000}, "uid-a": {"z": 0b10, "a": 0b100}}),
        '{"policyName":"static","defaultCpuSet":"0,4-7",'
        '"entries":{"uid-a":{"a":"2","z":"1"},"uid-b":{"c2":"3"}},"checksum":780019269}',
    ),
]


@pytest.mark.parametrize(("policy", "state", "text"), CPU_FILES)
def test_cpu_files_are_those_of_the_kubelet_byte_for_byte(policy, state, text):
    """CPU-CKPT-02, CPU-CKPT-04."""
    assert cpu_file.encode(policy, state) == text
    assert cpu_file.decode(text, policy) == state


V1 = {"policyName": "static", "defaultCpuSet": "0,4-7", "entries": {"cid1": "1-3"}, "checksum": 2637164369}


def test_format_v1_names_containers_that_no_runtime_knows():
    """CPU-CKPT-03, CPU-CKPT-04, CPU-CKPT-07, CPU-CKPT-08."""
    with pytest.raises(CheckpointError) as caught:
        cpu_file.decode(json.dumps(V1), "static")
    assert caught.value.cause == (
        "error migrating v1 checkpoint state to v2 checkpoint state: "
        "containerID 'cid1' not found in initial containers list"
    )


@pytest.mark.parametrize("broken", [{"checksum": 1}, {"entries": {"cid1": 5}}])
def test_what_is_no_intact_file_of_format_v1_is_judged_as_format_v2(broken):
    """CPU-CKPT-07."""
    with pytest.raises(CheckpointError) as caught:
        cpu_file.decode(json.dumps(V1 | broken), "static")
    assert caught.value.cause.startswith("json: cannot unmarshal")


@pytest.mark.parametrize("checksum", ['"checksum":0', '"CHECKSUM":0', '"other":5'])
def test_a_cpu_file_without_checksum_is_taken_unverified(checksum):
    """CPU-CKPT-05."""
    text = f'{{"PolicyName":"static","defaultcpuset":"0-3",{checksum}}}'
    assert cpu_file.decode(text, "static") == CpuState(0b1111)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "unexpected end of JSON input"),
        ('{"policyName":"static","defaultCpuSet":"0-7","checksum":14413153}', "checkpoint is corrupted"),
        (
            '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
            'configured policy "static" differs from state checkpoint policy "none"',
        ),
        (
            '{"policyName":"static","defaultCpuSet":"1-x"}',
            'could not parse default cpu set "1-x": strconv.Atoi: parsing "x": invalid syntax',
        ),
        (
            '{"policyName":"static","defaultCpuSet":"0","entries":{"u":{"c":"3-1"}}}',
            'could not parse cpuset "3-1" for container "c" in pod "u": invalid range "3-1" (3 > 1)',
        ),
    ],
)
def test_why_a_cpu_file_is_refused(text, cause):
    """CPU-CKPT-09."""
    with pytest.raises(CheckpointError) as caught:
        cpu_file.decode(text, "static")
    assert caught.value.cause == cause


def test_the_message_of_a_failed_restore():
    """CPU-CKPT-09."""
    error = CheckpointError("checkpoint is corrupted").start_error("CPU", "/k/cpu_manager_state")
    assert (error.stage, error.message) == (
        "cpumanager-start",
        "could not restore state from checkpoint: checkpoint is corrupted, please drain this node and delete the CPU "
        'manager checkpoint file "/k/cpu_manager_state" before restarting Kubelet',
    )


@given(
    st.sampled_from(CPU_POLICIES),
    st.builds(CpuState, SETS, st.dictionaries(NAMES, st.dictionaries(NAMES, SETS, min_size=1, max_size=3), max_size=3)),
)
def test_any_cpu_content_survives_its_file(policy, state):
    text = cpu_file.encode(policy, state)
    assert cpu_file.decode(text, policy) == state
    assert "\n" not in text


def tables(memory, pages):
    return {"memory": Table(*memory), "hugepages-1Gi": Table(*pages), "hugepages-2Mi": Table(0, 0, 0, 0, 0)}


PAGES = (10737418240, 0, 10737418240, 0, 10737418240)
GOLDEN = {
    0: NodeMemory(0, tables((99759243264, 10538188800, 78483636224, 0, 78483636224), PAGES), (0,)),
    1: NodeMemory(0, tables((99283886080, 1101004800, 87445463040, 0, 87445463040), PAGES), (1,)),
}


def test_the_memory_checksum_is_that_of_the_golden_file():
    """MEM-CKPT-01, MEM-CKPT-08."""
    record = json.loads(memory_file.encode("Static", GOLDEN, MemoryBlocks()))
    assert record["checksum"] == 2552710201
    assert list(record) == ["policyName", "machineState", "checksum"]
    assert memory_file.decode(json.dumps(record), "Static") == (GOLDEN, MemoryBlocks())


@pytest.mark.parametrize(
    ("change", "policy", "cause"),
    [
        ({"checksum": 1}, "Static", "checkpoint is corrupted"),
        ({"machineState": {}}, "Static", "checkpoint is corrupted"),
        ({}, "None", '[memorymanager] configured policy "None" differs from state checkpoint policy "Static"'),
    ],
)
def test_why_a_memory_file_is_refused(change, policy, cause):
    """MEM-CKPT-02."""
    record = json.loads(memory_file.encode("Static", GOLDEN, MemoryBlocks())) | change
    with pytest.raises(CheckpointError) as caught:
        memory_file.decode(json.dumps(record), policy)
    assert caught.value.cause == cause


NODE_LISTS = st.lists(st.integers(0, 7), min_size=1, max_size=3).map(tuple)
BLOCKS = st.builds(PinnedBlock, NODE_LISTS, NAMES, AMOUNTS)
NODES = st.builds(
    NodeMemory, st.integers(0, 9), st.dictionaries(NAMES, st.builds(Table, *[AMOUNTS] * 5), max_size=2), NODE_LISTS
)


@given(
    st.sampled_from(["None", "Static"]),
    st.dictionaries(st.integers(0, 12), NODES, max_size=3),
    st.dictionaries(NAMES, st.dictionaries(NAMES, st.lists(BLOCKS, max_size=2), max_size=2), max_size=2),
)
def test_any_memory_content_survives_its_file(policy, nodes, entries):
    text = memory_file.encode(policy, nodes, MemoryBlocks(entries))
    held = {uid: containers for uid, containers in entries.items() if containers}
    assert memory_file.decode(text, policy) == (nodes, MemoryBlocks(held))


DEVICES = (DeviceEntry("uid", "c", "vendor.com/nic", {0: ("a", "b"), -1: ("z",)}, b"\n\x02"),)
HEALTHY = {"vendor.com/nic": ("a", "b", "z")}


def test_a_device_file_has_the_keys_of_the_kubelet_and_survives():
    """DEV-CKPT-01, DEV-CKPT-02."""
    text = device_file.encode(DEVICES, HEALTHY)
    assert device_file.decode(text) == DEVICES
    assert json.loads(text)["Data"]["RegisteredDevices"] == {"vendor.com/nic": ["a", "b", "z"]}
    assert json.loads(text)["Data"]["PodDeviceEntries"][0] == {
        "PodUID": "uid",
        "ContainerName": "c",
        "ResourceName": "vendor.com/nic",
        "DeviceIDs": {"-1": ["z"], "0": ["a", "b"]},
        "AllocResp": "CgI=",
    }
    assert json.loads(device_file.encode((), {}))["Data"]["PodDeviceEntries"] is None


def test_the_device_checksum_is_taken_over_the_dump_of_the_data():
    """DEV-CKPT-02."""
    dumped = (
        "(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)[{PodUID:(string)uid "
        "ContainerName:(string)c ResourceName:(string)vendor.com/nic "
        "DeviceIDs:(checkpoint.DevicesPerNUMA)map[-1:[z] 0:[a b]] AllocResp:([]uint8)[10 2]}] "
        "RegisteredDevices:(map[string][]string)map[vendor.com/nic:[a b z]]}"
    )
    assert json.loads(device_file.encode(DEVICES, HEALTHY))["Checksum"] == fnv1a_32(dumped)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"Data":null,"Checksum":1}', "[" * 100_000])
def test_a_damaged_device_file_is_no_allocation_memory(text):
    """DEV-CKPT-03."""
    assert device_file.decode(text) is None


def test_a_device_file_with_another_checksum_does_not_fit():
    """DEV-CKPT-03."""
    record = json.loads(device_file.encode(DEVICES, HEALTHY))
    assert device_file.decode(json.dumps(record)) is not None
    assert device_file.decode(json.dumps(record | {"Checksum": record["Checksum"] ^ 1})) is None
