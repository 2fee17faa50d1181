"""The code of docs/testing.md runs as it is printed."""

import re
from pathlib import Path

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
