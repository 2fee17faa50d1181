"""A cluster of real parts, from outside: with the official client, and as its processes show."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("kubernetes", reason="the extra [lab] is not installed")

from kubernetes import client

from clusters import needs_cluster, on, pod
from kubelets import needs_namespaces
from processes import wait_until

pytestmark = [needs_namespaces, needs_cluster]


def test_every_node_shows_its_own_machine(numa_cluster):
    nodes = {node.metadata.name: node for node in numa_cluster.api.list_node().items}
    assert {name: node.status.capacity["cpu"] for name, node in nodes.items()} == {"cascadelake": "80", "milan": "256"}


def test_what_a_pod_holds_is_of_one_numa_node(numa_cluster):
    decision = numa_cluster.decide(on("milan", pod("eight", 8)))
    assert (decision.node, decision.admitted) == ("milan", True)
    assert numa_cluster.held("eight")["c"]["cpus"] == "1-4,129-132"


def test_a_node_refuses_what_the_scheduler_has_bound(numa_cluster):
    """Control Topology Management Policies on a Node, known limitations."""
    decision = numa_cluster.decide(on("milan", pod("forty", 40)))
    assert (decision.node, decision.admitted, decision.reason) == ("milan", False, "TopologyAffinityError")


def test_a_pod_that_fits_nowhere_is_decided(numa_cluster):
    decision = numa_cluster.decide(pod("thousand", 1000))
    assert (decision.node, decision.admitted, decision.reason) == ("", False, "Unschedulable")


def test_a_deployment_makes_pod_after_pod_that_a_node_refuses(numa_cluster):
    """kubernetes/kubernetes#84869: the scheduler binds each, the kubelet refuses each, the controller makes another."""
    manifest = Path(__file__).parents[3] / "examples" / "black_hole" / "deployment.yaml"
    numa_cluster.create(yaml.safe_load(manifest.read_text()))

    def refused():
        pods = numa_cluster.api.list_namespaced_pod("default", label_selector="app=hole").items
        return [one for one in pods if one.status.reason == "TopologyAffinityError"]

    wait_until(lambda: len(refused()) >= 5)


def test_a_job_ends_when_its_pods_say_for_how_long_they_run(numa_cluster):
    template = _with_image(pod("x", 1, restartPolicy="Never"))
    template["metadata"] = {"annotations": {"numa-conformance/run-seconds": "0.5"}}
    numa_cluster.create(
        {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "short"}, "spec": {"template": template}}
    )
    jobs = client.BatchV1Api(numa_cluster.client)
    wait_until(lambda: jobs.read_namespaced_job("short", "default").status.succeeded == 1)


def test_a_tainted_node_gets_no_pod_and_its_pods_go(numa_cluster):
    assert numa_cluster.decide(on("milan", pod("guest", 2))).admitted
    taint = {"key": "away", "value": "", "effect": "NoExecute"}
    numa_cluster.api.patch_node("milan", {"spec": {"taints": [taint]}})
    try:
        wait_until(lambda: not numa_cluster.api.list_namespaced_pod("default").items)
        assert numa_cluster.decide(on("milan", pod("late", 2))).reason == "Unschedulable"
    finally:
        numa_cluster.api.patch_node("milan", {"spec": {"taints": []}})


def test_a_service_account_may_do_what_its_role_says_and_no_more(numa_cluster):
    token = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[]))
    made = numa_cluster.api.create_namespaced_service_account_token("default", "default", token)
    settings = client.Configuration()
    settings.host = numa_cluster.client.configuration.host
    settings.ssl_ca_cert = numa_cluster.client.configuration.ssl_ca_cert
    settings.api_key = {"authorization": f"Bearer {made.status.token}"}
    with client.ApiClient(settings) as as_account, pytest.raises(client.ApiException) as refusal:
        client.CoreV1Api(as_account).list_node()
    assert refusal.value.status == 403
    numa_cluster.api.api_client.close()


def test_a_node_may_not_change_another(numa_cluster):
    script = (
        "from kubernetes import client, config;"
        "config.load_kube_config('/var/lib/kubelet/kubeconfig');"
        "client.CoreV1Api().patch_node('cascadelake', {'metadata': {'labels': {'a': 'b'}}})"
    )
    command = [sys.executable, "-c", script]
    with numa_cluster.on_node("milan", *command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as done:
        assert "is not allowed to modify node" in done.stdout.read()


def test_a_program_on_a_node_sees_its_machine_and_its_sockets(numa_cluster):
    script = (
        "nproc --all; ls /sys/devices/system/node | grep -c node; ls /var/lib/kubelet/pod-resources; echo $NODE_NAME"
    )
    with numa_cluster.on_node("milan", "sh", "-c", script, stdout=subprocess.PIPE, text=True) as done:
        assert done.stdout.read().split() == ["256", "8", "kubelet.sock", "milan"]


def test_an_exit_code_comes_back_from_a_node(numa_cluster):
    with numa_cluster.on_node("milan", "sh", "-c", "exit 7") as done:
        assert done.wait() == 7


def test_keys_are_readable_by_their_owner_alone(numa_cluster):
    folder = Path(numa_cluster.status()["folder"])
    secrets = [
        place for place in folder.rglob("*") if place.suffix in (".key", ".kubeconfig") or "kubeconfig" in place.name
    ]
    assert len(secrets) > 10
    assert {stat.S_IMODE(place.stat().st_mode) for place in secrets} == {0o600}


def test_nothing_is_served_but_on_loopback(numa_cluster):
    status = numa_cluster.status()
    processes = [*status["programs"].values(), *(node["process"] for node in status["nodes"])]
    own = {
        os.readlink(place).removeprefix("socket:[").removesuffix("]")
        for process in processes
        for place in Path(f"/proc/{process}/fd").iterdir()
        if os.readlink(place).startswith("socket:")
    }
    listening = []
    for name, loopback in (("tcp", ("0100007F",)), ("tcp6", ("0" * 24 + "01000000", "0" * 16 + "FFFF00000100007F"))):
        for line in Path("/proc/net", name).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in own:
                listening.append(fields[1].split(":")[0] in loopback)
    assert len(listening) >= 5
    assert all(listening)


def test_what_happened_on_the_nodes_is_judged(numa_cluster):
    for number, cpus in enumerate((1, 2, 8, 40, 16, 3)):
        numa_cluster.decide(pod(f"p{number}", cpus))
    assert numa_cluster.record().count('"method":"node.admit"') >= 6
    assert numa_cluster.unmet() == []


def test_two_clusters_at_once(numa_cluster):
    words = [sys.executable, "-m", "numa_conformance", "cluster", "up", "--binaries", os.environ["NUMA_TEST_CLUSTER"]]
    with subprocess.Popen([*words, "--name", "other"], stdout=subprocess.PIPE, text=True) as other:
        try:
            assert any(line.startswith("export KUBECONFIG=") for line in other.stdout)
            assert numa_cluster.decide(pod("here", 2)).admitted
        finally:
            other.terminate()


def _with_image(manifest):
    (container,) = manifest["spec"]["containers"]
    return {**manifest, "spec": {**manifest["spec"], "containers": [{**container, "image": "example"}]}}
