import pytest

from numa_conformance.asking.known_failures import KnownFailures
from numa_conformance.errors import UsageError

ID = "cpu-manager/static/packs-whole-cores"
ENTRY = f"requirement: {ID}, reason: planned, link: https://example.com/1"


def read(tmp_path, text):
    path = tmp_path / "known.yaml"
    path.write_text(text)
    return KnownFailures.read(str(path))


def test_an_entry_covers_cases_of_its_requirement(tmp_path):
    known = read(tmp_path, f"- {{{ENTRY}, expires: 2999-12-31}}\n")
    assert known.covers("a", ["qos/best-effort-has-none", ID])
    assert not known.covers("a", ["qos/best-effort-has-none"])
    assert known.reason("a", [ID]) == "planned (https://example.com/1)"


def test_an_entry_may_be_about_one_case(tmp_path):
    known = read(tmp_path, "- {case: 'cpu/test_static::test_a[t1]', reason: r, link: l}\n")
    assert known.covers("cpu/test_static::test_a[t1]", [ID])
    assert not known.covers("cpu/test_static::test_a[t2]", [ID])


def test_another_case_or_machine_than_those_recorded_is_not_covered(tmp_path):
    known = read(tmp_path, f"- {{{ENTRY}, cases: [a, b], machines: [t1]}}\n")
    assert known.covers("a", [ID])
    assert known.covers("b", [ID], ["t1"])
    assert not known.covers("b", [ID], ["t1", "t2"])
    assert not known.covers("c", [ID])
    assert known.machines("b", [ID]) == {"t1"}


def test_no_file_knows_no_failure():
    assert KnownFailures.read("").entries == {}


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("a: b", "", "is no list"),
        ("- nothing", "[0]", "is a text (accepted: an object)"),
        (f"- {{requirement: {ID}, reason: planned}}", "[0].link", "is missing"),
        (f"- {{requirement: {ID}, link: x}}", "[0].reason", "is missing"),
        (f"- {{requirement: {ID}, reason: ' ', link: x}}", "[0].reason", "is empty"),
        (f"- {{{ENTRY}, until: 1}}", "[0].until", "unknown field"),
        (f"- {{{ENTRY}, expires: soon}}", "[0].expires", "is no date"),
        (f"- {{{ENTRY}, expires: 2020-01-01}}", "[0].expires", "expired on 2020-01-01"),
        (f"- {{{ENTRY}}}\n- {{{ENTRY}}}", "[1]", "has an entry already"),
        (f"- {{{ENTRY}, case: a}}", "[0]", "names no one thing"),
        ("- {reason: r, link: l}", "[0]", "names no one thing"),
        (f"- {{{ENTRY}, cases: }}", "[0].cases", "is empty"),
        ("- {case: a, cases: [b], reason: r, link: l}", "[0].cases", "goes with a requirement only"),
        ("- {requirement: qos/best-effort, reason: r, link: l}", "[0].requirement", "is not known"),
    ],
)
def test_what_is_wrong_with_an_entry_is_told_with_its_place(tmp_path, text, place, said):
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text)
    assert any(fault.place.endswith(place) and said in str(fault) for fault in caught.value.faults)


def test_all_faults_of_a_file_come_at_once(tmp_path):
    with pytest.raises(UsageError) as caught:
        read(tmp_path, f"- {{requirement: {ID}}}\n- {{{ENTRY}, expires: soon}}\n")
    assert len(caught.value.faults) == 3
