"""``numa-conformance bisect``: which version changed what, by which quirk, change or gate."""

import json
import sys

import pytest

KUBELET = """
cpuManagerPolicy: static
cpuManagerPolicyOptions: {prefer-align-cpus-by-uncorecache: "true"}
featureGates: {CPUManagerPolicyAlphaOptions: true, CPUManagerPolicyBetaOptions: true}
reservedSystemCPUs: "0"
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  containers:
    - {name: c, resources: {limits: {cpu: COUNT, memory: 64Mi}}}
"""
ODD = [POD.replace("NAME", "first").replace("COUNT", "9"), POD.replace("NAME", "odd").replace("COUNT", "7")]
PICK = {"id": "odd", "kind": "question", "method": "pick"}


@pytest.fixture
def node(files):
    """A machine with uncore caches, its configuration, and two pods of odd size."""
    config, pods = files("kubelet.yaml", KUBELET), files("pods.yaml", "---".join(ODD))
    return ["--machine", "amd-milan-7763-nps1", "--config", config, pods]


def test_what_a_quirk_began_and_ended_is_told_with_it_and_its_issue(run, node):
    code, out, _ = run("bisect", "--from", "1.32", "--ignore", "cpu_quota", *node, "--json")
    (history,) = json.loads(out)["histories"]
    assert code == 1
    (turn,) = history["turns"]
    assert (turn["before"], turn["after"], turn["method"]) == ("1.33", "1.34", "node.admit")
    assert turn["quirks"] == ["uncore-odd-size-unaligned"]
    assert {one["path"] for one in turn["differences"]} >= {"containers.c.cpus"}


def test_what_changed_is_told_in_words(run, node):
    _, out, _ = run("bisect", "--from", "1.32", *node)
    assert "1.33 -> 1.34: step 3, node.admit odd" in out
    assert "by quirk uncore-odd-size-unaligned is fixed (kubernetes/kubernetes#131850)" in out
    assert "1.32 -> 1.33: step 2, node.admit first" in out
    assert "by quirk quota-on-exclusive-cpus is fixed" in out
    assert "1 history asked of 6 versions, 1.32 to 1.37: in 1 something changed" in out


def test_what_did_not_change_exits_with_0(run, node):
    code, out, _ = run("bisect", "--from", "1.34", *node)
    assert code == 0
    assert out == "1 history asked of 4 versions, 1.34 to 1.37: in 0 something changed\n"


def test_an_option_at_another_stage_is_named(run, node):
    _, out, _ = run("bisect", "--from", "1.31", "--to", "1.32", *node)
    assert "by prefer-align-cpus-by-uncorecache is at another stage" in out


def test_where_the_node_does_not_come_up_the_reason_is_told_in_place_of_fields(run, node):
    _, out, _ = run("bisect", "--from", "1.30", "--to", "1.32", *node)
    reason = 'new static policy error: unknown CPU Manager Policy option: "prefer-align-cpus-by-uncorecache"'
    told = f"the node does not come up (cpumanager): {reason}"
    assert out.splitlines()[1:5] == [
        f"  1.30 to 1.31: {told}",
        "  1.31 -> 1.32: step 1, node.start",
        "      by prefer-align-cpus-by-uncorecache is at another stage",
        "  1.32",
    ]
    _, out, _ = run("bisect", "--from", "1.30", "--to", "1.32", *node, "--json")
    (turn,) = json.loads(out)["histories"][0]["turns"]
    assert turn["notUp"] == {"before": told, "after": ""}


def test_a_newer_node_that_does_not_come_up_is_told_with_its_reason(run, files):
    pod = files("pod.yaml", POD.replace("NAME", "p").replace("COUNT", "2"))
    config = files("kubelet.yaml", "featureGates: {SidecarContainers: false}\n")
    _, out, _ = run(
        "bisect", "--from", "1.32", "--to", "1.33", "--machine", "t1-one-socket-smt2", "--config", config, pod
    )
    assert "\n  1.33: the node does not come up (kubelet): " in out


def test_a_gate_of_another_default_is_named(run, files):
    pod = POD.replace("NAME", "whole").replace("COUNT", "2") + "  resources: {limits: {cpu: 4, memory: 1Gi}}\n"
    config = files("kubelet.yaml", "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\n")
    asked = ["--machine", "amd-milan-7763-nps1", "--config", config, files("pods.yaml", pod)]
    _, out, _ = run("bisect", "--from", "1.33", "--to", "1.34", *asked, "--json")
    (turn,) = json.loads(out)["histories"][0]["turns"]
    assert turn["gatesAndOptions"] == ["PodLevelResources"]


def test_patches_are_versions_too(run, files):
    _, out, _ = run("bisect", "--from", "1.34.5", "--to", "1.34.7", files("odd.jsonl", json.dumps(_pick())), "--json")
    assert json.loads(out)["versions"] == ["1.34.5", "1.34.7"]


def test_histories_and_scenarios_are_read(run, files, tmp_path):
    kept = files("odd.jsonl", json.dumps(_pick()) + "\n")
    code, out, _ = run("bisect", "--from", "1.32", "--to", "1.34", kept)
    assert code == 1
    assert "step 1, pick" in out
    assert "1.33 -> 1.34" in out


def test_the_kubelets_own_managers_are_asked_beside(run, node, tmp_path):
    serve = f"#!/bin/sh\nexec {sys.executable} -m numa_conformance.reference --kubernetes-version "
    for name, follows in (("kubelet-1.33", "1.33"), ("kubelet-1.34", "1.33")):
        program = tmp_path / name
        program.write_text(f"{serve}{follows}\n")
        program.chmod(0o755)
    code, out, _ = run("bisect", "--from", "1.33", "--real", "--adapters", str(tmp_path), *node)
    assert code == 1
    assert out.count("the managers of 1.33 answer as the reference") == 2


def test_a_program_that_answers_otherwise_is_told(run, node, tmp_path):
    program = tmp_path / "kubelet-1.36"
    answers_as_documented = f"{sys.executable} -m numa_conformance.reference --level documented"
    program.write_text(f"#!/bin/sh\nexec {answers_as_documented} --kubernetes-version 1.33\n")
    program.chmod(0o755)
    code, out, _ = run("bisect", "--from", "1.36", "--real", "--adapters", str(tmp_path), *node, "--json")
    (real,) = json.loads(out)["histories"][0]["real"]
    assert code == 1
    assert (real["version"], real["asReference"], real["method"]) == ("1.33", False, "node.admit")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--from", "1.34", "--to", "1.33"], "1.34 is not before --to 1.33"),
        (["--from", "1.34", "--to", "1.34"], "1.34 is not before --to 1.34"),
        (["--real", "--adapters", "nowhere"], "nowhere holds no program of these versions"),
    ],
)
def test_what_cannot_be_asked_is_refused(run, node, words, error):
    code, out, err = run("bisect", *words, *node)
    assert (code, out) == (2, "")
    assert error in err


def test_a_configuration_without_a_machine_is_refused(run, files):
    code, _, err = run("bisect", "--flags", "--reserved-cpus=0", files("odd.jsonl", json.dumps(_pick())))
    assert code == 2
    assert "name its --machine" in err


def _pick():
    """Return a question whose answer changed with 1.32 and again with 1.34, as a report keeps it."""
    from numa_conformance.machine import load_machine, machine_to_dict

    machine = machine_to_dict(load_machine("amd-milan-7763-nps1"))
    options = {"prefer-align-cpus-by-uncorecache": True}
    return {**PICK, "params": {"machine": machine, "available": "5-127,133-255", "count": 7, "options": options}}
