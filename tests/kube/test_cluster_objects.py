import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import read_cluster

NODE = "kind: Node\nmetadata: {name: NAME}\nstatus: {capacity: {cpu: 8, memory: 1Gi}, allocatable: {cpu: 7}}\n"
KUBECTL = """
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 8}}}
- {apiVersion: v1, kind: Pod, metadata: {name: young, uid: u1, creationTimestamp: 2026-02-01T00:00:00Z},
   spec: {nodeName: a, containers: [{name: c}]}, status: {phase: Running}}
- {apiVersion: v1, kind: Pod, metadata: {name: old, uid: u2, creationTimestamp: 2026-01-01T00:00:00Z},
   spec: {nodeName: a, containers: [{name: c}]}, status: {phase: Running}}
- {apiVersion: v1, kind: Pod, metadata: {name: done, uid: u3},
   spec: {nodeName: a, containers: [{name: c}]}, status: {phase: Succeeded}}
- {apiVersion: v1, kind: Pod, metadata: {name: new, uid: u4}, spec: {containers: [{name: c}]}, status: {phase: Pending}}
- {apiVersion: v1, kind: Pod, metadata: {name: far, uid: u5}, spec: {nodeName: b, containers: [{name: c}]}}
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "cluster.yaml"


def names(pods):
    return [pod.name for pod in pods]


def test_reads_what_kubectl_prints(file):
    file.write_text(KUBECTL)
    found = read_cluster(file)
    assert [node.name for node in found.nodes] == ["a"]
    assert names(found.bound) == ["old", "young"]
    assert names(found.waiting) == ["new"]
    assert names(found.elsewhere) == ["far"]
    assert [pod.name for pod in found.ended] == ["done"]


def test_reads_nodes_of_a_stream_and_allocatable_from_capacity(file):
    file.write_text(NODE.replace("NAME", "a") + "---\n" + NODE.replace("NAME", "b"))
    nodes = read_cluster(file).nodes
    assert [(one.name, str(one.allocatable["cpu"]), str(one.allocatable["memory"])) for one in nodes] == [
        ("a", "7", "1Gi"),
        ("b", "7", "1Gi"),
    ]


def test_a_file_named_twice_is_read_once(file):
    file.write_text(KUBECTL)
    assert read_cluster(file, file) == read_cluster(file)


def test_items_of_a_node_list_need_no_kind(file):
    file.write_text("kind: NodeList\nitems: [{metadata: {name: a}, status: {capacity: {cpu: 1}}}]\n")
    assert [node.name for node in read_cluster(file).nodes] == ["a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NODE + "---\n" + NODE, "there are 2 nodes 'NAME'"),
        ("kind: List\nitems: 3\n", "cluster.yaml: items: is missing or no list"),
        ("kind: List\nitems: [{kind: Servic}]\n", "items[0]: kind: 'Servic' makes no pods"),
        ("kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: many}}\n", "status.allocatable"),
        ("", "there is no document in it"),
    ],
)
def test_bad_files_are_refused_with_the_place(file, text, said):
    file.write_text(text)
    with pytest.raises(UsageError) as refused:
        read_cluster(file)
    assert said in str(refused.value)


def test_a_node_with_less_than_nothing_is_refused(file):
    file.write_text("kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: -4, memory: 1Gi}}\n")
    with pytest.raises(UsageError, match=r"status\.allocatable\.cpu: Invalid value: -4: must be greater than"):
        read_cluster(file)


def unschedulable(name: str, condition: str = "{type: PodScheduled, status: 'False', reason: Unschedulable}") -> str:
    return (
        f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c}}]}}\n"
        f"status: {{phase: Pending, conditions: [{condition}]}}\n"
    )


def on(node: str, name: str, status: str = "{phase: Running}") -> str:
    spec = f"{{nodeName: {node}, containers: [{{name: c}}]}}"
    return f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {spec}\nstatus: {status}\n"


def test_pods_that_are_not_on_the_node_are_not_placed_on_it(file):
    refused = on("b", "late", "{phase: Failed, reason: OutOfcpu}")
    file.write_text(on("a", "far") + on("b", "near") + unschedulable("waiting") + refused)
    found = read_cluster(file)
    assert names(found.absent) == ["far", "waiting"]
    assert names(found.in_order) == names(found.in_life) == ["near", "late"]


def test_pods_without_a_node_are_placed_where_no_pod_has_one(file):
    file.write_text(unschedulable("one") + unschedulable("two"))
    assert names(read_cluster(file).in_order) == ["one", "two"]


def test_pods_of_several_nodes_stay_where_none_was_refused(file):
    file.write_text(on("a", "far") + on("b", "near"))
    assert names(read_cluster(file).in_order) == ["far", "near"]


def started(name: str, at: str) -> str:
    return on("a", name, f"{{phase: Running, startTime: '2026-01-01T{at}:00Z'}}")


def test_pods_come_as_their_kubelet_started_them_and_others_after_them(file):
    file.write_text(on("a", "young") + started("late", "09:00") + on("a", "new") + started("early", "07:00"))
    assert names(read_cluster(file).in_order) == ["early", "late", "young", "new"]
    assert names(read_cluster(file).in_life) == ["early", "late", "young", "new"]


def test_pods_of_a_list_with_steps_stay_in_its_order(file):
    file.write_text(started("late", "09:00") + started("early", "07:00") + "---\n- restart\n")
    assert names(read_cluster(file, lives=True).in_order) == ["late", "early"]
