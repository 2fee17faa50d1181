"""A program of a cluster that ends is started again, and given up when it ends ever again."""

from types import SimpleNamespace

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")

from numa_conformance.lab.cluster.programs import ClusterProgram


@pytest.fixture
def program(tmp_path):
    ended, started = set(), iter(range(1, 100))

    def begin(log):
        log.write_text("Error: no cluster\n")
        return next(started)

    launcher = SimpleNamespace(has_ended=lambda number: number in ended, ended=ended, end=ended.add)
    return ClusterProgram("prog", tmp_path / "log", launcher, begin)


def test_one_that_runs_is_left_alone(program):
    assert program.look() == ""  # it was not started yet
    program.start()
    assert (program.look(), program.number) == ("", 1)


def test_one_that_ends_is_started_again_three_times_and_then_has_fallen(program):
    program.start()
    told = []
    for _ in range(5):
        program.launcher.ended.add(program.number)
        told.append(program.look())
    again = "prog has ended: Error: no cluster; it is started again, which a kubelet does after a pause"
    assert told == [again, again, again, "prog has ended: Error: no cluster", ""]
    assert (program.fallen, program.restarts, program.number) == ("prog has ended: Error: no cluster", 3, 4)


def test_what_has_fallen_is_started_anew_when_it_is_told_to(program):
    program.start()
    for _ in range(4):
        program.launcher.ended.add(program.number)
        program.look()
    program.start()
    assert (program.fallen, program.restarts, program.number) == ("", 0, 5)


def test_one_that_is_started_anew_is_ended_before_and_not_started_twice(program):
    program.start()
    program.start()
    assert (program.launcher.ended, program.number, program.look()) == ({0, 1}, 2, "")
