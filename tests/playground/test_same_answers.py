"""The page answers what the command line does: for each question of the documentation, by its link."""

import json

import pytest
import yaml

from numa_conformance.sources.quirks import QUIRKS
from playground.pages import PLAYGROUND, ask, asked_on_pages, question_of, run
from report.pages.page import ROOT

EXAMPLES = [yaml.safe_load(path.read_text()) for path in sorted((PLAYGROUND / "examples").glob("*.yaml"))]
NODE = ROOT / "examples" / "node"


def test_the_page_answers_as_the_command_line_for_every_question_of_the_documentation(tmp_path):
    count = 0
    for page, arguments in asked_on_pages(tmp_path):
        if not (address := run(*arguments, "--link")):
            assert run(*arguments) == "", (page, arguments)  # the page shows what is wrong with it
            continue
        question = question_of(address)
        answer = ask.ask(question)
        compares = "--compare" in arguments or "--compare-version" in arguments
        printed = json.loads(run(*arguments, *(["--json"] if compares else ["--json", "--explain"])))
        place = (page, arguments)
        if compares:
            assert answer["other"]["data"] == {name: printed[name] for name in ("summary", "pods")}, place
        else:
            assert answer["data"] == printed, place
            assert answer["text"] == run(*arguments, "--explain").removesuffix("\n"), place
            assert answer["svg"] == run(*arguments, "--svg"), place
        assert answer["digest"] == question["digest"], place
        count += 1
    assert count > 30


@pytest.mark.parametrize("config", ["kubelet", "restricted", "uncore", "unwise"])
@pytest.mark.parametrize("pods", ["pods", "odd", "life"])
def test_the_page_answers_as_the_command_line_for_the_files_of_examples(config, pods):
    arguments = ["simulate", "--machine", "amd-milan-7763-nps4", "--config", str(NODE / f"{config}.yaml")]
    arguments.append(str(NODE / f"{pods}.yaml"))
    question = question_of(run(*arguments, "--link"))
    answer = ask.ask(question)
    assert answer["data"] == json.loads(run(*arguments, "--json", "--explain"))
    assert answer["digest"] == question["digest"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["title"])
def test_an_example_answers_what_its_title_says(example):
    answer = json.loads(ask.ask_json(json.dumps(example["question"])))
    for phrase in example["says"]:
        assert phrase in json.dumps(answer, ensure_ascii=False)
    assert not any(fault for part in (answer, answer.get("other", {})) for fault in part.get("faults", ()))


def test_there_are_twelve_examples():
    assert len(EXAMPLES) == 12
    assert len({example["title"] for example in EXAMPLES}) == 12


POD = "kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, resources: {limits: {cpu: 1, memory: 1Gi}}}]}"
BASE = {"machine": "t1-one-socket-smt2", "version": "1.37", "config": "", "pods": POD}


@pytest.mark.parametrize(
    ("more", "where", "line", "phrase"),
    [
        ({"pods": "kind: Pod\nmetadata: [}\nspec: {}"}, "pods", 2, "not YAML"),
        ({"pods": "pods.yaml"}, "pods", 0, ""),
        ({"config": "cpuManagerPolicy: static\nmaxPods: many"}, "config", 2, "maxPods"),
        ({"machine": "", "machineText": "sockets: 1\ncoresPerNumaa: 2"}, "machine", 2, "coresPerNuma"),
        ({"otherConfig": "reservedSystemCPUs: [1]"}, "otherConfig", 1, ""),
        ({"version": "1.99"}, "", 0, "1.27 to 1.37"),
        ({"machine": "no-machine"}, "", 0, "no-machine"),
        ({"pods": "a: " * 2000 + "1"}, "pods", 1, ""),
    ],
)
def test_a_fault_is_at_its_line(more, where, line, phrase):
    answer = ask.ask({**BASE, **more})
    faults = answer.get("other", answer)["faults"]
    assert (faults[0]["where"], faults[0]["line"]) == (where, line)
    assert phrase in faults[0]["text"]


def test_a_text_is_never_the_name_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "machine.yaml").write_text("sockets: 1\ncoresPerNuma: 2\n")
    assert "faults" in ask.ask({**BASE, "machine": "", "machineText": "machine.yaml"})


def test_a_digest_is_of_what_is_decided_alone():
    digests = [
        ask.ask({**BASE, **more})["digest"] for more in ({}, {"pods": POD + "\n# a remark"}, {"level": "documented"})
    ]
    assert len(set(digests)) == 1
    assert ask.ask({**BASE, "pods": POD.replace("cpu: 1", "cpu: 99")})["digest"] != digests[0]


QUESTIONS = sorted((PLAYGROUND / "quirks").glob("*.yaml"))


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_the_question_of_a_quirk_shows_it_until_it_is_mended(path):
    question = yaml.safe_load(path.read_text())
    assert path.stem in QUIRKS
    assert path.stem in ask.ask(question)["behind"]
    if mended := question.get("otherVersion"):
        assert path.stem not in ask.ask({**question, "version": mended})["behind"]
