"""What commands have in common: names, exit codes, terminals that are narrow, readers that go away."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from numa_conformance.cli.terminal import columns, say
from numa_conformance.machine import allocation_map, load_machine

EXAMPLES = Path(__file__).parents[2] / "examples/cluster"


@pytest.mark.parametrize(
    ("argv", "near"),
    [
        (["requirements", "cpu-manager/full-pcpus-only/gives-whole-cors"], "gives-whole-cores"),
        (["quirks", "smt-check-by-machine-averages"], "smt-check-by-machine-average"),
        (["machines", "show", "t1-one-socket-smt3"], "t1-one-socket-smt2"),
        (["init", "pyton"], "python"),
        (["smoke", "--level", "exat"], "exact"),
        (["simulate-cluster", "--pods", "x", "--strategy", "MostAlocated"], "MostAllocated"),
        (["lnt"], "lint"),
    ],
)
def test_an_unknown_name_gets_the_near_one(run, argv, near):
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert f"did you mean '{near}'?" in err or f"/{near}'?" in err


@pytest.mark.parametrize(("option", "near"), [("--kind=cpu-statik", "cpu-static"), ("--id=cpu-01", "cpu-1")])
def test_replay_names_the_near_kind_and_id(run, files, option, near):
    line = json.dumps({"id": "cpu-1", "kind": "cpu-static"})
    code, _, err = run("replay", files("recorded.jsonl", line + "\n"), option)
    assert code == 2
    assert f"did you mean '{near}'?" in err


def test_replay_names_the_files_that_hold_no_decision(run, files):
    file = files("recorded.jsonl", "")
    assert run("replay", file)[::2] == (2, f"error: {file}: there is no recorded decision\n")


@pytest.mark.parametrize("command", ["requirements", "quirks"])
def test_some_are_chosen_by_id_and_a_page_is_whole(run, command):
    every = json.loads(run(command, "--json")[1])
    first, prefix = every[0]["id"], every[0]["id"][:3]
    assert json.loads(run(command, first, "--json")[1]) == every[:1]
    assert json.loads(run(command, f"{prefix}*", "--json")[1]) == [one for one in every if one["id"].startswith(prefix)]
    for more in ("--json", first):
        code, out, err = run(command, "--markdown", more)
        assert (code, out) == (2, "")
        assert "without ids and --json" in err


def test_one_requirement_tells_the_sentences_that_it_rests_on(run):
    _, out, _ = run("requirements", "cpu-manager/full-pcpus-only/gives-whole-cores")
    assert "rests on nrm/full-pcpus-only/whole-cores (MUST): " in out
    assert out.count("https://") == 1 + out.count("rests on ")


def test_machines_and_smoke_speak_json(run):
    assert run("machines", "--json")[1] == run("machines", "list", "--json")[1]
    told = json.loads(run("smoke", "--json")[1])
    assert {one["wellFormed"] for one in told["answers"]} == {True}
    assert "pick" in told["surfaces"]


def test_a_cluster_that_refuses_pods_exits_with_1_and_one_that_holds_all_with_0(run):
    common = [
        "simulate-cluster",
        "--fleet",
        EXAMPLES / "fleet.yaml",
        "--pods",
        EXAMPLES / "workload.yaml",
        "--strategy",
    ]
    assert run(*common, "LeastAllocated")[0] == 0
    assert run(*common, "MostAllocated")[0] == 1


@pytest.mark.parametrize(
    "argv", [["machines", "show", "t1-one-socket-smt2"], ["simulate", "--machine", "t1-one-socket-smt2", "POD"]]
)
def test_pictures_are_svg_too(run, files, argv):
    pod = files("pod.yaml", "metadata: {name: a}\nspec: {containers: [{name: c}]}\n")
    argv = [pod if word == "POD" else word for word in argv]
    code, out, _ = run(*argv, "--svg")
    assert code == 0
    assert out.startswith("<svg")
    assert "exclude each other" in run(*argv, "--svg", "--json")[2]


def test_a_simulation_is_a_page_too(run, files):
    pod = files("pod.yaml", "metadata: {name: <b>}\nspec: {containers: [{name: c}]}\n")
    argv = ["simulate", "--machine", "t1-one-socket-smt2", pod]
    assert "exclude each other" in run(*argv, "--svg", "--html")[2]
    code, page, _ = run(*argv, "--html")
    assert code == 0
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") == 1
    assert "default/&lt;b&gt; (BestEffort): admitted" in page
    code, page, _ = run(*argv, "--compare-version", "1.32", "--html")
    assert (code, page.count("<svg"), "<p>changed: none; as before: 1.</p>" in page) == (0, 1, True)


def test_a_reader_that_goes_away_is_no_difference_and_no_end():
    command = [sys.executable, "-m", "numa_conformance", "requirements"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert (process.wait(), process.stderr.read()) == (128 + signal.SIGPIPE, b"")


@pytest.mark.parametrize("name", ["amd-milan-7763-nps4", "t1-one-socket-smt2", "t6-eight-numa-no-smt"])
def test_a_picture_fits_a_terminal_and_shows_every_cpu_once(name):
    machine = load_machine(name)
    drawn = [line for line in allocation_map(machine, {}, width=80).splitlines() if "|" in line]
    assert max(map(len, drawn)) <= 80
    cores = [core for line in drawn for core in line.split(" | ", 1)[1].replace("|", " ").split()]
    assert sorted(int(cpu) for core in cores for cpu in core.split(",")) == [cpu.id for cpu in machine.cpus]
    assert allocation_map(machine, {}, width=500) == allocation_map(machine, {})


def test_a_sentence_goes_on_below_itself_on_a_narrow_terminal(monkeypatch, capsys):
    monkeypatch.setattr("numa_conformance.cli.terminal.terminal_width", lambda *, err: 30)
    say("    one two three four five six seven", "", "short")
    say("    CPUs 0,2,4,6,8,10,12,14,16,18,20,22")
    say("    https://kubernetes.io/docs/concepts/")
    assert capsys.readouterr().out.splitlines() == [
        "    one two three four five",
        "      six seven",
        "",
        "short",
        "    CPUs",
        "      0,2,4,6,8,10,12,14,16,18,20,22",
        "    https://kubernetes.io/docs/concepts/",
    ]


def test_a_line_of_a_stranger_begins_none_of_ours_and_ends(capsys):
    say("pod a\nVERDICT: CONFORMANT", "x" * 20_000, err=True)
    shown, cut = capsys.readouterr().err.splitlines()
    assert shown == "pod a\\nVERDICT: CONFORMANT"
    assert cut == f"{'x' * 10_000} ... (20000 characters)"


def test_elsewhere_a_sentence_is_one_line(capsys):
    say("one two three " * 50)
    assert capsys.readouterr().out == "one two three " * 50 + "\n"


def test_the_last_column_of_a_table_goes_on_below_itself(monkeypatch):
    monkeypatch.setattr("numa_conformance.cli.terminal.terminal_width", lambda: 34)
    assert columns([("name", "one two three four five six seven")]) == [
        "name  one two three four five six",
        "      seven",
    ]
