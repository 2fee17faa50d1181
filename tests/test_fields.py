import pytest

from numa_conformance.errors import UsageError
from numa_conformance.fields import Fields

NEAR = "did you mean 'cpus'?"


def told(check):
    fields = Fields("a.yaml")
    value = check(fields)
    try:
        fields.raise_if_any()
    except UsageError as error:
        return value, str(error)
    return value, ""


@pytest.mark.parametrize(
    ("check", "value", "said"),
    [
        (lambda f: f.mapping([], "x"), {}, "a.yaml: x: is a list (accepted: an object)"),
        (lambda f: f.mapping(None, "x"), {}, ""),
        (lambda f: f.entries("a", "x"), [], "a.yaml: x: is a text (accepted: a list)"),
        (lambda f: f.entries(["a"], "x"), [("x[0]", "a")], ""),
        (lambda f: f.text(1.5, "x"), "", 'a.yaml: x: is a number; put it in quotes: "1.5" (accepted: a text)'),
        (lambda f: f.text(None, "x", "usual"), "usual", ""),
        (lambda f: f.whole(True, "x", 3), 3, "a.yaml: x: is True (accepted: a whole number)"),
        (lambda f: f.whole(7, "x", low=0, high=6), 0, "a.yaml: x: is 7 (accepted: a whole number from 0 to 6)"),
        (lambda f: f.whole("7" * 50, "x"), 0, f"a.yaml: x: is '{'7' * 36}... (accepted: a whole number)"),
        (lambda f: f.flag("no", "x", default=True), False, "a.yaml: x: is 'no' (accepted: true or false)"),
        (lambda f: f.known({"cpu": 1}, "x", ["cpus"]), None, f"a.yaml: x.cpu: unknown field (accepted: cpus); {NEAR}"),
        (lambda f: f.same({"kind": "Node"}, kind="Pod"), None, "a.yaml: kind: is 'Node' (accepted: Pod)"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_told_and_replaced_and_an_absent_one_is_the_default(check, value, said):
    assert told(check) == (value, said)


def test_all_faults_come_at_once_also_those_of_other_errors():
    fields = Fields("a.yaml")
    fields.whole("x", "first")
    inner = Fields()
    inner.whole("y", "below")
    with pytest.raises(UsageError) as caught:
        inner.raise_if_any()
    fields.take_below("second", caught.value)
    fields.take("third", caught.value)
    assert not fields.sound
    with pytest.raises(UsageError) as caught:
        fields.raise_if_any()
    assert [fault.place for fault in caught.value.faults] == [
        "a.yaml: first",
        "a.yaml: second.below",
        "a.yaml: third: below",
    ]


def test_of_a_file_full_of_faults_the_first_hundred_are_told():
    fields = Fields("f")
    fields.known({f"key{number}": 1 for number in range(60_000)}, "", ["kind"])
    with pytest.raises(UsageError) as caught:
        fields.raise_if_any()
    assert len(caught.value.faults) == 101
    assert str(caught.value.faults[-1]) == "f: and 59900 more faults"
