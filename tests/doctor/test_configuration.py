"""What configuration is in force: files, drop-ins, flags of the running kubelet, or what it told."""

import json
from pathlib import Path

import pytest
import yaml

from fake_nodes import PODS, ROOT_DIR, STATIC, FakeNode
from numa_conformance.doctor.configuration import find_kubelet, read_configuration
from numa_conformance.doctor.findings import check
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.doctor.tree import NodeTree
from numa_conformance.errors import UsageError
from numa_conformance.sources.versions import DEFAULT

FOLDER = "etc/kubernetes/kubelet.conf.d"
FLAGS = ("--config=/var/lib/kubelet/config.yaml", f"--config-dir=/{FOLDER}")


@pytest.fixture
def node(tmp_path):
    return FakeNode(tmp_path, pods=PODS[:1])


def configured(node, **more):
    tree = NodeTree(node.root)
    return read_configuration(tree, find_kubelet(tree), DEFAULT, **more)


def drop_in(node, name, **fields):
    head = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
    node.write(f"{FOLDER}/{name}", yaml.safe_dump({**head, **fields}))


def test_the_file_that_the_kubelet_names_is_read(node):
    found = configured(node)
    assert found.kubelet.cpu_manager_policy == "static"
    line = found.lines["reservedSystemCPUs"]
    assert (line.file, line.number, str(line)) == (f"{ROOT_DIR}/config.yaml", 4, "reservedSystemCPUs: '0'")


def test_drop_ins_come_after_the_file_in_their_order(node):
    node.flags(*FLAGS)
    drop_in(node, "20.conf", topologyManagerScope="pod")
    drop_in(node, "10.conf", topologyManagerScope="container", topologyManagerPolicy="restricted")
    drop_in(node, "30.yaml", topologyManagerPolicy="best-effort")
    found = configured(node)
    assert (found.kubelet.topology_manager_policy, found.kubelet.topology_manager_scope) == ("restricted", "pod")
    assert found.lines["topologyManagerScope"].file == f"{FOLDER}/20.conf"
    assert found.kubelet.cpu_manager_policy == "static"


def test_drop_ins_in_folders_come_in_their_place(node):
    node.flags(*FLAGS)
    drop_in(node, "10.d/x.conf", topologyManagerScope="pod", topologyManagerPolicy="restricted")
    drop_in(node, "20.conf", topologyManagerScope="container")
    found = configured(node).kubelet
    assert (found.topology_manager_policy, found.topology_manager_scope) == ("restricted", "container")


def test_of_a_line_with_other_fields_only_the_one_is_shown(node):
    config = {"kind": "KubeletConfiguration", "staticPodURLHeader": {"A": ["a-token"]}, **STATIC}
    node.write(f"{ROOT_DIR}/config.yaml", json.dumps(config))
    line = configured(node).lines["reservedSystemCPUs"]
    assert (line.number, str(line)) == (1, "reservedSystemCPUs: 0")


def test_drop_ins_merge_maps_and_replace_lists(node):
    node.configure(
        {**STATIC, "featureGates": {"A": True}, "reservedMemory": [{"numaNode": 0, "limits": {"memory": "1"}}]}
    )
    node.flags(*FLAGS)
    drop_in(node, "10.conf", featureGates={"B": False}, reservedMemory=[{"numaNode": 1, "limits": {"memory": "2"}}])
    found = configured(node).kubelet
    assert dict(found.feature_gates) == {"A": True, "B": False}
    assert [entry.numa_node for entry in found.reserved_memory] == [1]


def test_flags_come_last_and_say_so(node):
    node.flags(*FLAGS, "--reserved-cpus", "2,3", "--cpu-manager-policy-options=full-pcpus-only=true", "--v", "4")
    drop_in(node, "10.conf", reservedSystemCPUs="7")
    found = configured(node)
    assert found.kubelet.reserved_system_cpus == "2,3"
    assert found.kubelet.cpu_manager_policy_options == {"full-pcpus-only": "true"}
    line = found.lines["reservedSystemCPUs"]
    assert (line.file, str(line)) == ("proc/4242/cmdline", "--reserved-cpus=2,3")


def test_what_configz_told_is_whole(node, tmp_path):
    node.flags(*FLAGS, "--reserved-cpus=5")
    told = Path(tmp_path / "configz.json")
    told.write_text(json.dumps({"kubeletconfig": {**STATIC, "syncFrequency": "1m0s", "unknownToUs": 1}}))
    assert configured(node, config=told).kubelet.reserved_system_cpus == "0"


def test_a_folder_of_drop_ins_may_be_named(node, tmp_path):
    drop_in(node, "10.conf", topologyManagerPolicy="restricted")
    found = configured(node, config_dir=tmp_path / FOLDER)
    assert found.kubelet.topology_manager_policy == "restricted"


def test_the_root_dir_is_where_the_kubelet_says(node):
    node.flags("--config=/var/lib/kubelet/config.yaml", "--root-dir", "/data/kubelet")
    node.write("data/kubelet/cpu_manager_state", "damaged")
    found = check(look(NodeSource(node.root)))
    assert found.findings[0].evidence[0].file == "data/kubelet/cpu_manager_state"


def test_only_flags_that_concern_the_managers_are_kept(node):
    node.flags("--token", "secret", "--cpu-manager-policy", "none", "--bootstrap-kubeconfig=/secret", "stray", "--v")
    assert find_kubelet(NodeTree(node.root)).flags == (("cpu-manager-policy", "none"),)


def test_a_process_that_only_reads_like_a_kubelet_is_none(node):
    node.write("proc/4242/cmdline", "/usr/bin/watch\0kubelet\0--config=/nowhere\0")
    assert find_kubelet(NodeTree(node.root)) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "no KubeletConfiguration"),
        ("reservedSystemCPUs: [", "config.yaml"),
        ("kind: KubeletConfiguration\ncpuManagerPolicy: {}", "text"),
        ("maxPods: 3", "'Kind' is missing"),
    ],
)
def test_a_configuration_that_is_none_is_said(node, text, message):
    node.write(f"{ROOT_DIR}/config.yaml", text)
    with pytest.raises(UsageError, match=message):
        configured(node)


def test_a_drop_in_without_its_kind_is_refused_beside_a_file_that_is_named(node, tmp_path):
    node.flags(*FLAGS)
    node.write(f"{FOLDER}/10-a.conf", "maxPods: 3")
    (tmp_path / "named.yaml").write_text("kind: KubeletConfiguration\n")
    with pytest.raises(UsageError, match=r"10-a\.conf: Object 'Kind' is missing"):
        configured(node, config=tmp_path / "named.yaml")


def test_what_a_configuration_leaves_empty_is_not_there(node):
    node.configure({**STATIC, "reservedMemory": [{"numaNode": 0, "limits": None}], "featureGates": None})
    assert [one.requirement for one in check(look(NodeSource(node.root))).findings] == []


def test_a_configuration_that_is_named_and_not_there_is_said(node):
    node.flags("--config=/elsewhere.yaml")
    with pytest.raises(UsageError, match="this configuration, which does not exist"):
        configured(node)
