import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.asking.strategies import machines
from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Amounts, allocation_map, load_machine, machine_from_dict
from numa_conformance.machine.picture import coloured, scene_text
from numa_conformance.machine.picture_scene import Scene, owner_symbols

SMALL = machine_from_dict(
    {"name": "small", "sockets": 2, "coresPerNuma": 4, "threads": 2, "uncore": {"cores": 2}, "memory": "1Gi"}
)
GI = 2**30


def cpus(**lists):
    return {label.replace("_", "/"): CpuSet.parse(cpus).bits for label, cpus in lists.items()}


PICTURES = {
    "caches and cores, each with its owners": (
        SMALL,
        cpus(reserved="0,8", shared="10-15", pod_c="1,9"),
        {},
        """
socket 0, NUMA 0
  L3 0 | 0,8  RR | 1,9  aa |
  L3 1 | 2,10 -. | 3,11 -. |
socket 1, NUMA 1
  L3 2 | 4,12 -. | 5,13 -. |
  L3 3 | 6,14 -. | 7,15 -. |

R reserved
. shared
a pod/c
- free, as cores without a symbol
""",
    ),
    "memory, huge pages and devices, and who has them": (
        load_machine("two-nodes-hugepages-devices"),
        cpus(reserved="0,16", a_c="8-9,24-25"),
        {
            "a/c": Amounts(
                [("memory", [1], 4 * GI), ("hugepages-2Mi", [1], GI // 2)],
                {"example.com/nic": ["nic-4"], "example.com/gpu": ["gpu-2"]},
            ),
            "b/d": Amounts([("memory", [0, 1], 20 * GI)], {"example.com/fpga": ["fpga-0"]}),
        },
        """
socket 0, NUMA 0: memory 31.3Gi: b 20Gi (0,1)
    2Mi pages 2Gi
    1Gi pages 4Gi
    example.com/fpga: fpga-0 (0,1) b
    example.com/gpu: gpu-0, gpu-1
    example.com/nic: nic-0, nic-1, nic-2, nic-3
  L3 0 | 0,16  RR | 1,17     | 2,18     | 3,19     |
       | 4,20     | 5,21     | 6,22     | 7,23     |
socket 1, NUMA 1: memory 31.5Gi: a 4Gi, b 20Gi (0,1)
    2Mi pages 1Gi: a 512Mi
    1Gi pages 8Gi
    example.com/fpga: fpga-0 (0,1) b
    example.com/gpu: gpu-2 a, gpu-3
    example.com/nic: nic-4 a, nic-5, nic-broken unhealthy
  L3 1 | 8,24  aa | 9,25  aa | 10,26    | 11,27    |
       | 12,28    | 13,29    | 14,30    | 15,31    |
no NUMA node: example.com/tpm: tpm-0

R reserved
a a/c
b b/d
- free, as cores without a symbol
""",
    ),
    "what is alike in a large machine as one line": (
        load_machine("amd-milan-7763-nps4"),
        cpus(reserved="0,128", a_c="1-4,129-132"),
        {},
        """
socket 0
  NUMA 0
    L3 0 | 0,128 RR | 1,129 aa | 2,130 aa | 3,131 aa |
         | 4,132 aa | 5,133    | 6,134    | 7,135    |
    L3 1: 16 CPUs free (8-15,136-143)
  NUMA 1-3, each: 32 CPUs free, 125.9Gi (16-63,144-191)
socket 1: 128 CPUs free, NUMA 4-7 of 125.8Gi-125.9Gi each (64-127,192-255)

R reserved
a a/c
- free, as cores without a symbol
""",
    ),
    "NUMA nodes without CPUs, and their memory": (
        load_machine("intel-xeonmax-9460-hbm-flat"),
        {},
        {"a/c": Amounts([("memory", [8], 4 * GI)])},
        """
socket 0, L3 0
  NUMA 0: memory 62.3Gi
     | 0,80    | 1,81    | 2,82    | 3,83    | 4,84    |
     | 5,85    | 6,86    | 7,87    | 8,88    | 9,89    |
  NUMA 1-3, each: 20 CPUs free, 63Gi (10-39,90-119)
socket 1: 80 CPUs free, NUMA 4-7 of 62.9Gi-63Gi each (40-79,120-159)
NUMA 8: no CPUs, memory 16Gi: a 4Gi
NUMA 9-15, each: no CPUs, 16Gi

a a/c
- free, as cores without a symbol
""",
    ),
    "caches that hold NUMA nodes": (
        load_machine("snc2-small"),
        cpus(a="0"),
        {},
        """
socket 0, L3 0
  NUMA 0 | 0,8  a- | 1,9     |
  NUMA 1 | 2,10    | 3,11    |
socket 1, L3 1
  NUMA 2 | 4,12    | 5,13    |
  NUMA 3 | 6,14    | 7,15    |

a a
- free, as cores without a symbol
""",
    ),
    "NUMA nodes that hold sockets, and ids with gaps": (
        load_machine("four-sockets-two-nodes"),
        {},
        {},
        """
NUMA 0
  socket 0, L3 0 | 0,16  | 1,17  | 2,18  | 3,19  |
  socket 1, L3 1 | 4,20  | 5,21  | 6,22  | 7,23  |
NUMA 1
  socket 2, L3 2 | 8,24  | 9,25  | 10,26 | 11,27 |
  socket 3, L3 3 | 12,28 | 13,29 | 14,30 | 15,31 |
""",
    ),
    "a cache across NUMA nodes, in parts": (
        load_machine("caches-across-nodes"),
        {},
        {},
        """
socket 0
  NUMA 0
    L3 0        | 0,12  | 1,13  | 2,14  | 3,15  |
    L3 1 (part) | 4,16  | 5,17  |
  NUMA 1
    L3 1 (part) | 6,18  | 7,19  |
    L3 2        | 8,20  | 9,21  | 10,22 | 11,23 |
""",
    ),
    "ids with gaps": (
        load_machine("sparse-ids"),
        {},
        {},
        """
socket 0, NUMA 1
  L3 0 | 4,5   | 6,7   |
  L3 1 | 8,9   | 10,11 |
socket 3, NUMA 5
  L3 2 | 32,33 | 34,35 |
  L3 3 | 36,37 | 38,39 |
""",
    ),
    "512 CPUs": (
        load_machine("intel-graniterapids-6980p-snc3"),
        cpus(a="1-3", b="128"),
        {},
        """
socket 0, L3 0
  NUMA 0 | 0,256      | 1,257   a- | 2,258   a- | 3,259   a- | 4,260      |
         | 76 CPUs free (5-42,261-298)
  NUMA 1: 86 CPUs free, 251.9Gi (43-85,299-341)
  NUMA 2: 84 CPUs free, 251.9Gi (86-127,342-383)
socket 1, L3 1
  NUMA 3 | 128,384 b- | 129,385    | 130,386    | 131,387    | 132,388    |
         | 76 CPUs free (133-170,389-426)
  NUMA 4: 86 CPUs free, 251.9Gi (171-213,427-469)
  NUMA 5: 84 CPUs free, 251.8Gi (214-255,470-511)

a a
b b
- free, as cores without a symbol
""",
    ),
    "two CPUs": (
        machine_from_dict({"name": "two", "coresPerNuma": 2, "memory": "1Gi"}),
        cpus(reserved="0"),
        {},
        """
socket 0, NUMA 0 | 0 R | 1   |

R reserved
- free, as cores without a symbol
""",
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_draws(name):
    machine, owners, amounts, picture = PICTURES[name]
    drawn = allocation_map(machine, owners, amounts=amounts, width=80, fold=64)
    assert f"\n{drawn}\n" == picture
    assert max(map(len, drawn.splitlines())) <= 80


def test_a_cpu_of_two_owners_shows_both():
    assert "| 0,8  [aR]R |" in allocation_map(SMALL, {"x": 1, "reserved": 1 | 1 << 8})


def test_without_owners_it_is_the_machine_alone():
    assert allocation_map(SMALL, {}).splitlines()[2] == "  L3 1 | 2,10 | 3,11 |"


def test_details_show_memory_and_distances():
    text = allocation_map(load_machine("two-nodes-hugepages-devices"), {}, details=True)
    assert "socket 0, NUMA 0: memory 31.3Gi\n" in text
    assert "  NUMA 1    21 10" in text
    assert "distances: from 10 to 120" in allocation_map(load_machine("nvidia-quad-gh200"), {}, details=True, width=80)


def test_nodes_without_cpus_and_offline_cpus_are_in_it():
    made = machine_from_dict(
        {"name": "m", "coresPerNuma": 2, "offline": 1, "memoryOnlyNodes": [{"nodes": 4, "memory": 0}]}
    )
    assert allocation_map(made, {}).splitlines()[1:] == ["NUMA 4: no CPUs", "offline: 1"]


def test_cpus_that_are_not_online_and_yet_given_away_are_in_it():
    assert "not online, and yet given away: 16-17" in allocation_map(SMALL, {"a": 0b111 << 15})


def test_what_is_shown_is_not_folded():
    lines = scene_text(Scene(load_machine("amd-milan-7763-nps4"), {}, shown=1 << 255), fold=0).splitlines()
    assert any("127,255" in line for line in lines)
    assert lines[0].startswith("socket 0: 128 CPUs")


def test_colours_repeat_symbols_and_change_no_text():
    text = allocation_map(SMALL, cpus(reserved="0,8", shared="10", pod="1,9"))
    painted = coloured(text)
    assert painted.count("\x1b[2m") == 4 + 1  # cores that are free, wholly
    plain = painted
    for code in ("\x1b[0m", *(f"\x1b[{number}m" for number in (2, *range(31, 37)))):
        plain = plain.replace(code, "")
    assert plain == text


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
def test_every_cpu_is_in_the_picture_once(machine):
    cells = [
        cell.strip()
        for line in allocation_map(machine, {}).splitlines()
        for cell in line.split(" | ")[1:]
        if "|" in line
    ]
    drawn = [int(one) for cell in cells for one in cell.rstrip("|").split(",")]
    assert sorted(drawn) == [cpu.id for cpu in machine.cpus]


@pytest.mark.parametrize(("count", "last"), [(26, "z"), (27, "A"), (48, "W"), (49, "(49)")])
def test_symbols_are_letters_and_then_numbers(count, last):
    symbols = owner_symbols(f"pod-{at}" for at in range(count))
    assert list(symbols.values())[-1] == last
    assert len(set(symbols.values())) == count
    assert "R" not in symbols.values()
