import pytest

from numa_conformance.errors import StartError
from numa_conformance.reference.managers.cpu import CpuState
from reference.managers.cpu.golden_machines import golden
from reference.managers.cpu.workloads import admit, bits, pod, static

STRICT = ("strict-cpu-reservation",)


def restored(default: str, *options: str, **assignments: str) -> CpuState:
    manager = static(golden("T1"), *options, reserved="0")
    manager.restore(CpuState(bits(default), {uid: {"c": bits(cpus)} for uid, cpus in assignments.items()}))
    return manager.state


@pytest.mark.parametrize(
    ("options", "default", "assignments", "message"),
    [
        ((), "", {"a": "1"}, "default cpuset cannot be empty"),
        ((), "1-7", {}, 'not all reserved cpus: "0" are present in defaultCpuSet: "1-7"'),
        (STRICT, "0-7", {}, 'some of strictly reserved cpus: "0" are present in defaultCpuSet: "0-7"'),
        ((), "0-7", {"a": "1-2"}, 'pod: a, container: c cpuset: "1-2" overlaps with default cpuset "0-7"'),
        ((), "0-5", {"a": "6"}, 'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-6"'),
        ((), "0-8", {}, 'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-8"'),
        (STRICT, "1-6", {"a": "0,7"}, 'current set of available CPUs "1-7" doesn\'t match with CPUs in state "0-7"'),
    ],
)
def test_refuses_a_state_that_does_not_fit(
    options: tuple[str, ...], default: str, assignments: dict[str, str], message: str
) -> None:
    with pytest.raises(StartError) as refused:
        restored(default, *options, **assignments)
    assert (refused.value.stage, refused.value.message) == ("cpumanager-start", message)


def test_an_empty_state_becomes_a_fresh_one() -> None:
    assert restored("") == CpuState(bits("0-7"))
    assert restored("", *STRICT) == CpuState(bits("1-7"))


def test_assignments_that_overlap_each_other_are_taken_as_they_are() -> None:
    assert restored("0,3-7", a="1-2", b="1").assignments == {"a": {"c": bits("1-2")}, "b": {"c": bits("1")}}


def test_what_is_restored_is_a_copy() -> None:
    manager = static(golden("T1"), reserved="0")
    stored = CpuState(bits("0-7"))
    manager.restore(stored)
    admit(manager, pod("a", 1))
    assert stored == CpuState(bits("0-7"))
