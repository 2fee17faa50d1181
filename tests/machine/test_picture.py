import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.asking.strategies import machines
from numa_conformance.machine import allocation_map, load_machine, machine_from_dict
from numa_conformance.machine.picture import owner_symbols

SMALL = machine_from_dict(
    {"name": "small", "sockets": 2, "coresPerNuma": 4, "threads": 2, "uncore": {"cores": 2}, "memory": "1Gi"}
)


def test_draws_caches_cores_and_who_has_them():
    assert allocation_map(
        SMALL, {"reserved": 1 << 0 | 1 << 8, "shared": 0xFF00 & ~(1 << 8 | 1 << 9), "pod-a/c": 1 << 1 | 1 << 9}
    ) == (
        "socket 0  numa 0  L3 0 | 0,8  RR | 1,9  aa |\n"
        "socket 0  numa 0  L3 1 | 2,10 -. | 3,11 -. |\n"
        "socket 1  numa 1  L3 2 | 4,12 -. | 5,13 -. |\n"
        "socket 1  numa 1  L3 3 | 6,14 -. | 7,15 -. |\n"
        "\n"
        "R reserved\n"
        ". shared\n"
        "a pod-a/c\n"
        "- nobody"
    )


def test_a_cpu_of_two_owners_shows_both():
    assert "| 0,8  [aR]R |" in allocation_map(SMALL, {"x": 1, "reserved": 1 | 1 << 8})


def test_without_owners_it_is_the_machine_alone():
    assert allocation_map(SMALL, {}).splitlines()[1] == "socket 0  numa 0  L3 1 | 2,10 | 3,11 |"


def test_details_tell_memory_devices_and_distances():
    text = allocation_map(load_machine("two-nodes-hugepages-devices"), {}, details=True)
    assert "numa 0: 31.30 GiB, 4 pages of 1Gi, 1024 pages of 2Mi" in text
    assert "example.com/fpga: fpga-0 (numa 0,1)" in text
    assert "nic-broken (numa 1) unhealthy" in text
    assert "  numa 1    21 10" in text


def test_nodes_without_cpus_and_offline_cpus_are_told():
    made = machine_from_dict(
        {"name": "m", "coresPerNuma": 2, "offline": 1, "memoryOnlyNodes": [{"nodes": 4, "memory": 0}]}
    )
    assert allocation_map(made, {}).splitlines()[1:] == ["numa 4: no CPUs", "offline: 1"]


def test_cpus_given_away_that_are_not_online_are_told():
    assert "not online, and yet given away: 16-17" in allocation_map(SMALL, {"a": 0b111 << 15})


@given(machine=machines(), data=st.data())
def test_a_cpu_that_changes_hands_changes_one_line(machine, data):
    ids = [cpu.id for cpu in machine.cpus]
    owners = {
        label: sum(1 << one for one in data.draw(st.sets(st.sampled_from(ids)), label=label))
        for label in ("reserved", "shared", "a/b")
    }
    moved = 1 << data.draw(st.sampled_from(ids), label="moved")
    before = allocation_map(machine, owners).splitlines()
    after = allocation_map(machine, {**owners, "a/b": owners["a/b"] ^ moved}).splitlines()
    assert len(before) == len(after)
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


@given(machine=machines())
def test_every_cpu_stands_in_the_picture_once(machine):
    cells = [
        cell.strip()
        for line in allocation_map(machine, {}).splitlines()
        for cell in line.split(" | ")[1:]
        if "|" in line
    ]
    drawn = [int(one) for cell in cells for one in cell.rstrip("|").split(",")]
    assert sorted(drawn) == [cpu.id for cpu in machine.cpus]


def test_long_rows_are_cut():
    lines = allocation_map(load_machine("amd-turin-9965-nps1"), {}).splitlines()
    assert max(map(len, lines)) <= 120
    assert lines[0].startswith("socket 0  numa 0  L3 0 ")


@pytest.mark.parametrize(("count", "last"), [(26, "z"), (27, "A"), (48, "W"), (49, "(49)")])
def test_symbols_are_letters_and_then_numbers(count, last):
    symbols = owner_symbols(f"pod-{at}" for at in range(count))
    assert list(symbols.values())[-1] == last
    assert len(set(symbols.values())) == count
    assert "R" not in symbols.values()
