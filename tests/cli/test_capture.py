"""``capture``: texts, trees and archives of trees as a machine, and what they lack."""

import shutil
import tarfile

import pytest
import yaml

from numa_conformance.machine import load_machine
from numa_conformance.machine.hostfs import write_tree
from printed_texts import lscpu_e, numactl

MACHINE = "two-nodes-hugepages"


@pytest.fixture
def pasted(files):
    machine = load_machine("t2-two-sockets-interleaved")
    return files("lscpu.txt", lscpu_e(machine)), files("numa", numactl(machine))


def test_several_texts_make_one_machine(run, pasted):
    for words in (("--from", pasted[0], pasted[1]), ("--from", pasted[0], "--from", pasted[1]), pasted):
        code, out, err = run("machines", "capture", *words)
        assert code == 0
        made = yaml.safe_load(out)
        assert made["name"] == "lscpu"
        assert len(made["cpus"]) == len(load_machine("t2-two-sockets-interleaved").cpus)
        assert err == "warning: not seen: huge pages; assumed: none (lstopo --of xml prints it)\n"


def test_a_machine_of_a_text_serves_a_command_and_what_is_assumed_is_printed(run, pasted, files):
    pod = files("pod.yaml", '{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}')
    code, out, err = run("simulate", "--machine", pasted[0], pod)
    assert code == 0
    assert "1 admitted" in out
    assert "notice: not seen: distances; assumed: 10 within a NUMA node, 12 within a socket, else 20" in err


def test_a_file_is_recognised_by_what_is_in_it(run, pasted, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("machines", "show", "lscpu.txt")
    assert (code, out.splitlines()[0][:6]) == (0, "lscpu:")


def test_a_fault_of_an_archive_names_the_archive(run, tmp_path):
    write_tree(load_machine(MACHINE), tmp_path / "tree")
    online = tmp_path / "tree/sys/devices/system/cpu/online"
    for text, status in ((online.read_text(), 0), ("0-99999999999", 2)):
        online.write_text(text)
        with tarfile.open(tmp_path / "packed.tgz", "w:gz") as packed:
            packed.add(tmp_path / "tree", ".")
        code, _, err = run("machines", "capture", "--from-node", tmp_path / "packed.tgz")
        assert code == status
        assert (f"{tmp_path}/packed.tgz/sys/devices/system/cpu/online: " in err) == (status == 2)


@pytest.fixture
def archive(tmp_path):
    """Return a support archive: nodes/NAME/sysinfo.tgz of two nodes, below a folder with a long name."""
    write_tree(load_machine(MACHINE), tmp_path / "tree")
    for name in ("w1", "w2"):
        folder = tmp_path / "must-gather" / "registry-sha256" / "nodes" / name
        folder.mkdir(parents=True)
        with tarfile.open(folder / "sysinfo.tgz", "w:gz") as packed:
            packed.add(tmp_path / "tree", "snapshot")
    return tmp_path / "must-gather"


def test_a_node_of_a_must_gather_is_named(run, archive):
    code, _, err = run("machines", "capture", "--from", archive)
    assert code == 2
    assert "registry-sha256/nodes/w1/sysinfo.tgz, registry-sha256/nodes/w2/sysinfo.tgz" in err
    code, out, _ = run("machines", "capture", "--from", archive, "--inside", "registry-sha256/nodes/w2/sysinfo.tgz")
    assert code == 0
    assert yaml.safe_load(out)["memory"][0]["hugepages"] == load_machine(MACHINE).memory[0].hugepages


def test_a_packed_must_gather_is_read_too(run, archive, tmp_path):
    with tarfile.open(tmp_path / "packed.tar", "w") as packed:
        packed.add(archive, "must-gather")
    inside = "must-gather/registry-sha256/nodes/w1/sysinfo.tgz"
    code, out, _ = run("machines", "capture", "--from", tmp_path / "packed.tar", "--inside", inside)
    assert code == 0
    assert yaml.safe_load(out)["memory"][0]["hugepages"] == load_machine(MACHINE).memory[0].hugepages


def test_a_report_with_meminfo_alone_has_its_huge_pages(run, tmp_path):
    write_tree(load_machine("t2-two-sockets-interleaved"), tmp_path / "report" / "sos")
    node = tmp_path / "report" / "sos" / "sys/devices/system/node"
    for number in (0, 1):
        meminfo = node / f"node{number}" / "meminfo"
        lines = [line for line in meminfo.read_text().splitlines() if "HugePages_Total" not in line]
        meminfo.write_text("\n".join([*lines, f"Node {number} HugePages_Total:   {256 * (number + 1)}"]) + "\n")
        shutil.rmtree(node / f"node{number}" / "hugepages")
    code, out, err = run("machines", "capture", "--from-node", tmp_path / "report")
    assert code == 0
    assert [entry["hugepages"] for entry in yaml.safe_load(out)["memory"]] == [{"2Mi": 256}, {"2Mi": 512}]
    assert "not seen: hugepages; those of the usual size are from meminfo" in err


@pytest.mark.parametrize(
    ("gone", "expected"),
    [
        ("cpu/cpu*/topology/*", "sys/devices/system/cpu/cpu*/topology of the CPUs 0-11; they have no core"),
        ("cpu/cpu*/cache/*/*", "sys/devices/system/cpu/cpu*/cache; assumed: no last-level cache"),
        ("node/node*/*", "memory of each NUMA node; assumed: none"),
        ("node/node*/distance", "sys/devices/system/node/node*/distance; assumed: none"),
        ("node/node*/hugepages/*/*", "hugepages; assumed: none"),
    ],
)
def test_capture_says_what_a_tree_lacks(run, tmp_path, gone, expected):
    write_tree(load_machine("t2-two-sockets-interleaved"), tmp_path / "tree")
    for path in (tmp_path / "tree/sys/devices/system").glob(gone):
        if path.is_file():
            path.unlink()
    for path in sorted((tmp_path / "tree/sys/devices/system").rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink() and path.name != "cpu" and not any(path.iterdir()):
            path.rmdir()
    code, _, err = run("machines", "capture", "--from-node", tmp_path / "tree")
    assert code == 0
    assert f"warning: not seen: {expected}\n" in err


def test_a_device_of_a_numa_node_that_is_not_there_is_noted(run, files):
    text = "name: two\nsockets: 2\ncoresPerNuma: 2\ndevices: [{resource: v.example/nic, id: x, numa: NODE}]\n"
    pod = files("pod.yaml", "kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c}]}\n")
    words = "notice: two does not have NUMA nodes 7, which devices name\n"
    for node, is_noted in (("7", True), ("1", False), ("-1", False)):
        err = run("simulate", "--machine", files("two.yaml", text.replace("NODE", node)), pod)[2]
        assert (words in err) == is_noted
