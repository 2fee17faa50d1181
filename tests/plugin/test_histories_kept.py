"""``--numa-histories``: the report keeps all generated conversations, and says where."""

import json

import pytest

from numa_conformance.cli import main

ASKED = ("--numa-requirement", "qos/requests-default-to-limits", "--numa-report", "out")


def test_all_conversations_are_kept_and_can_be_judged(suite, pytester, report, capsys):
    assert suite(*ASKED, "--numa-histories").ret == 0
    cases = [case for case in report()["cases"] if case.get("histories")]
    files = {name for case in cases for name in case["conversations"]}
    assert "histories/all/classes.jsonl" in files
    paths = [str(pytester.path / "out" / name) for name in sorted(files)]
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["judge", *paths, "--json"])
    judged = {each["id"]: each["asked"] for each in json.loads(capsys.readouterr().out)["requirements"]}
    assert all(case["asked"] == judged[case["requirements"][0]] for case in cases)


def test_what_an_earlier_run_kept_goes(suite, pytester, report):
    assert suite(*ASKED, "--numa-histories").ret == 0
    assert suite(*ASKED).ret == 0
    assert not list((pytester.path / "out").rglob("*.jsonl"))
    assert not any("conversations" in case for case in report()["cases"])


def test_without_a_folder_there_is_no_place_for_them(suite):
    result = suite("--numa-histories")
    assert (result.ret, "--numa-report DIR" in result.stderr.str()) == (4, True)
