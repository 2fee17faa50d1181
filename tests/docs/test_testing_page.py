"""The code of docs/testing.md runs as it is printed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from asked_in_full import deep
from forked_pytest import run_as_typed

SHORT = """
from hypothesis import settings

settings.register_profile("short", max_examples=10)
settings.load_profile("short")
"""
PAGE = Path(__file__).parents[2] / "docs/testing.md"


@deep
def test_the_page_runs_as_printed(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    for number, block in enumerate(blocks):
        named = re.match(r"# (\w+\.py)\n", block)
        (tmp_path / (named[1] if named else f"test_{number}.py")).write_text(block)
    (tmp_path / "conftest.py").write_text(SHORT)
    typed = ("-q", "-W", "error", "-p", "no:cacheprovider")
    assert run_as_typed(tmp_path, *typed, "--snapshot-update", "-k", "lie_where_they_lay").ret == 0
    done = run_as_typed(tmp_path, *typed)
    assert done.ret == 0, done.outlines
    assert f"{7 + len(re.findall('^def test_', PAGE.read_text(), re.MULTILINE)) - 1} passed" in done.stdout.str()


def test_the_oracle_passes_a_strict_type_checker(tmp_path):
    """The environment `types` has the checker, and what it knows of the package already."""
    pytest.importorskip("mypy", reason="the type checker is part of the environment `types`")
    (block,) = re.findall(r"```python\n(import pytest\nfrom my_allocator.*?)```", PAGE.read_text(), re.DOTALL)
    signature = "def allocate(machine: Machine, free: CpuSet, count: int) -> CpuSet: ..."
    needed = "from numa_conformance.cpuset import CpuSet\nfrom numa_conformance.machine import Machine\n"
    (tmp_path / "my_allocator.pyi").write_text(f"{needed}{signature}\n")
    (tmp_path / "test_oracle.py").write_text(block)
    paths = os.pathsep.join((str(PAGE.parents[1] / "src"), str(tmp_path)))
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", tmp_path / "test_oracle.py"],
        cwd=PAGE.parents[1],
        env={**os.environ, "MYPYPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
