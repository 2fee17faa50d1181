"""``explain``, and what ``simulate`` says of pods that a kubelet refused, or that have no CPUs of their own."""

import json

import pytest
import yaml

MACHINE = "amd-milan-7763-nps4"
STRICT = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "kind": "KubeletConfiguration",
    "cpuManagerPolicy": "static",
    "reservedSystemCPUs": "0,128",
    "topologyManagerPolicy": "single-numa-node",
}


def container(name, limit="1", **requests):
    limits = {"cpu": limit, "memory": "1Gi"}
    return {"name": name, "resources": {"limits": limits, "requests": {**limits, **requests}}}


def pod(name, *containers, phase="Running", reason=None, message=None):
    status = {"phase": phase, **({"reason": reason} if reason else {}), **({"message": message} if message else {})}
    metadata = {"name": name, "namespace": "default", "uid": f"{name}-uid", "resourceVersion": "1"}
    spec = {"nodeName": "worker-1", "containers": list(containers)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


REFUSED = pod("db", container("db", "40"), phase="Failed", reason="TopologyAffinityError", message="said before")
RUNS = pod("web", container("web", "2"))


@pytest.fixture
def ask(run, files):
    def ask(command, *pods, kubelet=STRICT, machine=None, more=()):
        machine = files("machine.yaml", machine) if machine else MACHINE
        dump = files("pods.yaml", yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": list(pods)}))
        config = files("kubelet.yaml", yaml.safe_dump(kubelet))
        return run(command, dump, "--machine", machine, "--config", config, *more)

    return ask


def test_a_refused_pod_is_told_with_why_and_what_would_admit_it(ask):
    code, out, _ = ask("explain", RUNS, REFUSED, more=["--kubernetes-version", "1.32"])
    assert code == 1
    assert "default/db (Guaranteed), refused by a kubelet (TopologyAffinityError): refused again" in out
    assert "the kubelet said: said before" in out
    assert "with topologyManagerPolicy restricted" in out
    assert "with Kubernetes 1.37: refused as well" in out
    assert "default/web" not in out


def test_admitted_pods_are_shown_where_all_are_asked_for(ask):
    code, out, _ = ask("explain", RUNS, REFUSED, more=["--all"])
    assert (code, "default/web (Guaranteed): admitted\n    web: exclusive CPUs 1,129\n" in out) == (1, True)
    code, out, _ = ask("explain", RUNS, more=["--all", "--json"])
    assert (code, [row["pod"] for row in json.loads(out)["pods"]]) == (0, ["default/web"])


def test_the_quirk_behind_what_becomes_of_a_pod_is_named(ask):
    gpu = {"resource": "example.com/gpu", "id": "gpu-0", "healthy": False}
    machine = {"name": "m", "sockets": 1, "coresPerNuma": 4, "memory": "8Gi", "devices": [gpu]}
    text = yaml.safe_dump(machine)
    devices = pod("web", container("web", "2"))
    devices["spec"]["containers"][0]["resources"]["limits"]["example.com/gpu"] = "0"
    asked = {"kubelet": {**STRICT, "reservedSystemCPUs": "0"}, "machine": text}
    out = ask("explain", devices, **asked)[1]
    assert "by quirk zero-devices-need-a-healthy-one" in out
    assert "by quirk" not in ask("explain", devices, **asked, more=["--level", "documented", "--all"])[1]


def test_a_program_reads_the_same(ask):
    code, out, _ = ask("explain", RUNS, REFUSED, more=["--kubernetes-version", "1.32", "--upgrade", "1.32", "--json"])
    told = json.loads(out)
    assert code == 1
    assert told["upgrade"] is None
    assert [row["pod"] for row in told["pods"]] == ["default/db"]
    assert told["pods"][0]["refusedBefore"] == "TopologyAffinityError"
    assert told["pods"][0]["messageBefore"] == "said before"
    assert told["pods"][0]["advice"]["wouldBeAdmitted"]


def test_what_the_node_has_by_now_is_admitted(ask):
    refused = pod("db", container("db", "4"), phase="Failed", reason="OutOfcpu")
    assert "it finds the node empty here" in ask("explain", refused)[1]
    code, out, _ = ask("explain", RUNS, refused)
    assert code == 0
    assert "refused by a kubelet (OutOfcpu): admitted now" in out
    assert "delete the refused pod" in out


@pytest.mark.parametrize(
    ("reason", "limits", "kubelet", "why"),
    [
        ("TopologyAffinityError", {"cpu": "4"}, {}, "restricted or single-numa-node, and here it is none"),
        ("SMTAlignmentError", {"cpu": "3"}, STRICT, "with the option full-pcpus-only, which is not set here"),
        ("UnexpectedAdmissionError", {"x.io/nic": "1"}, STRICT, f"for x.io/nic, which is not looked at: {MACHINE}"),
        ("TopologyAffinityError", {"cpu": "4"}, STRICT, "it finds the node empty here"),
        ("TopologyAffinityError", {"cpu": "500m"}, STRICT, "and none gives this pod anything here"),
        ("TaintToleration", {"cpu": "4"}, STRICT, "TaintToleration depends on the Node, which is not here"),
    ],
)
def test_why_it_is_admitted_now_is_told_as_far_as_it_is_known(ask, reason, limits, kubelet, why):
    asking = {"name": "c", "resources": {"limits": {"memory": "1Gi", **limits}}}
    kubelet = kubelet or {name: STRICT[name] for name in ("apiVersion", "kind")}
    asked = pod("db", asking, phase="Failed", reason=reason)
    code, out, _ = ask("explain", asked, kubelet=kubelet)
    assert code == 0
    assert why in " ".join(out.split())
    _, out, _ = ask("explain", asked, kubelet=kubelet, more=["--json"])
    assert why in json.loads(out)["pods"][0]["whyAdmitted"]


def test_at_the_newest_version_it_says_that_there_is_no_upgrade(ask):
    _, out, _ = ask("explain", REFUSED, more=["--kubernetes-version", "1.37"])
    assert "1.37 is the newest version known here: no upgrade was tried" in out


def test_where_nothing_was_refused_it_says_so(ask):
    code, _, err = ask("explain", RUNS)
    assert code == 2
    assert "no pod was refused" in err


def test_a_node_is_needed(run, files):
    code, _, err = run("explain", files("pods.yaml", yaml.safe_dump(REFUSED)))
    assert code == 2
    assert "--from-node" in err


def test_simulate_asks_it_again_and_shows_it_first(ask):
    evicted = pod("old", container("c"), phase="Failed", reason="Evicted")
    code, out, err = ask("simulate", RUNS, REFUSED, evicted, pod("job", container("c"), phase="Succeeded"))
    assert code == 1
    assert out.index("default/db") < out.index("default/web")
    assert "left out, as they have ended: default/old (Failed, Evicted), default/job (Succeeded)" in err
    assert "asked again, after the others, as a kubelet refused them: default/db (TopologyAffinityError)" in err


@pytest.mark.parametrize(
    ("containers", "kubelet", "why"),
    [
        (
            [container("db", "4"), container("metrics", "200m", cpu="100m")],
            STRICT,
            "the pod is Burstable: metrics requests 100m of cpu, and its limit is 200m",
        ),
        ([container("db", "2500m", cpu="2")], STRICT, "the pod is Burstable: db requests 2 of cpu"),
        ([container("db", "1500m")], STRICT, "its request of 1500m CPUs is no whole number"),
        ([{"name": "db", "resources": {"requests": {"cpu": "2"}}}], STRICT, "db has no limit of cpu"),
        ([container("db", "4")], {"kind": STRICT["kind"], "apiVersion": STRICT["apiVersion"]}, "policy none"),
    ],
)
def test_a_container_that_shares_cpus_says_why(ask, containers, kubelet, why):
    code, out, _ = ask("simulate", pod("p", *containers), kubelet=kubelet, more=["--json"])
    assert code == 0
    assert why in json.loads(out)["pods"][0]["whyShared"]["db"]
    _, out, _ = ask("simulate", pod("p", *containers), kubelet=kubelet)
    assert why in " ".join(out.split())


def test_one_with_cpus_of_its_own_or_less_than_one_says_nothing(ask):
    _, out, _ = ask("simulate", pod("p", container("own", "2"), container("small", "500m")), more=["--json"])
    assert "whyShared" not in json.loads(out)["pods"][0]


HINTS = """\
Nov 27 09:00:00 w kubelet[9]: I1127 09:00:00.1 9 scope_container.go:83] "TopologyHints" hints={"vendor.example/gpu":[{"NUMANodeAffinity":3,"Preferred":true}]} pod="cfd/mesh" containerName="solve"
Nov 27 09:00:00 w kubelet[9]: I1127 09:00:00.2 9 scope_container.go:83] "TopologyHints" hints={"cpu":[{"NUMANodeAffinity":3,"Preferred":true}]} pod="cfd/mesh" containerName="solve"
Nov 27 09:00:00 w kubelet[9]: I1127 09:00:00.3 9 scope_container.go:83] "TopologyHints" hints={"memory":[{"NUMANodeAffinity":1,"Preferred":true},{"NUMANodeAffinity":2,"Preferred":true}]} pod="cfd/mesh" containerName="solve"
Nov 27 09:00:00 w kubelet[9]: I1127 09:00:00.4 9 scope_container.go:91] "ContainerTopologyHint" bestHint={"NUMANodeAffinity":1,"Preferred":false} pod="cfd/mesh" containerName="solve"
"""  # noqa: E501
OLD_HINTS = """\
I1115 10:34:43.3  208 topology_manager.go:194] [topologymanager] TopologyHints for pod 'mesh', container 'solve': map[vendor.example/vf:[{01 true} {11 false}]]
I1115 10:34:43.4  208 topology_manager.go:194] [topologymanager] TopologyHints for pod 'mesh', container 'solve': map[cpu:[{10 true} {11 false}]]
I1115 10:34:43.5  208 topology_manager.go:285] [topologymanager] ContainerTopologyHint bestHint: {01 false}
"""  # noqa: E501
LATER_HINTS = """\
I0104 01:28:18.5 373 scope_pod.go:83] "TopologyHints" hints=map[cpu:[{NUMANodeAffinity:01 Preferred:true} {NUMANodeAffinity:11 Preferred:false}]] pod="cfd/mesh"
I0104 01:28:18.6 373 scope_pod.go:83] "TopologyHints" hints=map[memory:[{NUMANodeAffinity:<nil> Preferred:true}]] pod="cfd/mesh"
I0104 01:28:18.7 373 scope_pod.go:91] "PodTopologyHint" bestHint={NUMANodeAffinity:01 Preferred:true} pod="cfd/mesh"
"""  # noqa: E501
JSON_HINTS = """\
{"caller":"topologymanager/scope_pod.go:86","msg":"TopologyHints","hints":{"cpu":[{"NUMANodeAffinity":2,"Preferred":true}]},"pod":{"name":"mesh","namespace":"cfd"}}
{"caller":"topologymanager/scope_pod.go:86","msg":"TopologyHints","hints":{"memory":null},"pod":{"name":"mesh","namespace":"cfd"}}
"""


def test_hints_of_a_log_are_merged_as_each_policy_does(run, files):
    code, out, err = run("explain", files("kubelet.log", HINTS))
    assert code == 0
    assert "cfd/mesh, container solve:" in out
    assert "memory, memory: preferred {0}, {1}" in out
    assert "the kubelet's: {0} (not preferred)" in out
    assert "best-effort: merged: {0} (not preferred), no set of NUMA nodes is preferred by all: admitted" in out
    assert "restricted: merged: {0} (not preferred)" in out
    assert "single-numa-node: merged: any NUMA node (not preferred)" in out
    assert "NUMA nodes are taken to be as many as hints name, 2" in err


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (OLD_HINTS, ["mesh, container solve:", "restricted: merged: {0} (not preferred)"]),
        (
            LATER_HINTS,
            ["cfd/mesh, the pod as a whole:", "memory, memory: preferred any NUMA node", "the kubelet's: {0}\n"],
        ),
        (JSON_HINTS, ["cfd/mesh, the pod as a whole:", "memory: no opinion on it", "restricted: merged: {1}, every"]),
        (HINTS + HINTS.replace('Affinity":1', 'Affinity":2'), ["memory, memory: preferred {1}, {1}"]),
    ],
    ids=["older kubelets", "kubelets of 1.27", "JSON", "a pod that comes again"],
)
def test_hints_are_read_as_kubelets_have_written_them(run, files, text, lines):
    code, out, _ = run("explain", files("kubelet.log", text))
    assert code == 0
    assert [line for line in lines if line not in out] == []


def test_the_configured_policy_alone_is_asked(run, files):
    _, out, _ = run("explain", files("kubelet.log", HINTS), "--flags", "--topology-manager-policy=restricted", "--json")
    (row,) = json.loads(out)["hints"]
    assert row["pod"] == "cfd/mesh"
    assert {name: merge["admitted"] for name, merge in row["policies"].items()} == {"restricted": False}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HINTS.partition("]} pod")[0] + "\n", "kubelet.log:1: is no whole line of a log"),
        (HINTS + "x" * 2**24, "is larger than 16777216 bytes"),
    ],
    ids=["cut", "too much"],
)
def test_a_log_that_cannot_be_read_is_one_sentence(run, files, text, words):
    code, out, err = run("explain", files("kubelet.log", text))
    assert (code, out, err.count("error:")) == (2, "", 1)
    assert words in err


def test_a_description_leads_to_the_reason(run, files):
    text = (
        "Name: mesh\nNamespace: cfd\nNode: w/192.0.2.1\nStatus: Failed\nReason: TopologyAffinityError\n"
        "Containers:\n  solve:\n    Limits:\n      cpu: 7\n      memory: 1Gi\n"
    )
    flags = "--cpu-manager-policy=static --reserved-cpus=0 --topology-manager-policy=single-numa-node"
    code, out, err = run("explain", files("describe.txt", text), "--machine", "snc2-small", "--flags", flags)
    assert code == 1
    assert "cfd/mesh (Guaranteed), refused by a kubelet (TopologyAffinityError): refused again" in out
    assert "a description (cfd/mesh) has no affinity" in err


def test_the_first_remedy_for_pages_that_a_machine_lacks_is_the_machine(ask):
    wide = pod("db", container("db", "12"))
    wide["spec"]["containers"][0]["resources"]["limits"]["hugepages-1Gi"] = "2Gi"
    machine = yaml.safe_dump({"name": "m", "sockets": 2, "coresPerNuma": 8, "memory": "8Gi"})
    out = ask("explain", wide, kubelet={**STRICT, "reservedSystemCPUs": "0"}, machine=machine)[1]
    first = out.splitlines()[out.splitlines().index("    would be admitted (each was tried):") + 1]
    assert first == "      on a machine with 2 more huge pages of 1Gi on NUMA node 0, with 8 CPUs in place of 12"


def test_a_pod_with_resources_of_its_own_is_told_how_many_fit(ask):
    whole = pod("db", {"name": "a"}, {"name": "b"})
    whole["spec"]["resources"] = {"limits": {"cpu": "400", "memory": "1Gi"}}
    code, out, _ = ask("explain", whole)
    assert (code, "      with 254 CPUs in place of 400 in spec.resources\n" in out) == (1, True)


def test_what_would_refuse_it_whatever_it_asks_is_told_where_nothing_helps(ask):
    allocatable = {"cpu": "64", "memory": "64Gi", "pods": "110"}
    labelled = {"name": "n", "labels": {"role": "web"}}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": labelled, "status": {"allocatable": allocatable}}
    choosy = {**REFUSED, "spec": {**REFUSED["spec"], "nodeSelector": {"role": "db"}}}
    told = ask("explain", RUNS, choosy, node)[1]
    assert "with any request and policy it would be refused: NodeAffinity" in told
    assert "nothing that was tried" not in told
    assert (
        "with any request"
        not in ask("explain", RUNS, choosy, {**node, "metadata": {**labelled, "labels": {"role": "db"}}})[1]
    )


def test_room_is_told_as_it_is_before_the_pods_own_containers(ask):
    both = pod(
        "db", container("first", "1"), container("second", "999"), phase="Failed", reason="TopologyAffinityError"
    )
    assert "that is before container first of the pod takes its part" in ask("explain", RUNS, both)[1]
    alone = pod("db", container("second", "999"), phase="Failed", reason="TopologyAffinityError")
    assert "that is before container" not in ask("explain", RUNS, alone)[1]
