"""By the quirk removed-pods-stay-in-state-files a manager lets go of what gone pods had when it is asked itself."""

import pytest

from numa_conformance.asking.generators.workloads import best_effort, container, guaranteed, pod, static_memory
from numa_conformance.machine import load_machine
from numa_conformance.machine.hostfs import DirectoryStore
from numa_conformance.reference.node import Node
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import DEFAULT

CPU, MEMORY = "cpu_manager_state", "memory_manager_state"
TOO_LARGE = guaranteed("large", 100)


def emptied(topology="none", store=None):
    """A node on which pod ``a`` had CPUs and memory, and is gone."""
    config = static_memory(topology=topology)
    one = Node(load_machine("t1-one-socket-smt2"), config, quirks=Quirks.of(DEFAULT), store=store)
    assert one.admit(guaranteed("a", 3)).admitted
    assert one.remove("a")
    return one


def restarted(topology="none"):
    """A node that read from its files what pod ``a`` had, which is gone."""
    one = emptied(topology)
    one.restart(at_once=True)
    return one


def after_a_restart_at_once(one, uid="a"):
    """The files in which a pod still is."""
    one.restart(at_once=True)
    return {name for name, text in one.checkpoints().items() if f'"{uid}"' in text.replace("\\", "")}


@pytest.mark.parametrize("begun", [emptied, restarted])
@pytest.mark.parametrize(
    ("topology", "asked_for", "left"),
    [
        ("none", TOO_LARGE, {MEMORY}),  # without hints the Memory Manager comes after the CPU Manager, which refused
        ("none", guaranteed("b", 1, memory="1Ti"), set()),
        ("none", best_effort("b"), set()),
        ("best-effort", TOO_LARGE, set()),  # asked for hints first
        ("restricted", TOO_LARGE, set()),
    ],
)
def test_an_admission_releases_for_those_who_are_asked(begun, topology, asked_for, left):
    one = begun(topology)
    assert one.admit(asked_for).admitted == (asked_for == best_effort("b"))
    assert after_a_restart_at_once(one) == left


@pytest.mark.parametrize("begun", [emptied, restarted])
def test_a_pass_of_the_loop_releases_cpus_alone(begun):
    one = begun()
    one.reconcile()
    assert after_a_restart_at_once(one) == {MEMORY}


def test_the_next_pod_that_comes_so_far_releases_all():
    one = restarted()
    assert not one.admit(TOO_LARGE).admitted
    assert one.admit(best_effort("b")).admitted
    assert after_a_restart_at_once(one) == set()


def test_what_a_refused_pod_was_given_by_then_stays():
    two = [container("c", cpu="1", memory="64Mi"), container("d", cpu="100", memory="64Mi")]
    one = emptied()
    assert not one.admit(pod("b", two)).admitted
    assert after_a_restart_at_once(one, "b") == {CPU, MEMORY}


def test_a_pod_that_comes_again_leaves_what_its_gone_container_had():
    one = emptied()
    assert one.admit(pod("b", [container("before", cpu="1", memory="64Mi")])).admitted
    assert not one.admit(pod("b", [container("after", cpu="100", memory="64Mi")])).admitted
    one.restart(at_once=True)
    assert ["before" in one.checkpoints()[name] for name in (CPU, MEMORY)] == [False, True]


def test_files_in_a_folder_are_left_the_same(tmp_path):
    one = emptied(store=DirectoryStore(tmp_path))
    assert not one.admit(TOO_LARGE).admitted
    assert after_a_restart_at_once(one) == {MEMORY}


def test_a_file_that_is_deleted_below_a_node_is_not_kept(tmp_path):
    one = emptied(store=DirectoryStore(tmp_path))
    one.reconcile()
    assert one.admit(guaranteed("b", 2)).admitted
    (tmp_path / CPU).unlink()
    assert one.remove("b")
    assert after_a_restart_at_once(one, "b") == {MEMORY}


def test_a_copy_leaves_the_same_and_does_not_disturb():
    one = emptied()
    copied = one.copy()
    assert copied.admit(best_effort("b")).admitted
    assert after_a_restart_at_once(copied) == set()
    assert after_a_restart_at_once(one) == {CPU, MEMORY}


@pytest.mark.parametrize("quirks", [Quirks.of(DEFAULT), Quirks.none()])
def test_a_pass_of_the_loop_leaves_the_memory_that_files_brought(quirks):
    config = static_memory()
    one = Node(load_machine("t1-one-socket-smt2"), config, quirks=quirks)
    assert one.admit(guaranteed("a", 3)).admitted
    files = one.checkpoints()
    assert one.remove("a")
    one.write_files(files)
    one.restart()
    one.reconcile()
    assert ['"a"' in one.checkpoints()[name].replace("\\", "") for name in (CPU, MEMORY)] == [False, True]
    assert one.admit(best_effort("b")).admitted
    assert '"a"' not in one.checkpoints()[MEMORY].replace("\\", "")
