import subprocess
import sys

import pytest

KEPT = """
import atexit, threading, time
from types import SimpleNamespace
from numa_conformance.pytest_plugin.ending import Ending
Ending(0.2).pytest_sessionstart(SimpleNamespace(exitstatus=3))
{keeps}
"""


@pytest.mark.parametrize(
    "keeps",
    [
        "atexit.register(time.sleep, 1000)",
        "threading.Thread(target=time.sleep, args=(1000,), daemon=False).start()",
    ],
)
def test_a_process_that_is_kept_ends_with_the_status_of_the_run(keeps: str):
    ended = subprocess.run(
        [sys.executable, "-c", KEPT.format(keeps=keeps)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (
        3,
        "the target kept this process from ending; it was ended 0.2 s later\n",
    )


def test_a_process_that_ends_is_left_alone():
    script = KEPT.format(keeps="raise SystemExit(5)")
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 5
