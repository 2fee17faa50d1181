"""The filter before a real scheduler, with real kubelets on machines that are not there."""

import json
import sys
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from numa_filter import ANNOTATION, Filter

NODE = {
    "nodes": "milan",
    "machine": "amd-milan-7763-nps4",
    "kubelet": {
        "cpuManagerPolicy": "static",
        "reservedSystemCPUs": "0,128",
        "topologyManagerPolicy": "single-numa-node",
    },
    "daemons": [[sys.executable, str(Path(__file__).with_name("exporter.py"))]],
}


@pytest.fixture(scope="session")
def numa_cluster_nodes(tmp_path_factory):
    file = tmp_path_factory.mktemp("cluster") / "nodes.yaml"
    file.write_text(json.dumps([NODE]))
    return file


@pytest.fixture(scope="session")
def numa_cluster_options(numa_cluster_nodes):
    """A second scheduler beside the default one, which asks our filter."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Filter)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    extender = {"urlPrefix": f"http://127.0.0.1:{server.server_port}", "filterVerb": "filter"}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "numa-filter"}],
        "extenders": [extender],
    }
    file = numa_cluster_nodes.with_name("scheduler.yaml")
    file.write_text(json.dumps(config))
    yield ["--second-scheduler-config", str(file)]
    server.shutdown()
    server.server_close()


def pod(name, cpus, scheduler):
    container = {"name": "c", "resources": {"limits": {"cpu": str(cpus), "memory": "64Mi"}}}
    return {"metadata": {"name": name}, "spec": {"schedulerName": scheduler, "containers": [container]}}


@pytest.fixture
def filled(numa_cluster):
    """20 of the 32 CPUs of each NUMA node are taken."""
    for number in range(8):
        assert numa_cluster.decide(pod(f"fill{number}", 20, "default-scheduler")).admitted
    while max(json.loads(numa_cluster.api.read_node("milan").metadata.annotations[ANNOTATION])) > 12:
        time.sleep(0.1)
    return numa_cluster


def test_without_the_filter_the_node_refuses_what_was_bound(filled):
    decision = filled.decide(pod("wide", 16, "default-scheduler"))
    assert (decision.node, decision.reason) == ("milan", "TopologyAffinityError")


def test_with_the_filter_the_pod_waits(filled):
    decision = filled.decide(pod("wide", 16, "numa-filter"))
    assert (decision.node, decision.reason) == ("", "Unschedulable")
    assert "no NUMA node has 16 free CPUs" in decision.message


def test_with_the_filter_a_pod_that_fits_one_numa_node_runs(filled):
    decision = filled.decide(pod("narrow", 12, "numa-filter"))
    assert (decision.node, decision.admitted) == ("milan", True)
    assert len(filled.held("narrow")["c"]["cpus"].split(",")) > 1
