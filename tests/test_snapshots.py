"""Own snapshots of placements: written and compared by syrupy, in the form of the suite's."""

import pytest

from forked_pytest import run_pytest
from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import load_machine
from numa_conformance.testing import PlacementMap

pytest.importorskip("syrupy", reason="own snapshots need syrupy: the extra 'snapshots'")
TEST = """
from numa_conformance.cpuset import CpuSet
from numa_conformance.testing import PlacementMap

def test_a_pod_stays(numa_machine, numa_snapshot):
    assert PlacementMap(numa_machine("t1-one-socket-smt2"), {"web": CpuSet([CPUS])}) == numa_snapshot
"""


def run(folder, cpus, *args):
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_mine.py").write_text(TEST.replace("CPUS", cpus))
    return run_pytest(folder, "-q", "-p", "no:cacheprovider", *args)


def test_it_is_written_once_and_a_moved_pod_is_a_difference_between_maps(tmp_path):
    assert run(tmp_path, "1, 5").ret == 1
    assert run(tmp_path, "1, 5", "--snapshot-update").ret == 0
    (file,) = (tmp_path / "__snapshots__").rglob("*.txt")
    assert file.read_text().splitlines()[1] == "web: 2 CPUs on 1,5"
    assert "| 1,5 aa |" in file.read_text()
    assert run(tmp_path, "1, 5").ret == 0
    moved = run(tmp_path, "2, 6")
    assert moved.ret == 1
    shown = moved.stdout.str()
    assert "web: 2 CPUs on 1,5" in shown
    assert "web: 2 CPUs on 2,6" in shown


def test_the_text_is_lines_and_a_map():
    machine = load_machine("one-cpu")
    assert str(PlacementMap(machine, {}, ["said"])).startswith("said\n\nsocket 0")
    assert str(PlacementMap(machine, {"p": CpuSet([0])})).startswith("one-cpu\np: 1 CPUs on 0\n\n")


def test_something_else_is_refused():
    from numa_conformance.snapshots import PlacementExtension

    with pytest.raises(TypeError, match="takes a PlacementMap or a text, not dict"):
        PlacementExtension.serialize(object.__new__(PlacementExtension), {})
