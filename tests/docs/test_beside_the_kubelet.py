"""The benchmark beside the kubelet starts as the page writes it, with what this package alone brings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "beside_the_kubelet.py"
ALONE = """
import runpy, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pytest_benchmark", "jsonschema", "grpc"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
sys.path.insert(0, sys.argv[1].rpartition("/")[0])
sys.argv[:] = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "built with Go, which is not installed; or name a program"),
        (["nowhere/kubelet-1.37"], "nowhere/kubelet-1.37 is no program"),
        (["one", "two"], "one program is asked at a time, not 2: one two"),
    ],
)
def test_it_starts_and_says_in_a_line_what_it_lacks(tmp_path, words, told):
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(SCRIPT), *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": str(tmp_path)},
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
