"""The judge reads amounts exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from numa_conformance.wire.history.quantities import amount, size_text


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2", 2),
        (2, 2),
        (1.5, Fraction(3, 2)),
        ("2.0", 2),
        ("2000m", 2),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("1.", 1),
        ("2e0", 2),
        ("1E3", 1000),
        ("1E", 10**18),
        ("5e-1", Fraction(1, 2)),
        ("1Ki", 1024),
        ("1.5Gi", 3 * 2**29),
        ("1k", 1000),
        ("200M", 200 * 10**6),
        ("100n", Fraction(1, 10**7)),
        ("+3u", Fraction(3, 10**6)),
        ("-1", -1),
    ],
    ids=str,
)
def test_an_amount_is_exact(written: str | float, value: int | Fraction) -> None:
    assert amount(written) == value


@pytest.mark.parametrize("written", ["", "256MB", "1K", "1 Gi", "m", "1mi", "1e", "1..2", "0x10"])
def test_a_text_that_is_no_amount_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="is no amount"):
        amount(written)


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1000, "1000 bytes"),
        (10 << 30, "10Gi"),
        (7324 << 20, "7324Mi"),
        ((1 << 30) + 1, "1073741825 bytes"),
        (-(3 << 40), "-3Ti"),
        (1 << 70, "1024Ei"),
    ],
)
def test_a_person_reads_bytes_in_a_unit_and_misses_none(number: int, told: str) -> None:
    assert size_text(number) == told
