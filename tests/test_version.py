import re
from importlib.metadata import version
from pathlib import Path

from numa_conformance import __version__

ROOT = Path(__file__).parents[1]


def test_the_installed_version_is_the_one_in_the_package():
    assert version("numa-conformance") == __version__


def test_the_version_stands_in_one_place():
    assert re.search(r'^dynamic = \[.*"version"', (ROOT / "pyproject.toml").read_text(), re.M)
    stated = [path for path in (ROOT / "src").rglob("*.py") if re.search(r"^__version__ = ", path.read_text(), re.M)]
    assert stated == [ROOT / "src" / "numa_conformance" / "__init__.py"]
