import contextlib
import errno
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.cpuset import CpuSet
from numa_conformance.errors import UsageError
from numa_conformance.machine import load_machine
from numa_conformance.machine.hostfs import CgroupTree, CgroupUpdate, write_cgroup_tree

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


@pytest.fixture
def systemd(tmp_path):
    write_cgroup_tree(MACHINE, tmp_path / "systemd", {"a-b": ["c"]}, driver="systemd")
    return tmp_path / "systemd"


def test_the_drivers_names_are_found_out(systemd):
    tree = CgroupTree.open(systemd)
    assert (tree.version, tree.driver) == (2, "systemd")
    assert tree.apply([CgroupUpdate("a-b", "c", 0b11)]) == []
    assert (systemd / "kubepods.slice/kubepods-poda_b.slice/cri-c.scope/cpuset.cpus").read_text() == "0-1\n"


@pytest.mark.parametrize(("kind", "said"), [({"version": 3}, "1 or 2"), ({"driver": "sytemd"}, "'systemd'")])
def test_a_tree_of_another_kind_is_refused(tmp_path, kind, said):
    with pytest.raises(UsageError, match=said):
        write_cgroup_tree(MACHINE, tmp_path / "new", {}, **kind)


@contextlib.contextmanager
def writes(refused=()):
    """Yield the files written, in order, with a kernel that refuses those of the containers named."""
    done, write = [], Path.write_text

    def watched(self, text, **more):
        if self.parent.name in refused:
            raise OSError(errno.EBUSY, "Device or resource busy")
        written = write(self, text, **more)
        done.append((self.parent.name, CpuSet.parse(text.strip()).bits))
        return written

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "write_text", watched)
        yield done


def owners():
    """Return CPUs for each of three containers, out of six; CPUs 6 and 7 are nobody's."""
    drawn = st.lists(st.integers(0, 3), min_size=6, max_size=6).filter(lambda one: {0, 1, 2} <= set(one))
    return drawn.map(lambda one: [sum(1 << cpu for cpu, owner in enumerate(one) if owner == who) for who in range(3)])


@given(old=owners(), new=owners())
def test_exclusive_cpus_stay_exclusive_at_every_step(tmp_path_factory, old, new):
    root = tmp_path_factory.mktemp("cgroup") / "root"
    write_cgroup_tree(MACHINE, root, {"p": ["c0", "c1", "c2"]})
    tree = CgroupTree.open(root)
    state = {f"c{who}": bits for who, bits in enumerate(old)}
    for name, bits in state.items():
        tree.apply([CgroupUpdate("p", name, bits)])
    with writes() as done:
        assert tree.apply([CgroupUpdate("p", f"c{who}", bits) for who, bits in enumerate(new)]) == []
    for name, bits in done:
        state[name] = bits
        assert sum(map(int.bit_count, state.values())) == (state["c0"] | state["c1"] | state["c2"]).bit_count()
    assert list(state.values()) == new == [tree.read("p", f"c{who}") for who in range(3)]
    shutil.rmtree(root)


def test_two_that_change_places_on_a_full_machine_both_arrive(tree):
    tree.apply([CgroupUpdate("a", "c", 0x0F), CgroupUpdate("b", "c", 0xF0)])
    assert tree.apply([CgroupUpdate("a", "c", 0xF0), CgroupUpdate("b", "c", 0x0F)]) == []
    assert (tree.read("a", "c"), tree.read("b", "c")) == (0xF0, 0x0F)


def test_nobody_gets_a_cpu_whose_owner_could_not_be_moved(tree):
    tree.apply([CgroupUpdate("a", "c", 0b0011), CgroupUpdate("a", "d", 0b1100)])
    with writes(refused=["d"]):
        failures = tree.apply([CgroupUpdate("a", "c", 0b0111), CgroupUpdate("a", "d", 0b1000)])
    assert [(one.update.container, one.reason) for one in failures] == [
        ("c", "another container still has CPUs of it"),
        ("d", "Device or resource busy"),
    ]
    assert (tree.read("a", "c"), tree.read("a", "d")) == (0b0011, 0b1100)


def test_of_several_updates_of_a_container_the_last_counts(tree):
    tree.apply([CgroupUpdate("a", "c", 1), CgroupUpdate("a", "c", 2)])
    assert tree.read("a", "c") == 2


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


@pytest.mark.parametrize("text", ["0-", "none", "\x00\x01", ""])
def test_what_is_no_cpuset_is_none_and_is_written(tree, tmp_path, text):
    base = tmp_path / "cgroup" / ("cpuset" if tree.version == 1 else "") / "kubepods"
    (base / "poda/c/cpuset.cpus").write_text(text)
    assert tree.read("a", "c") == 0
    assert tree.apply([CgroupUpdate("a", "c", 2)]) == []
    assert tree.read("a", "c") == 2


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
