"""What is asked of a kubelet around its managers, and of the reference: questions, comparison, a server of pods."""

import json
import random
import urllib.request
from importlib import import_module
from itertools import islice
from pathlib import Path

import pytest

from numa_conformance.sources.versions import KubernetesVersion

FOLDER = Path(__file__).parents[2] / "go" / "kubelet"
with pytest.MonkeyPatch.context() as monkeypatch:
    monkeypatch.syspath_prepend(str(FOLDER))
    doors, odd_doors = import_module("doors"), import_module("odd_doors").odd_doors
    node_server = import_module("node_server")

NEWEST = KubernetesVersion(1, 37)
GPU = "example.com/gpu"
MACHINE = {
    "cpus": [{"id": cpu, "core": cpu, "socket": 0, "numa": 0} for cpu in range(2)],
    "memory": [{"node": 0, "memory": 2**30, "hugepages": {}}],
    "devices": [],
}


def drawn(seed, count=400, version=NEWEST, **more):
    return list(islice(odd_doors(random.Random(seed), version, **more), count))


def pod(name, **requests):
    container = {"name": "c", "image": "example", "resources": {"requests": requests}}
    return {"metadata": {"name": name, "uid": name, "namespace": "default"}, "spec": {"containers": [container]}}


def ask(config=None, *pods, **question):
    asked = {"machine": MACHINE, "configuration": config or {}, **question}
    if pods:
        asked |= {"pods": list(pods[:-1]), "pod": pods[-1]}
    return doors.answered(asked, NEWEST)


def test_a_seed_draws_the_same_again_and_both_kinds():
    assert drawn(1, 50) == drawn(1, 50) != drawn(2, 50)
    assert {kind for kind, _ in drawn(1)} == {"start", "admission"}


def test_further_pods_have_names_of_their_own():
    for kind, question in drawn(1, 30, more=3):
        if kind == "admission":
            names = [each["metadata"]["uid"] for each in (*question["pods"], question["pod"], *question["more"])]
            assert len(names) == len({*names}) == len(question["pods"]) + 4


@pytest.mark.parametrize("minor", [27, 37])
def test_questions_reach_each_handler_and_each_end_of_a_start(minor):
    version = KubernetesVersion(1, minor)
    answers = [(kind, doors.answered(question, version)) for kind, question in drawn(3, 700, version)]
    admitted = [answer for kind, answer in answers if kind == "admission"]
    assert not [answer for answer in admitted if "fails" in answer]
    assert {"OutOfcpu", "OutOfpods", "NodeAffinity", "NodePorts", "TaintToleration", "SysctlForbidden", "Evicted"} <= {
        answer.get("reason") for answer in admitted
    }
    assert any(answer.get("ended") for answer in admitted)
    starts = [answer for kind, answer in answers if kind == "start"]
    for text in ("Expected capacity", "eviction", "invalid configuration", doors.INPUT, "reserved-cpus"):
        wanted = "capacity of" if text == "Expected capacity" and minor < 29 else text
        assert any(wanted in answer.get("fails", "") for answer in starts), wanted


def test_the_reference_tells_what_a_node_has_and_what_it_passes_over():
    assert ask() == {"strict": False, "allocatable": {"cpu": 2000, "memory": 2**30 - 100 * 2**20, "pods": 110}}
    assert ask({"maxPod": 1})["strict"]
    assert ask({}, storage=5)["allocatable"]["ephemeral-storage"] == 5
    assert "reserved-cpus" in ask({"reservedSystemCPUs": "7"})["fails"]


def test_the_reference_tells_a_refusal_with_all_that_is_short():
    answer = ask({}, pod("there", cpu="2"), pod("new", cpu="1", memory="9Gi"))
    assert (answer["reason"], answer["ended"]) == ("OutOfcpu", [])
    assert answer["also"][0] == answer["message"]
    assert "memory" in answer["also"][1]
    critical = pod("new", cpu="1")
    critical["spec"]["priority"] = 2_000_000_000
    assert ask({}, pod("there", cpu="2"), critical)["ended"] == ["there"]
    assert "invalid" in ask({}, {**pod("x"), "spec": {}})


UP = {"strict": False, "allocatable": {"cpu": 1}, "ended": []}
FULL = {"reason": "OutOfcpu", "message": "cpu, requested: 2"}


@pytest.mark.parametrize(
    ("kubelet", "reference", "told"),
    [
        ({}, {}, []),
        ({"strict": "unknown field"}, {}, ["passed over"]),
        ({"allocatable": {"cpu": 2}}, {}, ["allocatable"]),
        (FULL, {}, ["reason OutOfcpu for None"]),
        (FULL, FULL, []),
        ({**FULL, "message": "memory"}, {**FULL, "also": ["memory"]}, []),
        ({"ended": ["a"]}, {"ended": ["b"]}, ["ended"]),
        ({"panic": "nil"}, {}, ["panic"]),
        ({"fails": "x"}, {}, ["fails with the kubelet alone"]),
        ({}, {"fails": "x"}, ["fails with the reference alone"]),
        ({}, {"fails": "Failed to enforce x"}, []),
        ({"fails": "x"}, {"fails": "y"}, ["fails in other words"]),
        ({"fails": "x"}, {"fails": "input: y"}, []),
        ({"invalid": "x"}, {"invalid": "y"}, []),
    ],
)
def test_two_answers_differ_in_what_a_person_would_call_different(kubelet, reference, told):
    assert list(doors.differences({**UP, **kubelet}, {**UP, **reference})) == told


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("failed to run Kubelet: reserved", "reserved", True),
        ("failed to validate kubelet configuration, error: bad, path: &TypeMeta{Kind:,}", "bad", True),
        ("unrecognized feature gate: A", "unrecognized feature gate: B", True),  # of several, a map's first
        ("reservation of {{9 0} {<nil>}  DecimalSI} but", "reservation of 9 but", True),
        ("a is enabled", "b is enabled", False),
    ],
)
def test_words_are_alike_but_for_the_order_of_maps_and_how_amounts_are_printed(one, other, same):
    assert doors._alike(one, other) == same


def test_the_order_of_a_map_in_a_message_is_no_difference():
    messages = ("x [(res: cpu, q: 1), (res: pods, q: 2), ]", "x [(res: pods, q: 2), (res: cpu, q: 1), ]")
    kubelet, reference = ({**UP, "reason": "r", "message": message} for message in messages)
    assert list(doors.differences(kubelet, reference)) == []


def test_what_differs_is_counted_and_kept(tmp_path, capsys):
    answers = [("start", {}, UP, UP), ("start", {"q": 1}, {**UP, "fails": "x"}, UP)]
    file = tmp_path / "kept.jsonl"
    assert doors.tell("1.37", answers, file) == 1
    out = capsys.readouterr().out
    assert "1.37, start: 2 questions, 1 differ\n" in out
    assert "start: fails with the kubelet alone: 1" in out
    assert json.loads(file.read_text())["question"] == {"q": 1}
    file.unlink()
    assert doors.tell("1.37", answers[:1], file) == 0
    assert not file.exists()


@pytest.fixture(scope="module")
def whole():
    pytest.importorskip("grpc", reason="the extra [lab] is not installed")
    pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        return import_module("whole")


@pytest.fixture
def server():
    made = node_server.ApiServer({"metadata": {"labels": {"zone": "1"}}, "spec": {"taints": [{"key": "a"}]}})
    yield made
    made.close()


def send(server, verb, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(server.address + path, data, method=verb)) as answer:
        return json.load(answer)


def test_a_node_registers_with_what_it_is_to_have(server):
    node = {"metadata": {"name": "node", "labels": {"os": "linux"}}, "status": {"allocatable": {"cpu": "1"}}}
    send(server, "POST", "/api/v1/nodes", node)
    conditions = [{"type": "Ready", "status": "True"}]
    send(
        server, "PATCH", "/api/v1/nodes/node/status", {"status": {"allocatable": {"x": "1"}, "conditions": conditions}}
    )
    more = [{"type": "Ready", "reason": "r"}]
    told = send(
        server, "PATCH", "/api/v1/nodes/node/status", {"status": {"conditions": more, "allocatable": {"cpu": None}}}
    )
    assert told["metadata"]["labels"] == {"os": "linux", "zone": "1"}
    assert told["spec"]["taints"] == [{"key": "a"}]
    assert told["status"] == {
        "allocatable": {"x": "1"},
        "conditions": [{"type": "Ready", "status": "True", "reason": "r"}],
    }
    assert send(server, "GET", "/api/v1/nodes/node") == told == server.node


def test_pods_are_listed_and_watched(server):
    server.put("pods", {"metadata": {"name": "p"}})
    assert [each["metadata"]["name"] for each in send(server, "GET", "/api/v1/pods")["items"]] == ["p"]
    watch = f"{server.address}/api/v1/pods?watch=true&sendInitialEvents=true"
    with urllib.request.urlopen(watch) as events:
        first, mark = (json.loads(events.readline()) for _ in range(2))
        send(server, "DELETE", "/api/v1/namespaces/default/pods/p")
        last = json.loads(events.readline())
    assert [first["type"], mark["type"], last["type"]] == ["ADDED", "BOOKMARK", "DELETED"]
    version = send(server, "GET", "/apis/node.k8s.io/v1/runtimeclasses")
    assert (version["apiVersion"], version["items"]) == ("node.k8s.io/v1", [])


def test_a_pod_is_completed_as_an_api_server_does():
    limited = pod("p", memory="1Mi")
    limited["spec"]["containers"][0] |= {"resources": {"limits": {"cpu": "1"}}, "ports": [{"containerPort": 80}]}
    limited["spec"]["hostNetwork"] = True
    spec = node_server.completed(limited)["spec"]
    (container,) = spec["containers"]
    assert container["resources"]["requests"] == {"cpu": "1"}
    assert container["ports"] == [{"containerPort": 80, "protocol": "TCP", "hostPort": 80}]
    assert (spec["nodeName"], spec["priority"], spec["restartPolicy"]) == ("node", 0, "Always")
    static = {**limited, "metadata": {**limited["metadata"], "annotations": {node_server.SOURCE: "file"}}}
    assert "nodeName" not in node_server.completed(static)["spec"]


def test_mirror_pods_are_a_kubelets_own(whole):
    notes = {"kubernetes.io/config.mirror": "x", node_server.SOURCE: "api"}
    mirror, static = pod("m"), pod("s")
    mirror["metadata"]["annotations"], static["metadata"]["annotations"] = notes, {node_server.SOURCE: "http"}
    told = list(whole.plain({"pods": [mirror], "pod": static, "more": []}))
    assert [each["metadata"].get("annotations") for each in told] == [None, {node_server.SOURCE: "http"}]
