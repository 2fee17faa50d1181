"""Which version the kubelet is: what its program tells, else what is said, else nothing."""

import json

import pytest

from fake_nodes import KUBELET, STATIC, FakeNode
from numa_conformance.doctor import look as reader
from numa_conformance.doctor.collect import collect
from numa_conformance.doctor.findings import check
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.sources.versions import KubernetesVersion

OLD, NEW = KubernetesVersion(1, 32), KubernetesVersion(1, 36)


@pytest.fixture
def node(tmp_path):
    return FakeNode(tmp_path / "node", pods=())


def seen(node, **asked):
    found = check(look(NodeSource(node.root, **asked)))
    return found.version, "; ".join(found.notes)


@pytest.mark.parametrize("told", ["v1.36.3", "v1.36.1-eks-3abbec1", "v1.36.0+k3s1"])
def test_the_program_of_the_running_kubelet_tells_it(node, told):
    node.program(told)
    assert seen(node) == (NEW, "")


def test_what_is_said_goes_before_what_the_program_tells(node):
    node.program("v1.36.3")
    assert seen(node, version=OLD) == (OLD, "")


def test_a_dump_has_it_and_not_the_program(node, tmp_path):
    node.program("v1.36.3")
    collect(NodeSource(node.root), tmp_path / "dump")
    assert check(look(NodeSource(tmp_path / "dump"))).version == NEW
    assert not (tmp_path / "dump/usr").exists()


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ((), "its program says none"),
        (("v1.36.3", "v1.2.3"), "its program says v1.2.3, v1.36.3"),
        (("v1.99.0",), "its program says v1.99.0"),
        (("github.com/x/y@v1.36.0",), "its program says none"),
    ],
)
def test_what_no_program_tells_for_certain_is_not_known(node, told, why):
    node.program(*told)
    version, notes = seen(node)
    assert version is None
    assert why in notes
    assert "--kubernetes-version" in notes


def test_a_version_is_found_wherever_the_program_is_cut(node, monkeypatch):
    monkeypatch.setattr(reader, "_PART", 7)
    node.program("v1.36.3")
    assert seen(node) == (NEW, "")


def test_a_program_that_was_replaced_since_the_start_tells_nothing(node):
    node.program("v1.36.3")
    link = node.root / KUBELET / "exe"
    link.unlink()
    link.symlink_to("/usr/bin/kubelet (deleted)")
    version, notes = seen(node)
    assert version is None
    assert "not where it was started" in notes


def test_a_link_that_leads_elsewhere_than_below_the_root_tells_nothing(node, tmp_path):
    """Absolute links of a tree begin at its root; what they lead to outside is another file."""
    (tmp_path / "kubelet").write_bytes(b"\0v1.36.3\0")
    link = node.root / KUBELET / "exe"
    link.symlink_to(tmp_path / "kubelet")
    assert seen(node)[0] is None


def test_a_node_whose_kubelet_does_not_run_has_no_version(node):
    (node.root / KUBELET / "cmdline").unlink()
    version, notes = seen(node)
    assert version is None
    assert "none runs" in notes


def test_what_depends_on_the_version_follows_from_the_program(node):
    options = {"full-pcpus-only": "true", "distribute-cpus-across-cores": "true"}
    gates = {"featureGates": {"CPUManagerPolicyAlphaOptions": True, "CPUManagerPolicyBetaOptions": True}}
    node.configure({**STATIC, **gates, "cpuManagerPolicyOptions": options})
    assert check(look(NodeSource(node.root))).findings == ()
    node.program("v1.32.10")
    (one,) = check(look(NodeSource(node.root))).findings
    assert one.requirement == "cpu-manager/distribute-cpus-across-cores/refuses-full-pcpus-only"
    assert json.dumps(one.to_dict())
