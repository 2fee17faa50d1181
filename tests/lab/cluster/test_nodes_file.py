"""NODES.yaml: what it may say, and what is told of what it may not."""

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.lab.cluster.nodes_file import MAX_NODES, default_nodes, read_nodes


def read(tmp_path, text):
    file = tmp_path / "nodes.yaml"
    file.write_text(text)
    return read_nodes(file)[0]


def faults(tmp_path, text):
    with pytest.raises(UsageError) as error:
        read(tmp_path, text)
    return [str(fault).replace(f"{tmp_path}/", "") for fault in error.value.faults]


def test_without_a_file_there_are_two_nodes_of_two_kinds():
    assert [(node.name, len(node.machine.cpus)) for node in default_nodes()] == [("milan", 256), ("cascadelake", 80)]


def test_a_group_is_as_many_nodes_as_it_says(tmp_path):
    nodes = read(
        tmp_path, "[{nodes: 'n-*', count: 3, machine: one-cpu, labels: {a: b}, taints: [{key: k, effect: NoExecute}]}]"
    )
    assert [node.name for node in nodes] == ["n-0", "n-1", "n-2"]
    assert nodes[2].labels == {"a": "b"}
    assert nodes[2].taints == [{"key": "k", "effect": "NoExecute", "value": ""}]


def test_a_kubelet_configuration_stands_in_the_file_or_beside_it(tmp_path):
    (tmp_path / "kubelet.yaml").write_text("kind: KubeletConfiguration\ncpuManagerPolicy: static\n")
    nodes = read(
        tmp_path,
        "[{nodes: a, machine: one-cpu, kubelet: kubelet.yaml}, {nodes: b, machine: one-cpu, kubelet: {maxPods: 5}}]",
    )
    assert [node.kubelet.get("cpuManagerPolicy") for node in nodes] == ["static", None]
    assert nodes[1].kubelet == {"maxPods": 5}


def test_a_machine_of_ones_own_lies_beside_the_file(tmp_path):
    (tmp_path / "mine.yaml").write_text("name: mine\ncoresPerNuma: 2\nthreads: 2\nmemory: 4Gi\n")
    (node,) = read(tmp_path, "[{nodes: a, machine: ./mine.yaml}]")
    assert len(node.machine.cpus) == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", "nodes.yaml: is no list of nodes"),
        ("[{programs: [['true']]}]", "nodes.yaml: has no nodes (accepted: an object with nodes and machine)"),
        ("[{programs: [[]]}, {nodes: a, machine: one-cpu}]", "nodes.yaml: [0].programs[0]"),
        ("[{programs: [[/no/such]]}, {nodes: a, machine: one-cpu}]", "/no/such: there is no such program"),
        ("[{nodes: a, machine: one-cpu, images: {a: []}}]", "nodes.yaml: [0].images"),
        ("[]", "nodes.yaml: is no list of nodes"),
        ("[{nodes: a, machine: one-cpu, lables: {}}]", "nodes.yaml: [0].lables: unknown field"),
        ("[{nodes: a, machine: one-cpy}]", "did you mean 'one-cpu'?"),
        ("[{nodes: a, count: 2, machine: one-cpu}]", "'a' names no 2 nodes (accepted: one * for the number)"),
        ("[{nodes: A_b, machine: one-cpu}]", "'A_b' is no name of a node"),
        ("[{nodes: 'n*', count: 501, machine: one-cpu}]", "[0].count: is 501"),
        ("[{nodes: a, machine: one-cpu}, {nodes: a, machine: one-cpu}]", "two nodes are called 'a'"),
        ("[{nodes: a, machine: one-cpu, taints: [{key: k, effect: NoSchedul}]}]", "did you mean 'NoSchedule'?"),
        ("[{nodes: a, machine: one-cpu, binary: ./none}]", "there is no file"),
        ("[{nodes: a, machine: one-cpu, kubelet: {cpuManagerPolcy: static}}]", "did you mean 'cpuManagerPolicy'?"),
        ("[{nodes: a, machine: one-cpu, kubelet: {maxPods: many}}]", "[0].kubelet: maxPods: is 'many'"),
        ("[{nodes: a, machine: one-cpu, kubelet: 5}]", "accepted: a KubeletConfiguration, or a file of one"),
        ("[{nodes: a, machine: one-cpu, daemons: [[]]}]", "[0].daemons[0]"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, told):
    assert any(told in fault for fault in faults(tmp_path, text)), faults(tmp_path, text)


def test_all_that_is_wrong_is_told_at_once(tmp_path):
    text = "[{nodes: A_b, machine: one-cpy}, {nodes: b, machine: one-cpu, count: 0}]"
    assert len(faults(tmp_path, text)) == 3


def test_nodes_are_bounded_over_all_groups(tmp_path):
    half = MAX_NODES // 2 + 1
    text = f"[{{nodes: 'a-*', count: {half}, machine: one-cpu}}, {{nodes: 'b-*', count: {half}, machine: one-cpu}}]"
    assert faults(tmp_path, text) == [f"nodes.yaml: has {2 * half} nodes (accepted: at most {MAX_NODES})"]


def test_programs_of_the_control_plane_and_of_images_stand_beside_the_nodes(tmp_path):
    (tmp_path / "manager").touch(mode=0o755)
    (tmp_path / "nodes.yaml").write_text(
        "[{programs: [[./manager, '--kubeconfig={kubeconfig}'], ['true']]}, "
        "{nodes: a, machine: one-cpu, images: {registry.example/rte: [./rte, --once]}}]"
    )
    (node,), programs = read_nodes(tmp_path / "nodes.yaml")
    assert programs == [[str(tmp_path / "manager"), "--kubeconfig={kubeconfig}"], ["true"]]
    assert (node.images, node.folder) == ({"registry.example/rte": ["./rte", "--once"]}, tmp_path)
