import pytest

from numa_conformance.wire.process import PassedOn


def test_what_is_written_is_passed_on_in_printable_form(capsys: pytest.CaptureFixture[str]):
    PassedOn(quiet=False).write(b"allocating\x1b[31m\n")
    assert capsys.readouterr().err == "  allocating\\u001b[31m\n"


def test_a_command_to_a_ci_system_in_two_parts_is_seen_as_one(capsys: pytest.CaptureFixture[str]):
    passed_on = PassedOn(quiet=False)
    for written in (b"first\n:", b":error::boo", b"\n#", b"#[error]boo"):
        passed_on.write(written)
    passed_on.end_line()
    assert capsys.readouterr().err == "  first\n  \\u003a:error::boo\n  #\\u0023[error]boo\n"


def test_a_question_and_a_run_have_bounds_which_are_told_once(capsys: pytest.CaptureFixture[str]):
    passed_on = PassedOn(quiet=False, question=8, run=12)
    for _ in range(3):
        passed_on.next_question()
        for written in (b"12345", b"6789a", b"b"):
            passed_on.write(written)
    assert capsys.readouterr().err == (
        "  12345678\n  (standard error goes on; no more of it is shown for this question)\n"
        "  12\n  (standard error goes on; no more of it is shown for the whole run)\n"
    )


def test_nothing_is_passed_on_where_that_is_asked(capsys: pytest.CaptureFixture[str]):
    PassedOn(quiet=True).write(b"allocating\n")
    assert capsys.readouterr().err == ""
