"""What kubectl and kubelets print about pods: read as pods, or refused with the command to run instead."""

# ruff: noqa: E501  (lines as they are pasted)

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import read_cluster
from numa_conformance.kube.descriptions import MAX_BYTES

DESCRIPTION = """\
Name:                 mesh-2
Namespace:            cfd
Priority:             2000001000
Priority Class Name:  system-node-critical
Node:                 numa-7/192.0.2.17
Labels:               app=mesh
                      tier=a
Annotations:          kubernetes.io/config.source: file
Status:               Failed
Reason:               SMTAlignmentError
Message:              SMT Alignment Error: requested 5 cpus not multiple cpus per core = 2 (of some)
Init Containers:
  fetch:
    Image:      example.com/fetch
    Host Port:  <none>
    Args:
      a: b
      Limits:
    Limits:
      cpu:     1
      memory:  64Mi
    Requests:
      cpu:     1
      memory:  64Mi
Containers:
  solve:
    Image:       example.com/solve
    Ports:       80/TCP, 81/TCP
    Host Ports:  8080/TCP, 0/TCP
    State:       Waiting
      Reason:    Blocked
    Limits:
      cpu:                 5
      memory:              8Gi
      vendor.example/gpu:  1
    Requests:
      cpu:                 5
      memory:              8Gi
      vendor.example/gpu:  1
    Environment:           <none>
  log:
    Image:  example.com/log
Conditions:
  Type    Status
  Ready   False
QoS Class:       Burstable
Node-Selectors:  <none>
Events:
  Type     Reason             Age  From     Message
  Warning  SMTAlignmentError  2m   kubelet  SMT Alignment Error
"""


@pytest.fixture
def read(tmp_path):
    def cluster(text):
        (tmp_path / "pasted").write_text(text)
        return read_cluster(tmp_path / "pasted")

    return cluster


def test_a_description_is_the_pod_as_far_as_it_goes(read):
    objects = read(DESCRIPTION)
    (pod,) = objects.refused
    assert (pod.namespace, pod.name, pod.node_name, pod.priority) == ("cfd", "mesh-2", "numa-7", 2_000_001_000)
    assert (pod.reason, pod.qos) == ("SMTAlignmentError", "Burstable")
    assert pod.raw["metadata"]["annotations"] == {"kubernetes.io/config.source": "file"}
    assert pod.raw["status"]["message"].endswith("per core = 2 (of some)")
    assert [container.name for container in pod.all_containers] == ["fetch", "solve", "log"]
    (fetch,), (solve, log) = pod.init_containers, pod.containers
    assert {name: str(amount) for name, amount in fetch.limits.items()} == {"cpu": "1", "memory": "64Mi"}
    assert {name: str(amount) for name, amount in solve.requests.items()} == {
        "cpu": "5",
        "memory": "8Gi",
        "vendor.example/gpu": "1",
    }
    assert log.requests == {}
    assert [port["hostPort"] for port in pod.raw["spec"]["containers"][0]["ports"]] == [8080]
    assert "spec.nodeName=numa-7 has them" in "".join(objects.notices)


@pytest.mark.parametrize(
    "text",
    [
        f"admin@w:~$ kubectl describe pod -n cfd\n{DESCRIPTION}",
        "".join(f"    {line}\n" for line in DESCRIPTION.splitlines()),
        "".join(f"> {line}\n" for line in f"```\n{DESCRIPTION}```".splitlines()),
    ],
    ids=["with its prompt", "indented", "quoted in Markdown"],
)
def test_a_description_is_read_as_it_is_pasted(read, text):
    assert [pod.name for pod in read(text).refused] == ["mesh-2"]


def test_several_descriptions_are_several_pods(read):
    other = DESCRIPTION.replace("mesh-2", "mesh-3").replace("Failed", "Running").replace("Reason:        ", "Was:")
    objects = read(f"{DESCRIPTION}\n\n{other}")
    assert ([pod.name for pod in objects.refused], [pod.name for pod in objects.pods]) == (["mesh-2"], ["mesh-3"])


EVENTS = """\
NAMESPACE   LAST SEEN   TYPE      REASON                  OBJECT       MESSAGE
cfd         2m          Warning   TopologyAffinityError   pod/mesh-2   Resources cannot be allocated with Topology locality
cfd         2m          Normal    Scheduled               pod/mesh-4   assigned
"""
PODS = "kubectl get pods -A -o yaml --field-selector spec.nodeName=NODE"
REFUSED = {
    "events": (EVENTS, f"refused pods: mesh-2 (TopologyAffinityError) (accepted: what they ask for: {PODS}"),
    "events in YAML": ("kind: List\nitems: [{kind: Event, involvedObject: {name: mesh-2}}]\n", "the pods that they have: kubectl"),
    "a table of pods": ("NAME     READY   STATUS    RESTARTS\nmesh-2   0/1     Pending   0\n", "is a table of kubectl"),
    "a list of events": ("kind: EventList\nitems: [{involvedObject: {name: mesh-2}}]\n", "the pods that they have: kubectl"),
    "a table of nodes": ("NAME  STATUS  ROLES\nw1    Ready   <none>\n", "is a table of kubectl"),
    "an answer": ("kind: Status\napiVersion: v1\nmessage: pods is forbidden\n", "holds no pods and nodes, but Status (accepted"),
    "a node": ("Name:  numa-7\nRoles: <none>\nAllocatable:\n  cpu: 4\nNon-terminated Pods: (0 in total)\n", "of nodes: kubectl get nodes,pods -A -o yaml"),
    "a workload": ("Name:  mesh\nNamespace: cfd\nPod Template:\n  Containers:\n   solve:\n    Image: x\n", "describes no pod"),
    "a log": ("Nov 27 06:10:00 w kubelet[7]: I1127 06:10:00.0 7 kubelet.go:1] hello\n", "explain reads topology hints"),
    "lost indentation": ("\n".join(map(str.strip, DESCRIPTION.splitlines())), "cut, or not indented"),
    "a middle": (DESCRIPTION.partition("Init")[2].replace(" Containers:", "Containers:", 1), "without its name"),
    "too much": (DESCRIPTION + "x" * MAX_BYTES, f"is larger than {MAX_BYTES} bytes"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_what_makes_no_pod_names_the_command(read, text, words):
    with pytest.raises(UsageError) as refused:
        read(text)
    assert words in str(refused.value)
    assert len(refused.value.faults) == 1


def test_a_node_alone_is_told(read):
    assert "only Nodes are listed, and no pod" in "".join(
        read("kind: Node\nmetadata: {name: w}\nstatus: {allocatable: {cpu: 4}}\n").notices
    )


@pytest.mark.parametrize(
    ("line", "toleration"),
    [
        ("op=Exists", {"key": "", "operator": "Exists", "value": "", "effect": ""}),
        ("key:NoSchedule", {"key": "key", "operator": "Equal", "value": "", "effect": "NoSchedule"}),
        ("key=hpc", {"key": "key", "operator": "Equal", "value": "hpc", "effect": ""}),
        (
            "example.com/a:NoExecute op=Exists for 300s",
            {
                "key": "example.com/a",
                "operator": "Exists",
                "value": "",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            },
        ),
    ],
)
def test_reads_tolerations_and_node_selectors(read, line, toleration):
    text = DESCRIPTION.replace(
        "Node-Selectors:  <none>",
        f"Node-Selectors:  disk=ssd\n                 zone=\nTolerations:     k:E\n                 {line}",
    )
    spec = read(text).refused[0].raw["spec"]
    assert spec["nodeSelector"] == {"disk": "ssd", "zone": ""}
    assert spec["tolerations"][1] == toleration
    plain = read(DESCRIPTION).refused[0].raw["spec"]
    assert (plain["nodeSelector"], plain["tolerations"]) == ({}, [])


def test_reads_resources_of_the_pod_as_a_whole(read):
    level = "Resources:\n  Limits:\n    cpu:     7\n    memory:  9Gi\n  Requests:\n    cpu:     6\n"
    (pod,) = read(DESCRIPTION.replace("Init Containers:", f"{level}Init Containers:")).refused
    assert {name: str(amount) for name, amount in pod.limits.items()} == {"cpu": "7", "memory": "9Gi"}
    assert str(pod.requests["cpu"]) == "6"
    assert [container.name for container in pod.all_containers] == ["fetch", "solve", "log"]


def test_a_description_may_be_written_by_powershell(tmp_path):
    path = tmp_path / "pod.txt"
    path.write_bytes(DESCRIPTION.encode("utf-16"))
    assert [pod.name for pod in read_cluster(path).pods + read_cluster(path).refused] == ["mesh-2"]


def test_a_description_that_is_cut_is_told(tmp_path):
    path = tmp_path / "pod.txt"
    cut = DESCRIPTION[: DESCRIPTION.index("QoS Class:")]
    for text, told in ((DESCRIPTION, False), (cut, True)):
        path.write_text(text)
        assert (
            any("is cut, and may lack amounts: cfd/mesh-2" in notice for notice in read_cluster(path).notices) is told
        )
