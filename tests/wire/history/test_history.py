"""Histories as text."""

from pathlib import Path

import pytest

from numa_conformance.cli.judge import read_files
from numa_conformance.errors import UsageError
from numa_conformance.machine import load_machine
from numa_conformance.wire.history.history import Head, History, histories_text, read_histories

HISTORY = History(Head("walk", "cell", 0, load_machine("one-cpu"), "1.34"), ())


def test_histories_are_read_as_they_were_written() -> None:
    assert list(read_histories(histories_text([HISTORY, HISTORY]).splitlines(keepends=True))) == [HISTORY, HISTORY]


def test_one_history_is_bounded_and_a_file_may_hold_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = histories_text([HISTORY])
    monkeypatch.setattr("numa_conformance.wire.history.history.LONGEST", len(text))
    monkeypatch.setattr("numa_conformance.cli.judge.LONGEST", len(text))
    file = tmp_path / "histories.jsonl"
    file.write_text(text * 3)
    assert len(list(read_files([file]))) == 3
    for longer in ("\n" + text, "[" * (len(text) + 1)):
        file.write_text(longer)
        with pytest.raises(UsageError, match="a history of more than"):
            list(read_files([file]))
