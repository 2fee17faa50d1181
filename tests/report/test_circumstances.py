"""When, where and how a run was made: beside the report, which is the same whenever it is made."""

import json
import subprocess

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.report.circumstances import FILE, Circumstances, read_circumstances, revision_of
from numa_conformance.report.html import html_page
from numa_conformance.report.writers import write_reports
from report.runs import case, failing_run, run


def made(seconds=61.5):
    return Circumstances.of(0, seconds, "pytest --numa-target <mine>", " --target <mine>", "abc-dirty")


def test_they_stand_in_a_file_and_on_the_page_and_not_in_the_report(tmp_path, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    write_reports(failing_run(), tmp_path, made())
    told = json.loads((tmp_path / FILE).read_text())
    assert (told["began"], told["seconds"]) == ("1970-01-01T00:00:00Z", 61.5)
    assert read_circumstances(tmp_path / "report.json") == read_circumstances(tmp_path) == made()
    page = (tmp_path / "index.html").read_text()
    for text in (
        "1970-01-01 00:00:00 UTC",
        "took 1 min 2 s",
        "pytest --numa-target &lt;mine&gt;",
        "abc-dirty",
        made().host,
    ):
        assert text in page
    assert "1970" not in (tmp_path / "report.json").read_text()
    assert "1970" not in (tmp_path / "junit.xml").read_text()


def test_the_line_that_plays_a_failure_again_names_the_target_and_is_relative_to_the_folder():
    page = html_page(failing_run(), made())
    assert "<code>numa-conformance replay scenario-host-test-reconcile-test-cpusets-reach-the-cgroups-2" in page
    assert ".json --target &lt;mine&gt;</code>" in page
    assert html_page(run(case(1, "crashed", details="x")), made()).count("--numa-target &lt;mine&gt;</code>") == 2


def test_reports_can_be_made_again(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    again = made()
    assert (again.began, again.seconds, again.host) == ("1970-01-02T00:00:00Z", None, "")
    assert "took" not in html_page(run(case(1)), again)


@pytest.mark.parametrize("text", ["", "[]", '{"began": 1}', "{" * 100_000, "\ud800"])
def test_what_tells_of_no_run_is_refused(tmp_path, text):
    (tmp_path / FILE).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UsageError, match=r"run\.json"):
        read_circumstances(tmp_path)


def test_a_revision_is_that_of_the_folder(tmp_path):
    assert revision_of(tmp_path / "absent") == ""
    try:
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("needs git")
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
    subprocess.run(["git", "-C", tmp_path, *identity, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    assert len(revision_of(tmp_path)) == 12
