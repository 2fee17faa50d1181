"""The built wheel, in an empty virtual environment, from an empty folder."""

import os
import shlex
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from cli.test_help import RUN
from numa_conformance.cli.init import SHIPPED

ROOT = Path(__file__).parents[2]


def run(*args, **more):
    return subprocess.run([str(arg) for arg in args], capture_output=True, text=True, timeout=600, check=False, **more)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("build", reason="building a wheel needs the package 'build'; tox's wheel environment has it")
    out = tmp_path_factory.mktemp("dist")
    built = run(sys.executable, "-m", "build", "--outdir", out, ROOT)
    assert built.returncode == 0, built.stdout[-2000:] + built.stderr[-2000:]
    return next(out.glob("*.whl"))


def test_the_wheel_holds_the_whole_suite(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for folder in ("conformance", "fixtures", "go/numa", *(f"examples/{name}" for name in SHIPPED)):
        own = [path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()]
        own = [path for path in own if "__pycache__" not in path.parts]
        assert own
        missing = [str(path) for path in own if f"numa_conformance/{path.as_posix()}" not in names]
        assert missing == []


def test_the_wheel_holds_what_the_package_reads(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    package = ROOT / "src" / "numa_conformance"
    data = [path for path in package.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert {path.name for path in data} >= {"py.typed", "report.html", "matrix.html", "style.css", "script.js"}
    assert [str(path) for path in data if f"numa_conformance/{path.relative_to(package).as_posix()}" not in names] == []


def test_the_suite_runs_from_the_wheel_in_an_empty_folder(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    installed = run(python, "-m", "pip", "install", "--quiet", wheel)
    assert installed.returncode == 0, installed.stderr[-2000:]
    empty = tmp_path / "empty"
    empty.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "TOX"))}
    written = ("-k", "not test_every_step")  # what is generated takes longest, and is asked in tox's conformance
    result = run(python, "-m", "pytest", "--numa-conformance", *written, cwd=empty, env=environment)
    assert result.returncode == 0, result.stdout[-3000:]
    assert "VERDICT: PARTIAL (level documented" in result.stdout
    assert run(python, "-m", "numa_conformance.reference", "--help", cwd=empty).returncode == 0
    assert run(python, "-m", "numa_conformance", "examples", cwd=empty).returncode == 0
    assert run(python, "-m", "numa_conformance", "init", "stdio", "my-allocator", cwd=empty).returncode == 0
    for typed in RUN:
        ran = run(python, "-m", "numa_conformance", *shlex.split(typed), cwd=empty)
        assert ran.returncode in (0, 1) or "is there already" in ran.stderr, f"{typed}: {ran.stderr}"
