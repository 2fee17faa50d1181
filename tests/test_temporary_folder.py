"""A temporary folder goes with its owner: closed, killed, or killed with its whole session."""

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from numa_conformance.files import TemporaryFolder
from processes import runs, wait_until

OWNER = """
import subprocess, sys
from numa_conformance.files import TemporaryFolder
folder = TemporaryFolder("owned-")
(folder.path / "inside").mkdir()
group = subprocess.Popen(["sleep", "3600"], start_new_session=True, stdout=subprocess.DEVNULL).pid
folder.end_with_owner(group)
print(folder.path, group, flush=True)
sys.stdin.read()
"""


def test_it_is_there_until_it_is_closed_and_nothing_waits_for_it_then() -> None:
    folder = TemporaryFolder("owned-")
    (folder.path / "file").write_text("told")
    assert folder.path.name.startswith("owned-")
    folder.close()
    folder.close()
    assert not folder.path.exists()
    assert str(folder.path) not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout


def test_it_goes_with_an_owner_that_forgets_it() -> None:
    path = TemporaryFolder("owned-").path
    gc.collect()
    assert not path.exists()


@pytest.mark.parametrize("kill", [os.kill, os.killpg])
def test_it_and_what_is_to_end_with_its_owner_are_gone_soon_where_that_is_killed(kill) -> None:
    command = [sys.executable, "-c", OWNER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as owner:
        assert owner.stdout is not None
        folder, group = owner.stdout.readline().split()
        assert Path(folder, "inside").is_dir()
        kill(owner.pid, signal.SIGKILL)
    wait_until(lambda: not Path(folder).exists())
    assert not runs(int(group))


def test_what_has_ended_before_is_not_killed_in_place_of_another() -> None:
    owner = OWNER.replace("print", "folder.end_with_owner(None)\nprint")
    with subprocess.Popen([sys.executable, "-c", owner], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        folder, group = process.stdout.readline().split()
        process.kill()
    wait_until(lambda: not Path(os.fsdecode(folder)).exists())
    assert runs(int(group))
    os.kill(int(group), signal.SIGKILL)
