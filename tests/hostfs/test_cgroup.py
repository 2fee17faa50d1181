import os
from pathlib import Path

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.hostfs import CgroupTree, CgroupUpdate, write_cgroup_tree
from numa_conformance.machine import load_machine

MACHINE = load_machine("t1-one-socket-smt2")


@pytest.fixture(params=[1, 2])
def tree(request, tmp_path):
    write_cgroup_tree(MACHINE, tmp_path / "cgroup", {"a": ["c", "d"], "b": ["c"]}, version=request.param)
    opened = CgroupTree.open(tmp_path / "cgroup")
    assert opened.version == request.param
    return opened


def test_cpusets_are_written_and_read(tree):
    assert tree.read("a", "c") == 0xFF
    assert tree.apply([CgroupUpdate("a", "c", 0b0110), CgroupUpdate("b", "c", 0b1001)]) == []
    assert (tree.read("a", "c"), tree.read("b", "c"), tree.read("a", "d")) == (0b0110, 0b1001, 0xFF)


def test_a_stale_container_is_a_failure_and_stops_nobody(tree):
    failures = tree.apply([CgroupUpdate("gone", "c", 1), CgroupUpdate("a", "c", 2), CgroupUpdate("b", "c", 0)])
    assert [one.update.uid for one in failures] == ["gone", "b"]
    assert tree.read("a", "c") == 2


def test_no_step_leaves_two_containers_on_one_cpu(tree, monkeypatch):
    tree.apply([CgroupUpdate("a", "c", 0b0011), CgroupUpdate("b", "c", 0b1100), CgroupUpdate("a", "d", 0b110000)])
    wanted = [CgroupUpdate("a", "c", 0b0111), CgroupUpdate("b", "c", 0b1000)]
    seen = []
    write = Path.write_text

    def watched(self, text, **more):
        done = write(self, text, **more)
        seen.append(tree.read("a", "c") & tree.read("b", "c"))
        return done

    monkeypatch.setattr(Path, "write_text", watched)
    tree.apply(wanted)
    assert seen == [0, 0]


@pytest.mark.parametrize("name", ["..", "a/b", "", "x" * 300])
def test_names_from_strangers_are_checked(tree, name):
    with pytest.raises(UsageError):
        tree.apply([CgroupUpdate(name, "c", 1)])


def test_a_container_behind_a_link_is_not_written(tree, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "cpuset.cpus").write_text("0-7\n")
    base = tmp_path / "cgroup" / ("cpuset" if tree.version == 1 else "") / "kubepods"
    (base / "pode").symlink_to(outside.parent / "outside-parent")
    (base / "poda" / "link").symlink_to(outside)
    assert len(tree.apply([CgroupUpdate("a", "link", 1)])) == 1
    assert (outside / "cpuset.cpus").read_text() == "0-7\n"


def test_a_folder_without_hierarchy_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no cpuset hierarchy"):
        CgroupTree.open(tmp_path)


HIERARCHY = Path("/sys/fs/cgroup/cpuset" if Path("/sys/fs/cgroup/cpuset").is_dir() else "/sys/fs/cgroup")


@pytest.mark.skipif(
    not os.access(HIERARCHY, os.W_OK) or not (HIERARCHY / "cpuset.cpus").is_file(),
    reason="this computer has no cpuset hierarchy that this user may write",
)
def test_the_computers_own_hierarchy_takes_a_cpuset():
    group = HIERARCHY / "kubepods"
    if group.exists():
        pytest.skip("kubepods is in use on this computer")
    container = group / "podtest" / "c"
    container.mkdir(parents=True)
    try:
        cpus = (HIERARCHY / "cpuset.cpus").read_text()
        for folder in (group, group / "podtest", container):
            (folder / "cpuset.cpus").write_text(cpus)
        tree = CgroupTree(HIERARCHY, 1)
        assert tree.apply([CgroupUpdate("test", "c", 1)]) == []
        assert tree.read("test", "c") == 1
    finally:
        for folder in (container, group / "podtest", group):
            folder.rmdir()
