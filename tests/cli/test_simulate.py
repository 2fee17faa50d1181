import json
from pathlib import Path

import pytest

from numa_conformance.cli import main
from numa_conformance.sources.versions import DEFAULT

ASSUMED = f"notice: Kubernetes {DEFAULT} is assumed: --kubernetes-version names another"
NO_PAGES = "; it lists no huge pages: if the node has some, add them, and ask again"
ROOT = Path(__file__).parents[2]
KUBELET = "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\ntopologyManagerPolicy: single-numa-node\n"
POD = """
metadata: {name: a}
spec:
  containers:
    - {name: c, resources: {limits: {cpu: 2, memory: 1Gi}}}
"""


def test_simulate_says_who_got_what(run, files):
    config, pod = files("kubelet.yaml", KUBELET), files("pod.yaml", POD)
    code, out, _ = run("simulate", "--machine", "t3-two-numa-per-socket", "--config", config, pod)
    assert code == 0
    assert "default/a (Guaranteed): admitted" in out
    assert "exclusive CPUs 1,17" in out


def test_simulate_says_when_a_pods_own_resources_are_not_looked_at(run, files):
    pod = files("pod.yaml", POD.replace("spec:", "spec:\n  resources: {limits: {cpu: 2, memory: 1Gi}}"))
    asked = ["simulate", "--machine", "t1-one-socket-smt2", "--config", files("kubelet.yaml", KUBELET), pod]
    code, out, err = run(*asked, "--kubernetes-version", "1.32")
    assert (code, "exclusive CPUs" in out) == (0, True)
    assert "spec.resources of default/a is not looked at: the gate PodLevelResources is off" in err
    code, out, err = run(*asked, "--kubernetes-version", "1.34")
    assert (code, "exclusive CPUs" in out, err) == (0, False, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], True),
        (["--svg"], True),
        (["--json"], False),
        (["--kubernetes-version", "1.34"], False),
        (["--config", "no-such-file"], False),
    ],
)
def test_simulate_says_which_version_it_assumed_where_an_answer_came_of_it(run, files, words, said):
    _, _, err = run("simulate", "--machine", "t1-one-socket-smt2", *words, files("pod.yaml", POD))
    assert (ASSUMED in err.splitlines()) == said


def test_the_version_of_a_node_among_the_pods_counts_where_none_is_named(run, files):
    node = NODE.replace("{cpu: 8}", "{cpu: 8}, nodeInfo: {kubeletVersion: v1.33.4}")
    pod = POD.replace("cpu: 2", "cpu: 200")
    words = ("explain", "--machine", "t1-one-socket-smt2", files("all.yaml", f"{node}---{pod}"))
    code, out, err = run(*words)
    assert (code, "Kubernetes 1.33" in out, err) == (1, True, "")
    assert "Kubernetes 1.35" in run(*words, "--kubernetes-version", "1.35")[1]


def test_a_dump_without_a_version_has_it_assumed(run, files):
    words = ["--from-node", ROOT / "examples/node/state", "--machine", "amd-milan-7763-nps4"]
    code, _, err = run("simulate", *words, "--config", ROOT / "examples/node/kubelet.yaml")
    assert (code, err.splitlines()[-1]) == (0, ASSUMED)


def test_simulate_tells_what_it_did_not_look_at(run, files):
    service = "apiVersion: v1\nkind: Service\n"
    gpu = POD.replace("1Gi", "1Gi, example.com/gpus: 1, ephemeral-storage: 1Gi")
    asked = ["simulate", "--machine", "t3-two-numa-per-socket"]
    code, _, err = run(*asked, files("pod.yaml", f"{service}---{gpu}"))
    assert (code, err.splitlines()) == (
        0,
        [
            "notice: passed over, as only Pods, Nodes and the workloads of Kubernetes are read: 1 Service",
            "notice: t3-two-numa-per-socket has no example.com/gpus, which default/a asks for; "
            "the kubelet does not look at it",
            "notice: not modelled: ephemeral-storage of default/a; a kubelet refuses a pod if the requests of all pods "
            "exceed what the node offers; list its Node among the pods to have it looked at",
            ASSUMED,
        ],
    )


def test_a_page_size_that_the_machine_does_not_list_is_none_of_its_own(run, files):
    pod = files("pod.yaml", POD.replace("1Gi", "1Gi, hugepages-2Mi: 64Mi"))
    code, out, err = run("simulate", "--machine", "t1-one-socket-smt2", pod)
    told = f"notice: t1-one-socket-smt2 has no hugepages-2Mi, which default/a asks for{NO_PAGES}\n{ASSUMED}\n"
    assert (code, err) == (1, told)
    assert "refused, OutOfhugepages-2Mi" in out


def test_of_a_machine_that_lists_huge_pages_nothing_is_taken_for_unknown(run, files):
    pod = files("pod.yaml", POD.replace("1Gi", "1Gi, hugepages-2Mi: 64Mi"))
    _, _, err = run("simulate", "--machine", "intel-sapphirerapids-8480-snc4", pod)
    assert " has no hugepages-2Mi, which default/a asks for; did you mean 'hugepages-1Gi'?\n" in err


NODE = """
apiVersion: v1
kind: Node
metadata: {name: worker, labels: {zone: earth}}
status: {allocatable: {cpu: 8}}
"""


def test_what_a_pod_uses_and_nobody_models_is_told(run, files):
    pod = files("pod.yaml", POD.replace("spec:", "spec:\n  nodeSelector: {zone: mars}\n  runtimeClassName: kata"))
    asked = ["simulate", "--machine", "t1-one-socket-smt2", pod]
    code, out, err = run(*asked)
    assert (code, "default/a (Guaranteed): admitted" in out) == (0, True)
    assert err.splitlines() == [
        "notice: not modelled: runtimeClassName without spec.overhead of default/a; a kubelet refuses a pod if the "
        "requests of all pods exceed what the node offers",
        "notice: not modelled: nodeSelector of default/a; a kubelet refuses a pod if nodeSelector or required node "
        "affinity does not match the node's labels; list its Node among the pods to have it looked at",
        ASSUMED,
    ]
    told = json.loads(run(*asked, "--json")[1])["pods"][0]["notModelled"]
    assert [each["what"] for each in told] == ["runtimeClassName without spec.overhead", "nodeSelector"]


def test_a_node_among_the_pods_tells_its_labels(run, files):
    pod = files("pod.yaml", POD.replace("spec:", "spec:\n  nodeSelector: {zone: mars}"))
    asked = ["--machine", "t1-one-socket-smt2", pod, files("node.yaml", NODE)]
    code, out, err = run("simulate", *asked)
    assert (code, err) == (1, f"{ASSUMED}\n")
    assert "refused, NodeAffinity: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity" in out
    assert "refused by the kubelet's handler of node affinity, which refuses a pod if nodeSelector or" in out
    assert "refused by the kubelet's handler of node affinity" in run("explain", *asked)[1]
    assert "refused at the pod as a whole, by node affinity" in run("simulate", "--explain", *asked)[1]
    two = NODE + "---" + NODE.replace("worker", "other")
    code, _, err = run("simulate", "--machine", "t1-one-socket-smt2", pod, files("node.yaml", two))
    assert (code, err.splitlines()[0]) == (
        0,
        "notice: 2 Nodes are listed: labels and taints of none of them are looked at",
    )
    bound = files("pod.yaml", POD.replace("spec:", "spec:\n  nodeName: worker\n  nodeSelector: {zone: mars}"))
    assert run("simulate", "--machine", "t1-one-socket-smt2", bound, files("node.yaml", two))[0] == 1


CRITICAL = """
metadata: {name: app}
spec: {containers: [{name: a, resources: {requests: {cpu: 6}}}]}
---
metadata: {name: agent, namespace: kube-system}
spec: {priority: 2000001000, containers: [{name: a, resources: {requests: {cpu: 3}}}]}
"""


def test_what_a_critical_pod_ends_is_told(run, files):
    asked = ["--machine", "t1-one-socket-smt2", files("pods.yaml", CRITICAL)]
    for command in ("simulate", "explain"):
        code, out, _ = run(command, *asked)
        assert (code, "1 ended: Preempting" in out) == (1, True)
        assert "default/app (Burstable): admitted, then ended for kube-system/agent (Preempting)\n" in out
    assert (
        "kube-system/agent (Burstable): admitted; the kubelet ended default/app for it\n" in run("simulate", *asked)[1]
    )
    app, agent = json.loads(run("simulate", "--json", *asked)[1])["pods"]
    assert (app["endedFor"], agent["preempted"]) == ("kube-system/agent", ["default/app"])


def test_what_a_pod_refused_for_a_host_port_may_do_is_told(run, files):
    first = POD.replace("{name: c,", "{name: c, ports: [{containerPort: 80, hostPort: 80}],")
    pods = files("pods.yaml", first + "---" + first.replace("name: a", "name: b"))
    code, out, _ = run("simulate", "--machine", "t1-one-socket-smt2", pods)
    assert (code, "default/b (Guaranteed): refused, NodePorts" in out) == (1, True)
    assert "would be admitted (each was tried):\n      on the node without other pods\n" in out


@pytest.mark.parametrize(("version", "admitted"), [("1.30", False), ("1.31", True)])
def test_until_1_30_an_init_container_cannot_ask_for_what_the_node_does_not_list(run, files, version, admitted):
    init = "initContainers: [{name: i, resources: {limits: {example.com/nope: 1}}}]\n  containers:"
    pod = files("pod.yaml", POD.replace("containers:", init))
    code, out, err = run("simulate", "--machine", "t1-one-socket-smt2", "--kubernetes-version", version, pod)
    assert (code, "OutOfexample.com/nope" in out) == (not admitted, not admitted)
    assert ("the kubelet does not look at it" in err) == admitted


@pytest.mark.parametrize("reserved", ['{cpu: "9"}', "{memory: 8Gi}"])
def test_a_node_does_not_come_up_that_has_less_than_is_reserved(run, files, reserved):
    head = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
    config, pod = files("kubelet.yaml", f"{head}systemReserved: {reserved}\n"), files("pod.yaml", POD)
    for command in (["simulate", pod], ["explain", pod], ["simulate", "--explain", pod]):
        code, out, err = run(*command, "--machine", "t1-one-socket-smt2", "--config", config)
        assert (code, out) == (2, "")
        assert "the node does not come up (kubelet): invalid Node Allocatable configuration" in err
        assert "systemReserved" in err
    code, out, _ = run("lint", "--machine", "t1-one-socket-smt2", config)
    assert (code, "1 refused" in out) == (1, True)


def test_simulate_tells_that_pods_of_several_nodes_go_to_one_machine(run, files):
    pods = [POD.replace("name: a", f"name: {name}").replace("spec:", f"spec:\n  nodeName: n-{name}") for name in "ab"]
    _, _, err = run("simulate", "--machine", "t1-one-socket-smt2", files("pods.yaml", "---".join(pods)))
    assert err == f"notice: these are pods of 2 nodes (n-a, n-b, ...): all go to this one machine\n{ASSUMED}\n"


def test_amounts_of_memory_are_printed_as_people_write_them(run, files):
    config = (
        "memoryManagerPolicy: Static\ntopologyManagerPolicy: best-effort\nkubeReserved: {memory: 412Mi}\n"
        "reservedMemory: [{numaNode: 0, limits: {memory: 512Mi}}]\n"
    )
    pod = POD.replace(
        "containers", "initContainers: [{name: i, resources: {limits: {cpu: 2, memory: 1Gi}}}]\n  containers"
    )
    machine = "t3-two-numa-per-socket"
    _, out, _ = run(
        "simulate", "--machine", machine, "--config", files("k.yaml", config), "--explain", files("p.yaml", pod)
    )
    assert "        1Gi of memory on NUMA node 0\n" in out
    assert "        memory: handed on to later containers\n" in out
    assert "      1Gi of memory on NUMA node 0\n" in out


def test_simulate_explains(run, files):
    config, pod = files("kubelet.yaml", KUBELET), files("pod.yaml", POD)
    base = ["simulate", "--machine", "t3-two-numa-per-socket", "--config", config, pod, "--explain"]
    _, out, _ = run(*base)
    assert "merged: {0}, every manager prefers it or has no opinion: admitted" in out
    _, out, _ = run(*base, "--json")
    explained = json.loads(out)["pods"][0]["explanation"]
    assert explained["merges"][0]["merged"] == {"nodes": [0], "preferred": True}
    assert explained["merges"][0]["hints"]["cpus"] == {"cpu": {"preferred": [[0], [1], [2], [3]], "others": 11}}
    assert explained["taken"] == [{"container": "c", "steps": ["core 1"]}]


def test_what_was_taken_is_folded_and_the_refuser_is_named(run, files):
    config = KUBELET.replace("single-numa-node", "best-effort") + "cpuManagerPolicyOptions: {full-pcpus-only: 'true'}\n"
    second = "    - {name: d, resources: {limits: {cpu: 1, memory: 1Gi}}}\n"
    pod = files("pod.yaml", POD.replace("cpu: 2", "cpu: 6") + second)
    asked = [
        "simulate",
        "--machine",
        "t3-two-numa-per-socket",
        "--config",
        files("kubelet.yaml", config),
        pod,
        "--explain",
    ]
    _, out, _ = run(*asked)
    assert "container c was given, in this order:\n      cores 1-3\n" in out
    assert "refused at container d, by the CPU Manager" in out


def test_simulate_exits_with_1_when_a_pod_is_refused(run, files):
    config, pod = files("kubelet.yaml", KUBELET), files("pod.yaml", POD.replace("cpu: 2", "cpu: 20"))
    code, out, _ = run("simulate", "--machine", "t3-two-numa-per-socket", "--config", config, pod, "--json")
    assert code == 1
    told = json.loads(out)["pods"][0]
    assert (told["phase"], told["reason"]) == ("Failed", "TopologyAffinityError")
    assert told["statusMessage"] == "Pod was rejected: Resources cannot be allocated with Topology locality"
    assert told["advice"]["wouldBeAdmitted"][0] == {"text": "with 8 CPUs in place of 20", "change": {"cpu": "8"}}
    assert json.loads(out)["summary"] == {"admitted": 0, "refused": {"TopologyAffinityError": 1}}


def test_refusals_are_explained_once_for_pods_alike_and_summed_up(run, files):
    config = files("kubelet.yaml", KUBELET)
    container = "{name: c, resources: {limits: {cpu: 6, memory: 1Gi}}}"
    pods = (
        "kind: Deployment\nmetadata: {name: w}\n"
        f"spec: {{replicas: 9, template: {{spec: {{containers: [{container}]}}}}}}\n"
    )
    code, out, _ = run("simulate", "--machine", "t3-two-numa-per-socket", "--config", config, files("pods.yaml", pods))
    assert code == 1
    assert out.count("would be admitted (each was tried):") == 1
    assert "default/w-5 to default/w-8: 4 pods refused, TopologyAffinityError: Resources cannot" in out
    assert out.endswith("\n4 admitted, 5 refused: 5 TopologyAffinityError\n")


def test_a_pod_on_which_the_kubelet_crashes_is_an_outcome(run, files):
    config = (
        "memoryManagerPolicy: Static\nkubeReserved: {memory: 412Mi}\n"
        "reservedMemory: [{numaNode: 0, limits: {memory: 512Mi}}]\n"
    )
    pod = files("pod.yaml", POD.replace("1Gi", "1Gi, hugepages-1Gi: 1Gi"))
    machine = "t3-two-numa-per-socket"
    code, out, err = run("simulate", "--machine", machine, "--config", files("k.yaml", config), pod)
    assert code == 1
    assert "default/a (Guaranteed): no answer, the kubelet crashes here: NUMA node 0 does not know hugepages-1Gi" in out
    assert err == f"notice: {machine} has no hugepages-1Gi, which default/a asks for{NO_PAGES}\n{ASSUMED}\n"


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("cpuManagerPolicy: static\n", "unable to determine reserved CPU resources"),
        ("maxPods: many\n", "maxPods"),
        ("cpuManagerPolicy: [static]\n", "cpuManagerPolicy"),
        ("cpuManagerPolicy: {\n", ":"),
    ],
)
def test_a_bad_configuration_is_one_clear_error(run, files, config, said):
    path = files("kubelet.yaml", config)
    code, out, err = run("simulate", "--machine", "t1-one-socket-smt2", "--config", path, files("pod.yaml", POD))
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_simulate_reads_the_kubelets_command_line(run, files):
    pages = "spec: {containers: [{name: nginx, resources: {limits: {cpu: 2, memory: 200Mi}}}]}\n"
    flags = "--cpu-manager-policy=static --reserved-cpus 0 --node-status-update-frequency=20s"
    pods = files("pods.yaml", f"{pages}---\n{pages}")
    argv = ["simulate", "--machine", "t1-one-socket-smt2", "--level", "documented", "--flags", flags, pods]
    code, out, _ = run(*argv)
    assert code == 0
    assert "default/nginx-2 (Guaranteed): admitted\n    nginx: exclusive CPUs" in out
    assert "reserved: 0\n" in out
    assert "cpusets are written every 20s\n" in out


def test_simulate_refuses_an_unknown_flag(run, files):
    argv = ["--machine", "t1-one-socket-smt2", "--flags=--reserve-cpus=0", files("pod.yaml", POD)]
    code, _, err = run("simulate", *argv)
    assert code == 2
    assert "error: --flags: there is no flag --reserve-cpus here" in err
    assert "did you mean '--reserved-cpus'?" in err


def test_claims_that_nobody_serves_are_told(run, files):
    pod = {
        "metadata": {"name": "with-a-claim"},
        "spec": {
            "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpu"}],
            "containers": [{"name": "c", "resources": {"claims": [{"name": "gpu"}]}}],
        },
    }
    code, out, err = run("simulate", "--machine", "t1-one-socket-smt2", "--json", files("pod.json", json.dumps(pod)))
    assert code == 0
    assert json.loads(out)["pods"][0]["claimsNotServed"] == ["gpu"]
    assert "resource claims of default/with-a-claim are not looked at" in err


def test_claims_that_no_container_uses_are_told_too(run, files):
    pod = {"metadata": {"name": "idle"}, "spec": {"resourceClaims": [{"name": "gpu"}], "containers": [{"name": "c"}]}}
    _, out, err = run("simulate", "--machine", "t1-one-socket-smt2", "--json", files("pod.json", json.dumps(pod)))
    assert json.loads(out)["pods"][0]["claimsNotServed"] == ["gpu"]
    assert "resource claims of default/idle are not looked at" in err


RESIZED = """
{kind: Pod, metadata: {name: shared}, spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}
---
{kind: Pod, metadata: {name: own}, spec: {containers: [{name: c, resources: {limits: {cpu: 2, memory: 1Gi}}}]}}
---
{kind: Pod, metadata: {name: shared}, spec: {containers: [{name: c, resources: {requests: {cpu: "2"}}}]}}
---
{kind: Pod, metadata: {name: own}, spec: {containers: [{name: c, resources: {limits: {cpu: 4, memory: 1Gi}}}]}}
"""


def test_a_pod_that_comes_again_with_other_resources_is_resized(tmp_path, capsys):
    pods, config = tmp_path / "pods.yaml", tmp_path / "kubelet.yaml"
    pods.write_text(RESIZED)
    config.write_text("{kind: KubeletConfiguration, cpuManagerPolicy: static, reservedSystemCPUs: '0'}")
    asked = ["simulate", "--machine", "t1-one-socket-smt2", "--config", str(config), str(pods)]
    with pytest.raises(SystemExit):
        main([*asked, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert [pod["result"] for pod in told["pods"]] == ["admitted", "admitted", "resized", "pending"]
    assert told["summary"] == {"admitted": 2, "refused": {}}
    assert [pod["phase"] for pod in told["pods"]] == ["Pending"] * 4
    with pytest.raises(SystemExit):
        main(asked)
    printed = capsys.readouterr().out
    assert "default/shared (Burstable): resized in place" in printed
    assert "default/own (Guaranteed): not resized, Infeasible: Resize is infeasible" in printed
    assert printed.rstrip().endswith("2 admitted, 0 refused; 1 of 2 resized")


def test_a_threshold_that_ends_the_start_is_named_with_its_file(run, files):
    config = files("kubelet.yaml", "kind: KubeletConfiguration\nevictionHard: {memory.available: 1e3Mi}\n")
    code, _, err = run("simulate", "--machine", "t1-one-socket-smt2", "--config", config, files("pod.yaml", POD))
    assert code == 2
    assert f"{config}: evictionHard.memory.available: accepted: an amount such as 100Mi" in err
