import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.printable import PrintableStream, as_line, columns, folded, printable, printable_streams


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("NUMA-Knoten für 3 CPUs\n\tâ 漢", "NUMA-Knoten für 3 CPUs\n\tâ 漢"),
        ("\x1b[31mred\x07", r"\u001b[31mred\u0007"),
        ("over\rwritten", r"over\u000dwritten"),
        ("\x9b31m", r"\u009b31m"),
        ("\u202eevil", r"\u202eevil"),
        ("a\u2028b", r"a\u2028b"),
        ("\ud800", r"\ud800"),
        ("::error::no", r"\u003a:error::no"),
        ("a\n  ::warning file=x::y", "a\n  \\u003a:warning file=x::y"),
        ("see cpu/test::case", "see cpu/test::case"),
        ("told: ##[error]no", r"told: #\u0023[error]no"),
    ],
)
def test_what_no_terminal_and_no_ci_system_should_see_is_escaped(text: str, shown: str):
    assert printable(text) == shown


@given(st.text())
def test_a_json_document_says_the_same_afterwards(text: str):
    assert json.loads(printable(json.dumps({"told": text}, ensure_ascii=False))) == {"told": text}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nVERDICT: CONFORMANT", r"a\nVERDICT: CONFORMANT"),
        ("a\r\n::error::b", r"a\u000d\n::error::b"),
        ("a\u2028b\x85c\x1b[2J", r"a\u2028b\u0085c\u001b[2J"),
    ],
)
def test_a_text_of_others_begins_no_line(text: str, shown: str):
    assert as_line(text) == shown
    assert len(as_line(text).splitlines()) == 1


@given(st.text())
def test_once_is_enough(text: str):
    assert printable(printable(text)) == printable(text)


def test_streams_are_printable_inside_and_as_they_were_outside(capsys: pytest.CaptureFixture[str]):
    with printable_streams():
        sys.stdout.write("\x1b[2J\n")
        sys.stderr.writelines(["::error::\n"])
        assert not sys.stdout.isatty()
    sys.stdout.write("\x1b")
    assert capsys.readouterr() == ("\\u001b[2J\n\x1b", "\\u003a:error::\n")


def test_a_stream_tells_how_much_of_the_text_was_written():
    assert PrintableStream(io.StringIO()).write("\x1b") == 1


def test_a_long_line_goes_on_below_itself_further_in():
    assert folded("  one two three four five", 20).splitlines() == ["  one two three four", "    five"]
    assert folded("short", 20) == "short"
    assert folded("/a/very/long/path/that/has/no/blank/in/it", 20) == "/a/very/long/path/that/has/no/blank/in/it"


def test_a_cell_of_a_table_is_one_line():
    assert columns([["a\nVERDICT: CONFORMANT", 1]]) == ["a\\nVERDICT: CONFORMANT  1"]
