import json

import pytest
import yaml

from numa_conformance.errors import UsageError
from numa_conformance.machine import (
    catalogue_names,
    data_folder,
    derive_view,
    load_machine,
    machine_from_dict,
    machine_to_dict,
    read_machine_file,
)

EVERY = [load_machine(name) for name in catalogue_names()]


def some(property_holds):
    return [machine.name for machine in EVERY if property_holds(machine)]


@pytest.mark.parametrize("machine", EVERY, ids=lambda machine: machine.name)
def test_every_machine_is_named_as_its_file_and_survives_the_wire(machine):
    assert machine.name in catalogue_names()
    assert machine.description
    assert machine_from_dict(machine_to_dict(machine)) == machine


@pytest.mark.parametrize("machine", EVERY, ids=lambda machine: machine.name)
def test_every_machine_is_invented_or_cites_a_source(machine):
    assert machine.description.startswith("invented; ") or any(note.startswith("source: ") for note in machine.notes)


@pytest.mark.parametrize("name", catalogue_names())
def test_every_file_is_compact(name):
    text = (data_folder("fixtures") / "topologies" / f"{name}.yaml").read_text()
    assert len(text.splitlines()) <= 32
    assert text.startswith("# ")
    assert "cpus" not in yaml.safe_load(text)


def test_the_catalogue_covers_what_hardware_does():
    def threads_of(machine):
        return {core.bit_count() for core in machine.core_bits}

    assert len(EVERY) >= 26
    assert some(lambda m: len(m.cpus) == 1)
    for threads in (1, 2, 4, 8):
        assert some(lambda m, threads=threads: threads_of(m) == {threads})
    for sockets in (1, 2, 4, 8):
        assert some(lambda m, sockets=sockets: len(m.socket_bits) == sockets)
    for cpus in (4, 6, 8, 16, 32):
        assert some(lambda m, cpus=cpus: {bits.bit_count() for bits in m.uncore_bits.values()} == {cpus})
    assert some(lambda m: any(core == 0b11 for core in m.core_bits))
    assert some(lambda m: len(threads_of(m)) > 1)
    assert some(lambda m: m.offline)
    assert some(lambda m: m.numa_ids != tuple(range(len(m.numa_ids))))
    assert some(lambda m: not m.offline and m.online_bits & (m.online_bits + 1))
    assert some(lambda m: len({bits.bit_count() for bits in m.numa_bits.values() if bits}) > 1)
    assert some(lambda m: not all(m.numa_bits.values()))
    assert some(lambda m: any(node.memory == 0 and m.numa_bits[node.node] for node in m.memory))
    assert some(lambda m: len(m.socket_bits) > len(m.numa_ids))
    assert some(lambda m: 8 < len(m.numa_ids) <= 32)
    assert some(lambda m: sum(map(bool, m.numa_bits.values())) > 32)
    assert some(lambda m: any({"2Mi", "1Gi"} <= node.hugepages.keys() for node in m.memory))
    assert some(lambda m: any(device.numa for device in m.devices))


def test_caches_relate_to_nodes_in_every_way():
    def splits(cache, node):
        return cache & node and cache & ~node and node & ~cache

    def related(machine, relation):
        return any(relation(c, n) for c in machine.uncore_bits.values() for n in machine.numa_bits.values())

    assert some(lambda m: related(m, lambda cache, node: node and cache & node == cache != node))
    assert some(lambda m: related(m, lambda cache, node: cache == node))
    assert some(lambda m: related(m, lambda cache, node: node and cache & node == node != cache))
    assert some(lambda m: related(m, splits))


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("t1-one-socket-smt2", lambda c: (0, 0, c % 4, 0)),
        ("t2-two-sockets-interleaved", lambda c: (c % 2, c % 2, c % 6, c % 2)),
        ("t3-two-numa-per-socket", lambda c: (c % 16 // 4, c % 16 // 8, c % 16, c % 16 // 4)),
        ("t4-four-uncores", lambda c: (0, 0, c % 16, c % 16 // 4)),
        ("t5-two-sockets-one-numa", lambda c: (0, c % 8 // 4, c % 8, c % 8 // 4)),
        ("t6-eight-numa-no-smt", lambda c: (c // 4, c // 16, c, c // 4)),
        ("t7-adjacent-siblings", lambda c: (0, 0, c // 2 * 2, 0)),
    ],
)
def test_the_kubelet_sees_the_documented_fixtures_as_stated(name, ids):
    for row in derive_view(load_machine(name)).cpus:
        assert (row.numa, row.socket, row.core, row.uncore) == ids(row.id)


def test_a_name_is_read_once():
    assert load_machine("one-cpu") is load_machine("one-cpu")


def test_an_unknown_name_gets_the_closest_one():
    with pytest.raises(UsageError) as caught:
        load_machine("amd-milan-7763-nps2")
    assert caught.value.faults[0].suggestion in ("amd-milan-7763-nps1", "amd-milan-7763-nps4")


def test_a_path_is_read_in_either_form(tmp_path):
    compact, plain = tmp_path / "mine.yaml", tmp_path / "mine.json"
    compact.write_text("{name: mine, coresPerNuma: 2, memory: 1Gi}")
    plain.write_text(json.dumps(machine_to_dict(load_machine(str(compact)))))
    assert load_machine(str(plain)) == load_machine(str(compact))


def test_a_fault_in_a_file_names_the_file(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("{name: mine, coresPerNuma: two}")
    with pytest.raises(UsageError) as caught:
        load_machine(str(file))
    assert str(caught.value).startswith(f"{file}: coresPerNuma: is 'two'")


@pytest.mark.parametrize("text", ["", "a: 1\n---\nb: 2\n"])
def test_a_file_holds_one_machine(tmp_path, text):
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match="one machine"):
        read_machine_file(file)


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        load_machine(str(tmp_path / "none.yaml"))
