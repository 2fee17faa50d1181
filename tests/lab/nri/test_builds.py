"""What Go builds lies in one folder: one build at a time, nothing of a killed one, listed and cleared by a command."""

import json
import multiprocessing
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from numa_conformance.builds import alone_in_cache, cache_folder, cached, clear_cache
from numa_conformance.cli import main
from numa_conformance.errors import UsageError
from numa_conformance.lab.nri.runtime_side import built
from processes import PATIENCE, runs, wait_until

GO = """#!/bin/sh
echo "$$" >> "$TESTED/builds"
[ -z "$STAYS" ] || exec sleep 86400
[ -z "$FAILS" ] || { echo 'no such module' >&2; exit 1; }
while [ "$1" != -o ]; do shift; done
echo program > "$2"; touch "$GOTMPDIR/left"
"""
BUILDS = """
import sys
from pathlib import Path
from numa_conformance.files import TemporaryFolder
from numa_conformance.lab.nri.runtime_side import built
tell = TemporaryFolder.end_with_owner
TemporaryFolder.end_with_owner = lambda self, group: (tell(self, group), Path(sys.argv[1]).touch())
built()
"""
"""Makes a file once it is known what ends with it."""


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder in whose ``builds`` a Go that builds nothing writes down its runs."""
    for name in ("bin", "tested", "temporary"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin/go").write_text(GO)
    (tmp_path / "bin/go").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    for name, folder in {"XDG_CACHE_HOME": "cache", "TESTED": "tested", "TMPDIR": "temporary"}.items():
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path / "tested"


def test_a_program_is_built_once(go: Path):
    program = built()
    assert built() == program
    assert program.parent == cache_folder()
    assert program.read_text() == "program\n"
    assert program.stat().st_mode & stat.S_IXUSR
    assert cached() == [program]
    assert len((go / "builds").read_text().split()) == 1
    assert not list((go.parent / "temporary").iterdir())


def test_the_lock_is_no_file_of_somebody_else(go: Path):
    cache_folder().mkdir(parents=True)
    (go / "mine").write_text("mine")
    (cache_folder() / ".lock").symlink_to(go / "mine")
    with pytest.raises(OSError, match="symbolic links"):
        built()
    assert (go / "mine").read_text() == "mine"


def test_a_folder_of_another_user_is_neither_filled_nor_cleared(go: Path, monkeypatch: pytest.MonkeyPatch):
    cache_folder().mkdir(parents=True)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    for touch in (built, clear_cache):
        with pytest.raises(UsageError, match=r"is another user's \(accepted: a folder of yours below XDG_CACHE_HOME\)"):
            touch()


def test_who_wants_it_meanwhile_waits_and_builds_nothing(go: Path):
    with alone_in_cache():
        waiting = [multiprocessing.get_context("fork").Process(target=built) for _ in range(3)]
        for each in waiting:
            each.start()
        assert not (go / "builds").exists()
    for each in waiting:
        each.join(PATIENCE)
    assert [each.exitcode for each in waiting] == [0, 0, 0]
    assert len((go / "builds").read_text().split()) == 1


def test_a_killed_build_leaves_nothing_and_the_next_one_builds(go: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STAYS", "yes")
    known = go / "known"
    with subprocess.Popen([sys.executable, "-c", BUILDS, known]) as builder:
        wait_until(lambda: known.exists() and (go / "builds").exists() and (go / "builds").read_text().endswith("\n"))
        builder.kill()
    started = int((go / "builds").read_text())
    wait_until(lambda: not runs(started) and not list((go.parent / "temporary").iterdir()))
    assert cached() == []
    monkeypatch.delenv("STAYS")
    assert built().exists()


def test_a_build_that_fails_is_told_and_leaves_nothing(go: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAILS", "yes")
    with pytest.raises(UsageError, match="go build: failed: no such module"):
        built()
    assert cached() == []
    assert not list((go.parent / "temporary").iterdir())


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit, match="0"):
        main(["cache", *words])
    return capsys.readouterr().out


def test_it_is_listed_and_cleared(go: Path, capsys: pytest.CaptureFixture[str]):
    assert said(capsys) == "nothing is built\n"
    assert said(capsys, "clear") == "nothing is built\n"
    program = built()
    (cache_folder() / "kubernetes-1.37.1").mkdir()
    (cache_folder() / "kubernetes-1.37.1/kubelet").write_bytes(bytes(2 << 20))
    (cache_folder() / "link").symlink_to(go)
    assert json.loads(said(capsys, "list", "--json"))[0] == {
        "path": str(cache_folder() / "kubernetes-1.37.1"),
        "bytes": 2 << 20,
    }
    assert said(capsys).splitlines()[0].split()[:2] == ["2", "MiB"]
    assert f"removed {program}" in said(capsys, "clear")
    assert cached() == []
    assert (go / "builds").exists()
