"""pytest rewrites no assertions of the package: its modules are loaded as Python does."""

import subprocess
import sys
from pathlib import Path

import numa_conformance

PACKAGE = Path(numa_conformance.__file__).parent
LOADERS = """
import sys

def test_loaders():
    ours = {name: module for name, module in sys.modules.items() if name.startswith("numa_conformance.")}
    rewritten = {name for name, module in ours.items() if "Rewrit" in type(module.__loader__).__name__}
    print(len(ours), sorted(rewritten))
    first = ("moved", "lazy_names", "plugin", "plugin.unchanged_modules")  # the root and the plugin import them
    assert rewritten <= {f"numa_conformance.{name}" for name in first}
    assert len(ours) > 3
"""


def installed(folder):
    """Lay out the package as an installed wheel does, which lists its files and its plugin."""
    (folder / "numa_conformance").symlink_to(PACKAGE)
    info = folder / "numa_conformance-9.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: numa-conformance\nVersion: 9\n")
    info.joinpath("entry_points.txt").write_text("[pytest11]\nnuma_conformance.plugin = numa_conformance.plugin\n")
    files = ("__init__.py", "plugin/__init__.py", "plugin/options.py")
    info.joinpath("RECORD").write_text("".join(f"numa_conformance/{name},,\n" for name in files))
    return folder


def test_of_an_installed_package(tmp_path):
    test = tmp_path / "test_loaders.py"
    test.write_text(LOADERS)
    paths = ":".join(map(str, (installed(tmp_path), *map(str, filter(None, sys.path)))))
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", str(test)]
    done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": paths}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
