from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given

from numa_conformance.asking.strategies import machines
from numa_conformance.machine import (
    Amounts,
    allocation_map,
    catalogue_names,
    load_machine,
    machine_from_dict,
    machine_svg,
)
from numa_conformance.machine.picture_scene import scenes_of
from numa_conformance.machine.picture_svg import scenes_svg

SVG = "{http://www.w3.org/2000/svg}"
LARGE = machine_from_dict(
    {"name": "large", "sockets": 8, "numaPerSocket": 4, "coresPerNuma": 64, "threads": 2, "uncore": {"cores": 8}}
)


def titles(text):
    return [title.text for title in ElementTree.fromstring(text).iter(f"{SVG}title")]


def kinds(text, kind, tag="rect"):
    return [each for each in ElementTree.fromstring(text).iter(SVG + tag) if kind in each.get("class", "").split()]


def test_boxes_and_cores_say_in_words_what_they_are_and_who_has_them():
    text = machine_svg(load_machine("one-socket-no-smt"), {"reserved": 1, "shared": 0b11, "a<b>/c": 0b100})
    assert titles(text)[:10] == [
        "CPUs of one-socket-no-smt",
        "socket 0: 8 CPUs, 5 free, NUMA 0 of 15.6Gi (0-7)",
        "NUMA 0: 8 CPUs, 5 free, 15.6Gi (0-7)",
        "memory 15.6Gi",
        "2Mi pages 1Gi",
        "1Gi pages 2Gi",
        "L3 0: 8 CPUs, 5 free (0-7)",
        "CPU 0: reserved and shared",
        "CPU 1: shared",
        "CPU 2: a<b>/c",
    ]


def test_symbols_repeat_what_colours_say():
    root = ElementTree.fromstring(machine_svg(load_machine("one-socket-no-smt"), {"reserved": 1, "pod": 0b10}))
    who = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "who"]
    assert who == ["R", "a", "R", "a"]
    assert "R is reserved; a is pod" in (root.findtext(f"{SVG}desc") or "")


def test_the_parts_of_owners_are_as_long_as_what_they_hold():
    amounts = {
        "a/c": Amounts([("memory", [1], 2**33)], {"example.com/gpu": ["gpu-2"]}),
        "b/c": Amounts([("memory", [0, 1], 2**33)]),
    }
    text = machine_svg(load_machine("two-nodes-hugepages-devices"), {}, amounts=amounts)
    whole = {each.findtext(f"{SVG}title"): int(each.get("width")) for each in kinds(text, "stock")}
    parts = [int(each.get("width")) for each in kinds(text, "part")]
    memory = whole["memory 31.5Gi: a 8Gi, b 8Gi (0,1)"]
    # What lies on two NUMA nodes has words and no part: nobody knows how much is where.
    assert parts == [pytest.approx(memory * 8 / 31.5, abs=1), whole["example.com/gpu: gpu-2 a, gpu-3"] // 2]


def test_it_needs_nothing_from_elsewhere():
    text = machine_svg(load_machine("t3-two-numa-per-socket"), {"x": 0xFF})
    assert "href" not in text
    assert "url(" not in text
    assert text.count("http") == 1
    assert "prefers-color-scheme:dark" in text


def test_the_legend_is_in_the_last_of_several_pictures():
    machine = load_machine("t3-two-numa-per-socket")
    text = scenes_svg(scenes_of(machine, {"before": ({"x": 1}, {}), "after": ({"x": 2}, {})}))
    assert [each.text for each in kinds(text, "heading", "text")] == ["before", "after"]
    assert text.count(">x</text>") == 1
    assert "who" not in machine_svg(machine, {"x": 0}, legend=False).partition("</style>")[2]


@given(machine=machines(max_cpus=24))
def test_every_cpu_is_drawn_once_and_every_box_within_its_block(machine):
    root = ElementTree.fromstring(machine_svg(machine, {}))
    ids = [text.text for text in root.iter(f"{SVG}text") if "id" in text.get("class", "").split()]
    assert sorted(map(int, ids)) == [cpu.id for cpu in machine.cpus]
    wide, high = int(root.get("width", "")), int(root.get("height", ""))
    for block in root.iter(f"{SVG}g"):
        left, top = map(int, block.get("transform", "x(0,0)").partition("(")[2].rstrip(")").split(","))
        for rect in block.findall(f"{SVG}rect"):
            x, y, width, height = (int(rect.get(name, "")) for name in ("x", "y", "width", "height"))
            assert 0 <= left + x <= left + x + width <= wide
            assert 0 <= top + y <= top + y + height <= high


@pytest.mark.parametrize("name", catalogue_names())
def test_no_two_boxes_overlap_unless_one_is_in_the_other(name):
    for block in ElementTree.fromstring(machine_svg(load_machine(name), {"a": 1})).iter(f"{SVG}g"):
        rects = [
            [int(rect.get(key, "")) for key in ("x", "y", "width", "height")] for rect in block.findall(f"{SVG}rect")
        ]
        for at, (x, y, wide, high) in enumerate(rects):
            for left, top, width, height in rects[at + 1 :]:
                apart = left >= x + wide or top >= y + high or left + width <= x or top + height <= y
                inside = left >= x and top >= y and left + width <= x + wide and top + height <= y + high
                assert apart or inside


@pytest.mark.parametrize(
    "owners",
    [
        pytest.param({}, id="without owners"),
        pytest.param({f"namespace/pod-{at}/container": 1 << at for at in range(4096)}, id="an owner for each CPU"),
    ],
)
def test_a_large_machine_is_drawn_within_a_megabyte(owners):
    assert len(machine_svg(LARGE, owners)) < 1_100_000
    assert titles(machine_svg(LARGE, owners))[0] == "CPUs of large"


def test_what_others_call_themselves_is_no_markup_and_fits_xml():
    named = replace(load_machine("one-cpu"), name='<b>"&\x00\x1b')
    text = machine_svg(named, {"pod\x01</title>": 1, "x" * 10_000: 1})
    assert titles(text)[0].startswith('CPUs of <b>"&')
    assert "\x01" not in text


def test_a_machine_without_cpus_has_its_memory():
    bare = replace(load_machine("one-cpu"), cpus=())
    assert "NUMA 0: no CPUs" in machine_svg(bare, {})
    assert allocation_map(bare, {}, details=True) == "NUMA 0: no CPUs, memory 1Gi"
