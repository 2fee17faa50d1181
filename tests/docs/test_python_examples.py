"""Every Python example of the pages passes a strict type checker, and those of the public interface run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = {page: blocks for page in sorted((ROOT / "docs").rglob("*.md")) if (blocks := BLOCK.findall(page.read_text()))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_are_typed(page, tmp_path):
    """The environment `types` has the checker, and what it knows of the package already."""
    pytest.importorskip("mypy", reason="the type checker is part of the environment `types`")
    for number, block in enumerate(PAGES[page]):
        named = re.match(r"# (\w+\.py)\n", block)
        (tmp_path / (named[1] if named else f"example_{number}.py")).write_text(block)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *sorted(tmp_path.iterdir())],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": os.pathsep.join((str(ROOT / "src"), str(tmp_path)))},
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("block", PAGES[ROOT / "docs" / "api.md"])
def test_an_example_of_the_public_interface_runs(block, capsys):
    exec(compile(block, "api.md", "exec"), {})
    assert capsys.readouterr().err == ""
