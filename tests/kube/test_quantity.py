from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.errors import UsageError
from numa_conformance.kube import Quantity

MALFORMED = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("1.", 1),
        (".5", Fraction(1, 2)),
        ("+2", 2),
        ("-1", -1),
        ("00", 0),
        ("0.5k", 500),
        ("1E", 10**18),
        ("1E3", 1000),
        ("2e0", 2),
        ("1e-3", Fraction(1, 1000)),
        ("1.5Gi", 3 * 2**29),
        ("100m", Fraction(1, 10)),
        ("1n", Fraction(1, 10**9)),
        (2, 2),
        (1.5, Fraction(3, 2)),
    ],
)
def test_reads_every_form_exactly(text: object, number: Fraction | int) -> None:
    assert Quantity.parse(text).as_number == number


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("", MALFORMED),
        (" 1", MALFORMED),
        ("1 Gi", MALFORMED),
        ("1MB", MALFORMED),
        ("abc", MALFORMED),
        ("1.2.3", MALFORMED),
        ("1K", "unable to parse quantity's suffix"),
        ("1mi", "unable to parse quantity's suffix"),
        ("1e", "unable to parse quantity's suffix"),
        (".", "unable to parse numeric part of quantity"),
        ("+", "unable to parse numeric part of quantity"),
    ],
)
def test_refuses_with_the_api_servers_wording(text: str, wording: str) -> None:
    with pytest.raises(UsageError) as caught:
        Quantity.parse(text)
    assert wording in caught.value.faults[0].message


@pytest.mark.parametrize("value", [True, None, [], {}, "1" * 5000, 10**500, "1e999999999", float("inf"), float("nan")])
def test_refuses_what_is_no_amount_without_effort(value: object) -> None:
    with pytest.raises(UsageError):
        Quantity.parse(value)


@pytest.mark.parametrize(
    ("text", "nano"), [("1.00000000001", 10**9 + 1), ("-1.00000000001", -(10**9) - 1), ("1e-30", 1)]
)
def test_rounds_what_is_finer_than_a_billionth_away_from_zero(text: str, nano: int) -> None:
    assert Quantity.parse(text).as_number == Fraction(nano, 10**9)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1.5", "1500m"),
        ("1.5Gi", "1536Mi"),
        ("2048Ki", "2Mi"),
        ("2000m", "2"),
        ("1500M", "1500M"),
        ("512", "512"),
        ("1e3", "1e3"),
        ("0Gi", "0"),
        ("0.5Ki", "512"),
        ("1.0001Ki", "1024102400u"),
    ],
)
def test_prints_canonically(text: str, printed: str) -> None:
    assert str(Quantity.parse(text)) == printed


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("2", 2),
        ("2.0", 2),
        ("2000m", 2),
        ("2e0", 2),
        ("1.9999", 2),
        ("1500m", 0),
        ("1001m", 0),
        ("500m", 0),
        ("0", 0),
        ("-1", 0),
    ],
)
def test_tells_integer_cpus(text: str, whole: int) -> None:
    assert Quantity.parse(text).whole == whole


@pytest.mark.parametrize("text", ["1.5G", "1500M", "2e9", "1536Mi", "64Gi", "10Ti", "1048576"])
def test_holds_as_int64_what_the_kubelet_does(text: str) -> None:
    assert Quantity.parse(text).is_int64


@pytest.mark.parametrize("text", ["1.5Gi", "100Ti", "1Pi", "1000m", "2.0", "1500m", "1234567890123456789"])
def test_does_not_hold_as_int64_what_the_kubelet_does_not(text: str) -> None:
    assert not Quantity.parse(text).is_int64


@pytest.mark.parametrize(
    ("text", "served"),
    [("0.1", "100m"), ("1.0001", "1001m"), ("1.5Gi", "1536Mi"), ("1n", "1m"), ("2.0", "2"), ("1Pi", "1Pi")],
)
def test_becomes_what_the_api_server_hands_on(text: str, served: str) -> None:
    assert str(Quantity.parse(text).canonical()) == served


def test_a_fraction_written_anew_is_an_int64() -> None:
    assert Quantity.parse("1.5Gi").canonical().is_int64


def test_equal_amounts_are_equal_however_written() -> None:
    same = {Quantity.parse(text) for text in ("1Gi", "1024Mi", "1073741824", "1073741824000m")}
    assert len(same) == 1


def test_a_sum_prints_in_the_family_of_what_was_added() -> None:
    assert str(Quantity(0) + Quantity.parse("500Mi") + Quantity.parse("0.5Gi")) == "1012Mi"
    assert str(Quantity.parse("1Gi") - Quantity.parse("1024Mi")) == "0"


NUMBERS = st.tuples(
    st.sampled_from(["", "-", "+"]),
    st.decimals(0, 10**6, places=3),
    st.sampled_from(["", "m", "k", "M", "Ki", "Mi", "Gi", "e3"]),
).map(lambda parts: f"{parts[0]}{parts[1]:f}{parts[2]}")


@given(NUMBERS)
def test_printing_and_reading_give_the_same_amount(text: str) -> None:
    quantity = Quantity.parse(text)
    assert Quantity.parse(str(quantity)) == quantity


@given(NUMBERS)
def test_value_and_milli_are_ceilings(text: str) -> None:
    quantity = Quantity.parse(text)
    assert 0 <= quantity.value - quantity.as_number < 1
    assert 0 <= quantity.milli - 1000 * quantity.as_number < 1


@given(NUMBERS, NUMBERS)
def test_order_and_sums_are_those_of_the_numbers(one: str, other: str) -> None:
    a, b = Quantity.parse(one), Quantity.parse(other)
    assert (a < b) == (a.as_number < b.as_number)
    assert (a + b).as_number == a.as_number + b.as_number
    assert (a + b) - b == a


@given(st.text("0123456789.+-eEinumkKMGTP ", max_size=12))
def test_any_text_is_refused_or_prints_as_what_can_be_read_again(text: str) -> None:
    try:
        printed = str(Quantity.parse(text))
    except UsageError:
        return
    assert str(Quantity.parse(printed)) == printed


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("8GB", "8G"),
        ("8 Gi", "8Gi"),
        ("1.5gib", "1.5Gi"),
        ("10kb", "10k"),
        ("4 KiB", "4Ki"),
        ("3x", None),
        ("2 cores", "2"),
        ("4vCPU", "4"),
        ("0.5 CPU", "0.5"),
        ("500 m", "500m"),
        ("500 millicores", "500m"),
        ("2 sockets", None),
    ],
)
def test_an_amount_as_people_write_it_gets_the_nearest_one(text, near):
    with pytest.raises(UsageError) as caught:
        Quantity.parse(text)
    assert caught.value.faults[0].suggestion == near
    assert near is None or Quantity.parse(near)
