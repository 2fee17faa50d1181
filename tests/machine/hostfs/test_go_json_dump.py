import json

from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.machine.hostfs.go_json import dump

TEXTS = st.text(st.characters() | st.sampled_from('<&\u2028\x00\x1f\x7f\b\f\n\udc80\\"/'))
VALUES = st.recursive(
    st.integers(0, 2**65) | TEXTS | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_is_compact_json_in_which_what_html_reads_is_escaped(value):
    text = dump(value)
    assert json.loads(text) == value
    plain = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for char in "<>&\u2028\u2029":
        plain = plain.replace(char, f"\\u{ord(char):04x}")
    assert text == plain
