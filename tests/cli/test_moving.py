"""``diff`` on a person's pods: what changes for them from one allocator to another."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from numa_conformance import __version__

KUBELET = """
cpuManagerPolicy: static
topologyManagerPolicy: single-numa-node
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
PACKED = """
import msgspec
from numa_conformance.reference.target import ReferenceTarget
class Anywhere(ReferenceTarget):
    def describe(self, request):
        return msgspec.structs.replace(super().describe(request), name="anywhere", version="2")
    def node_start(self, request):
        kubelet = {**request.kubelet, "topologyManagerPolicy": "none"}
        return super().node_start(msgspec.structs.replace(request, kubelet=kubelet))
def make():
    return Anywhere()
"""


@pytest.fixture
def asked(files, monkeypatch, tmp_path):
    """The pods, one of which no NUMA node can hold, and an allocator that takes CPUs from anywhere."""
    files("anywhere.py", PACKED)
    monkeypatch.syspath_prepend(tmp_path)
    pods = files(
        "pods.yaml",
        POD.replace("NAME", "small").replace("COUNT", "2")
        + "---"
        + POD.replace("NAME", "large").replace("COUNT", "10"),
    )
    node = ["--machine", "two-nodes-devices", "--config", files("kubelet.yaml", KUBELET)]
    return ["reference@1.37", "target:anywhere:make", pods, *node]


def test_a_summary_comes_first_then_what_changes_for_each_pod(run, asked):
    code, out, _ = run("diff", *asked)
    lines = out.splitlines()
    assert code == 1
    assert lines[:2] == [f"A: numa-conformance reference (exact) {__version__}, Kubernetes 1.37", "B: anywhere 2"]
    assert "pods admitted                       1  2" in lines
    (large,) = [line for line in lines if line.startswith("default/large")]
    assert "refused, TopologyAffinityError" in large
    assert "10 CPUs " in large
    assert " alone, 2 sockets, NUMA 0-1" in large
    assert not [line for line in lines if line.startswith("default/small")]
    assert lines[-1] == "1 of 2 pods come out differently"


def test_json_tells_both_fates_of_every_pod(run, asked):
    _, out, _ = run("diff", *asked, "--json")
    told = json.loads(out)
    assert (told["a"]["admitted"], told["b"]["admitted"], told["b"]["alone"]) == (1, 2, 2)
    small, large = told["pods"]
    assert small["changes"] == []
    assert small["a"] == small["b"]
    assert large["changes"] == ["admitted"]
    assert large["a"]["reason"] == "TopologyAffinityError"
    assert large["b"]["containers"]["c"]["numaNodes"] == [0, 1]


def test_pods_that_fare_alike_exit_with_0(run, asked):
    code, out, _ = run("diff", "reference@1.37", "reference@1.36", *asked[2:])
    assert code == 0
    assert out.endswith("0 of 2 pods come out differently\n")


def test_a_node_that_does_not_come_up_says_whose_and_why(run, asked, files):
    refused = files("refused.yaml", "cpuManagerPolicy: dynamic")
    code, _, err = run("diff", *asked[:3], "--machine", "two-nodes-devices", "--config", refused)
    assert code == 2
    assert err.startswith(f"error: A: numa-conformance reference (exact) {__version__}, Kubernetes 1.37: the node does")


def test_a_dra_driver_is_asked_claims_in_place_of_cpus_of_the_static_policy(run, asked):
    """A driver as it is, started by the command: it has two NUMA nodes of 8 CPUs, and no NRI plugin."""
    pytest.importorskip("grpc", reason="the extra [lab] is not installed")
    words = "{kubeconfig}", "{kubelet_folder}", "{cdi_folder}", "{host_root}"
    driver = shlex.join([sys.executable, str(Path(__file__).parents[1] / "lab/dra/driver.py"), *words])
    code, out, _ = run("diff", asked[0], f"dra:{driver}", *asked[2:], "--json")
    told = json.loads(out)
    small, large = told["pods"]
    assert code == 1
    assert small["b"]["containers"]["c"]["cpus"] == "0-1"
    assert large["b"]["reason"] == "Unschedulable"


def test_a_dra_driver_that_does_not_come_up_is_told_with_its_last_lines_whole(run, asked):
    """Its own words tell why, not what came long before them."""
    pytest.importorskip("grpc", reason="the extra [lab] is not installed")
    talks = "print('x' * 480); print('early ' * 9); print('no cluster'); exit(1)"
    driver = shlex.join([sys.executable, "-c", talks, "{cdi_folder}"])
    code, _, err = run("diff", asked[0], f"dra:{driver}", *asked[2:])
    assert code == 3
    assert err.startswith(f"error: {Path(sys.executable).name} could not be asked: the driver has ended")
    assert "has not registered. It said: early early" in err
    assert err.endswith("early \\nno cluster\n")


def test_a_reference_that_follows_the_other_side_is_told_with_its_version(run, asked):
    _, out, _ = run("diff", "reference", *asked[1:])
    assert out.splitlines()[:2] == [
        f"A: numa-conformance reference (exact) {__version__}, Kubernetes 1.37",
        "B: anywhere 2",
    ]


@pytest.mark.parametrize("words", [["pods.yaml"], ["--machine", "two-nodes-devices"], ["--config", "kubelet.yaml"]])
def test_pods_and_a_machine_belong_together(run, words):
    code, _, err = run("diff", "reference", "reference", *words)
    assert code == 2
    assert "name its --machine" in err


def test_a_dra_driver_and_what_is_none_are_compared_on_pods(run):
    code, _, err = run("diff", "reference", "dra:./my-driver")
    assert code == 2
    assert "compared on pods" in err
