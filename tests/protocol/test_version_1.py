"""Targets of version 1: what they were asked and what they answered is kept in ``transcripts/v1``."""

import json
import shutil
import sys
from pathlib import Path

import msgspec
import pytest

import numa_conformance.target as old
from forked_pytest import run_pytest
from mutants import MUTANTS
from numa_conformance.hostfs import write_cgroup_tree, write_tree
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.protocol import BadReply, Client, InProcess, ReferenceTarget, Stdio, version_1
from numa_conformance.protocol.messages.describe import Describe
from numa_conformance.protocol.messages.node import AdmitPod, Rejected, StartNode
from numa_conformance.protocol.messages.pick import Pick
from numa_conformance.protocol.version_1 import VERSION_1
from numa_conformance.suite.generators.workloads import guaranteed, static

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts" / "v1").glob("*.jsonl"))
YOUNGER = {"alignments", "scores", "cpu_quota", "phase", "writes"}
TARGETS = Path(__file__).parent / "version_1"


def exchanges(transcript):
    """The method, the parameters and the result of each exchange."""
    lines = [json.loads(line) for line in transcript.read_text().splitlines()]
    return [
        (asked["method"], asked["params"], told["result"]) for asked, told in zip(lines[::2], lines[1::2], strict=True)
    ]


@pytest.fixture
def host(tmp_path, monkeypatch):
    """The folders that the transcripts name."""
    machine = load_machine("t1-one-socket-smt2")
    write_tree(machine, tmp_path / "host")
    write_cgroup_tree(machine, tmp_path / "cgroup", {"a": ["c"], "b": ["c"]})
    monkeypatch.chdir(tmp_path)


def without_version(method, result):
    return {**result, "version": "", "features": [], "surfaces": []} if method == "describe" else result


def test_the_transcripts_show_every_method():
    asked = {method for transcript in TRANSCRIPTS for method, _, _ in exchanges(transcript)}
    assert asked == set(version_1.METHODS)


def as_then(answer):
    """An answer of today in plain values, without what was not told in version 1."""
    if isinstance(answer, msgspec.Struct):
        answer = msgspec.to_builtins(answer)
    if isinstance(answer, dict):
        return {name: as_then(value) for name, value in answer.items() if name not in YOUNGER}
    return [as_then(value) for value in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_questions_and_answers_of_then_are_those_of_today(transcript, host):
    reference = ReferenceTarget("documented", "1.32")
    for method, params, result in exchanges(transcript):
        asked = version_1.question_of_today(msgspec.convert(params, version_1.METHODS[method].request))
        assert msgspec.to_builtins(VERSION_1.question(asked)) == params
        upgraded = VERSION_1.reply(asked, result)
        assert isinstance(upgraded, asked.method.replies)
        if method != "describe":
            answer = getattr(reference, asked.method.attribute)(asked)
            assert as_then(answer) == as_then(upgraded)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: path.stem)
def test_the_reference_under_its_old_name_answers_as_it_did(transcript, host):
    target = old.ReferenceTarget("documented", "1.32")
    for method, params, result in exchanges(transcript):
        known = old.wire.METHODS[method]
        reply = getattr(target, known.attribute)(msgspec.convert(params, known.request))
        assert type(reply) is known.reply
        assert without_version(method, msgspec.to_builtins(reply)) == without_version(method, result)


def test_a_command_of_version_1_serves_version_1():
    target = Stdio(f"{sys.executable} -m numa_conformance.target --level documented --kubernetes-version 1.32", 30)
    target.dialect = VERSION_1
    for method, params, result in exchanges(next(path for path in TRANSCRIPTS if path.stem == "node")):
        asked = version_1.question_of_today(msgspec.convert(params, version_1.METHODS[method].request))
        told = target.request(asked)
        if method != "describe":
            assert told == VERSION_1.reply(asked, result)
    target.close()


@pytest.mark.parametrize("through", ["in process", "stdio"])
def test_a_python_target_of_version_1_is_asked_in_its_own_names(through, monkeypatch):
    monkeypatch.syspath_prepend(TARGETS)
    if through == "stdio":
        monkeypatch.setenv("PYTHONPATH", str(TARGETS))
        connection = Stdio(f"{sys.executable} -m numa_conformance.protocol --target naive:Naive", 30)
    else:
        from naive import Naive

        connection = InProcess(Naive, "naive", 30)
    client = Client(connection)
    assert client.description.protocol == "1"
    assert client.description.kubernetes_version == "1.32"
    client.ask(StartNode(machine_to_dict(load_machine("t1-one-socket-smt2")), static(), "1.33"))
    full = client.ask(AdmitPod(guaranteed("a", 99)))
    assert full == Rejected("0-7", "UnexpectedAdmissionError", "full", "Guaranteed")
    client.close()


def test_plain_values_of_version_1_are_understood_and_checked():
    asked = Pick({}, "0-7", 2)
    assert VERSION_1.reply(asked, {"cpus": "0-1"}).cpus == "0-1"
    assert VERSION_1.reply(asked, {"error": {"message": "no"}}).message == "no"
    with pytest.raises(BadReply, match="colour"):
        VERSION_1.reply(asked, {"cpus": "0-1", "colour": "blue"})
    with pytest.raises(BadReply, match="result"):
        VERSION_1.reply(asked, {})


def test_a_target_that_knows_the_number_1_alone_is_asked_by_it():
    class Strict:
        def describe(self, request):
            if request.protocol != "1":
                raise ValueError("a version that is not known")
            return old.wire.Description("strict", "1", "1", ["classify"], [])

    assert Client(InProcess(Strict, "strict", 10)).description.name == "strict"


def test_the_old_modules_are_found():
    import numa_conformance.target.wire.node
    from numa_conformance.target.features import PROTOCOL, SURFACES
    from numa_conformance.target.reference import ReferenceTarget as Reference
    from numa_conformance.target.wire import PodAnswer

    assert Reference is old.ReferenceTarget
    assert (PROTOCOL, "pick" in SURFACES) == ("1", True)
    assert numa_conformance.target.wire.node.PodAnswer is PodAnswer


def test_the_reference_may_be_subclassed_under_its_old_name():
    class Shouts(old.ReferenceTarget):
        def describe(self, request):
            told = super().describe(request)
            return msgspec.structs.replace(told, name=told.name.upper())

    client = Client(InProcess(Shouts, "shouts", 10))
    assert client.description.name == "NUMA-CONFORMANCE REFERENCE (EXACT)"
    assert client.ask(Describe()).protocol == "1"


REWRITTEN = {
    "picks_one_too_few": "cpu-manager/static/integral-guaranteed-is-exclusive",
    "wants_a_reservation_under_none": "cpu-manager/none/needs-no-reservation",
    "reconciles_one_container": "cpu-manager/reconcile/running-containers-get-their-cpusets",
}


def judged(folder, target, requirement):
    """Run the tests of one requirement and return the report's verdicts."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    named = ("--numa-target", target, "--numa-requirement", requirement, "--numa-no-shrink")
    run = run_pytest(folder, "--numa-conformance", "-p", "no:cacheprovider", "--tb=no", *named, "--numa-report", ".")
    cases = json.loads((folder / "report.json").read_text())["cases"]
    return run, {case["id"]: case["verdict"] for case in cases}


@pytest.mark.parametrize("name", sorted(REWRITTEN))
def test_a_mutant_of_version_1_is_judged_as_ever(name, tmp_path):
    then, today = tmp_path / "then", tmp_path / "today"
    shutil.copytree(TARGETS, then)
    (then / "mutants.py").rename(then / "old_mutants.py")
    today.mkdir()
    run, verdicts = judged(then, f"old_mutants:{name}", REWRITTEN[name])
    run.stdout.fnmatch_lines(["*: the target speaks version 1 of the protocol*"])
    assert "failed" in verdicts.values()
    assert verdicts == judged(today, f"mutants:{name}", REWRITTEN[name])[1]


def test_a_stdio_target_of_version_1_meets_what_it_claims(tmp_path):
    command = f"{sys.executable} {TARGETS / 'stdio_starter.py'}"
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    run = run_pytest(tmp_path, "--numa-conformance", "-p", "no:cacheprovider", "--numa-target-command", command)
    assert run.ret == 0, run.outlines[-20:]
    run.stdout.fnmatch_lines(["*: the target speaks version 1 of the protocol*", "VERDICT: PARTIAL*"])


def test_mutants_told_anew_are_of_the_names_they_had():
    assert set(REWRITTEN) <= set(MUTANTS)
