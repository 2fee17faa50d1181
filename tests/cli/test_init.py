"""What ``init`` writes runs as it is: the commands of the workflow, one after the other."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from asked_in_full import DEEP, deep
from forked_pytest import run_as_typed
from numa_conformance import __version__
from numa_conformance.cli import main
from numa_conformance.cli.init import _KINDS
from processes import PATIENCE


def init(kind, folder, surface="node"):
    with pytest.raises(SystemExit) as ended:
        main(["init", kind, str(folder), "--surface", surface])
    return ended.value.code


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda place: Path(place).write_bytes(b"\xff")])
def test_what_is_there_stays_whatever_it_is(tmp_path, capsys, make):
    make(tmp_path / "numa_target.py")
    assert init("python", tmp_path) == 2
    assert "numa_target.py: is there already, and stays as it is" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["numa_target.py"]


def test_a_folder_is_named_as_a_shell_and_a_person_can_read_it(tmp_path, capsys):
    assert init("python", tmp_path / "a; b\nc") == 0
    told = capsys.readouterr().out.splitlines()
    assert all(line.startswith(("wrote ", "try it:  cd '", "then:    cd '")) for line in told if line)


def needs(program, what):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"needs {what}, which is not installed")


def typed(command, folder, environment):
    """Type a command in a shell that finds this Python's programs; return its exit code and the lines it printed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, **environment, "PATH": path}
    run = subprocess.run(["sh", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False)
    return run.returncode, (run.stdout + run.stderr).splitlines()


def skip_without_packages(kind, folder):
    """Skip where the toolchain is there, and what the starter is built with is not."""
    if kind == "c":
        check = subprocess.run(
            ["cc", "-E", "-include", "jansson.h", "-xc", "/dev/null"], capture_output=True, check=False
        )
        if check.returncode:
            pytest.skip("needs Jansson, whose headers are not installed (Debian: libjansson-dev)")
    if kind == "rust":
        fetch = subprocess.run(["cargo", "fetch"], cwd=folder, capture_output=True, timeout=PATIENCE, check=False)
        if fetch.returncode:
            pytest.skip("needs the crate serde_json, which cargo cannot fetch here")


PART = {} if DEEP else {"PYTEST_ADDOPTS": "--numa-budget=2%"}
BUILT = Path(__file__).parents[2] / "build" / "rust"
"""Crates as they were built before: only the starter is built anew."""


KINDS = [
    pytest.param("c", marks=needs("cc", "a C compiler")),
    pytest.param("go", marks=(needs("go", "Go"), deep)),
    pytest.param("rust", marks=(needs("cargo", "Rust"), deep)),
    "python",
    "stdio",
]


@pytest.mark.parametrize("kind", KINDS if DEEP else ["stdio"])
def test_what_only_chooses_cpus_speaks_the_protocol_and_chooses_wrongly(kind, tmp_path):
    """As it is: it takes the lowest ids."""
    folder = tmp_path / "mine"
    assert init(kind, folder, "pick") == 0
    skip_without_packages(kind, folder)
    if kind == "rust":
        BUILT.mkdir(parents=True, exist_ok=True)
        (folder / "target").symlink_to(BUILT)
    if _KINDS[kind].build:
        assert typed(_KINDS[kind].build, folder, {})[0] == 0
    option = f"--{_KINDS[kind].option}"
    asked = "--numa-requirement cpu-manager/static/packs-whole-cores --numa-budget 10%"
    code, printed = typed(f"pytest --numa-conformance -q --numa-{option[2:]} {asked}", folder, {})
    assert code == 1, printed
    assert any(line.startswith("NOT MET: cpu-manager/static/packs-whole-cores") for line in printed)


@pytest.mark.parametrize("kind", KINDS)
def test_the_workflow_passes_as_it_is(kind, tmp_path):
    folder = tmp_path / "mine"
    assert init(kind, folder) == 0
    skip_without_packages(kind, folder)
    if kind == "rust":
        BUILT.mkdir(parents=True, exist_ok=True)
        (folder / "target").symlink_to(BUILT)
    workflow = yaml.safe_load((folder / ".github/workflows/numa-conformance.yml").read_text())
    commands = [step["run"] for step in workflow["jobs"]["conformance"]["steps"] if "run" in step]
    assert commands[0] == f'pip install "numa-conformance=={__version__}"'
    summary, verdicts = tmp_path / "summary.md", []
    environment = {**PART, "GITHUB_STEP_SUMMARY": str(summary)}
    for command in commands[1:]:
        program, *args = shlex.split(command)
        if program == "sudo":  # what the machine of a workflow has to be given
            continue
        if program == "pytest":
            run = run_as_typed(folder, *args, **environment)
            code, printed = run.ret, run.outlines + run.errlines
        else:
            code, printed = typed(command, folder, environment)
        assert code == 0, printed
        assert program not in ("pytest", "numa-conformance") or any("my-allocator 0.1.0" in line for line in printed)
        verdicts += [line for line in printed if line.startswith("VERDICT: PARTIAL")]
    assert verdicts
    assert (folder / "numa-report" / "index.html").exists()
    assert "numa-conformance: partial" in summary.read_text()


@pytest.mark.parametrize("surface", ["node", "pick"])
@pytest.mark.parametrize("kind", ["c", "go", "python", "rust", "stdio"])
def test_a_starter_is_short(kind, surface, tmp_path):
    assert init(kind, tmp_path, surface) == 0
    written = [path for path in tmp_path.rglob("*") if path.suffix in (".c", ".go", ".py", ".rs")]
    (source,) = [path for path in written if "numaconformance" not in path.parts]
    assert len(source.read_text().splitlines()) < 100


def test_nothing_is_overwritten(tmp_path, capsys):
    (tmp_path / "numa_target.py").write_text("mine")
    assert init("python", tmp_path) == 2
    assert "numa_target.py: is there already" in capsys.readouterr().err
    assert (tmp_path / "numa_target.py").read_text() == "mine"
    assert not (tmp_path / ".github").exists()
