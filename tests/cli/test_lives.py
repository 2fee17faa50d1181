"""Lives: pods and steps between them, for ``simulate``, ``explain`` and ``bisect``."""

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
POD = """
- kind: Pod
  metadata: {name: a}
  spec: {containers: [{name: c, resources: {limits: {cpu: 2, memory: 1Gi, example.com/gpu: 1}}}]}
"""
PODS = f"""{POD}
- kind: Pod
  metadata: {{name: agent, namespace: kube-system}}
  spec:
    priorityClassName: system-node-critical
    terminationGracePeriodSeconds: 5
    containers: [{{name: c, resources: {{limits: {{cpu: 2, memory: 1Gi}}}}}}]
"""
SMALL = "\n- kind: Pod\n  metadata: {name: a}\n  spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}"
BOTH = ["default/a has CPUs 1,5, gpu-0, NUMA 0", "kube-system/agent has CPUs 2,6, NUMA 0"]
REFUSED = (
    "default/a (Guaranteed): refused, UnexpectedAdmissionError: Allocate failed due to no healthy devices present; "
    "cannot allocate unhealthy devices example.com/gpu, which is unexpected"
)
EMPTY = "no pod is on the node"
WITHOUT = "default/a has CPUs 1,5, NUMA 0"
LATE = "a new pod like it is admitted by now: device plugins register after pods are admitted"
DOWN = "the kubelet does not start: {}; the node stays as it was"
OTHER = DOWN.format("memorymanager-start: [memorymanager] the expected machine state is different from the real one")
STRICT = 'cpumanager-start: some of strictly reserved cpus: "0" are present in defaultCpuSet: "0,3-4,7"'
ADDED = 'cpumanager-start: current set of available CPUs "0-9" doesn\'t match with CPUs in state "0-7"'
ENDED = [
    "priority 0, for at most 20 s: default/a (20 s) end, Failed: Terminated",
    "priority 2000000000, for at most 10 s: kube-system/agent (5 s) end, Failed: Terminated",
]
LESS = "restart: {machine: less.yaml}"
AGENT, DEVICES, MEMORY = "delete: kube-system/agent", "kubelet_internal_checkpoint", "memory_manager_state"
GOES = POD.replace("{name: a}", "{name: a, deletionTimestamp: now}")
PLUGIN = "plugin example.com/gpu"
FAILS = (
    "refused, UnexpectedAdmissionError: Allocate failed due to device plugin GetPreferredAllocation rpc failed with "
    "err: rpc error: code = Unknown desc = the device plugin fails, which is unexpected"
)
WORDS = "(accepted: delete, restart, reboot, shutdown, lose, plugin)"
ONE = "(accepted: a pod, or one of delete, restart, reboot, shutdown, lose, plugin)"
THERE = "has come by then (accepted: default/a, kube-system/agent)"
FILES = "(accepted: cpu_manager_state, kubelet_internal_checkpoint, memory_manager_state)"
STARTED_AGAIN = POD.replace("  spec", "  status: {containerStatuses: [{name: c, restartCount: 1}]}\n  spec")
NONE = POD.replace("gpu: 1", "gpu: 0")
EMPTIED = "plugin: {example.com/gpu: empty}"


@pytest.fixture
def lives(run, files):
    """Runs steps after pods: returns the exit code and what each step tells, or what is printed for a program."""
    files("less.yaml", MACHINE.replace("16Gi", "15Gi"))
    files("more.yaml", MACHINE.replace("coresPerNuma: 4", "coresPerNuma: 5"))
    files("strict.yaml", f"{KUBELET}cpuManagerPolicyOptions: {{strict-cpu-reservation: 'true'}}\n")
    node = ["--machine", files("machine.yaml", MACHINE), "--config", files("kubelet.yaml", KUBELET)]

    def live(*steps, command="simulate", pods=PODS, options=()):
        text = "\n".join((pods, *(step if step[:1] in "-\n" else f"- {step}" for step in steps)))
        code, out, err = run(command, *node, files("life.yaml", text), *options)
        if options or command != "simulate":
            return code, out, err
        told = [step.split("\n\n")[0].splitlines() for step in out.split("\nthen ")[1:]]
        return code, {step[0]: [line.strip() for line in step[1:]] for step in told}

    return live


@pytest.mark.parametrize(
    ("steps", "code", "told"),
    [
        (["restart"], 0, {"restart": BOTH}),
        (["restart: {}"], 0, {"restart": BOTH}),
        (["reboot"], 1, {"reboot": [REFUSED, LATE, BOTH[1]]}),
        (["delete: a"], 0, {"delete a": BOTH[1:]}),
        (["delete: default/a", AGENT], 0, {"delete default/a": BOTH[1:], "delete kube-system/agent": [EMPTY]}),
        ([GOES], 0, {"delete default/a": BOTH[1:]}),
        (["shutdown", "reboot"], 0, {"shutdown": [*ENDED, EMPTY], "reboot": [EMPTY]}),
        (["delete: a", "shutdown"], 0, {"delete a": BOTH[1:], "shutdown": [ENDED[1], EMPTY]}),
        ([f"lose: {DEVICES}", "reboot"], 0, {f"lose {DEVICES}": BOTH, "reboot": [WITHOUT, BOTH[1]]}),
        (["reboot: {machine: less.yaml}"], 1, {"reboot on less.yaml": [OTHER, *BOTH]}),
        ([f"lose: {MEMORY}", LESS], 0, {f"lose {MEMORY}": BOTH, "restart on less.yaml": BOTH}),
        (["restart: {config: strict.yaml}"], 1, {"restart with strict.yaml": [DOWN.format(STRICT), *BOTH]}),
    ],
)
def test_each_step_tells_who_has_what_after_it(lives, steps, code, told):
    assert lives(*steps) == (code, told)


@pytest.mark.parametrize(
    ("state", "outcome"),
    [("fails", FAILS), ("empty", REFUSED.partition(": ")[2]), ("unregistered", "admitted"), ("registered", "admitted")],
)
@pytest.mark.parametrize("devices", [1, 0])
def test_a_device_plugin_may_fail_or_offer_nothing_from_the_beginning(lives, state, outcome, devices):
    """With nothing to give a failing plugin is not called; without healthy devices 0 is refused (k/k#128854)."""
    pods = f"- {PLUGIN.replace(' ', ': {')}: {state}}}{POD.replace('gpu: 1', f'gpu: {devices}')}"
    _, out, _ = lives(pods=pods, options=["--json"])
    (pod,) = json.loads(out)["pods"]
    expected = "admitted" if state == "fails" and not devices else outcome
    assert f"refused, {pod['reason']}: {pod['message']}" == expected if "reason" in pod else expected == "admitted"
    has = pod.get("containers", {"c": {"devices": {}}})["c"]["devices"]
    assert bool(has) == (state == "registered" and devices == 1)


@pytest.mark.parametrize("state", ["fails", "empty", "unregistered"])
def test_a_plugin_that_changes_leaves_what_runs_alone(lives, state):
    code, told = lives(f"plugin: {{example.com/gpu: {state}}}", "restart")
    assert (code, told["restart"]) == (0, BOTH)
    assert told[f"{PLUGIN} {state}"][1:] == BOTH


@pytest.mark.parametrize(
    ("state", "reason"),
    [("empty", "UnexpectedAdmissionError"), ("unregistered", "OutOfexample.com/gpu"), ("registered", "")],
)
def test_a_node_goes_on_listing_a_resource_whose_plugin_has_gone(lives, state, reason):
    _, out, _ = lives("delete: a", f"plugin: {{example.com/gpu: {state}}}", POD.strip(), options=["--json"])
    assert json.loads(out)["pods"][-1].get("reason", "") == reason


def test_a_plugin_that_has_come_back_serves_again(lives):
    back = "plugin: {example.com/gpu: registered}"
    code, told = lives("plugin: {example.com/gpu: empty}", "reboot", back, POD.strip(), "restart")
    assert (code, told["reboot"]) == (1, [REFUSED, BOTH[1]])
    assert told["restart"] == BOTH[::-1]


def test_cpus_that_were_added_end_the_kubelet_until_its_state_is_deleted(lives):
    more = "restart: {machine: more.yaml}"
    assert lives(more) == (1, {"restart on more.yaml": [DOWN.format(ADDED), *BOTH]})
    code, told = lives("lose: cpu_manager_state", more)
    assert (code, told["restart on more.yaml"]) == (0, [BOTH[0].replace("5", "6"), BOTH[1].replace("6", "7")])


def test_who_comes_again_under_a_name_is_a_pod_of_its_own(lives):
    _, out, _ = lives("delete: a", POD.strip(), options=["--json"])
    uids = [pod["uid"] for pod in json.loads(out)["pods"]]
    assert (len(set(uids)), uids[0], uids[2]) == (3, "default/a", "default/a@3")
    assert [step["afterPods"] for step in json.loads(out)["steps"]] == [2]


def test_a_program_is_told_who_has_what(lives):
    code, out, _ = lives("shutdown", "reboot", options=["--json"])
    shutdown, reboot = json.loads(out)["steps"]
    assert (code, shutdown["step"], reboot["step"]) == (0, "shutdown", "reboot")
    assert shutdown["ended"][0] == {"priority": 0, "seconds": 20, "pods": {"default/a": 20}}
    assert (reboot["pods"], reboot["failure"], reboot["has"]) == ([], None, {})
    _, out, _ = lives("reboot", options=["--json"])
    (reboot,) = json.loads(out)["steps"]
    assert [pod["result"] for pod in reboot["pods"]] == ["rejected", "admitted"]
    assert reboot["admittedByNow"] == ["default/a"]
    assert reboot["has"]["kube-system/agent"]["c"]["cpus"] == "2,6"


# What is no life


@pytest.mark.parametrize(
    ("step", "column", "fault"),
    [
        ("delte: a", 3, f"delte: unknown field {WORDS}; did you mean 'delete'?"),
        ("restat", 3, f"restat: unknown field {WORDS}; did you mean 'restart'?"),
        ("delete", 3, "delete: is missing (accepted: a text)"),
        ("delete: 7", 3, 'delete: is a number; put it in quotes: "7" (accepted: a text)'),
        ("{restart: , delete: a}", 3, f"has 2 steps {ONE}"),
        ("{}", 3, f"has 0 steps {ONE}"),
        ("restart: {machin: x}", 13, "restart.machin: unknown field (accepted: machine, config); did you me"),
        ("lose: cpu_manger_state", 3, f"lose: is 'cpu_manger_state' {FILES}; did you mean 'cpu_manager_state'?"),
        ("plugin: {example.com/gpu: broken}", 12, "plugin.example.com/gpu: is 'broken' (accepted: empty, fails, reg"),
        ("shutdown: now", 3, "shutdown: is 'now' (accepted: null)"),
        ("7", 3, "is not a Kubernetes object (accepted: "),
        ("delete: agnet", 3, f"delete: no pod 'agnet' {THERE}"),
        ("delete: b", 3, f"delete: no pod 'b' {THERE}"),
        ("reboot: {machine: nowhere}", 3, "reboot: no machine is called 'nowhere'"),
        ("restart: {config: nowhere.yaml}", 3, "restart: nowhere.yaml: cannot be read"),
    ],
)
@pytest.mark.parametrize("command", ["simulate", "explain", "bisect"])
def test_what_is_no_step_is_refused_with_its_place(lives, tmp_path, command, step, column, fault):
    code, _, err = lives(step, command=command, options=["--level", "exact"])
    line = 1 + PODS.count("\n") + 1
    assert (code, f"error: {tmp_path / 'life.yaml'}:{line}:{column}: [2]: {fault}" in err) == (2, True), err


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        ([], "have the same name 'default/a'"),
        (["restart"], "is on the node already (accepted: delete: default/a before it comes again)"),
    ],
)
def test_a_pod_does_not_come_twice(lives, steps, fault):
    code, _, err = lives(*steps, POD.strip(), options=["--json"])
    assert (code, fault in err) == (2, True)


def test_steps_of_two_versions_are_compared(lives):
    code, out, _ = lives("restart", options=["--compare-version", "1.27.5"])
    assert (code, "then restart  otherwise  no pod is refused  1 pod refused\n" in out) == (1, True)
    assert out.endswith("changed: 1 at a step; as before: 2\n")
    code, out, _ = lives("restart", options=["--compare-version", "1.27.5", "--json"])
    told = json.loads(out)
    row = {"step": "then restart", "change": "otherwise", "before": "no pod is refused", "after": "1 pod refused"}
    assert (code, told["steps"]) == (1, [row])
    assert [step["step"] for step in told["after"]["steps"]] == ["restart"]


def test_a_page_has_the_steps_too(lives):
    code, page, _ = lives("restart", options=["--html"])
    assert (code, ">then restart</h3>" in page) == (0, True)


def test_a_cluster_takes_no_steps(run, files):
    pods = files("life.yaml", f"{POD}- restart\n")
    code, _, err = run("simulate-cluster", "--pods", pods)
    assert (code, "[1]: restart is a step of a life (accepted: pods and nodes)" in err) == (2, True)


# explain, bisect, and a node at work


def test_explain_tells_the_steps_that_refuse_and_what_an_upgrade_changes(lives):
    asked = {"command": "explain", "options": ["--kubernetes-version", "1.27.5"]}
    code, out, _ = lives("restart", **asked)
    assert code == 1
    assert out.splitlines()[2:6] == ["then restart", f"    {REFUSED}", f"        {LATE}", f"    {BOTH[1]}"]
    assert "    with Kubernetes 1.37: no pod is refused" in out.splitlines()
    asked["options"].append("--json")
    (step,) = json.loads(lives("restart", **asked)[1])["steps"]
    assert (step["step"], step["withUpgrade"]) == ("restart", "no pod is refused")


@pytest.mark.parametrize(
    ("pods", "steps", "versions", "told", "cause"),
    [
        (PODS, ["restart"], ("1.27.5", "1.27.6"), "step 4, node.restart", "running-containers-need-their-plugin"),
        (PODS, ["reboot"], ("1.27.1", "1.27.2"), "step 4, node.restart (reboot)", "unhealthy-devices-are-kept"),
        (
            STARTED_AGAIN,
            ["restart"],
            ("1.34.6", "1.34.7"),
            "step 3, node.restart",
            "restarted-containers-need-their-plugin",
        ),
        (
            NONE,
            ["delete: a", EMPTIED, NONE],
            ("1.27.1", "1.27.2"),
            "step 5, node.admit a",
            "zero-devices-need-a-healthy-one",
        ),
        (SMALL, [SMALL.replace("cpu: 1", "cpu: 2")], ("1.32", "1.33"), "step 3, node.resize a", ""),
    ],
)
def test_bisect_names_the_version_that_lives_otherwise(lives, pods, steps, versions, told, cause):
    options = ["--from", versions[0], "--to", versions[1], "--ignore", "cpu_quota"]
    code, out, _ = lives(*steps, command="bisect", pods=pods, options=options)
    assert (code, told in out, f"by quirk {cause}" in out or not cause) == (1, True, True), out


def test_programs_are_asked_what_the_protocol_has(lives):
    code, _, err = lives("reboot", command="bisect", options=["--real"])
    assert (code, "--real asks programs what the protocol has" in err) == (2, True)


def test_steps_go_on_from_a_node_at_work(run, files, tmp_path):
    FakeNode(tmp_path / "dump", kubelet=STATIC, pods=PODS_THERE, version="1.36")
    written = tmp_path / "dump" / "var" / "lib" / "kubelet" / "config.yaml"
    written.write_text(f"{written.read_text()}\nshutdownGracePeriod: 30s\n")
    life = files("life.yaml", "- reboot\n- delete: db\n- shutdown\n")
    code, out, _ = run("simulate", "--from-node", tmp_path / "dump", life, "--json")
    reboot, delete, shutdown = json.loads(out)["steps"]
    admitted = [(pod["pod"], pod["result"]) for pod in reboot["pods"]]
    assert (code, admitted) == (0, [("default/db", "admitted"), ("default/web", "admitted")])
    assert (list(delete["has"]), [group["seconds"] for group in shutdown["ended"]]) == (["default/web"], [30])


def test_a_pod_that_is_being_deleted_stays_until_it_is_there_again(lives):
    pods = POD.replace("{name: a}", "{name: a, deletionTimestamp: now}")
    _, out, err = lives(pods=pods, options=["--json"])
    assert "notice: being deleted, and on the node until they end: default/a" in err
    assert [pod["result"] for pod in json.loads(out)["pods"]] == ["admitted"]
