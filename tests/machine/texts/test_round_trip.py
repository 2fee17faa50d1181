"""What a tool prints of a machine is read as this machine."""

import pytest
from hypothesis import given, settings

from numa_conformance.asking.strategies.machines import machines
from numa_conformance.machine import catalogue_names, load_machine, read_machine_file
from printed_texts import cadvisor, cores_of, libvirt, lscpu_e, lscpu_p, lstopo, numactl

PRINTED = {"lscpu -e": lscpu_e, "lscpu -p": lscpu_p, "lstopo": lstopo, "cadvisor": cadvisor, "libvirt": libvirt}
WITH_MEMORY = ("lstopo", "cadvisor", "libvirt")


def partition(groups):
    sets = {}
    for cpu, group in groups.items():
        sets.setdefault(group, set()).add(cpu)
    sets.pop(None, None)
    return {frozenset(cpus) for cpus in sets.values()}


def column(machine, name):
    return {cpu.id: getattr(cpu, name) for cpu in machine.cpus}


def cpus_of(machine):
    parts = [partition(column(machine, name)) for name in ("socket", "uncore")]
    return column(machine, "numa"), partition(cores_of(machine)), *parts


def check(folder, machine, tool):
    file = folder / "pasted.txt"
    file.write_text(PRINTED[tool](machine))
    made = read_machine_file(file)
    assert cpus_of(made) == cpus_of(machine)
    if tool in WITH_MEMORY and any(node.memory for node in machine.memory):
        assert [node.memory for node in made.memory] == [node.memory or 0 for node in machine.memory]
        assert [node.hugepages for node in made.memory] == [node.hugepages for node in machine.memory]
    if tool in WITH_MEMORY and machine.distances:
        assert made.distances == machine.distances


@pytest.mark.parametrize("tool", PRINTED)
@pytest.mark.parametrize("name", catalogue_names())
def test_a_machine_of_the_catalogue_is_read_from_what_a_tool_prints(tmp_path, name, tool):
    machine = load_machine(name)
    if all(cpu.core is not None for cpu in machine.cpus):
        check(tmp_path, machine, tool)


@pytest.mark.parametrize("tool", PRINTED)
@given(machine=machines(max_cpus=24, devices=False))
@settings(max_examples=25)
def test_any_machine_is_read_from_what_a_tool_prints(tmp_path_factory, machine, tool):
    if all(cpu.core is not None for cpu in machine.cpus):
        check(tmp_path_factory.mktemp("texts"), machine, tool)


@pytest.mark.parametrize("name", catalogue_names())
def test_several_texts_of_one_machine_agree(tmp_path, name):
    machine = load_machine(name)
    if any(cpu.core is None for cpu in machine.cpus):
        return
    files = []
    for tool, printed in {**PRINTED, "numactl": numactl}.items():
        files.append(tmp_path / tool)
        files[-1].write_text(printed(machine))
    made = read_machine_file(*files)
    assert cpus_of(made) == cpus_of(machine)
    if all(node.memory for node in machine.memory):
        assert [node.memory for node in made.memory] == [node.memory for node in machine.memory]
    assert machine.distances is None or made.distances == machine.distances


@pytest.mark.parametrize("name", catalogue_names())
def test_a_file_of_a_machine_is_no_text_of_a_tool(name):
    from numa_conformance.machine import data_folder
    from numa_conformance.machine.texts.readers import facts_of_text

    assert facts_of_text((data_folder("fixtures") / "topologies" / f"{name}.yaml").read_text(), name) == []
