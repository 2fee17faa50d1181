"""What strangers import: three public modules, and old names of rooms for one release."""

import importlib
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from numa_conformance.report.pages.api_page import PUBLIC

ROOT = Path(__file__).parents[1]
SHOWN = [
    *[page for page in (ROOT / "docs").glob("*.md") if page.name not in ("journal.md", "measurements.md")],
    *(ROOT / "examples").rglob("*.py"),
    *(ROOT / "src/numa_conformance/cli/starter").rglob("*.py"),
    ROOT / "README.md",
]
INTERNAL = {
    "examples/conforms.py": "it writes a page of this project",
    "examples/device_plugin/plugin.py": "it speaks the kubelet's gRPC, as a device plugin in any language does",
    "examples/topology_exporter/exporter.py": "it speaks the kubelet's gRPC",
}
"""What we show and run, and nobody is told to write alike."""
IMPORTED = re.compile(r"^\s*(?:from|import) (numa_conformance\S*)", re.MULTILINE)


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_we_show_imports_public_modules_alone(path):
    imported = set(IMPORTED.findall(path.read_text(encoding="utf-8")))
    if path.relative_to(ROOT).as_posix() in INTERNAL:
        assert imported - set(PUBLIC)
    else:
        assert imported <= set(PUBLIC)


def test_some_page_imports_each_public_module():
    text = "\n".join(path.read_text(encoding="utf-8") for path in SHOWN)
    assert set(PUBLIC) <= set(IMPORTED.findall(text))


def test_each_request_and_answer_of_the_protocol_is_public():
    targets = importlib.import_module("numa_conformance.targets")
    requests = {method.request for method in targets.METHODS.values()}
    answers = {answer for method in targets.METHODS.values() for answer in method.replies}
    assert {message.__name__ for message in requests | answers} <= set(targets.__all__)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("protocol", "targets", "ReferenceTarget"),
        ("protocol", "wire", "Unsupported"),
        ("protocol", "reference.target", "Level"),
        ("suite.asking.groups", "asking.groups", "GROUPS"),
        ("suite.telling.findings", "asking.findings.findings", "Finding"),
        ("protocol.messages.pick", "targets", "Picked"),
        ("protocol.reference", "targets", "ReferenceTarget"),
        ("node", "testing", "Node"),
        ("hostfs", "machines", "write_tree"),
        ("suite.judge.verdicts", "judging.verdicts", "judge"),
        ("suite.chapters", "chapters", "REQUIREMENTS"),
        ("managers.cpu.options", "reference.managers.cpu.options", "full_pcpus_only"),
    ],
)
def test_an_old_name_gives_what_is_there_now_and_says_so(old, new, name, monkeypatch):
    package = "numa_conformance"
    for module in [module for module in sys.modules if module.startswith(f"{package}.{old.partition('.')[0]}")]:
        monkeypatch.delitem(sys.modules, module)
    with pytest.warns(DeprecationWarning, match=rf"{package}\.\w+ is {package}\.\S+ now"):
        there = getattr(importlib.import_module(f"{package}.{old}"), name)
    expected = getattr(importlib.import_module(f"{package}.{new}"), name)
    assert getattr(there, "__name__", "").rpartition(".")[2] == getattr(expected, "__name__", "").rpartition(".")[2]
    assert there is expected or name == "full_pcpus_only"  # a module has a stand-in of its own


def test_names_of_today_warn_of_nothing_and_what_never_was_is_not_there():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.import_module("numa_conformance.wire")
    for name in ("numa_conformance.never", "numa_conformance.wire.never"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(name)


def test_the_reference_is_served_under_its_old_name():
    command = [sys.executable, "-W", "ignore", "-m", "numa_conformance.protocol", "--level", "documented"]
    asked = '{"jsonrpc": "2.0", "id": 1, "method": "describe", "params": {}}\n'
    run = subprocess.run(command, input=asked, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert '"name":"numa-conformance reference (documented)"' in run.stdout
