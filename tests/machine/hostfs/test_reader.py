import dataclasses
import json
import os
import re
import shutil
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from asked_in_full import DEEP, deep
from numa_conformance.asking.strategies.machines import machines
from numa_conformance.errors import UsageError
from numa_conformance.kube.quantity import Quantity
from numa_conformance.machine import MemoryNode, derive_view, load_machine
from numa_conformance.machine.hostfs import open_dump, read_kubelet_view, read_machine, write_tree
from shared_data import SHARED, needs_shared

DUMPS = sorted((SHARED / "real-machines" / "expected").glob("*.json"))[:: 1 if DEEP else 6] if SHARED else []
CPU = "sys/devices/system/cpu"


def partition(groups):
    found = {}
    for cpu, group in groups.items():
        if group is not None:
            found.setdefault(group, set()).add(cpu)
    return {frozenset(cpus) for cpus in found.values()}


def pages_of(root, entry):
    """The pools that other tools list; of a copy without pools the pages that its meminfo counts, by size in bytes."""
    if entry["hugepages"]:
        return {int(size[:-2]) * 1024: count for size, count in entry["hugepages"].items()}
    meminfo = {}
    for path in ("proc/meminfo", f"sys/devices/system/node/node{entry['node']}/meminfo"):
        text = (root / path).read_text() if (root / path).is_file() else ""
        meminfo |= {name: int(number) for name, number in re.findall(r"(\w+):\s+(\d+)", text)}
    count = meminfo.get("HugePages_Total", 0)
    return {meminfo["Hugepagesize"] * 1024: count} if count else {}


@needs_shared
@pytest.mark.parametrize("facts", DUMPS, ids=[path.stem for path in DUMPS])
def test_a_real_machine_is_read_as_independent_tools_read_it(facts):
    expected = json.loads(facts.read_text())
    sure = {name for name, tools in expected["confirmed_by"].items() if len(tools) >= 2}
    with open_dump(SHARED / "real-machines" / "dumps" / expected["tarball"], expected["root"]) as root:
        machine = read_machine(root)
        pages = [pages_of(root, entry) for entry in expected["memory"] or ()]
    if "online" in sure:
        assert [cpu.id for cpu in machine.cpus] == [cpu["id"] for cpu in expected["cpus"]]
    for field, own in (("core", "core"), ("socket", "socket"), ("l3", "uncore")):
        if field in sure:
            told = partition({cpu["id"]: cpu[field] for cpu in expected["cpus"]})
            assert partition({cpu.id: getattr(cpu, own) for cpu in machine.cpus}) == told, field
    if "numa" in sure and any(cpu["numa"] is not None for cpu in expected["cpus"]):
        assert {cpu.id: cpu.numa for cpu in machine.cpus} == {cpu["id"]: cpu["numa"] for cpu in expected["cpus"]}
    if expected["memory"]:
        assert [(one.node, one.memory) for one in machine.memory] == [
            (one["node"], one["bytes"]) for one in expected["memory"]
        ]
        assert [
            {Quantity.parse(size).value: count for size, count in one.hugepages.items()} for one in machine.memory
        ] == pages
    assert list(machine.offline) == expected["offline"]
    if expected["distances"] and "distances" in sure:
        assert [list(row) for row in machine.distances] == expected["distances"]


def same_hardware(machine):
    cpus = {cpu.id: (cpu.socket, cpu.numa, cpu.uncore) for cpu in machine.cpus}
    return cpus, machine.core_bits, machine.memory, machine.distances, machine.offline


@given(machine=machines(max_cpus=24, devices=False))
@settings(max_examples=25)
def test_writing_and_reading_are_inverse(tmp_path_factory, machine):
    root = tmp_path_factory.mktemp("host") / "root"
    write_tree(machine, root)
    assert same_hardware(read_machine(root)) == same_hardware(machine)
    shutil.rmtree(root)


@pytest.mark.parametrize(
    "name", ["t1-one-socket-smt2", "snc2-small", "offline-cpus", "memory-only-node", "uneven-nodes"]
)
def test_the_kubelets_reading_agrees_with_the_view_of_the_machine(tmp_path, name):
    write_tree(load_machine(name), tmp_path / "root")
    machine = read_machine(tmp_path / "root")
    assert read_kubelet_view(tmp_path / "root") == derive_view(machine)


@deep
def test_works_under_pyfakefs(fs):
    from pathlib import Path

    fs.add_real_directory(Path(__file__).parents[3] / "fixtures")
    machine = load_machine("t3-two-numa-per-socket")
    write_tree(machine, Path("/fake"))
    assert same_hardware(read_machine(Path("/fake")))[1:3] == same_hardware(machine)[1:3]


def test_this_computer_can_be_read():
    assert read_machine("/").cpus


@pytest.fixture
def tree(tmp_path):
    write_tree(load_machine("t1-one-socket-smt2"), tmp_path / "root")
    return tmp_path / "root"


def replace(tree, path, text):
    (tree / path).write_text(text)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        (f"{CPU}/online", "0-x", "online"),
        (f"{CPU}/online", "", "no CPU is online"),
        (f"{CPU}/cpu0/topology/physical_package_id", "garbage", "is no number"),
        (f"{CPU}/cpu0/topology/core_cpus", "zz", "no map of CPUs"),
        ("sys/devices/system/node/node0/meminfo", "nothing", "MemTotal"),
        ("sys/devices/system/node/node0/meminfo", f"MemTotal: {'9' * 5000} kB", "MemTotal"),
        ("sys/devices/system/node/node0/distance", "ten", "no distances"),
        ("sys/devices/system/node/node0/distance", "-1", "no distances"),
        ("sys/devices/system/node/node0/distance", "9" * 5000, "no distances"),
        (f"{CPU}/online", "0" * 2_000_000, "larger than"),
    ],
)
def test_a_bad_file_is_named(tree, path, text, said):
    replace(tree, path, text)
    with pytest.raises(UsageError, match=said) as caught:
        read_machine(tree)
    assert str(tree) in str(caught.value)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no CPUs in this tree"):
        read_machine(tmp_path)


def test_a_loop_of_links_is_refused(tree):
    path = tree / CPU / "online"
    path.unlink()
    path.symlink_to("online2")
    (tree / CPU / "online2").symlink_to("online")
    with pytest.raises(UsageError, match="circles"):
        read_machine(tree)


def test_a_link_out_of_the_root_is_refused(tree):
    path = tree / CPU / "online"
    path.unlink()
    path.symlink_to("../../../../../../etc/hostname")
    with pytest.raises(UsageError, match="out of the root"):
        read_machine(tree)


def test_an_absolute_link_begins_at_the_root(tree):
    path = tree / CPU / "online"
    path.rename(tree / "elsewhere")
    path.symlink_to("/elsewhere")
    assert len(read_machine(tree).cpus) == 8


def test_a_cpu_on_two_numa_nodes_is_noted(tree):
    other = tree / "sys/devices/system/node/node1"
    other.mkdir()
    (other / "cpulist").write_text("0-3\n")
    assert any("several NUMA nodes" in note for note in read_machine(tree).notes)


def test_a_tarball_is_read_and_members_outside_are_left_out(tree, tmp_path):
    with tarfile.open(tmp_path / "dump.tar.gz", "w:gz") as archive:
        archive.add(tree, "machine")
        archive.add(tree / "proc/meminfo", "../escaped")
    with open_dump(tmp_path / "dump.tar.gz") as root:
        assert len(read_machine(root).cpus) == 8
    assert not (tmp_path.parent / "escaped").exists()


def test_a_tarball_of_several_machines_needs_a_name(tree, tmp_path):
    with tarfile.open(tmp_path / "dump.tar", "w") as archive:
        archive.add(tree, "one")
        archive.add(tree, "two")
    with pytest.raises(UsageError, match="one, two"), open_dump(tmp_path / "dump.tar"):
        pass
    with open_dump(tmp_path / "dump.tar", "two") as root:
        assert len(read_machine(root).cpus) == 8


@pytest.mark.parametrize("content", [b"not an archive", b""])
def test_what_is_no_archive_is_refused(tmp_path, content):
    (tmp_path / "dump.tar").write_bytes(content)
    with pytest.raises(UsageError), open_dump(tmp_path / "dump.tar"):
        pass


def test_writing_into_a_folder_in_use_is_refused(tree):
    with pytest.raises(UsageError, match="not empty"):
        write_tree(load_machine("one-cpu"), tree)


def member(name, kind, goal=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, goal
    return info


def test_no_link_of_a_tarball_is_made_through_another_link(tree, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    with tarfile.open(tmp_path / "dump.tar", "w") as archive:
        archive.add(tree, "machine")
        archive.addfile(member("machine/way", tarfile.SYMTYPE, str(outside)))
        archive.addfile(member("machine/way/planted", tarfile.SYMTYPE, "anything"))
        archive.addfile(member("machine/way/deep/planted", tarfile.SYMTYPE, "anything"))
    with open_dump(tmp_path / "dump.tar") as root:
        assert len(read_machine(root).cpus) == 8
    assert list(outside.iterdir()) == []


def test_a_hard_link_of_a_tarball_has_the_content_of_its_goal(tree, tmp_path):
    online = f"machine/{CPU}/online"
    with tarfile.open(tmp_path / "dump.tar", "w") as archive:
        archive.add(tree, "machine", filter=lambda one: None if one.name == online else one)
        archive.addfile(member(online, tarfile.LNKTYPE, f"machine/{CPU}/possible"))
    with open_dump(tmp_path / "dump.tar") as root:
        assert (root / CPU / "online").read_text() == "0-7\n"


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_devices_of_a_tarball_are_left_out(tree, tmp_path, kind):
    with tarfile.open(tmp_path / "dump.tar", "w") as archive:
        archive.add(tree, "machine")
        archive.addfile(member("machine/device", kind))
    with open_dump(tmp_path / "dump.tar") as root:
        assert not (root / "device").exists()


@pytest.mark.parametrize("bound", ["MAX_MEMBERS", "MAX_TOTAL"])
def test_a_tarball_beyond_bounds_is_refused(tree, tmp_path, monkeypatch, bound):
    with tarfile.open(tmp_path / "dump.tar", "w") as archive:
        archive.add(tree, "machine")
    monkeypatch.setattr(f"numa_conformance.machine.hostfs.dumps.{bound}", 20)
    with pytest.raises(UsageError, match="too large"), open_dump(tmp_path / "dump.tar"):
        pass


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz"])
def test_a_damaged_tarball_is_refused(tree, tmp_path, ending):
    path = tmp_path / f"dump.tar.{ending}"
    with tarfile.open(path, f"w:{ending}") as archive:
        archive.add(tree, "machine")
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 40] = bytes(40)
    path.write_bytes(content)
    with pytest.raises(UsageError), open_dump(path) as root:
        read_machine(root)


def test_a_link_to_a_name_that_cannot_exist_is_a_missing_file(tree):
    path = tree / CPU / "online"
    path.unlink()
    path.symlink_to("x" * 300)
    assert len(read_machine(tree).cpus) == 8


@pytest.mark.parametrize("text", ["1_0", "٣", "9" * 5000])
def test_a_number_is_what_the_kernel_writes(tree, text):
    (tree / CPU / "cpu0/topology/physical_package_id").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="is no number"):
        read_machine(tree)


def test_without_node_folders_there_is_one_node_with_the_pools_of_the_whole_machine(tree):
    shutil.rmtree(tree / "sys/devices/system/node")
    pool = tree / "sys/kernel/mm/hugepages/hugepages-2048kB"
    pool.mkdir(parents=True)
    (pool / "nr_hugepages").write_text("7\n")
    (tree / "proc/meminfo").write_text("MemTotal:       4096 kB\nMemFree:        1 kB\n")
    (node,) = read_machine(tree).memory
    assert (node.node, node.memory, node.hugepages) == (0, 4 << 20, {"2Mi": 7})


@pytest.mark.parametrize("folder", [f"{CPU}/cpu70000", "sys/devices/system/node/node999999999"])
def test_a_number_that_no_kernel_gives_is_refused(tree, folder):
    (tree / folder).mkdir()
    with pytest.raises(UsageError, match=folder):
        read_machine(tree)


def test_what_is_never_read_is_not_unpacked(tree, tmp_path):
    idle = tree / CPU / "cpu0/cpuidle/state0/time"
    idle.parent.mkdir(parents=True)
    idle.write_text("1\n")
    with tarfile.open(tmp_path / "dump.tar", "w") as archive:
        archive.add(tree, "machine")
    with open_dump(tmp_path / "dump.tar") as root:
        assert not (root / CPU / "cpu0/cpuidle/state0").exists()
        assert read_machine(root) == read_machine(tree, root.name)
        assert read_kubelet_view(root) == read_kubelet_view(tree)


def test_pages_of_any_size_are_written(tmp_path):
    node = MemoryNode(0, 4 << 20, {"1Ti": 0, "64Ki": 2})
    write_tree(dataclasses.replace(load_machine("one-cpu"), memory=(node,)), tmp_path / "host")
    pools = (tmp_path / "host/sys/devices/system/node/node0/hugepages").iterdir()
    told = {pool.name: int((pool / "nr_hugepages").read_text()) for pool in pools}
    assert told == {"hugepages-1073741824kB": 0, "hugepages-64kB": 2}


@pytest.mark.parametrize("kind", ["fifo", "/dev/zero"])
def test_a_dump_that_never_ends_is_refused(kind, tmp_path):
    path = Path(kind)
    if kind == "fifo":
        path = tmp_path / "dump.tar"
        os.mkfifo(path)
    with pytest.raises(UsageError, match=r"is a (FIFO|device)"), open_dump(path):
        pass
