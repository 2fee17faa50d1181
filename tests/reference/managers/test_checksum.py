import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.reference.managers.state_formats import fnv1a_32


@pytest.mark.parametrize(("text", "checksum"), [("", 0x811C9DC5), ("a", 0xE40C292C), ("foobar", 0xBF9CF968)])
def test_is_the_checksum_that_its_authors_publish(text: str, checksum: int):
    assert fnv1a_32(text) == checksum


@given(st.text(st.sampled_from("ab ,:é\udc80\n"), max_size=300))
def test_word_by_word_is_byte_by_byte(text: str):
    value = 0x811C9DC5
    for byte in text.encode("utf-8", "surrogateescape"):
        value = (value ^ byte) * 0x01000193 % 2**32
    assert fnv1a_32(text) == value
