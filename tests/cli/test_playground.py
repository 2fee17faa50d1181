"""``playground`` serves the page on loopback; ``simulate --link`` holds what is in files alone."""

import subprocess
import sys
import urllib.request

import pytest

from numa_conformance.cli import main

POD = "kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, resources: {limits: {cpu: 1, memory: 1Gi}}}]}\n"
ASKED = ("simulate", "--machine", "t1-one-socket-smt2")


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    printed = capsys.readouterr()
    return ended.value.code, printed.out, printed.err


def test_it_serves_a_folder_to_this_computer(tmp_path):
    (tmp_path / "sw.js").write_text("")
    (tmp_path / "index.html").write_text("the page")
    command = [sys.executable, "-m", "numa_conformance", "playground", "--folder", str(tmp_path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        address = serving.stdout.readline().split()[0]
        with urllib.request.urlopen(f"{address}sw.js") as answer:
            assert answer.headers["content-type"] == "text/javascript"
        serving.terminate()
    assert address.startswith("http://127.0.0.1:")


def test_without_a_page_it_says_how_to_build_one(tmp_path, capsys):
    code, _, error = run(capsys, "playground", "--folder", str(tmp_path))
    assert (code, "python playground/build.py" in error) == (2, True)


def test_a_link_is_of_files_alone(tmp_path, capsys):
    pods = tmp_path / "pods.yaml"
    pods.write_text(POD)
    code, address, _ = run(capsys, *ASKED, "--link", str(pods))
    assert (code, address.startswith("playground/#1.")) == (0, True)
    code, _, error = run(capsys, *ASKED, "--link", "--json", str(pods))
    assert (code, "exclude each other" in error) == (2, True)


def test_a_link_of_flags_has_what_they_come_to(tmp_path, capsys):
    from playground.pages import ask, question_of

    pods = tmp_path / "pods.yaml"
    pods.write_text(POD)
    flags = "--cpu-manager-policy=static --reserved-cpus=0"
    _, address, _ = run(capsys, "simulate", "--machine", "t1-one-socket-smt2", "--flags", flags, "--link", str(pods))
    question = question_of(address)
    assert ask.ask(question)["digest"] == question["digest"]
    assert "exclusive CPUs 4" in ask.ask(question)["text"]
