"""The examples run, and their verdicts are what the documentation says of them."""

import json
import re
import shutil
from pathlib import Path

import pytest

from asked_in_full import DEEP, deep
from forked_pytest import run_as_typed
from numa_conformance.report.case import UNMET
from numa_conformance.report.reading import read_report
from numa_conformance.report.text import summary_lines

EXAMPLES = Path(__file__).parents[2] / "examples"


def judge(folder, *args, cwd):
    run = run_as_typed(cwd, "--numa-conformance", "-p", "no:cacheprovider", f"--numa-report={folder}", *args)
    return run, json.loads((folder / "report.json").read_text())


@deep
@pytest.mark.skipif(shutil.which("node") is None, reason="the example needs Node.js (Debian's package nodejs)")
def test_the_javascript_allocator_meets_what_it_claims(tmp_path):
    command = f"node {EXAMPLES / 'node_js' / 'allocator.mjs'}"
    part = [] if DEEP else ["--numa-budget", "2%"]
    run, report = judge(tmp_path, "--numa-target-command", command, *part, cwd=tmp_path)
    assert run.ret == 0, run.outlines[-30:]
    assert report["verdict"] == "partial"
    assert report["counts"]["passed"] > 60


@deep
def test_the_naive_allocator_fails_just_where_the_documentation_says(tmp_path):
    folder = EXAMPLES / "naive_python"
    run, report = judge(tmp_path, "--numa-target", "allocator:Naive", cwd=folder)
    assert run.ret == 1, run.outlines[-30:] + run.errlines[-30:]
    summary = read_report(tmp_path)
    assert sorted(summary.unmet()) == (folder / "fails.txt").read_text().split()
    assert {case["verdict"] for case in report["cases"]} <= {*UNMET, "passed", "not followed", "not claimed"}
    told = (folder / "report.txt").read_text().splitlines()
    assert _named(told) == _named(summary_lines(summary))
    _is_read_in_a_minute(run.stdout.str())


def _named(lines):
    """The requirements that are told in full, in their order."""
    return [re.split("[ ,]", line)[2] for line in lines if line.startswith("NOT MET: ")]


def _is_read_in_a_minute(printed):
    lines = printed.splitlines()
    assert len(lines) < 150
    assert lines[-3].startswith("VERDICT: NOT CONFORMANT")
    assert not any(word in printed for word in ("Traceback", "object at 0x", "Machine(name=", "\n> ", "\nE  "))
