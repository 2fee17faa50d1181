"""Faults that come and go, texts that are none, folders that take nothing: each ends as the target's verdict."""

import pytest

from asked_in_full import deep

TARGET = """
import itertools
from msgspec import structs
from numa_conformance.reference.target import ReferenceTarget

_NUMBER = itertools.count()

class Now(ReferenceTarget):
    def {method}(self, request):
        reply = super().{method}(request)
        return {changed} if next(_NUMBER) % {every} == 0 else reply

def make():
    return Now(level="documented")
"""
WRONG_CLASS = {"method": "classify", "changed": "structs.replace(reply, qos='Burstable')", "every": 5}


@pytest.fixture
def wrong(suite, pytester):
    def run(target, *args):
        pytester.path.joinpath("now_and_then.py").write_text(TARGET.format(**target))
        return suite("--numa-target", "now_and_then:make", "--numa-report", "out", *args)

    return run


@deep
def test_a_requirement_that_is_broken_now_and_then_is_told_as_such(wrong, report):
    result = wrong(WRONG_CLASS, "--numa-requirement", "qos/*", "--numa-budget", "20%")
    assert result.ret == 1
    assert report()["verdict"] == "not conformant"
    assert report()["counts"]["error"] == 0
    result.stdout.re_match_lines([r"comes and goes: failed [1-4] of 5 times"])


@deep
def test_a_crash_is_told_where_the_case_that_is_about_answers_is_not_asked(wrong, report):
    crash = {"method": "node_admit", "changed": "1 // 0", "every": 20}
    wrong(crash, "--numa-requirement", "cpu-manager/full-pcpus-only/*", "--numa-budget", "2%")
    assert report()["verdict"] == "not conformant"
    asked = [case["verdict"] for case in report()["cases"] if case["id"].startswith("histories/")]
    assert (asked.count("crashed"), len(asked) > 1) == (1, True)


def test_a_report_that_cannot_be_written_costs_no_verdict(suite, pytester):
    pytester.path.joinpath("file").touch()
    result = suite("--numa-requirement", "qos/best-effort-has-none", "--numa-report", "file/out")
    assert result.ret == 4
    result.stdout.fnmatch_lines(["no report: *file/out: cannot be written*", "VERDICT: *"])
    assert "Traceback" not in result.stdout.str()
