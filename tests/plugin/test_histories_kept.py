"""``--numa-histories``: the report keeps all generated conversations, and says where."""

import json
import os
import re
import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path

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
    assert (result.ret, "--numa-report FOLDER" in result.stderr.str()) == (4, True)


MINE = """
from mutants import lets_devices_decide_the_class as make
from numa_conformance.wire import serve

if __name__ == "__main__":
    serve(make())
"""


@pytest.mark.parametrize(
    "named", [("--numa-target", "mine:make"), ("--numa-target-command", f"{shlex.quote(sys.executable)} ./mine.py")]
)
def test_the_page_plays_again_where_it_says(suite, pytester, monkeypatch, named):
    tests = str(Path(__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")]))
    (pytester.path / "mine.py").write_text(MINE)
    assert suite(*named, "--numa-requirement", "qos/best-effort-has-none", "--numa-report", "out").ret == 1
    page = unescape((pytester.path / "out/index.html").read_text())
    where, command = re.search(r"Play it again, (.*): .*?<code>numa-conformance (.*?)</code>", page).groups()
    assert where == "where the run was called"
    words = [sys.executable, "-m", "numa_conformance", *shlex.split(command)]
    again = subprocess.run(words, cwd=pytester.path, capture_output=True, text=True, timeout=300, check=False)
    assert again.returncode == 1, again.stderr
    assert "qos/best-effort-has-none" in again.stdout
