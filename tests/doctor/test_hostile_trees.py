"""Trees of strangers, and nodes that change while they are looked at: told or passed over, never trusted."""

import contextlib
import os
import random
import socket

import pytest

from asked_in_full import DEEP
from fake_nodes import PID, ROOT_DIR, FakeNode
from numa_conformance.doctor import tree as bounds
from numa_conformance.doctor.findings import check
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.doctor.tree import NodeTree
from numa_conformance.errors import UsageError

STATE = f"{ROOT_DIR}/cpu_manager_state"


@pytest.fixture
def node(tmp_path):
    return FakeNode(tmp_path / "node", "t1-one-socket-smt2")


def seen(node):
    return check(look(NodeSource(node.root)))


def replaced(node, path):
    place = node.root / path
    place.unlink()
    return place


def test_a_link_out_of_the_root_is_not_followed(node, tmp_path):
    (tmp_path / "outside").write_text('{"policyName":"stolen"}')
    replaced(node, STATE).symlink_to("../../../../outside")
    found = seen(node)
    assert any("leads out of the root" in note for note in found.notes)
    assert "stolen" not in str(found)


def test_an_absolute_link_begins_at_the_root(node):
    text = node.read(STATE)
    node.write("data/state", text)
    replaced(node, STATE).symlink_to("/data/state")
    assert seen(node).findings == ()


def test_links_in_a_circle_are_told(node):
    replaced(node, STATE).symlink_to("cpu_manager_state")
    assert any("too many links" in note for note in seen(node).notes)


@pytest.mark.parametrize("path", [STATE, "proc/5002/status", f"proc/{PID}/comm", "numa-conformance/pod-resources.json"])
def test_a_fifo_does_not_block(node, path):
    place = node.root / path
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    assert any("is a FIFO" in note for note in seen(node).notes)


def test_a_socket_and_a_device_are_no_files(node):
    with socket.socket(socket.AF_UNIX) as held:
        held.bind(str(replaced(node, "proc/5000/status")))
    replaced(node, "proc/5001/status").symlink_to("/dev/zero")
    assert seen(node).findings == ()


def test_an_endless_file_is_cut(node, monkeypatch):
    monkeypatch.setattr(bounds, "MAX_SMALL", 4096)
    monkeypatch.setattr(NodeTree.content, "__defaults__", (4096,))
    monkeypatch.setattr(NodeTree.text, "__defaults__", (4096,))
    node.write(f"{node.paths['db-uid', 'main']}/cgroup.threads", "1\n" * 100_000)
    assert any("is larger than 4096 bytes" in note for note in seen(node).notes)


def test_a_folder_without_end_is_cut(node, monkeypatch):
    monkeypatch.setattr(bounds, "MAX_ENTRIES", 100)
    for number in range(200):
        (node.root / "proc" / f"x{number}").mkdir()
    assert any("has more than 100 entries" in note for note in seen(node).notes)


def test_cgroups_without_end_are_cut(node, monkeypatch):
    monkeypatch.setattr(bounds, "MAX_FOLDERS", 50)
    for number in range(200):
        (node.root / node.paths["db-uid", "main"] / f"inner-{number}").mkdir()
    assert any("more than 50 folders" in note for note in seen(node).notes)


def test_cgroups_that_nest_too_deep_are_left(node):
    (node.root / node.paths["db-uid", "main"]).joinpath(*["deeper"] * 200).mkdir(parents=True)
    assert any("16 deep" in note for note in seen(node).notes)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "[" * 100_000,
        '{"policyName": 7}',
        '{"policyName":"static","defaultCpuSet":"0-4294967295","checksum":0}',
        '{"policyName":"static","defaultCpuSet":"nonsense","checksum":0}',
        '{"policyName":"static","entries":{"a":{"b":"0-99999999999999999999"}},"checksum":0}',
        '{"policyName":"static","data":"{","dataChecksum":1}',
        "\0" * 1000,
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
@pytest.mark.parametrize(
    "name", ["cpu_manager_state", "memory_manager_state", "device-plugins/kubelet_internal_checkpoint"]
)
def test_state_files_that_are_none_are_damaged(node, name, text):
    node.write(f"{ROOT_DIR}/{name}", text)
    assert any(one.evidence[0].file.endswith(name) for one in seen(node).findings)


def test_numa_nodes_that_no_machine_has_are_damage(node):
    block = '{"numaAffinity":[99999999999],"type":"memory","size":1}'
    huge = f'{{"policyName":"Static","machineState":{{}},"entries":{{"a":{{"b":[{block}]}}}},"checksum":0}}'
    node.state("memory_manager_state", huge)
    assert any("memory_manager_state" in one.evidence[0].file for one in seen(node).findings)


@pytest.mark.parametrize("name", ["cpu_manager_state", "memory_manager_state"])
def test_more_containers_than_a_node_can_have_are_damage(node, name, monkeypatch):
    monkeypatch.setattr("numa_conformance.doctor.state_files.MOST_CONTAINERS", 1)
    node.change_cpus(lambda state: state.assignments["db-uid"].update(other=0b110))
    if name == "memory_manager_state":
        block = '[{"numaAffinity":[0],"type":"memory","size":1}]'
        text = f'{{"policyName":"None","machineState":{{}},"entries":{{"a":{{"b":{block},"c":{block}}}}},"checksum":0}}'
        monkeypatch.setattr("numa_conformance.reference.managers.state_formats.Format.checked", _unchecked)
        node.state(name, text)
    assert any(one.got == "it has more than 1 containers" for one in seen(node).findings)


def _unchecked(form, text, *, may_be_unchecked):
    return form.read(text)[0]


@pytest.mark.parametrize("text", ["nonsense", "0-99999999999", "1-", "-1", "\x1b[31m", "0,1,x"])
def test_cpusets_that_are_none_are_told_and_passed_over(node, text):
    node.write(f"{node.paths['db-uid', 'main']}/cpuset.cpus", text)
    found = seen(node)
    assert found.findings == ()
    assert any("cpuset.cpus: line 1" in note for note in found.notes)


def test_names_of_cgroups_and_links_are_only_names(node):
    for name in ("kubepods-pod.slice", "kubepods-pod\x1b[2J.slice", "kubepods-podx.slice", "pod", "-pod.slice"):
        (node.root / node.top / name / "cri-containerd-\n.scope").mkdir(parents=True)
    folder = node.root / "var/log/containers"
    (folder / f"a_b_c-{'0' * 64}.log").symlink_to("/var/log/pods/../../../x")
    (folder / "a_b_c.log").symlink_to("/")
    (folder / f"d_e_f-{'1' * 64}.log").write_text("a file")
    assert seen(node).findings == ()


@pytest.mark.parametrize("text", ["{}", "[]", '{"pods": [{}]}', "{", '{"allocatable": {"cpus": ["x"]}}'])
def test_what_pod_resources_told_must_be_readable(node, text):
    node.write("numa-conformance/pod-resources.json", text)
    if text == "{}":
        assert seen(node).findings == ()
    else:
        with pytest.raises(UsageError, match="is not what collect-node writes"):
            seen(node)


def test_ids_of_cpus_that_no_machine_has_are_passed_over(node):
    node.write("numa-conformance/pod-resources.json", '{"allocatable": {"cpus": [-5, 99999999999, 3]}}')
    assert seen(node).seconds >= 0


PIECES = [
    b"",
    b"0-3",
    b"-1",
    b"9" * 20,
    b"9" * 5000,
    b"1e400",
    b"NaN",
    b"null",
    b"[]",
    b"{}",
    b'"x"',
    b"\xff\xfe",
    b"\0",
]


@pytest.mark.parametrize("seed", range(40 if DEEP else 10))
def test_what_is_damaged_at_random_is_never_a_crash(node, seed):
    """Four times a tree, up to four files of it cut, overwritten in places, or replaced."""
    draw = random.Random(seed)
    node.write("numa-conformance/dump.json", '{"format": 1, "time": 1700000100, "version": "1.32"}')
    node.write("numa-conformance/pod-resources.json", '{"pods": [], "allocatable": {"cpus": [1, 2]}}')
    files = [path for path in sorted(node.root.rglob("*")) if path.is_file() and not path.is_symlink()]
    own = [path for path in files if "devices/system" not in str(path)]
    for _ in range(4):
        chosen = draw.sample(own, 3) + draw.sample(files, 1)
        sound = {path: path.read_bytes() for path in chosen}
        for path, content in sound.items():
            path.write_bytes(_damaged(draw, content))
        with contextlib.suppress(UsageError):  # of a configuration, or a machine, that is none
            assert seen(node).counts is not None
        for path, content in sound.items():
            path.write_bytes(content)


def _damaged(draw, content):
    begin = draw.randrange(len(content) + 1)
    end = min(len(content), begin + draw.randint(0, 6))
    return draw.choice([draw.choice(PIECES), content[:begin], content[:begin] + draw.choice(PIECES) + content[end:]])


@pytest.mark.parametrize("gone", ["status", "cgroup", "threads", "log"])
def test_containers_may_vanish_at_any_moment(node, monkeypatch, gone):
    """Take something away each time another file is read: whatever was listed before may no longer be there."""
    doomed = {
        "status": [node.root / f"proc/{thread}" for thread in node.threads("db-uid", "main")],
        "cgroup": [node.root / node.paths["db-uid", "main"]],
        "threads": [node.root / node.paths["db-uid", "main"] / "cgroup.threads"],
        "log": list((node.root / "var/log/containers").iterdir()),
    }[gone]
    content, calls = NodeTree.content, []

    def reading(self, path, most=bounds.MAX_SMALL):
        calls.append(path)
        if len(calls) == moment:
            for place in doomed:
                os.rename(place, f"{node.root}-gone-{len(os.listdir(node.root.parent))}")
        return content(self, path, most)

    monkeypatch.setattr(NodeTree, "content", reading)
    moment = -1
    assert seen(node).findings == ()
    total, moment = len(calls), len(calls) // 2
    calls.clear()
    assert seen(node).findings == ()
    assert 0 < len(calls) <= total
