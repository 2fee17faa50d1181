"""The fixtures in tests whose disk is pyfakefs, in every order of arguments."""

import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest

pytest.importorskip("pyfakefs", reason="fake file systems need pyfakefs: the extra 'fixtures'")
HEAD = """
import os
from pathlib import Path

import pytest


def look(numa_machine, fake_sysfs, fake_cgroupfs):
    machine = numa_machine("t1-one-socket-smt2")
    assert fake_sysfs(machine) == Path("/")
    assert {"proc", "sys"} <= set(os.listdir("/"))
    online = Path("/sys/devices/system/cpu/online")
    assert open("/sys/devices/system/cpu/cpu1/topology/core_cpus_list").read() == "1,5\\n"
    assert len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) == 1
    assert "MemTotal" in Path("/proc/meminfo").read_text()
    root = fake_cgroupfs(machine, {"a": ["c"]})
    assert root == Path("/sys/fs/cgroup")
    assert (root / "kubepods/poda/c/cpuset.cpus").read_text() == "0-7\\n"
    assert online.read_text() == "0-7\\n"
    online.write_text("0-3\\n")
    Path("machine.yaml").write_text("kind: KubeletConfiguration\\n")
    with pytest.raises(Exception, match="is a KubeletConfiguration"):
        numa_machine("./machine.yaml")


def test_a_folder_that_is_there_is_not_written_over(fs, numa_machine, fake_sysfs):
    fs.create_file("/proc/1/status")
    with pytest.raises(Exception, match="/proc: is there already"):
        fake_sysfs(numa_machine("one-cpu"))


def test_without_pyfakefs_there_is_a_folder(tmp_path, numa_machine, fake_sysfs, fake_cgroupfs):
    machine = numa_machine("one-cpu")
    assert fake_sysfs(machine).is_relative_to(tmp_path)
    assert fake_cgroupfs(machine, {}, version=1).is_relative_to(tmp_path)
"""
LOOK = """

def test_{number}({arguments}):
    look(numa_machine, fake_sysfs, fake_cgroupfs)
"""
SNAPSHOT = """

def test_snapshot_{number}({arguments}):
    from numa_conformance.cpuset import CpuSet
    from numa_conformance.testing import PlacementMap

    assert PlacementMap(numa_machine("t1-one-socket-smt2"), {{"web": CpuSet([1, 5])}}) == numa_snapshot
"""

DIRECT = """
from numa_conformance.machine import load_machine


def test_mine(fs):
    assert load_machine("one-cpu").cpus
"""


def orders(template, *fixtures):
    every = enumerate(permutations(fixtures))
    return "".join(template.format(number=number, arguments=", ".join(order)) for number, order in every)


def run(folder, *args):
    """Run pytest in a process that has imported nothing yet; return the code and what is printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", *args]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, done.stdout


def test_every_order_of_arguments_works(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    looks = orders(LOOK, "fs", "numa_machine", "fake_sysfs", "fake_cgroupfs")
    (tmp_path / "test_mine.py").write_text(HEAD + looks)
    code, out = run(tmp_path)
    assert code == 0, out
    assert "26 passed" in out
    assert not list((tmp_path / "tmp").glob("numa-conformance-*"))


@pytest.mark.parametrize("scope", ["class", "module", "session"])
def test_a_file_system_of_a_wider_scope_works(tmp_path, scope):
    look = LOOK.format(number=1, arguments=f"fake_sysfs, fs_{scope}, numa_machine, fake_cgroupfs")
    (tmp_path / "test_mine.py").write_text(HEAD.partition("\n\ndef test_")[0] + look)
    code, out = run(tmp_path)
    assert (code, "1 passed" in out) == (0, True), out


def test_snapshots_are_files_of_the_disk(tmp_path):
    pytest.importorskip("syrupy", reason="own snapshots need syrupy: the extra 'snapshots'")
    (tmp_path / "test_mine.py").write_text(orders(SNAPSHOT, "fs", "numa_machine", "numa_snapshot"))
    code, out = run(tmp_path, "--snapshot-update")
    assert code == 0, out
    written = list(tmp_path.rglob("*.txt"))
    assert len(written) == 6
    code, out = run(tmp_path)
    assert code == 0, out
    Path(written[0]).write_text("another\n")
    assert run(tmp_path)[0] == 1


def test_a_machine_of_the_catalogue_is_loaded_from_the_disk_by_whoever_asks(tmp_path):
    (tmp_path / "test_mine.py").write_text(DIRECT)
    code, out = run(tmp_path)
    assert code == 0, out
