"""What puts questions into Kubernetes' own functions, and what answers them. Kubernetes itself is not built here."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "go" / "upstream"
GIB = 2**30
PACKED = """package p

func takeByTopologyNUMAPacked(logger klog.Logger, topo *topology.CPUTopology, availableCPUs cpuset.CPUSet) (x, error) {
	acc := 1
"""
METHOD = """func (p *staticPolicy) Allocate(ctx context.Context, s state.State, operation x.Operation) (rerr error) {
	x
"""


@pytest.fixture(scope="module")
def upstream():
    sys.path.insert(0, str(FOLDER))
    try:
        return import_module("upstream")
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture(scope="module")
def answer():
    """Return what puts one question to a reference of 1.37."""
    with subprocess.Popen(
        [sys.executable, FOLDER / "answering.py", "1.37"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:

        def ask(method, params):
            program.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
            program.stdin.flush()
            return json.loads(program.stdout.readline())

        yield ask
        program.stdin.close()


def test_a_function_asks_first_with_its_parameters_but_the_logger(upstream):
    hook = upstream.Hook("f", "takeByTopologyNUMAPacked", "askPacked", "told.cpus, told.err")
    first, asked, returned, closed, rest = hook.put_into(PACKED).splitlines()[2:]
    assert first.startswith("func takeByTopologyNUMAPacked(")
    assert asked == "\tif told := askPacked(topo, availableCPUs); told != nil {"
    assert (returned, closed, rest) == ("\t\treturn told.cpus, told.err", "\t}", "\tacc := 1")


def test_a_method_asks_with_what_it_is_called_on(upstream):
    hook = upstream.Hook("f", "Allocate", "askAllocate", "told.err", "staticPolicy")
    assert "if told := askAllocate(p, s, operation); told != nil {" in hook.put_into(METHOD)


def test_a_function_that_a_minor_does_not_have_is_left_out(upstream):
    assert upstream.Hook("f", "AllocatePod", "ask", "x", "staticPolicy").put_into(METHOD) is None


def test_every_function_asked_in_place_of_another_is_in_the_hooks_of_its_package(upstream):
    for hook in upstream.HOOKS:
        folder = FOLDER / "hooks" / Path(hook.file).parent.name
        texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.go")]
        assert any(f"\nfunc {hook.call}(" in text for text in texts), hook


def test_what_the_tests_print_is_counted(upstream):
    run = upstream.Run()
    events = [("run", "TestA"), ("pass", "TestA/one"), ("fail", "TestA"), ("fail", None)]
    text = "\n".join(json.dumps({"Action": action, **({"Test": test} if test else {})}) for action, test in events)
    upstream.read_events(f"no event\n{text}", "p", run)
    assert run.of("p", "pass") == 1
    assert run.outcomes == {("p", "TestA/one"): "pass", ("p", "TestA"): "fail"}


def test_tests_that_did_not_end_are_no_result(upstream):
    with pytest.raises(SystemExit, match="the tests of p did not end"):
        upstream.read_events(json.dumps({"Action": "pass", "Test": "TestA"}), "p", upstream.Run())


def test_a_failure_with_the_reference_alone_is_told(upstream, capsys):
    alone, asked = upstream.Run(), upstream.Run()
    alone.outcomes = {("cpumanager", "TestA"): "pass", ("cpumanager", "TestB"): "fail"}
    asked.outcomes = {("cpumanager", "TestA"): "fail", ("cpumanager", "TestB"): "fail"}
    assert upstream.tell(alone, asked, details=False) == 1
    assert "FAILED with the reference: cpumanager TestA\n" in capsys.readouterr().out
    assert upstream.tell(alone, alone, details=False) == 0


def test_a_question_of_the_protocol_is_answered_as_the_reference_answers_it(answer):
    merge = {"policy": "restricted", "options": {}, "nodes": [0, 1], "distances": None}
    providers = [{"cpu": [{"nodes": [1], "preferred": True}]}]
    told = answer("merge", {**merge, "providers": providers})
    assert told["result"] == {"nodes": [1], "preferred": True, "admit": True}


def _machine(free):
    table = {"total": 4 * GIB, "systemReserved": 0, "allocatable": 4 * GIB, "reserved": 4 * GIB - free, "free": free}
    return {"0": {"numberOfAssignments": 1, "memoryMap": {"memory": table}, "cells": [0]}}


def _asks(memory, affinity):
    resources = {"limits": {"cpu": "1", "memory": memory}}
    pod = {"metadata": {"name": "p", "uid": "p"}, "spec": {"containers": [{"name": "c", "resources": resources}]}}
    others = {"assignments": {}, "pods": {}, "reusable": {}, "gates": {}, "container": "c"}
    return {"machine": _machine(2 * GIB), "pod": pod, "affinity": {"nodes": affinity, "preferred": True}, **others}


def test_memory_is_given_in_a_state_that_the_question_brings(answer):
    told = answer("memory.allocate", _asks("1Gi", [0]))["result"]
    assert told["assignments"] == {"p": {"c": [{"numaAffinity": [0], "type": "memory", "size": GIB}]}}
    assert told["machine"]["0"]["memoryMap"]["memory"]["free"] == GIB
    assert told["machine"]["0"]["numberOfAssignments"] == 2


def test_a_refusal_of_memory_has_the_managers_own_words(answer):
    told = answer("memory.allocate", _asks("3Gi", None))["result"]
    assert told["refused"].startswith("[memorymanager] failed to get the default NUMA affinity")


def test_hints_for_memory_name_what_holds_the_request(answer):
    hints = answer("memory.hints", _asks("1Gi", None))["result"]["hints"]
    assert hints == {"memory": [{"nodes": [0], "preferred": True}]}


def test_ignored_resources_do_not_keep_a_pod_off(answer):
    spec = {"containers": [{"name": "c", "resources": {"limits": {"example.com/nic": "1"}}}]}
    score = {"strategy": {"type": "LeastAllocated", "resources": [{"name": "cpu", "weight": 1}]}}
    score |= {"allocatable": {"cpu": "1", "pods": "9"}, "pods": [], "pod": {"metadata": {"name": "p"}, "spec": spec}}
    question = {"score": score, "ignored": None, "ignored_groups": None, "gates": {}}
    assert answer("fit", question)["result"]["insufficient"] == ["Insufficient example.com/nic"]
    assert answer("fit", {**question, "ignored_groups": ["example.com"]})["result"]["insufficient"] == []


def test_a_question_that_cannot_be_put_says_why(answer):
    told = answer("memory.allocate", {**_asks("1Gi", None), "machine": {}})
    assert told["error"]["message"] == "memory.allocate: machine: has no NUMA nodes"


def test_hints_for_devices_leave_out_what_another_pod_uses(answer):
    spec = {"containers": [{"name": "c", "resources": {"limits": {"example.com/nic": "1"}}}]}
    devices = [{"resource": "example.com/nic", "id": f"n{node}", "numa": [node]} for node in (0, 1)]
    question = {"nodes": [0, 1], "devices": devices, "healthy": {"example.com/nic": ["n0", "n1"]}, "gates": {}}
    question |= {"held": {}, "reusable": {}, "in_use": {"example.com/nic": ["n0"]}}
    question |= {"pod": {"metadata": {"name": "p", "uid": "p"}, "spec": spec}}
    expected = [{"nodes": [1], "preferred": True}, {"nodes": [0, 1], "preferred": False}]
    for whole in ({}, {"container": "c"}):
        assert answer("device.hints", {**question, **whole})["result"]["hints"] == {"example.com/nic": expected}
    resource = {"resource": "example.com/nic", "available": ["n0", "n1"], "count": 2, "reusable": {"": {}}}
    resource["reusable"][""]["example.com/nic"] = []
    assert answer("device.hints", {**question, **resource})["result"]["hints"]["example.com/nic"] == [
        {"nodes": [0, 1], "preferred": True}
    ]
