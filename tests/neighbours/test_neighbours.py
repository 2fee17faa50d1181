"""Installed in a project that has nothing to do with it, beside the plugins such a project has."""

import os
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent / "project"
NEIGHBOURS = (
    "inline-snapshot",
    "pytest-asyncio",
    "pytest-django",
    "pytest-randomly",
    "pytest-snapshot",
    "pytest-xdist",
)
OURS_AND_HEAVY = ("hypothesis", "msgspec", "numa_conformance.suite", "pyfakefs", "syrupy", "yaml")

installed = {distribution.metadata["Name"].lower().replace("_", "-") for distribution in distributions()}
missing = sorted(set(NEIGHBOURS) - installed)
pytestmark = pytest.mark.skipif(bool(missing), reason=f"not installed: {missing}; tox's 'neighbours' has them")


@pytest.fixture
def project(tmp_path):
    for file in PROJECT.iterdir():
        if file.is_file():
            (tmp_path / file.name.removesuffix(".txt")).write_text(file.read_text())
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "snapshots" / "kept.txt").write_text("what is kept")
    return tmp_path


def run_tests(project, *args):
    command = [sys.executable, "-W", "error", "-m", "pytest", "-p", "no:cacheprovider", *args]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    result = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stdout + result.stderr


@pytest.mark.parametrize("args", [(), ("-n", "2"), ("-p", "randomly", "-p", "numa_conformance.plugin")])
def test_an_unrelated_project_passes_with_warnings_as_errors(project, args):
    status, told = run_tests(project, *args)
    assert status == 0, told
    assert "5 passed" in told
    assert "numa-conformance" in told  # it was there


def test_snapshots_of_pytest_snapshot_are_updated(project):
    changed = (project / "test_unrelated.py").read_text().replace("what is kept", "what is new")
    (project / "test_unrelated.py").write_text(changed)
    assert run_tests(project)[0] == 1
    status, told = run_tests(project, "--snapshot-update", "-k", "snapshot")
    assert "unrecognized" not in told
    assert (project / "snapshots" / "kept.txt").read_text() == "what is new", (status, told)
    status, told = run_tests(project, "-k", "snapshot")
    assert status == 0, told


def test_nothing_heavy_is_loaded(project):
    (project / "conftest.py").write_text(
        "import atexit, sys\n"
        f"heavy = {OURS_AND_HEAVY!r}\n"
        "atexit.register(lambda: print('LOADED', [name for name in heavy if name in sys.modules]))\n"
    )
    status, told = run_tests(project, "-k", "addition")
    assert status == 0, told
    assert "LOADED []" in told


def test_a_project_that_uses_hypothesis_gets_its_statistics(project):
    (project / "test_given.py").write_text(
        "from hypothesis import given, strategies\n"
        "@given(strategies.integers())\n"
        "def test_given(number):\n"
        "    assert number == number\n"
    )
    status, told = run_tests(project, "--hypothesis-show-statistics", "test_given.py")
    assert status == 0, told
    assert "passing" in told.split("Hypothesis Statistics")[1]
