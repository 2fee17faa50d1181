"""What is shipped for CI systems: the action, the hook, the container."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from numa_conformance.cli.app import app
from numa_conformance.pytest_plugin.options import OPTIONS

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
(ASKS,) = (step["run"] for step in ACTION["runs"]["steps"] if "TARGET" in step.get("env", {}))


def test_every_option_of_the_action_is_one_of_the_plugin():
    known = {f"--numa-{option.name}" for option in OPTIONS}
    named = {word.strip('"').partition("=")[0] for word in ASKS.split() if word.lstrip('"').startswith("--numa-")}
    assert named - {"--numa-conformance"} <= known
    assert len(named) > 4


@pytest.mark.skipif(shutil.which("bash") is None, reason="actions run in bash, which is not here")
def test_the_action_asks_and_writes_the_summary(tmp_path: Path):
    env = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PROFILE": "",
        "TARGET": "",
        "TARGET_COMMAND": "",
        "LEVEL": "documented",
        "OPTIONS": "--numa-requirement qos/best-effort-has-none -p no:cacheprovider",
        "REPORT": "out",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
    }
    done = subprocess.run(
        ["bash", "-e", "-c", ASKS], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "numa-conformance: partial" in (tmp_path / "summary").read_text()
    assert (tmp_path / "out" / "report.json").exists()


def test_the_hook_names_a_command():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    _, command = hook["entry"].split()
    assert command in app.list_commands(None)


def test_the_container_copies_what_it_installs():
    text = (ROOT / "Containerfile").read_text()
    assert "COPY . /src" in text
    assert 'pip install --no-cache-dir "/src[fixtures]"' in text
