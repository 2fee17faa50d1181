import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import NodeObject
from numa_conformance.reference.fleet import read_fleet
from numa_conformance.sources.versions import DEFAULT, KubernetesVersion

MACHINE = "t3-two-numa-per-socket"


@pytest.fixture
def fleet(tmp_path):
    def read(text, **files):
        for name, content in files.items():
            (tmp_path / f"{name}.yaml").write_text(content)
        (tmp_path / "fleet.yaml").write_text(text)
        return read_fleet(tmp_path / "fleet.yaml")

    return read


def test_the_first_group_whose_pattern_matches_tells_what_a_node_is(fleet):
    found = fleet(
        "- {nodes: 'gpu-*', machine: t1-one-socket-smt2}\n"
        f"- {{nodes: '*', machine: {MACHINE}, kubelet: kubelet.yaml}}\n",
        kubelet="cpuManagerPolicy: static\nreservedSystemCPUs: '0'\n",
    )
    assert found.kind_of("gpu-7").machine.name == "t1-one-socket-smt2"
    assert found.kind_of("gpu-7").kubelet.cpu_manager_policy == "none"
    assert found.kind_of("other").kubelet.cpu_manager_policy == "static"


def test_a_group_makes_up_nodes_with_what_its_kubelet_offers(fleet):
    found = fleet(
        f"- {{nodes: n-*, count: 3, machine: {MACHINE}, kubelet: kubelet.yaml}}\n",
        kubelet="cpuManagerPolicy: static\nreservedSystemCPUs: '0,16'\nmaxPods: 7\n",
    )
    nodes = found.made_up()
    assert [node.name for node in nodes] == ["n-0", "n-1", "n-2"]
    assert (str(nodes[0].allocatable["cpu"]), str(nodes[0].allocatable["pods"])) == ("30", "7")
    assert found.mismatches(nodes) == []


def test_says_where_a_node_and_its_machine_differ(fleet):
    found = fleet(f"- {{nodes: '*', machine: {MACHINE}}}\n")
    node = NodeObject.from_dict({"metadata": {"name": "a"}, "status": {"capacity": {"cpu": 8}}})
    assert found.mismatches([node]) == [f"node a has 8 CPUs, its machine {MACHINE} has 32"]
    pages = {"hugepages-2Mi": "4Mi", "hugepages-1Gi": "0"}
    node = NodeObject.from_dict({"metadata": {"name": "a"}, "status": {"allocatable": pages}})
    assert found.mismatches([node]) == [f"node a has hugepages-2Mi, its machine {MACHINE} has none"]


@pytest.mark.parametrize(
    ("group", "told", "version"),
    [
        ("", "", str(DEFAULT)),
        ("", "v1.34.2-eks-1a2b", "1.34"),
        ("", "v1.20.4", str(DEFAULT)),
        ("'1.30'", "v1.34.2", "1.30"),
    ],
)
def test_a_node_follows_its_group_then_its_own_version(fleet, group, told, version):
    found = fleet(f"- {{nodes: '*', machine: {MACHINE}, kubernetesVersion: {group or repr('')}}}\n")
    status = {"capacity": {"pods": 8}, "nodeInfo": {"kubeletVersion": told}}
    node = NodeObject.from_dict({"metadata": {"name": "a"}, "status": status})
    assert found.kind_of("a").version_on(node) == KubernetesVersion.parse(version)
    unknown = [f"node a runs v1.20.4: it is taken for {DEFAULT}"] if told == "v1.20.4" else []
    assert found.mismatches([node]) == unknown


def test_machines_may_be_files_beside_the_fleet_file(fleet):
    found = fleet("- {nodes: '*', machine: ./mine.yaml}\n", mine="name: mine\ncoresPerNuma: 2\nmemory: 1Gi\n")
    assert found.kind_of("any").machine.name == "mine"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nodes: a\n", "is no list of groups"),
        ("- 3\n", "[0]: is a number (accepted: an object)"),
        (f"- {{node: a, machine: {MACHINE}}}\n", "[0].node: unknown field"),
        (f"- {{nodes: a, machine: {MACHINE}, kubernetesVersion: 1.30}}\n", "[0].kubernetesVersion: is 1.3"),
        (f"- {{nodes: a, machine: {MACHINE}, kubernetesVersion: '1.9'}}\n", "[0].kubernetesVersion: is '1.9'"),
        (f"- {{nodes: a, machine: {MACHINE}, count: -1}}\n", "[0].count: is -1"),
        (f"- {{nodes: a, machine: {MACHINE}, count: 2}}\n", "'a' names no 2 nodes"),
        ("- {nodes: a, machine: t3-two-numa-per-sockt}\n", f"did you mean '{MACHINE}'"),
        ("- {nodes: a}\n", "[0].machine: is missing"),
        (f"- {{nodes: a, machine: {MACHINE}, kubelet: ../kubelet.yaml}}\n", "lies outside the fleet file's folder"),
        ("- {nodes: a, machine: /etc/hostname}\n", "lies outside the fleet file's folder"),
        (f"- {{nodes: a, machine: {MACHINE}, kubelet: missing.yaml}}\n", "missing.yaml: cannot be read"),
    ],
)
def test_bad_fleet_files_are_refused_with_the_place(fleet, text, said):
    with pytest.raises(UsageError) as refused:
        fleet(text)
    assert said in str(refused.value)


def test_a_link_that_leads_out_of_the_folder_is_refused(fleet, tmp_path):
    outside = tmp_path.parent / "outside.yaml"
    outside.write_text("cpuManagerPolicy: none\n")
    (tmp_path / "link.yaml").symlink_to(outside)
    with pytest.raises(UsageError, match="lies outside"):
        fleet(f"- {{nodes: a, machine: {MACHINE}, kubelet: link.yaml}}\n")
