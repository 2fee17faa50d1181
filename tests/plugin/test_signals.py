"""A signal at any moment of a run, of ``record`` and ``diff``: files are whole or not there, and nothing is claimed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from asked_in_full import DEEP
from numa_conformance.report.reading import read_report
from processes import PATIENCE, wait_until

MOMENTS = range(40) if DEEP else range(1)
TELLING = """
from pathlib import Path
from numa_conformance.reference.target import ReferenceTarget

class Telling:
    def __init__(self):
        self.reference = ReferenceTarget(level="exact")

    def __getattr__(self, name):
        method = getattr(self.reference, name)

        def answer(question):
            answered = method(question)
            if name != "describe":
                Path("answered").touch()
            return answered

        return answer
"""
"""A target that makes a file once it has answered."""
TARGET = "telling:Telling"
OURS = ["-m", "numa_conformance"]
SUITE = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--numa-conformance", f"--numa-target={TARGET}"]
WAYS = {
    "a run": [
        *SUITE,
        "--numa-requirement=qos/*",
        "--numa-report=out",
        "--numa-markdown=out/short.md",
        "--numa-histories",
    ],
    "golden snapshots": [
        *SUITE,
        "--numa-requirement=exact/placements/full-pcpus-only",
        "--numa-level=exact",
        "--numa-snapshots=out",
        "--numa-snapshot-update",
    ],
    "record": [*OURS, "record", "asked.jsonl", "--target", TARGET, "--output", "out/recorded.jsonl"],
    "diff": [*OURS, "diff", f"target:{TARGET}", "reference:documented", "--budget", "0.3%", "--json"],
}
LONGEST = {"a run": 12.0 if DEEP else 3.0, "golden snapshots": 8.0, "record": 2.0, "diff": 6.0 if DEEP else 3.0}
"""Seconds after the first answer within which a signal comes; some come after the end."""
QUESTION = {"id": "q", "kind": "qos", "pod": {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}}


@pytest.mark.skipif(os.name != "posix", reason="this system has no such signals")
@pytest.mark.parametrize("way", WAYS if DEEP else ("a run",))
@pytest.mark.parametrize("moment", MOMENTS)
def test_what_is_left_is_whole_and_claims_no_more_than_was_asked(tmp_path: Path, way: str, moment: int):
    lot = random.Random(f"{way} {moment}")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "telling.py").write_text(TELLING)
    (tmp_path / "asked.jsonl").write_text("".join(f"{json.dumps(QUESTION)}\n" for _ in range(2000)))
    with subprocess.Popen(
        [sys.executable, *WAYS[way]], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        wait_until(lambda: (tmp_path / "answered").exists() or process.poll() is not None)
        time.sleep(lot.uniform(0, LONGEST[way]))
        process.send_signal(lot.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL]))
        printed, _ = process.communicate(timeout=PATIENCE)
    assert (tmp_path / "answered").exists(), printed
    for file in tmp_path.glob("out/**/*.*"):
        if file.is_file() and not file.name.endswith(".unfinished"):
            _is_whole(file)
    # Python itself, interrupted while it starts, prints one that ends so.
    assert "Traceback" not in printed or printed.rstrip().endswith("KeyboardInterrupt")
    # What the signal itself ended had told all before: it is taken until the very end, and makes of it an interruption.
    if process.returncode > 0:
        assert "conforms to" not in printed


def _is_whole(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".jsonl":
        assert all(json.loads(line) for line in text.splitlines())
        assert text.endswith("\n")
    elif file.name == "report.json":
        summary = read_report(file)
        assert summary.complete or "conforms" not in summary.claim
    elif file.suffix == ".json":
        json.loads(text)
    elif file.suffix == ".html":
        assert text.rstrip().endswith("</html>")
    elif file.suffix in (".svg", ".xml"):
        ElementTree.fromstring(text)
    else:
        assert text
