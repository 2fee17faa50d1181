import gzip
import json
import re
import sys
from pathlib import Path

import click
import pytest
import yaml

from numa_conformance.cli.app import OLD_NAMES, app
from numa_conformance.comparing.recorded import read_vectors
from numa_conformance.machine import load_machine, machine_from_dict, machine_to_dict
from numa_conformance.sources.versions import DEFAULT
from numa_conformance.wire.history.history import Head, History, histories_text


def test_lists_the_catalogue(run):
    code, out, _ = run("machines")
    assert code == 0
    assert "amd-milan-7763-nps4" in out
    code, out, _ = run("machines", "list", "--json")
    assert {"name", "cpus", "numaNodes"} <= json.loads(out)[0].keys()


def test_shows_a_machine_as_a_picture_and_as_json(run):
    code, out, _ = run("machines", "show", "t1-one-socket-smt2")
    assert code == 0
    assert "socket 0" in out
    _, out, _ = run("machines", "show", "t1-one-socket-smt2", "--json")
    shown = json.loads(out)
    assert machine_from_dict(shown) == load_machine("t1-one-socket-smt2")
    assert {"id", "core", "socket", "numa", "uncore"} == shown["cpus"][0].keys()


def test_an_unknown_machine_gets_a_suggestion(run):
    code, _, err = run("machines", "show", "amd-milan-7763-nps5")
    assert code == 2
    assert "amd-milan-7763-nps4" in err


@pytest.mark.parametrize("seconds", ["nan", "-1", "0", "inf"])
def test_a_call_may_take_some_seconds(run, seconds):
    code, _, err = run("which-kubelet", "--timeout", seconds, "no-program")
    assert (code, f"{seconds} is not more than 0 seconds" in err) == (2, True)


def test_a_file_without_histories_is_none_to_bisect(run, files):
    code, _, err = run("bisect", files("empty.yaml", ""))
    assert (code, "empty.yaml: holds no history and no question" in err) == (2, True)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_stream_that_is_closed_is_written_nothing(run, monkeypatch, stream):
    monkeypatch.setattr(sys, stream, None)
    assert run("machines", "show", "one-cpu")[0] == 0


def test_a_version_that_is_none_is_told_with_the_option_that_names_it(run):
    code, _, err = run("bisect", "--from", "1.2", "history.jsonl")
    assert (code, err.startswith("error: --from: '1.2' is not a Kubernetes version")) == (2, True)


def test_an_error_that_gives_no_hint_ends_with_its_sentence(run, files):
    pod = files("pod.json", '{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}')
    words = ("--machine", "t1-one-socket-smt2", "--flags", "--cpu-manager-policy=static --reserved-cpus=3-1")
    code, _, err = run("simulate", *words, pod)
    assert (code, "invalid range" in err, "\n\n" in err) == (2, True, False)


def test_captures_this_computer(run):
    code, out, _ = run("machines", "capture")
    assert code == 0
    assert machine_from_dict(yaml.safe_load(out)).cpus


def test_capture_of_a_folder_without_a_tree_is_refused(run, tmp_path):
    code, _, err = run("machines", "capture", "--from-node", tmp_path)
    assert (code, err.count("\n")) == (2, 1)
    assert str(tmp_path) in err


def test_an_unknown_command_gets_a_suggestion(run):
    code, _, err = run("replya")
    assert code == 2
    assert "did you mean 'replay'" in err


WITHOUT_A_COMMAND = {
    "api",
    "architecture",
    "glossary",
    "index",
    "journal",
    "measurements",
    "mutants",
    "programs-asked",
    "suite-options",
    "support",
    "ten-questions",
    "testing",
    "the-way-of-a-question",
    "track-record",
    "tutorial",
    "validate",
    "where-is-what",
}


def test_the_name_of_a_page_leads_to_the_command_that_it_is_about(run):
    pages = {page.stem for page in (Path(__file__).parents[2] / "docs").glob("*.md")}
    for page in sorted(pages - WITHOUT_A_COMMAND - {"cli", "quirks", "requirements"}):
        code, _, err = run(page)
        assert (code, f"no such command '{page}'; docs/{page}.md is about '" in err) == (2, True)
        words = err.split("is about '")[1].split("'")[0].split()
        command = app
        while words and isinstance(command, click.Group):
            command = command.get_command(click.Context(command), words.pop(0))
        assert command is not None, page
        known = {option for each in command.params for option in each.opts}
        assert [word for word in words if word.startswith("--") and word not in known] == [], page
    assert "docs/what-if.md is about 'simulate --compare'" in run("whatif")[2]


def test_help_shows_commands_in_six_groups_and_no_old_name(run):
    out = run("--help")[1]
    headings = [line for line in out.splitlines() if re.fullmatch(r"[A-Z][A-Za-z ]+:", line)]
    assert headings[1:] == [
        "Ask:",
        "Machines:",
        "Test an implementation:",
        "A node at work:",
        "A cluster of real parts:",
        "Look up:",
    ]
    names = re.findall(r"^  ([a-z][a-z-]+)  ", out, flags=re.MULTILINE)
    assert 18 <= len(names) <= 24
    assert not {old for old in OLD_NAMES if " " not in old} & set(names)


@pytest.mark.parametrize("old", OLD_NAMES)
def test_an_old_name_is_the_new_command_with_a_hint(run, old):
    new = OLD_NAMES[old]
    if " --" not in old:
        code, out, err = run(*old.split(), "--help")
        assert (code, err) == (0, f"`{old}` is `{new}` now\n")
        assert out == run(*new.split(), "--help")[1]
    else:
        told = run(*old.split(), "/no-such-place", "/dump")
        assert told[2].startswith(f"`{old}` is `{new}` now\n")
        code, out, err = run(*new.split(), "/no-such-place", "/dump")
        assert told == (code, out, f"`{old}` is `{new}` now\n{err}")


def test_old_names_and_options_are_replaced_together_and_values_of_options_stay(run):
    code, out, err = run("capture", "--root=/no-such-place")
    assert (code, out, err.splitlines()[0]) == (2, "", "`capture` is `machines capture` now")
    assert err.splitlines()[1:] == [
        "`machines capture --root` is `machines capture --from-node` now",
        "error: /no-such-place: cannot be read: No such file or directory",
    ]


QOS = {
    "id": "q",
    "kind": "qos",
    "pod": {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}},
    "expect": {"qos": "BestEffort", "container_cpus": {"c": 0}, "pod_cpus": 0},
}


def test_replay_counts_and_exits_with_0(run, files):
    code, out, _ = run("replay", files("q.jsonl", json.dumps(QOS) + "\n"))
    counts = "replayed 1, matched 1, differed 0, unsupported 0"
    assert (code, out) == (0, f"qos: {counts}\ntotal: {counts}\n")


def test_replay_shows_a_difference_and_exits_with_1(run, files):
    wrong = {**QOS, "expect": {**QOS["expect"], "qos": "Burstable"}}
    path = files("q.jsonl", json.dumps(QOS) + "\n" + json.dumps(wrong) + "\n")
    code, out, _ = run("replay", path)
    assert code == 1
    assert "recorded: Burstable" in out
    assert "answered: BestEffort" in out
    code, out, _ = run("replay", path, "--json")
    told = json.loads(out)
    assert told["totals"] == {"replayed": 2, "matched": 1, "differed": 1, "unsupported": 0}
    assert told["differences"][0]["differences"] == [{"path": "qos", "expected": "Burstable", "got": "BestEffort"}]


def test_a_decision_is_asked_of_the_version_that_it_tells(run, files):
    amounts = {"limits": {"cpu": "1", "memory": "1Gi"}}
    whole = {"metadata": {"name": "p"}, "spec": {"resources": amounts, "containers": [{"name": "c"}]}}
    asked = {"kind": "qos", "pod": whole}
    nothing = {"container_cpus": {"c": 0}, "pod_cpus": 0}
    older = {**asked, "id": "q@1.33", "kubernetesVersion": "1.33", "expect": {"qos": "BestEffort", **nothing}}
    newer = {**asked, "id": "q@1.34", "kubernetesVersion": "1.34", "expect": {"qos": "Guaranteed", **nothing}}
    path = files("q.jsonl", json.dumps(older) + "\n" + json.dumps(newer) + "\n")
    assert run("replay", path)[0] == 0
    code, out, _ = run("replay", path, "--kubernetes-version", "1.34")
    assert (code, "q@1.33" in out, "q@1.34" in out) == (1, True, False)


@pytest.mark.parametrize("told", ["soon", "1.9"])
def test_a_version_that_is_not_known_is_refused(run, files, told):
    code, _, err = run("replay", files("q.jsonl", json.dumps({**QOS, "kubernetesVersion": told}) + "\n"))
    assert code == 2
    assert told in err


def test_a_target_is_recorded_and_its_record_replays(run, files, tmp_path):
    output = tmp_path / "out.jsonl.gz"
    wrong = {**QOS, "id": "q@1.32", "expect": {"qos": "Burstable"}}
    code, out, _ = run("record", files("q.jsonl", json.dumps(wrong) + "\n"), "--output", output, "--times", "2")
    assert code == 0
    assert "1 recorded of numa-conformance reference (exact)" in out
    (record,) = [vector.body for vector in read_vectors([output])]
    assert record["id"] == f"q@{DEFAULT}"
    assert record["kubernetesVersion"] == str(DEFAULT)
    assert record["answeredBy"]["name"] == "numa-conformance reference (exact)"
    assert record["expect"]["qos"] == "BestEffort"
    assert run("replay", output)[0] == 0


def test_what_cannot_be_recorded_is_told(run, files, tmp_path):
    path = files("x.jsonl", '{"id": "x", "kind": "other"}\n')
    code, out, err = run("record", path, "--output", tmp_path / "out.jsonl")
    assert (code, "0 recorded" in out, "1 left out: no kind of record" in err) == (1, True, True)
    assert run("record", path, "--output", tmp_path / "no" / "out.jsonl")[0] == 2


def test_more_decisions_than_are_read_are_refused_before_anything_is_asked(run, files, monkeypatch):
    monkeypatch.setattr("numa_conformance.comparing.recorded.vectors.MAX_DECISIONS", 3)
    code, out, err = run("replay", files("bomb.jsonl", (json.dumps(QOS) + "\n") * 4))
    assert (code, out) == (2, "")
    assert "bomb.jsonl:4: these are more than 3 decisions" in err


def test_differences_beyond_those_listed_are_counted(run, files, monkeypatch):
    monkeypatch.setattr("numa_conformance.cli.replay.MOST_LISTED", 2)
    code, out, _ = run("replay", files("many.jsonl", (json.dumps({**QOS, "expect": {}}) + "\n") * 5), "--json")
    told = json.loads(out)
    assert (code, told["totals"]["differed"], len(told["differences"]), told["not_listed"]) == (1, 5, 2, 3)


NODE = {"kind": "lifecycle", "machine": machine_to_dict(load_machine("one-cpu")), "kubelet": {}, "initial": {}}
HALF_A_CPU = {**NODE["machine"], "cpus": [{**NODE["machine"]["cpus"][0], "id": "seven"}]}
ONE_CPU = {"machine": NODE["machine"], "kubelet": {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}}
STATE = {"default": "0-seven", "assignments": {}}


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"kind": "qoss"}, ["kind: is 'qoss' (accepted: admission, cpu-static,", "did you mean 'qos'?"]),
        ({"kind": "qos"}, ["pod: is missing (accepted: an object)", "expect: is missing (accepted: an object)"]),
        ({"kind": "cpu-static", "expect": {}}, ["machine: is missing (accepted: an object)"]),
        ({"kind": "merge", "policy": "none", "expect": {}}, ["nodes: is missing (accepted: a list)"]),
        ({"kind": "question", "method": "clasify", "expect": {}}, ["method: is 'clasify' (accepted: allocate, "]),
        (
            {"kind": "question", "method": "classify", "params": {"pd": 1}, "expect": {}},
            ["params.pd: unknown field (accepted: pod); did you mean 'pod'?"],
        ),
        ({"kind": "admission"}, ["kubelet: is missing (accepted: an object)", "initial: is missing"]),
        ({**NODE, "steps": [{"op": "reconcile"}]}, ["expect: has 0 entries (accepted: as many as steps, 1)"]),
        ({**NODE, "steps": [{"op": "fly"}], "expect": [{}]}, ["steps[0].op: is 'fly' (accepted: admit, checkpoints,"]),
        ({**NODE, "steps": [{"op": "start"}], "expect": [{}]}, ["steps[0].uid: is missing (accepted: a text)"]),
        ({**NODE, "machine": HALF_A_CPU}, ["machine: cpus[0].id: is 'seven' (accepted: a whole number from 0"]),
        (
            {**QOS, **ONE_CPU, "kind": "cpu-static", "state": STATE, "container": "c", "affinity": None},
            ["state.default: '0-seven' in '0-seven' is not an id or a range of ids (accepted: decimal ids"],
        ),
    ],
)
def test_replay_of_a_record_that_cannot_be_asked_names_the_field(run, files, record, told):
    path = files("x.jsonl", f"{json.dumps(QOS)}\n{json.dumps({'id': 'x', **record})}\n")
    code, _, err = run("replay", path)
    assert code == 2
    for fault in told:
        assert fault in err
    assert f"{path}:2: {told[0]}" in err


def test_replay_of_a_folder_tells_which_folders_in_it_are_left_out(run, tmp_path):
    for version in ("1.34", "1.33"):
        (tmp_path / version).mkdir()
    for folder in (tmp_path, tmp_path / "1.33"):
        (folder / "q.jsonl").write_text(json.dumps(QOS) + "\n")
    code, out, err = run("replay", tmp_path)
    assert (code, "total: replayed 1, matched 1" in out) == (0, True)
    assert err == f"{tmp_path}: not replayed, as they are folders: 1.33, 1.34\n"
    assert run("replay", tmp_path / "1.33")[2] == ""


def test_smoke_of_a_target_that_claims_nothing_says_so(run, files, tmp_path, monkeypatch):
    files(
        "silent.py",
        "import msgspec\n"
        "from numa_conformance.reference.target import ReferenceTarget\n"
        "class Silent(ReferenceTarget):\n"
        "    def describe(self, request):\n"
        "        return msgspec.structs.replace(super().describe(request), surfaces=[], features=[])\n",
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("smoke", "--target", "silent:Silent")
    assert code == 0
    assert out.endswith("features claimed: none\nnothing was asked: the target claims no surface\n")


def test_only_what_is_asked_has_to_be_in_the_form_of_a_record(run, files):
    path = files("x.jsonl", f"{json.dumps(QOS)}\n{json.dumps({'id': 'x', 'kind': 'merge'})}\n")
    assert run("replay", path, "--kind", "qos")[0] == 0
    assert run("replay", path, "--id", "x")[0] == 2


def test_replay_tells_a_fault_of_the_target_from_one_of_the_record(run, files, tmp_path, monkeypatch):
    files(
        "strict.py",
        "from numa_conformance.errors import Fault, UsageError\n"
        "from numa_conformance.reference.target import ReferenceTarget\n"
        "class Strict(ReferenceTarget):\n"
        "    def classify(self, request):\n"
        "        raise UsageError(Fault('pod', 'not understood'))\n",
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("replay", "--target", "strict:Strict", files("q.jsonl", json.dumps(QOS) + "\n"))
    assert (code, "crashed" in out, "differed 1" in out) == (1, True, True)


def test_a_file_without_a_history_is_not_judged_to_meet_anything(run, files):
    code, out, err = run("judge", files("h.jsonl", ""))
    assert (code, out) == (2, "")
    assert "h.jsonl: no history is in this file (accepted: JSON lines, as a report keeps them)" in err


def test_a_history_of_no_machine_names_its_file(run, files):
    path = files("h.jsonl", '{"history": 1, "machine": {"name": "m", "cpus": [7]}}')
    code, _, err = run("judge", path)
    assert (code, str(path) in err, "line 1: machine: cpus[0]: is a number" in err) == (2, True, True)


@pytest.mark.parametrize("command", ["judge", "replay"])
def test_histories_may_be_compressed_or_have_a_mark_of_order(run, tmp_path, command):
    head = Head("a", "b", 0, load_machine("t1-one-socket-smt2"), "1.37")
    plain = histories_text([History(head, ())]).encode()
    for name, content in (("h.gz", gzip.compress(plain)), ("h", b"\xef\xbb\xbf" + plain), ("p", plain)):
        (tmp_path / name).write_bytes(content)
    outcomes = {run(command, tmp_path / name)[:2] for name in ("h.gz", "h", "p")}
    assert len(outcomes) == 1
    assert outcomes.pop()[0] == 0


@pytest.mark.parametrize("command", ["judge", "replay"])
@pytest.mark.parametrize(
    "content", [gzip.compress(b'{"history": 1}' * 99)[:-12], b"\x1f\x8bnothing"], ids=["cut", "none"]
)
def test_a_damaged_archive_is_one_sentence(run, tmp_path, command, content):
    (tmp_path / "h.gz").write_bytes(content)
    code, _, err = run(command, tmp_path / "h.gz")
    assert (code, err.count("error:"), "cannot be read: " in err) == (2, 1, True)


@pytest.mark.parametrize("command", ["judge", "replay", "bisect"])
def test_what_never_ends_is_no_file(run, command):
    code, _, err = run(command, "/dev/zero")
    assert (code, err) == (2, "error: /dev/zero: is a device (accepted: a plain file)\n")


@pytest.mark.parametrize("text", ["{", "[1]\n", '{"id": 1}\n', "\x1f\x8b"])
def test_replay_of_a_broken_file_names_it(run, files, text):
    path = files("x.jsonl", text)
    code, _, err = run("replay", path)
    assert code == 2
    assert str(path) in err


def test_replay_against_a_target_that_cannot_be_started(run, files):
    path = files("q.jsonl", json.dumps(QOS) + "\n")
    code, _, err = run("replay", "--target-command", "/no/such/program", path)
    assert code == 3
    assert "cannot be started" in err


def test_replay_counts_what_a_target_does_not_claim(run, files, tmp_path, monkeypatch):
    files(
        "little.py",
        "from numa_conformance.reference.target import ReferenceTarget\n"
        "class Small(ReferenceTarget):\n"
        "    def describe(self, request):\n"
        "        whole = super().describe(request)\n"
        "        return type(whole)('small', '1', '2', whole.surfaces, ['cpu-manager/none'])\n",
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("replay", "--target", "little:Small", files("q.jsonl", json.dumps(QOS) + "\n"))
    assert code == 0
    assert "unsupported because the target does not claim: node/qos" in out
    assert "replayed 0, matched 0, differed 0, unsupported 1" in out
    other = files("v.jsonl", json.dumps({**QOS, "kubernetesVersion": "1.27"}) + "\n")
    assert "does not claim: Kubernetes 1.27" in run("replay", "--target", "little:Small", other)[1]


def test_smoke_says_whether_answers_are_well_formed(run):
    code, out, _ = run("smoke")
    assert code == 0
    assert out.count("well formed") == 23
    assert "a refusal" not in out


def test_smoke_shows_a_refusal(run, files, tmp_path, monkeypatch):
    files(
        "refusing.py",
        "from numa_conformance.reference.target import ReferenceTarget\n"
        "from numa_conformance.wire.messages.pick import PickRefused\n"
        "class Refusing(ReferenceTarget):\n"
        "    def pick(self, request):\n"
        "        return PickRefused('no such node')\n",
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("smoke", "--target", "refusing:Refusing")
    assert code == 0
    assert "  pick: well formed, but a refusal: no such node" in out
    told = json.loads(run("smoke", "--json", "--target", "refusing:Refusing")[1])
    assert {one["method"]: one["refused"] for one in told["answers"] if one["refused"]} == {"pick": "no such node"}


def test_smoke_tells_a_terminal_how_long_it_waits(run, monkeypatch):
    asked = ("smoke", "--target-command", "sleep 60", "--timeout", "0.2")
    assert run(*asked)[2].startswith("error: no answer within 0.2 s")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert run(*asked)[2].startswith("notice: the target has 0.2 s for each answer: --timeout names another\n")


def test_smoke_of_a_shim_that_answers_nonsense(run, files, tmp_path, monkeypatch):
    files(
        "nonsense.py",
        "from numa_conformance.reference.target import ReferenceTarget\n"
        "class Nonsense(ReferenceTarget):\n"
        "    def classify(self, request):\n"
        "        return {'qos': 3}\n",
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("smoke", "--target", "nonsense:Nonsense")
    assert code == 1
    assert "classify: bad reply" in out
    assert "the reply is not a Classified" in out


def test_smoke_condemns_what_the_suite_condemns_as_malformed(run, files, tmp_path, monkeypatch):
    files(
        "malformed.py",
        "from numa_conformance.reference.target import ReferenceTarget\n"
        "class Malformed(ReferenceTarget):\n"
        "    def node_admit(self, request):\n"
        "        answer = super().node_admit(request)\n"
        "        answer.containers['stranger'] = answer.containers['c']\n"
        "        return answer\n"
        "    def node_restart(self, request):\n"
        "        return {'result': 'restarted', 'pods': [], 'default_cpuset': '0-99999999999999'}\n",
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("smoke", "--target", "malformed:Malformed")
    assert code == 1
    assert "  node.admit: malformed\n    pod smoke has no containers stranger" in out
    assert "  node.restart: malformed\n    '0-99999999999999'" in out
    assert out.count("well formed") == 21


@pytest.mark.parametrize("command", ["requirements", "quirks"])
def test_lists_for_people_and_programs(run, command):
    _, text, _ = run(command)
    _, listed, _ = run(command, "--json")
    assert all(one["id"] in text for one in json.loads(listed))


def test_requirements_writes_the_pages_of_chapters(run, tmp_path):
    code, out, _ = run("requirements", "--pages", str(tmp_path / "docs"))
    pages = {path.name: path.read_text() for path in (tmp_path / "docs/requirements").iterdir()}
    assert (code, len(pages["qos.md"].split("### `qos/"))) == (0, 10)
    assert out == f"wrote {len(pages)} pages to {tmp_path / 'docs/requirements'}\n"
    for more in (["--json"], ["qos/*"], ["--markdown"]):
        code, _, err = run("requirements", "--pages", str(tmp_path / "others"), *more)
        assert (code, "pages" in err, (tmp_path / "others").exists()) == (2, True, False)
    (tmp_path / "requirements").touch()
    code, _, err = run("requirements", "--pages", str(tmp_path))
    assert (code, "cannot be written" in err) == (2, True)


def test_requirements_and_quirks_tell_where_to_read_on(run):
    _, text, _ = run("requirements")
    _, listed, _ = run("requirements", "--json")
    assert all(requirement["address"] in text for requirement in json.loads(listed))
    _, text, _ = run("quirks")
    _, listed, _ = run("quirks", "--json")
    assert all(rule["page"] in text for quirk in json.loads(listed) for rule in quirk["rules"])
