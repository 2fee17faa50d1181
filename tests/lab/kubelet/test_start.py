"""What a kubelet's start comes to where the system lacks something, with a launcher that starts nothing."""

from types import SimpleNamespace

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")

from numa_conformance.errors import StartError, UsageError
from numa_conformance.lab.kubelet import files, process
from numa_conformance.lab.kubelet.process import RunningKubelet

NO_INOTIFY = 'E1123 10:00:00.000000 1 run.go:72] "command failed" err="inotify_init: too many open files"\n'
PANIC = "panic: runtime error: invalid memory address\n\ngoroutine 1 [running]:\n"
NO_CPU = 'E1123 10:00:01.000000 1 run.go:72] "command failed" err="start cpu manager error: no"\n'


class Failing:
    """Every start ends at once, and its log says the next of some words."""

    def __init__(self, folder, *words):
        self.folder = folder
        self.words = list(words)

    def start(self, machine, node, binary, flags):
        with (node / "kubelet.log").open("a") as log:
            log.write(self.words.pop(0))
        return 1

    def has_ended(self, number):
        return True


@pytest.fixture
def start(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "_INOTIFY_AGAIN_SECONDS", 0.0)
    folder = tmp_path / "node"
    (folder / "device-plugins").mkdir(parents=True)
    return lambda *words: RunningKubelet(Failing(folder, *words), "kubelet", folder, {}, {})


def test_inotify_instances_that_others_have_are_waited_for(start):
    with pytest.raises(StartError, match="start cpu manager error") as failure:
        start(NO_INOTIFY, NO_INOTIFY, NO_CPU)
    assert failure.value.stage == "cpumanager-start"


def test_a_lack_of_inotify_instances_is_no_answer_of_the_kubelet(start, monkeypatch):
    monkeypatch.setattr(process, "_INOTIFY_SECONDS", -1.0)
    with pytest.raises(UsageError, match=r"sysctl fs\.inotify"):
        start(NO_INOTIFY)


def test_a_crash_is_told_by_its_panic_not_by_an_error_before_it(start):
    with pytest.raises(StartError) as failure:
        start(NO_CPU + PANIC)
    assert (failure.value.stage, failure.value.message) == ("cpumanager-start", PANIC.splitlines()[0])


@pytest.mark.parametrize("cpu", [-1, 10**12])
def test_a_cpu_that_no_computer_has_is_refused_at_once(tmp_path, monkeypatch, cpu):
    monkeypatch.setattr(files, "ask", lambda *_: SimpleNamespace(cpu_ids=[0, cpu]))
    with pytest.raises(ValueError, match=rf"id {cpu} is outside 0\.\.65535"):
        files.allocatable_cpus(tmp_path)
