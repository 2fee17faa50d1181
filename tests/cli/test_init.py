"""What ``init`` writes runs as it is: the commands of the workflow, one after the other."""

import os
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml

from asked_in_full import DEEP
from numa_conformance.cli import main


def init(kind, folder):
    with pytest.raises(SystemExit) as ended:
        main(["init", kind, str(folder)])
    return ended.value.code


needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="needs Go, which is not installed")


@pytest.mark.parametrize("kind", [pytest.param("go", marks=needs_go), "python", "stdio"])
def test_the_workflow_passes_as_it_is(kind, tmp_path):
    folder = tmp_path / "mine"
    assert init(kind, folder) == 0
    workflow = yaml.safe_load((folder / ".github/workflows/numa-conformance.yml").read_text())
    commands = [step["run"] for step in workflow["jobs"]["conformance"]["steps"] if "run" in step]
    assert commands[0] == "pip install numa-conformance"
    environment = os.environ if DEEP else {**os.environ, "PYTEST_ADDOPTS": "--numa-budget=2%"}
    for command in commands[1:]:
        program, *args = shlex.split(command)
        module = {"pytest": "pytest", "numa-conformance": "numa_conformance"}.get(program)
        words = [sys.executable, "-m", module, *args] if module else [program, *args]
        run = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
        assert not module or "my-allocator 0.1.0" in run.stdout
    assert "VERDICT: PARTIAL" in run.stdout
    assert (folder / "numa-report" / "index.html").exists()


def test_nothing_is_overwritten(tmp_path, capsys):
    (tmp_path / "numa_target.py").write_text("mine")
    assert init("python", tmp_path) == 2
    assert "numa_target.py: is there already" in capsys.readouterr().err
    assert (tmp_path / "numa_target.py").read_text() == "mine"
    assert not (tmp_path / ".github").exists()
