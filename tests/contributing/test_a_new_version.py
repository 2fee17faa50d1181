"""Kubernetes 1.37 with a changed default, added as CONTRIBUTING.md tells."""

import pytest

from contributing.house import House, files_of_recipe, is_named
from numa_conformance.documentation.versions import NEWEST, KubernetesVersion

NEXT = KubernetesVersion(NEWEST.major, NEWEST.minor + 1)
ASKED = f"""
from numa_conformance.kube import KubeletConfiguration
from numa_conformance.machine import load_machine
from numa_conformance.node import Node

config = KubeletConfiguration.from_dict({{"reservedSystemCPUs": "0"}})
for version in ("{NEWEST}", "{NEXT}"):
    print(version, Node(load_machine("t3-two-numa-per-socket"), config, kubernetes_version=version).pools.reserved)
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("house"))
    house.change(
        "src/numa_conformance/documentation/versions.py",
        f"KubernetesVersion({NEWEST.major}, {NEWEST.minor})",
        f"KubernetesVersion({NEXT.major}, {NEXT.minor})",
    )
    house.change(
        "src/numa_conformance/documentation/defaults.py",
        '"cpuManagerPolicy", ("1.10", "none")',
        f'"cpuManagerPolicy", ("1.10", "none"), ("{NEXT}", "static")',
    )
    return house


def test_touches_what_the_recipe_names(house):
    named = files_of_recipe("A version of Kubernetes, a gate, a default")
    assert house.touched
    assert [path for path in house.touched if not is_named(path, named)] == []


def test_a_node_of_the_version_has_the_new_default_and_older_ones_keep_theirs(house):
    assert house.run("-c", ASKED).split() == [str(NEWEST), "None", str(NEXT), "1"]


def test_commands_and_pages_know_the_version(house):
    page = house.run("-m", "numa_conformance", "requirements", "--versions")
    assert f"from {NEXT} `static`" in page
    assert f" {NEXT} |" in page
    house.run("-m", "numa_conformance", "smoke", "--kubernetes-version", str(NEXT))
