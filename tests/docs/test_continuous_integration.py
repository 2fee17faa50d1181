"""What is shipped for CI systems: the action, as far as a shell can run it, the hook, the container."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from numa_conformance.cli.app import app
from numa_conformance.judging.releases import NEXT
from numa_conformance.plugin.options import OPTIONS

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
OF_THE_ACTION = {"options", "extras", "artifact"}
SHELLS = {"bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"], "python": ["python"]}
"""The commands with which GitHub runs a step."""
STARTER = ROOT / "src/numa_conformance/cli/starter/stdio/numa_target.py"
FAKE = f"""#!/bin/sh
if [ "$1 $2 $3" = "-m pip install" ]; then
    for word in "$@"; do echo "$word"; done > installed
else
    exec {sys.executable} "$@"
fi
"""
"""A python whose pip writes down what it is to install."""
FAKE_GO = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
: > "$2"
"""
"""A Go that builds nothing: no test waits for it."""
WITHOUT_LAB = "import sys\nsys.modules['grpc'] = None\n"


def examples() -> list[Any]:
    """Return each step of the pages that uses the action: what stands behind its ``with``."""
    found = []
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")]):
        for block in re.findall(r"^```yaml\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
            if "uses: numa-conformance/" in block:
                steps = yaml.safe_load(block)
                found += [pytest.param(step["with"], id=f"{page.name}, {n}") for n, step in enumerate(steps)]
    return found


def run(folder: Path, inputs: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the action's steps that are scripts, up to the first that fails, with what they install and no more."""
    values = {name: known.get("default", "") for name, known in ACTION["inputs"].items()}
    assert inputs.keys() <= values.keys()
    values.update(inputs)
    bin = folder / "bin"
    bin.mkdir()
    for name, text in (
        ("python", FAKE),
        ("go", FAKE_GO),
        ("my-allocator", f"#!/bin/sh\nexec {sys.executable} {STARTER}\n"),
    ):
        (bin / name).write_text(text)
        (bin / name).chmod(0o755)
    for name in ("my-allocator", "my-nri-plugin", "my-device-plugin"):
        shutil.copy(bin / "my-allocator", folder / name)
    env = {
        **os.environ,
        "PATH": f"{bin}:{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(ROOT),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_OUTPUT": str(folder / "outputs"),
    }
    for step in (step for step in ACTION["runs"]["steps"] if "run" in step):
        own = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) }}", lambda found: values[found[1]], text).replace(
                "${{ toJSON(inputs) }}", json.dumps(values)
            )
            for name, text in step.get("env", {}).items()
        }
        assert "${{" not in step["run"] + "".join(own.values()).replace(values["artifact"], "")
        (folder / "step").write_text(step["run"])
        done = subprocess.run(
            [*SHELLS[step["shell"]], "step"],
            cwd=folder,
            env={**env, **own},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            break
        env |= only(installed(folder), folder)
    return done


def installed(folder: Path) -> set[str]:
    """Return the extras that were installed."""
    (what,) = (word for word in (folder / "installed").read_text().splitlines() if word.startswith(str(ROOT)))
    return set(what.removeprefix(str(ROOT)).strip("[]").split(","))


def only(extras: set[str], folder: Path) -> dict[str, str]:
    """Return an environment in which Python finds nothing of the extras that are not there."""
    (folder / "site").mkdir(exist_ok=True)
    (folder / "site" / "sitecustomize.py").write_text("" if {"node", "lab"} & extras else WITHOUT_LAB)
    path = [str(folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(path), "PYTEST_ADDOPTS": "" if "xdist" in extras else "-p no:xdist"}


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="actions run in bash, which is not here")


def test_every_input_of_the_action_is_an_option_of_the_plugin():
    assert ACTION["inputs"].keys() - OF_THE_ACTION <= {option.name for option in OPTIONS}
    doors = {"target", "target-command", "kubelet", "device-plugin", "dra-driver", "nri-plugin"}
    assert ACTION["inputs"].keys() >= doors | {"known-failures", "budget"}


def test_the_extras_that_the_action_installs_are_there():
    extras = (ROOT / "pyproject.toml").read_text().partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    known = re.findall(r"^(\w+) = ", extras, re.MULTILINE)
    assert set(ACTION["inputs"]["extras"]["default"].split(",")) <= set(known)


def test_the_action_caches_nothing_which_only_works_below_the_workspace():
    assert not any("cache" in key for step in ACTION["runs"]["steps"] for key in step.get("with", {}))


def test_reports_of_several_jobs_and_of_a_matrix_have_names_of_their_own():
    (kept,) = (step["with"]["name"] for step in ACTION["runs"]["steps"] if "upload" in step.get("uses", ""))
    assert kept == "${{ inputs.artifact }}"
    assert {"${{ github.job }}", "${{ strategy.job-index }}"} <= set(
        re.findall(r"\$\{\{ .*? }}", ACTION["inputs"]["artifact"]["default"])
    )


@needs_bash
@pytest.mark.parametrize("inputs", examples())
def test_each_example_of_the_pages_comes_as_far_as_asking(tmp_path: Path, inputs: dict[str, str]):
    done = run(tmp_path, {**inputs, "options": f"{inputs.get('options', '')} --numa-list"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "requirements" in done.stdout


def test_the_pages_name_the_action_by_the_tag_of_the_release_that_they_are_about():
    texts = [path.read_text() for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    assert {tag for text in texts for tag in re.findall(r"numa-conformance/numa-conformance@(\S+)", text)} == {
        f"v{NEXT}.0"
    }


def test_there_are_examples():
    assert len(examples()) == 3


@needs_bash
def test_the_action_asks_and_writes_the_summary(tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "summary.md").write_text("of another run")
    options = "--numa-requirement qos/best-effort-has-none -p no:cacheprovider -k 'not nothing'"
    done = run(tmp_path, {"options": options, "report": "out"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "numa-conformance: partial" in (tmp_path / "summary").read_text()
    assert "of another run" not in (tmp_path / "summary").read_text()
    assert (tmp_path / "out" / "report.json").exists()
    outputs = dict(line.split("=", 1) for line in (tmp_path / "outputs").read_text().splitlines())
    assert outputs["verdict"] == "partial"
    assert outputs["claim"].startswith("numa-conformance reference (documented)")
    written = {name for name, output in ACTION["outputs"].items() if "steps.ask" in output["value"]}
    assert written == outputs.keys()


@needs_bash
@pytest.mark.parametrize(
    ("inputs", "code", "told"),
    [
        ({"options": "--numa-nri-plugin './my-plugin"}, 1, "::error::options: No closing quotation"),
        ({"options": "-n 2 --numa-list", "extras": "lab"}, 4, "unrecognized arguments: -n"),
        ({"device-plugin": "./my-device-plugin", "options": "--numa-list", "extras": "xdist"}, 10, "[lab]"),
        ({"report": ""}, 1, "::error::report: is empty"),
        ({"known-failures": "none.yaml", "options": "--numa-list"}, 4, "none.yaml"),
    ],
)
def test_what_cannot_be_asked_is_told(tmp_path: Path, inputs: dict[str, str], code: int, told: str):
    done = run(tmp_path, inputs)
    assert told in done.stdout + done.stderr
    assert done.returncode == code


def test_every_option_has_a_line_on_the_page():
    lines = re.findall(r"^\| `--numa-([a-z-]+)", (ROOT / "docs/suite-options.md").read_text(), re.MULTILINE)
    assert {option.name for option in OPTIONS} == {line.rstrip("-") for line in lines}


def test_the_hook_names_a_command():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    _, command = hook["entry"].split()
    assert command in app.list_commands(None)


def test_the_container_copies_what_it_installs():
    text = (ROOT / "Containerfile").read_text()
    assert "COPY . /src" in text
    assert 'pip install --no-cache-dir "/src[fixtures]"' in text
