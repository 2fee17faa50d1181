import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube.quantity import is_duration, microseconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("100ms", 100_000),
        ("1m30s", 90_000_000),
        ("0", 0),
        ("1.5h", 5_400_000_000),
        ("-2s", -2_000_000),
        ("999ns", 0),
        ("7µs", 7),
        ("7μs", 7),
    ],
)
def test_a_duration_is_read_in_microseconds(text, expected):
    assert is_duration(text)
    assert microseconds(text) == expected


@pytest.mark.parametrize("text", ["", "10", "s", "1d", "1 s", "10s "])
def test_what_is_no_duration_is_refused(text):
    assert not is_duration(text)
    with pytest.raises(UsageError, match="is not a duration"):
        microseconds(text)
