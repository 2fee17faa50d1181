"""Exit code, badge, page, JSON, JUnit and Markdown say the same of a run."""

from xml.etree import ElementTree

import pytest

from numa_conformance.report.reading import read_report

TARGETS = """
import msgspec
from numa_conformance.reference.target import ReferenceTarget

class Right(ReferenceTarget):
    surfaces = ["pick"]
    def __init__(self):
        super().__init__(level="documented")
    def describe(self, request):
        return msgspec.structs.replace(super().describe(request), surfaces=self.surfaces)

class Wrong(Right):
    def pick(self, request):
        return {"result": "picked", "cpus": "0"}

class Node(Right):
    surfaces = ["node"]

class Malformed(Node):
    def node_admit(self, request):
        answer = msgspec.to_builtins(super().node_admit(request))
        for holding in answer.get("containers", {}).values():
            for block in holding.get("memory") or ():
                block["nodes"] = [-1]
        return answer

class Silent(Right):
    surfaces = []
"""
STALE_FILE = "stale.yaml"
STALE = "- {case: 'no/such::case', reason: r, link: https://example.com/7}\n"
MEMORY = ("--numa-requirement", "memory-manager/static/*")
RUNS = {
    "all is well": ("Right", (), 0, "partial"),
    "a requirement is not met": ("Wrong", (), 1, "not conformant"),
    "a known failure is stale": ("Right", ("--numa-known-failures", STALE_FILE), 1, "partial"),
    "a case has no verdict": ("Wrong", ("-x",), 1, "not conformant"),
    "answers are malformed": ("Malformed", MEMORY, 1, "not conformant"),
    "nothing is claimed": ("Silent", (), 5, "not tested"),
    "no snapshot is compared": ("Right", ("--numa-snapshots", "snaps"), 4, "partial"),
    "no case is left": ("Right", ("-k", "no_such_case"), 5, "not tested"),
}


@pytest.mark.parametrize(("target", "options", "code", "verdict"), RUNS.values(), ids=RUNS.keys())
def test_all_say_the_same(suite, pytester, target: str, options: tuple[str, ...], code: int, verdict: str):
    folder = pytester.path
    (folder / "targets.py").write_text(TARGETS)
    (folder / STALE_FILE).write_text(STALE)
    narrow = () if options[:1] == ("--numa-requirement",) else ("--numa-requirement", "cpu-manager/static/*")
    machine = () if STALE_FILE in options else ("--numa-machine", "t1-one-socket-smt2")
    result = suite(*machine, "--numa-target", f"targets:{target}", "--numa-report", "out", "--numa-markdown",
                   "short.md", *narrow, *options)  # fmt: skip
    summary = read_report(folder / "out")
    assert (result.ret, summary.verdict) == (code, verdict)
    good = code == 0
    assert good == (verdict in ("conformant", "partial") and not summary.problems)
    assert f"VERDICT: {verdict.upper()} (" in result.stdout.str()
    junit = ElementTree.parse(folder / "out/junit.xml")
    assert good == (not junit.findall(".//failure") and not junit.findall(".//error"))
    badge = (folder / "out/badge.svg").read_text()
    assert verdict in badge
    assert good == ("#2e7d32" in badge or "#8a5a00" in badge)
    for name in ("out/index.html", "short.md"):
        assert verdict in (folder / name).read_text()
    assert ("problem: " in (folder / "short.md").read_text()) == bool(summary.problems)
