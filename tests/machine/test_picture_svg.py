from xml.etree import ElementTree

from hypothesis import given

from numa_conformance.asking.strategies import machines
from numa_conformance.machine import load_machine, machine_svg

SVG = "{http://www.w3.org/2000/svg}"


def titles(text):
    return [title.text for title in ElementTree.fromstring(text).iter(f"{SVG}title")]


def test_every_cpu_says_in_words_who_has_it():
    text = machine_svg(load_machine("one-socket-no-smt"), {"reserved": 1, "shared": 0b11, "a<b>/c": 0b100})
    assert titles(text)[:5] == [
        "CPUs of one-socket-no-smt",
        "CPU 0: reserved and shared",
        "CPU 1: shared",
        "CPU 2: a<b>/c",
        "CPU 3: nobody",
    ]


def test_symbols_repeat_what_colours_say():
    root = ElementTree.fromstring(machine_svg(load_machine("one-socket-no-smt"), {"reserved": 1, "pod": 0b10}))
    who = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "who"]
    assert who == ["R", "a", *"------", "R", "a", "-"]
    assert "R is reserved; a is pod" in (root.findtext(f"{SVG}desc") or "")


def test_it_needs_nothing_from_elsewhere():
    text = machine_svg(load_machine("t3-two-numa-per-socket"), {"x": 0xFF})
    assert "href" not in text
    assert "url(" not in text
    assert text.count("http") == 1
    assert "prefers-color-scheme:dark" in text


@given(machine=machines(max_cpus=24))
def test_every_cpu_is_drawn_once_within_the_frame(machine):
    root = ElementTree.fromstring(machine_svg(machine, {}))
    fields = [rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "cpu"]
    assert len({(rect.get("x"), rect.get("y")) for rect in fields}) == len(fields) == len(machine.cpus)
    assert all(int(rect.get("x", "")) + int(rect.get("width", "")) <= int(root.get("width", "")) for rect in fields)
    assert all(int(rect.get("y", "")) + int(rect.get("height", "")) <= int(root.get("height", "")) for rect in fields)
