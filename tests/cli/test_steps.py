"""``simulate --then``: what happens to a node after its pods have come."""

import json

import pytest

from fake_nodes import PODS as PODS_THERE
from fake_nodes import STATIC, FakeNode

KUBELET = """
cpuManagerPolicy: static
reservedSystemCPUs: '0'
memoryManagerPolicy: Static
evictionHard: {memory.available: 100Mi}
reservedMemory: [{numaNode: 0, limits: {memory: 100Mi}}]
shutdownGracePeriod: 30s
shutdownGracePeriodCriticalPods: 10s
"""
MACHINE = """
name: gpus
sockets: 1
coresPerNuma: 4
threads: 2
memory: 16Gi
devices: [{resource: example.com/gpu, count: 1, numa: 0}]
"""
PODS = """
kind: Pod
metadata: {name: a}
spec: {containers: [{name: c, resources: {limits: {cpu: 2, memory: 1Gi, example.com/gpu: 1}}}]}
---
kind: Pod
metadata: {name: agent, namespace: kube-system}
spec:
  priorityClassName: system-node-critical
  terminationGracePeriodSeconds: 5
  containers: [{name: c, resources: {limits: {cpu: 2, memory: 1Gi}}}]
"""


@pytest.fixture
def then(run, files):
    """Runs steps after the pods, and returns exit code, the lines of the steps and standard error."""
    asked = ["simulate", "--config", files("kubelet.yaml", KUBELET), files("pods.yaml", PODS)]
    machine = files("machine.yaml", MACHINE)

    def ask(*steps, json=False):
        words = [word for step in steps for word in ("--then", step)]
        code, out, err = run(*asked, "--machine", machine, *words, *(["--json"] if json else []))
        if json:
            return code, out, err
        begun = out.find("then ")
        told = out[begun : out.find("\n\nreserved:")].split("\n\n") if begun >= 0 else []
        return code, told, err

    ask.files = files
    return ask


def test_a_boot_refuses_what_needs_a_plugin(then):
    code, told, _ = then("reboot")
    assert code == 1
    assert " ".join(told[0].split()) == (
        "then reboot default/a (Guaranteed): refused, UnexpectedAdmissionError: Allocate failed due to no healthy "
        "devices present; cannot allocate unhealthy devices example.com/gpu, which is unexpected "
        "kube-system/agent (Guaranteed): admitted"
    )


def test_a_restart_admits_all_again(then):
    code, told, _ = then("restart")
    assert code == 0
    assert told == ["then restart\n    default/a (Guaranteed): admitted\n    kube-system/agent (Guaranteed): admitted"]


def test_a_shutdown_ends_pods_in_groups_and_nothing_comes_back(then):
    code, told, _ = then("shutdown", "reboot")
    assert code == 0
    assert told == [
        "then shutdown\n"
        "    priority 0, for at most 20 s: default/a (20 s) end, Failed: Terminated\n"
        "    priority 2000000000, for at most 10 s: kube-system/agent (5 s) end, Failed: Terminated",
        "then reboot",
    ]


def test_a_pod_that_ends_lets_go_of_what_it_holds(then):
    code, told, _ = then("end=a", "end=kube-system/agent", "shutdown")
    assert code == 0
    released = "what it held is released when a manager is next asked"
    assert told == [
        f"then end=a\n    {released}",
        f"then end=kube-system/agent\n    {released}",
        "then shutdown\n    no pod is ended: there is none, or shutdownGracePeriod leaves no time",
    ]


def test_where_the_kubelet_does_not_start_the_steps_say_why(then):
    other = then.files("other.yaml", MACHINE.replace("16Gi", "15Gi"))
    code, told, _ = then(f"reboot={other}")
    assert code == 1
    assert "the kubelet does not start: " in told[0]
    assert "the expected machine state is different" in " ".join(told[0].split())


def test_a_program_is_told_of_each_step(then):
    code, out, _ = then("shutdown", "reboot", json=True)
    steps = json.loads(out)["steps"]
    assert [step["step"] for step in steps] == ["shutdown", "reboot"]
    assert steps[0]["ended"][0] == {"priority": 0, "seconds": 20, "pods": {"default/a": 20}}
    assert (code, steps[1]["pods"], steps[1]["failure"]) == (0, [], None)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            "boot",
            "'boot' is no step; accepted: restart, reboot, reboot=MACHINE, shutdown, end=POD; did you mean 'reboot'",
        ),
        ("restart=a", "'restart=a' is no step"),
        ("end=", "'end=' is no step"),
        ("end=agent", "no pod 'agent' is on the node (accepted: default/a, kube-system/agent)"),
        ("reboot=nowhere", "nowhere"),
    ],
)
def test_what_is_no_step_is_refused(then, step, message):
    code, _, err = then(step)
    assert code == 2
    assert message in err


def test_steps_go_on_from_a_node_at_work(run, tmp_path):
    FakeNode(tmp_path / "dump", kubelet=STATIC, pods=PODS_THERE, version="1.36")
    written = tmp_path / "dump" / "var" / "lib" / "kubelet" / "config.yaml"
    written.write_text(f"{written.read_text()}\nshutdownGracePeriod: 30s\n")
    code, out, _ = run("simulate", "--from-node", tmp_path / "dump", "--then", "reboot", "--then", "shutdown", "--json")
    reboot, shutdown = json.loads(out)["steps"]
    assert code == 0
    assert [(pod["pod"], pod["result"]) for pod in reboot["pods"]] == [
        ("default/db", "admitted"),
        ("default/web", "admitted"),
    ]
    assert [group["seconds"] for group in shutdown["ended"]] == [30]


def test_a_web_page_tells_of_no_steps(run, files):
    asked = ["simulate", "--machine", "t1-one-socket-smt2", files("pods.yaml", PODS), "--then", "restart", "--html"]
    code, _, err = run(*asked)
    assert (code, "leave out --then" in err) == (2, True)


def test_steps_and_a_comparison_exclude_each_other(run, files):
    pods = files("pods.yaml", PODS)
    asked = ["simulate", "--machine", "t1-one-socket-smt2", pods, "--then", "restart", "--compare-version", "1.36"]
    code, _, err = run(*asked)
    assert (code, "--then tells of one node" in err) == (2, True)
