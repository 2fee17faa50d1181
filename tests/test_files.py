import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from numa_conformance import files
from numa_conformance.errors import UsageError
from numa_conformance.files import end_of, open_plain, read_bounded, replace_bytes, replace_text, write_text


def test_a_plain_file_and_a_link_to_one_are_read(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"told")
    (tmp_path / "b").symlink_to("a")
    assert [read_bounded(tmp_path / name, 4) for name in "ab"] == [b"told", b"told"]
    with pytest.raises(UsageError, match="larger than 3 bytes"):
        read_bounded(tmp_path / "a", 3)


def test_what_may_block_or_never_end_is_refused_at_once(tmp_path: Path):
    os.mkfifo(tmp_path / "fifo")
    held = socket.socket(socket.AF_UNIX)
    held.bind(str(tmp_path / "socket"))
    held.close()
    for path, kind in [
        (tmp_path / "fifo", "a FIFO"),
        (tmp_path / "socket", "a socket"),
        (Path("/dev/zero"), "a device"),
        (tmp_path, "a folder"),
    ]:
        with pytest.raises(UsageError, match=f"is {kind}"):
            open_plain(path)


def test_what_a_shell_gives_is_read():
    here, there = os.pipe()
    os.write(there, b"told")
    os.close(there)
    assert read_bounded(Path(f"/dev/fd/{here}"), 10) == b"told"
    os.close(here)


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path):
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "report.json").symlink_to("victim")
    replace_text(tmp_path / "report.json", "{}")
    assert (tmp_path / "victim").read_text() == "mine"
    assert not (tmp_path / "report.json").is_symlink()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["report.json", "victim"]


def test_the_umask_decides_who_reads_what_is_written(tmp_path: Path):
    before = os.umask(0o027)
    try:
        replace_bytes(tmp_path / "a", b"")
        replace_bytes(tmp_path / "b", b"", mode=0o600)
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in "ab"] == [0o640, 0o600]


def test_a_text_that_is_no_unicode_is_written_escaped(tmp_path: Path):
    write_text(tmp_path / "new" / "a", "\ud800")
    assert (tmp_path / "new" / "a").read_text() == r"\ud800"


def test_a_folder_that_takes_nothing_is_told_in_one_line(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"file/a: cannot be written: .*\w"):
        write_text(tmp_path / "file" / "a", "")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    replace_text(tmp_path / "a", "old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        replace_text(tmp_path / "a", "new")
    assert [one.name for one in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


_DIES = """
import os, signal, sys
from pathlib import Path
from numa_conformance.files import replace_text
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
replace_text(Path(sys.argv[1]), "new")
"""


def test_what_a_killed_writer_left_is_removed_by_a_later_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    replace_text(tmp_path / "a[1]", "old")
    assert subprocess.run([sys.executable, "-c", _DIES, str(tmp_path / "a[1]")], check=False).returncode == -9
    assert len(list(tmp_path.iterdir())) == 2
    replace_text(tmp_path / "a[1]", "newer")
    assert len(list(tmp_path.iterdir())) == 2  # it may be a writer's that has not locked it yet
    later = time.time() + 100
    monkeypatch.setattr(files.time, "time", lambda: later)
    replace_text(tmp_path / "a[1]", "newest")
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"a[1]": "newest"}


def test_of_what_a_program_has_printed_the_end_is_read(tmp_path: Path):
    log = tmp_path / "log"
    assert end_of(log) == ""
    log.write_bytes(b"\xff" + b"x" * 99)
    assert (end_of(log, 99), end_of(log)) == ("x" * 99, "\ufffd" + "x" * 99)
    with pytest.raises(UsageError, match="is a folder"):
        end_of(tmp_path)
