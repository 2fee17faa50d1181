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
    def ask(command, *pods, kubelet=STRICT, more=()):
        dump = files("pods.yaml", yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": list(pods)}))
        config = files("kubelet.yaml", yaml.safe_dump(kubelet))
        return run(command, dump, "--machine", MACHINE, "--config", config, *more)

    return ask


def test_a_refused_pod_is_told_with_why_and_what_would_admit_it(ask):
    code, out, _ = ask("explain", RUNS, REFUSED, more=["--kubernetes-version", "1.32"])
    assert code == 1
    assert "default/db (Guaranteed), refused by a kubelet (TopologyAffinityError): refused again" in out
    assert "the kubelet said: said before" in out
    assert "with topologyManagerPolicy restricted" in out
    assert "with Kubernetes 1.37: refused as well" in out
    assert "default/web" not in out


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
    code, out, _ = ask("explain", pod("db", container("db", "4"), phase="Failed", reason="OutOfcpu"))
    assert code == 0
    assert "refused by a kubelet (OutOfcpu): admitted now" in out
    assert "delete the refused pod" in out


@pytest.mark.parametrize(
    ("reason", "limits", "kubelet", "why"),
    [
        ("TopologyAffinityError", {"cpu": "4"}, {}, "restricted or single-numa-node, and here it is none"),
        ("SMTAlignmentError", {"cpu": "3"}, STRICT, "with the option full-pcpus-only, which is not set here"),
        ("UnexpectedAdmissionError", {"x.io/nic": "1"}, STRICT, f"for x.io/nic, which is not looked at: {MACHINE}"),
        ("TopologyAffinityError", {"cpu": "4"}, STRICT, "the node has what it asks for now"),
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
