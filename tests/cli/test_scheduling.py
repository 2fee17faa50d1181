import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from asked_in_full import deep
from numa_conformance.cli.terminal import spread
from numa_conformance.sources.versions import DEFAULT

EXAMPLES = Path(__file__).parents[2] / "examples" / "cluster"
NODES, POD, CONFIG = (EXAMPLES / f"{name}.yaml" for name in ("nodes", "pod", "scheduler"))
FLEET, WORKLOAD = EXAMPLES / "fleet.yaml", EXAMPLES / "workload.yaml"


def test_the_worked_example_is_scored_step_by_step(run):
    code, out, err = run("score", "--nodes", NODES, "--config", CONFIG, POD, "--kubernetes-version", DEFAULT)
    assert code == 0
    assert "3000 * 100 / 8000 = 37 %; 0 + (100 - 0) * (37 - 0) / (100 - 0) = 37" in out
    assert "(75*5 + 50*1 + 37*3) / (5 + 1 + 3) = 536 / 9 = 59.56, to the nearest: 60" in out
    assert out.endswith("best: node-2\norder: node-2 69, node-1 60\n")
    assert err == ""


@pytest.mark.parametrize(
    ("bound", "more"), [("MOST_LOOKED_AT", ()), ("MOST_SCORES", ()), ("MOST_SCORES", ("--top", 2))]
)
def test_more_scores_than_a_person_waits_for_are_refused(run, tmp_path, monkeypatch, bound, more):
    monkeypatch.setattr(f"numa_conformance.cli.score.{bound}", 6)
    for count, code in ((1, 0), (9, 2)):
        pods = tmp_path / "pods.yaml"
        pods.write_text("---\n".join(f"spec: {{containers: [{{name: c{index}}}]}}\n" for index in range(count)))
        told, _, err = run("score", "--nodes", NODES, *map(str, more), pods)
        assert told == code
        assert ("9 pods are too many to score on 2 nodes" in err) == (code == 2)


def test_scores_as_json(run):
    code, out, _ = run("score", "--nodes", NODES, "--config", CONFIG, "--json", POD)
    (told,) = json.loads(out)
    assert (code, told["pod"], told["strategy"]) == (0, "default/asking", "RequestedToCapacityRatio")
    assert [(one["node"], one["score"], one["fits"]) for one in told["nodes"]] == [
        ("node-2", 69, True),
        ("node-1", 60, True),
    ]
    step = told["nodes"][1]["resources"][2]
    assert (step["resource"], step["used"], step["pod"], step["requested"], step["allocatable"], step["score"]) == (
        "cpu",
        1000,
        2000,
        3000,
        8000,
        37,
    )


def test_a_pod_that_fits_nowhere_exits_with_1(run, tmp_path):
    pod = tmp_path / "pod.yaml"
    pod.write_text(POD.read_text().replace("cpu: 2", "cpu: 20"))
    code, out, _ = run("score", "--nodes", NODES, pod)
    assert code == 1
    assert "does not fit: Insufficient cpu" in out
    assert out.endswith("fits no node\n")


def test_equal_nodes_and_the_weight_of_the_plugin(run, tmp_path):
    config = tmp_path / "scheduler.yaml"
    config.write_text("profiles: [{plugins: {score: {enabled: [{name: NodeResourcesFit, weight: 3}]}}}]\n")
    nodes = tmp_path / "nodes.yaml"
    nodes.write_text(
        "kind: NodeList\nitems:\n"
        + "".join(
            f"- {{metadata: {{name: {name}}}, status: {{allocatable: {{cpu: 8, memory: 8Gi, pods: 10}}}}}}\n"
            for name in ("a", "b")
        )
    )
    pod = tmp_path / "pod.yaml"
    pod.write_text(
        "metadata: {name: p}\nspec: {containers: [{name: c, resources: {requests: {cpu: 4, memory: 4Gi}}}]}\n"
    )
    code, out, _ = run("score", "--nodes", nodes, "--config", config, pod)
    assert code == 0
    assert "best: a (kube-scheduler draws among 2 nodes of that score by lot)\norder: a 150, b 150" in out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["score", "--nodes", POD, POD], "there is no node in it"),
        (["score", "--nodes", NODES, "--profile", "defaultscheduler", POD], "did you mean 'default-scheduler'"),
        (["score", "--nodes", CONFIG, POD], "holds no pods and nodes, but KubeSchedulerConfiguration"),
        (["score", "--nodes", NODES, "--config", POD, POD], "is a Pod (accepted: one KubeSchedulerConfiguration)"),
        (["score", "--nodes", "missing.yaml", POD], "missing.yaml: cannot be read"),
        (["simulate-cluster", "--pods", WORKLOAD], "there is no node"),
        (["simulate-cluster", "--pods", WORKLOAD, "--kubelet", FLEET], "--kubelet goes with --machine"),
        (["simulate-cluster", "--pods", WORKLOAD, "--fleet", FLEET, "--engine", "ray"], "there is no engine 'ray'"),
        (["simulate-cluster", "--pods", WORKLOAD, "--fleet", FLEET, "--strategy", "Most"], "Most"),
        (["simulate-cluster", "--pods", WORKLOAD, "--fleet", WORKLOAD], "is no list of groups"),
        (
            ["simulate-cluster", "--pods", WORKLOAD, "--fleet", FLEET, "--config", CONFIG, "--config", CONFIG],
            "are called",
        ),
    ],
)
def test_bad_input_is_one_clear_error(run, argv, said):
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_pods_of_another_scheduler_are_passed_over(run, tmp_path):
    pods = tmp_path / "pods.yaml"
    pod = "kind: Pod\nmetadata: {name: NAME}\nspec: {schedulerName: BY, containers: [{name: c}]}\n"
    other = pod.replace("NAME", "b").replace("BY", "volcano")
    pods.write_text(f"{pod.replace('NAME', 'a').replace('BY', 'default-scheduler')}---\n{other}")
    _, out, err = run("score", "--nodes", NODES, pods)
    assert ("default/a: " in out, "default/b: " in out) == (True, False)
    words = "passed over, as pods of a scheduler without a profile: default/b (volcano); --profile NAME scores them"
    assert f"notice: {words}\n" in err
    _, out, err = run("score", "--nodes", NODES, "--profile", "default-scheduler", pods)
    assert ("default/b: " in out, "passed over" in err) == (True, False)
    pods.write_text(other)
    assert "the configuration has no profile 'volcano'" in run("score", "--nodes", NODES, pods)[2]


def test_what_other_plugins_of_the_scheduler_look_at_is_told(run, tmp_path):
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: 8, memory: 8Gi, pods: 110}}\n"
    spec = "spec: {unschedulable: true, taints: [{key: k, effect: NoSchedule}]}\n"
    (tmp_path / "nodes.yaml").write_text(node + spec)
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeSelector: {a: b}, containers: [{name: c}]}\n"
    (tmp_path / "pod.yaml").write_text(pod)
    code, _, err = run("score", "--nodes", tmp_path / "nodes.yaml", tmp_path / "pod.yaml")
    assert code == 0
    for what in ("unschedulable of a", "taints of a", "nodeSelector of p"):
        assert f"notice: not modelled: {what}; other plugins of kube-scheduler look at it" in err


def test_strategies_are_compared_on_one_workload(run):
    code, out, err = run("simulate-cluster", "--fleet", FLEET, "--pods", WORKLOAD)
    assert (code, err) == (1, "")
    table = {line[:28].strip(): line[28:].split() for line in out.splitlines() if "  " in line[:80]}
    assert table["placed"] == ["600", "216"]
    assert table["TopologyAffinityError"] == ["0", "384"]
    assert "MostAllocated: bound by the scheduler, refused by the node" in out
    assert "... and 379 more: --json lists all" in out


def test_several_seeds_give_a_mean_and_a_range(run):
    _, out, _ = run(
        "simulate-cluster", "--fleet", FLEET, "--pods", WORKLOAD, "--strategy", "MostAllocated", "--seeds", "2"
    )
    assert "2 runs each: mean (least..most)" in out
    _, out, _ = run(
        "simulate-cluster",
        "--fleet",
        FLEET,
        "--pods",
        WORKLOAD,
        "--strategy",
        "MostAllocated",
        "--seeds",
        "2",
        "--json",
    )
    runs = json.loads(out)["runs"]
    assert [(one["strategy"], one["seed"]) for one in runs] == [("MostAllocated", 0), ("MostAllocated", 1)]
    assert runs[0]["refusedByReason"] == {"TopologyAffinityError": 384}


def test_nodes_without_a_machine_and_unlisted_nodes_are_told(run, tmp_path):
    far = tmp_path / "far.yaml"
    far.write_text("metadata: {name: far}\nspec: {nodeName: elsewhere, containers: [{name: c}]}\n")
    code, out, err = run(
        "simulate-cluster", "--nodes", NODES, "--pods", POD, "--pods", far, "--strategy", "MostAllocated"
    )
    assert code == 0
    assert "1 pods are on nodes that are not listed: they are left out" in err
    assert "2 of 2 nodes have no machine (node-1, ...): they refuse nothing" in err
    assert out.startswith("2 nodes (0 with a machine), 2 pods on them, 1 to place")


def test_a_machine_that_differs_from_its_node_is_told(run, tmp_path):
    nodes = tmp_path / "nodes.yaml"
    nodes.write_text(NODES.read_text().replace("allocatable", "capacity").replace("cpu: 8,", "cpu: 16,"))
    code, _, err = run("simulate-cluster", "--nodes", nodes, "--pods", POD, "--machine", "t1-one-socket-smt2")
    assert code == 0
    assert "node node-1 has 16 CPUs, its machine t1-one-socket-smt2 has 8" in err


@deep
def test_the_same_in_every_process():
    command = [
        sys.executable,
        "-m",
        "numa_conformance",
        "simulate-cluster",
        "--fleet",
        str(FLEET),
        "--pods",
        str(WORKLOAD),
    ]
    told = [
        subprocess.run(
            [*command, "--json", "--placements", "--seeds", "2"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0] == told[1]
    assert len(json.loads(told[0])["runs"][0]["placements"]) == 600


def test_spread_is_one_number_or_a_mean_and_its_range():
    assert spread([3, 3]) == "3"
    assert spread([1, 2, 6]) == "3 (1..6)"
    assert spread([0.25, 0.5], 2) == "0.38 (0.25..0.50)"


def test_the_worked_example_as_the_page_has_it(run):
    code, out, _ = run("score", "--nodes", NODES, "--config", CONFIG, "--level", "documented", POD)
    assert code == 0
    assert "3000 * 100 / 8000 = 37.5 %; 0 + (10 - 0) * (37.5 - 0) / (100 - 0) = 3" in out
    assert out.endswith("best: node-2\norder: node-2 7, node-1 5\n")


@pytest.mark.parametrize(("level", "code"), [("documented", 0), ("exact", 2)])
def test_the_nodes_of_a_cluster_by_the_documentation(run, tmp_path, level, code):
    kubelet = tmp_path / "kubelet.yaml"
    kubelet.write_text(
        "topologyManagerPolicy: restricted\ntopologyManagerPolicyOptions: {max-allowable-numa-nodes: 'true'}\n"
    )
    argv = ["--nodes", NODES, "--pods", POD, "--machine", "t1-one-socket-smt2", "--kubelet", kubelet, "--level", level]
    assert run("simulate-cluster", *argv)[0] == code


def test_lots_keep_the_order_of_the_text(run, tmp_path):
    pods = tmp_path / "pods.yaml"
    pods.write_text(
        "---\n".join(f"metadata: {{name: p{index}}}\nspec: {{containers: [{{name: c}}]}}\n" for index in range(6))
    )
    words = (
        "simulate-cluster",
        "--fleet",
        FLEET,
        "--pods",
        pods,
        "--strategy",
        "LeastAllocated",
        "--json",
        "--placements",
    )
    _, first, _ = run(*words, "--lots", "--seeds", "3")
    _, again, _ = run(*words, "--lots", "--seeds", "3")
    runs = [one["placements"] for one in json.loads(first)["runs"]]
    assert first == again
    assert [list(placements) for placements in runs] == 3 * [[f"default/p{index}" for index in range(6)]]
    assert len({tuple(placements.values()) for placements in runs}) == 3


def test_what_became_of_pods_is_compared_by_equal_scores(run, tmp_path):
    pods, became = tmp_path / "pods.yaml", tmp_path / "became.yaml"
    containers = "containers: [{{name: c, resources: {{limits: {{cpu: 12, memory: 1Gi}}}}}}]"
    text = f"metadata: {{{{name: p{{0}}}}}}\nspec: {{{{{{1}}{containers}}}}}\n{{2}}"
    pods.write_text("---\n".join(text.format(index, "", "") for index in range(2)))
    refused = "status: {phase: Failed, reason: TopologyAffinityError}\n"
    words = ("simulate-cluster", "--fleet", FLEET, "--pods", pods, "--strategy", "LeastAllocated", "--compare", became)
    became.write_text("---\n".join(text.format(index, f"nodeName: worker-{index + 3}, ", "") for index in range(2)))
    code, out, _ = run(*words)
    assert (code, "2 went to one of the best-scored nodes" in out) == (0, True)
    became.write_text(
        text.format(0, "nodeName: worker-3, ", "") + "---\n" + text.format(1, "nodeName: worker-3, ", refused)
    )
    code, out, err = run(*words)
    assert code == 1
    assert "default/p1: went to worker-3; the best here: worker-0, worker-1, worker-2" in out
    became.write_text(text.format(7, "", ""))
    code, _, err = run(*words)
    assert (code, "has none of the pods" in err) == (2, True)


NODE_OF_ONE = """
kind: Node
apiVersion: v1
metadata: {name: n}
status: {allocatable: {cpu: 8, memory: 8Gi, pods: 10}}
"""
ENDED = """
metadata: {name: app, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {nodeName: n, containers: [{name: a, resources: {requests: {cpu: 6}}}]}
---
metadata: {name: agent, creationTimestamp: "2026-01-01T00:00:01Z"}
spec: {nodeName: n, priorityClassName: system-node-critical, containers: [{name: a, resources: {requests: {cpu: 3}}}]}
---
metadata: {name: later}
spec: {hostNetwork: true, containers: [{name: a, ports: [{containerPort: 80}], resources: {requests: {cpu: 5}}}]}
"""


def test_a_pod_that_a_node_ends_for_a_critical_one_is_told_and_leaves_its_place(run, tmp_path):
    for name, text in (("nodes", NODE_OF_ONE), ("pods", ENDED)):
        (tmp_path / f"{name}.yaml").write_text(text)
    asked = ["simulate-cluster", "--machine", "t1-one-socket-smt2", "--strategy", "LeastAllocated"]
    asked += ["--nodes", tmp_path / "nodes.yaml", "--pods", tmp_path / "pods.yaml"]
    code, out, err = run(*asked)
    assert (code, "Preempting: Preempted in order to admit critical pod (was there)" in out) == (1, True)
    assert err == (
        "notice: not modelled: host ports of default/later; "
        "a kubelet refuses a pod if another pod on the node has the same host port\n"
    )
    told = json.loads(run(*asked, "--json", "--placements")[1])
    assert told["runs"][0]["placements"] == {"default/agent": "n", "default/later": "n"}
    assert told["runs"][0]["placed"] == 1  # that which was there has not been placed
    assert [(each["what"], each["pods"]) for each in told["notModelled"]] == [("host ports", ["default/later"])]
