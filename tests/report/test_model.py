import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

from numa_conformance.errors import UsageError
from numa_conformance.report.model import Case, Summary, read_report
from numa_conformance.report.schema import report_schema
from numa_conformance.report.text import summary_lines
from numa_conformance.report.writers import write_reports
from numa_conformance.suite.known_failures import KnownFailure, KnownFailures
from numa_conformance.target.wire import Description

NONE = "cpu-manager/none/needs-no-reservation"
POOL = "cpu-manager/shared-pool/loses-nothing"
DESCRIBED = Description("mine", "1.0", "1", ["node"], ["cpu-manager/none"])
SCHEMA = Path(__file__).parents[2] / "fixtures" / "schemas" / "report.schema.json"


def summary(*verdicts, known=None, narrowed=False):
    cases = [Case(f"case-{at}", [NONE], "cpu-manager", verdict) for at, verdict in enumerate(verdicts)]
    return Summary.of(DESCRIBED, "documented", cases, known or KnownFailures({}), narrowed=narrowed)


@pytest.mark.parametrize(
    ("verdicts", "narrowed", "verdict"),
    [
        (["passed", "passed"], False, "conformant"),
        (["passed"], True, "partial"),
        (["passed", "not claimed"], False, "partial"),
        (["passed", "expected failure"], False, "partial"),
        (["passed", "failed"], False, "not conformant"),
        (["passed", "timed out"], False, "not conformant"),
        (["passed", "error"], False, "not conformant"),
        (["not claimed"], False, "not tested"),
        ([], False, "not tested"),
    ],
)
def test_the_verdict_follows_from_the_cases(verdicts, narrowed, verdict):
    told = summary(*verdicts, narrowed=narrowed)
    assert told.verdict == verdict
    assert sum(told.counts.values()) == told.planned == len(verdicts)
    assert f"VERDICT: {verdict.upper()}" in "\n".join(summary_lines(told))


def test_a_claimed_feature_without_a_case_is_a_problem():
    assert summary().problems == ["feature cpu-manager/none is claimed and no case was run for it"]
    assert summary("passed").problems == []


def test_stale_known_failures_are_problems():
    known = KnownFailures({name: KnownFailure(name, "why", "link") for name in (NONE, POOL)})
    assert [one.split(":")[0] for one in summary("passed", known=known).problems] == [
        f"known failure {NONE}",
        f"known failure {POOL}",
    ]
    assert len(summary("expected failure", known=known).problems) == 1


def test_a_report_is_written_and_read_back(tmp_path):
    told = summary("passed", "failed")
    write_reports(told, tmp_path / "out")
    assert read_report(tmp_path / "out") == told
    jsonschema.validate(json.loads((tmp_path / "out" / "report.json").read_text()), report_schema())


def test_the_shipped_schema_is_the_one_made_from_the_classes():
    assert json.loads(SCHEMA.read_text()) == report_schema()


@pytest.mark.parametrize("text", ["", "{}", "[", msgspec.json.encode({"cases": 1}).decode()])
def test_what_is_no_report_is_refused(tmp_path, text):
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(UsageError, match="no report"):
        read_report(tmp_path)


def test_a_missing_report_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_report(tmp_path / "absent")
