"""On which machines a run asks."""

from dataclasses import replace

import pytest

from numa_conformance.asking.groups import ALL, GROUPS
from numa_conformance.asking.profiles import MachineChoice
from numa_conformance.errors import UsageError
from numa_conformance.machine import catalogue_names, load_machine

T1, LARGE = "t1-one-socket-smt2", "amd-milan-7763-nps4"
ON_MACHINES = ("picks", "allocations", "hints", "lives", "relations", "crashes", "damages", "starts")


@pytest.mark.parametrize("group", ON_MACHINES)
def test_every_group_is_asked_on_the_machine_that_is_named_and_on_no_other(group):
    chosen = MachineChoice.parse([T1])
    names = {scenario.machine.name for scenario in GROUPS[group].scenarios_on(chosen, ALL)}
    assert {name.partition(" with ")[0].partition(",")[0] for name in names} == {T1}


@pytest.mark.parametrize("group", ["picks", "lives", "starts"])
def test_a_machine_that_is_named_may_be_large_and_of_ones_own(group, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine and no other's\nsockets: 2\ncoresPerNuma: 4\nthreads: 2\nmemory: 8Gi\n")
    asked = GROUPS[group].scenarios_on(MachineChoice.parse([LARGE, str(file)]), ALL)
    assert {scenario.machine.name.partition(" with ")[0].partition(",")[0] for scenario in asked} == {
        LARGE,
        "mine and no other's",
    }


@pytest.mark.parametrize("group", ON_MACHINES)
def test_a_machine_that_is_left_out_is_all_that_is_left_out(group):
    whole = [scenario.machine.name for scenario in GROUPS[group].scenarios(ALL, 0)]
    name = next(name for name in whole if name in catalogue_names())
    rest = [scenario.machine.name for scenario in GROUPS[group].scenarios_on(MachineChoice.parse([f"-{name}"]), ALL)]
    assert rest == [other for other in whole if not other.startswith(name)]
    assert len(rest) < len(whole)


@pytest.mark.parametrize("group", ["classes", "merges", "scores"])
def test_what_tells_no_machine_is_asked_whatever_is_chosen(group):
    whole = len(list(GROUPS[group].scenarios(ALL, 0)))
    assert len(list(GROUPS[group].scenarios_on(MachineChoice.parse([LARGE]), ALL))) == whole
    assert len(list(GROUPS[group].scenarios_on(MachineChoice.parse(["-one-cpu"]), ALL))) == whole


def test_a_machine_stays_what_it_was_made_of():
    chosen = MachineChoice.parse([f"-{T1}", "-forty-numa-nodes"])
    machine = load_machine(T1)
    for name in (T1, f"{T1}, renumbered", f"{T1} with devices", "the first 9 of forty-numa-nodes"):
        assert not chosen.has(replace(machine, name=name))
    assert chosen.has(replace(machine, name=f"{T1}-b"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["t1-one-soket"], "no machine is called 't1-one-soket'"),
        (["-t1-one-soket"], "no machine is called 't1-one-soket'"),
        ([T1, f"-{T1}"], "named, and left out too"),
    ],
)
def test_what_chooses_nothing_is_refused(words, told):
    with pytest.raises(UsageError, match=told):
        MachineChoice.parse(words)
