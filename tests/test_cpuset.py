import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.cpuset import CpuSet
from numa_conformance.errors import CpuSetSyntaxError

ids = st.frozensets(st.integers(0, 4095))


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("", []),
        ("0", [0]),
        ("0-1", [0, 1]),
        ("3-3", [3]),
        ("0-3,8,10-11", [0, 1, 2, 3, 8, 10, 11]),
        ("2,0,2-3", [0, 2, 3]),
        ("+1,007,2-+3", [1, 2, 3, 7]),  # as Go reads numbers
    ],
)
def test_reads_the_list_format(text, members):
    assert list(CpuSet.parse(text)) == members


@pytest.mark.parametrize("text", [" 0", "0 ", "0,", ",", "-1", "1-", "1-2-3", "x", "0x1", "1:2/3", "٣", "99999999"])
def test_refuses_bad_text_and_names_the_item(text):
    with pytest.raises(CpuSetSyntaxError) as caught:
        CpuSet.parse(text)
    assert caught.value.faults[0].accepted


@pytest.mark.parametrize("text", ["+1", "0-+1", "0--0", "-0"])
def test_the_kernel_reads_no_signs(text):
    with pytest.raises(CpuSetSyntaxError):
        CpuSet.parse_kernel(text)


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("70000", "'70000' is above 65535"),
        ("0-70000", "'0-70000' is above 65535"),
        ("9" * 20, f'strconv.Atoi: parsing "{"9" * 20}": value out of range'),
        ("1--2", 'invalid range "1--2" (1 > -2)'),
        ("-1", 'strconv.Atoi: parsing "": invalid syntax'),
        ("1_0", 'strconv.Atoi: parsing "1_0": invalid syntax'),
    ],
)
def test_an_error_has_the_words_of_go_where_go_refuses(text, wording):
    with pytest.raises(CpuSetSyntaxError) as caught:
        CpuSet.parse(text)
    assert caught.value.kubelet_wording == wording


def test_a_descending_range_has_the_kubelets_wording():
    with pytest.raises(CpuSetSyntaxError, match=r'invalid range "5-3" \(5 > 3\)'):
        CpuSet.parse("5-3")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("0-31:2/4", "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29"),
        ("0-6:1/2\n", "0,2,4,6"),
        ("0-3,8\0", "0-3,8"),
        ("\n", ""),
        ("0-4:3/4", "0-2,4"),
    ],
)
def test_reads_what_the_kernel_accepts(text, printed):
    assert str(CpuSet.parse_kernel(text)) == printed


@pytest.mark.parametrize("text", ["0-3:2", "0:1/2", "0-3:0/2", "0-3:3/2", "0-3:a/b"])
def test_refuses_bad_strides(text):
    with pytest.raises(CpuSetSyntaxError):
        CpuSet.parse_kernel(text)


def test_a_run_of_two_prints_as_a_range():
    assert str(CpuSet([0, 1, 3, 5, 6, 7])) == "0-1,3,5-7"


@given(ids)
def test_printing_and_parsing_are_inverse(members):
    made = CpuSet(members)
    assert CpuSet.parse(str(made)) == made == CpuSet.parse_kernel(f"{made}\n")
    assert list(made) == sorted(members)
    assert len(made) == len(members)
    assert pickle.loads(pickle.dumps(made)) == made


@given(ids, ids)
def test_algebra_is_that_of_sets(a, b):
    one, other = CpuSet(a), CpuSet(b)
    assert set(one | other) == a | b
    assert set(one & other) == a & b
    assert set(one - other) == a - b
    assert set(one ^ other) == a ^ b
    assert (one <= other) == (a <= b)
    assert (one < other) == (a < b)
    assert (one >= other) == (a >= b)
    assert (one > other) == (a > b)
    assert (one == other) == (a == b)
    assert hash(one) == hash(CpuSet(sorted(a)))


def test_a_set_cannot_be_changed():
    with pytest.raises(AttributeError):
        CpuSet([1]).bits = 3


@pytest.mark.parametrize("bad", [-1, 65_536])
def test_refuses_ids_out_of_range(bad):
    with pytest.raises(ValueError, match="outside"):
        CpuSet([bad])


def test_membership_is_by_id():
    assert 3 in CpuSet([3])
    assert -1 not in CpuSet([3])
    assert "3" not in CpuSet([3])
    assert not CpuSet()
    assert repr(CpuSet([1, 2])) == "CpuSet.parse('1-2')"
