"""The version of Kubernetes after the newest, with what may change in one, added as CONTRIBUTING.md tells."""

import pytest

from asked_in_full import deep
from contributing.house import House, files_of_recipe, is_named, last_argument, last_keyword
from numa_conformance.sources.versions import NEWEST, KubernetesVersion

ROOM = "src/numa_conformance/"
NEXT = KubernetesVersion(NEWEST.major, NEWEST.minor + 1)
ASKED = f"""
from numa_conformance.errors import StartError, UsageError
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node
from numa_conformance.testing import guaranteed

machine = load_machine("t3-two-numa-per-socket")

def reserved(version, **config):
    config = KubeletConfiguration.from_dict({{"reservedSystemCPUs": "0", **config}})
    try:
        return Node(machine, config, kubernetes_version=version).pools.reserved
    except (StartError, UsageError) as error:
        return type(error).__name__

socket = {{"cpuManagerPolicy": "static", "cpuManagerPolicyOptions": {{"align-by-socket": "true"}}}}
for version in ("{NEWEST}", "{NEXT}"):
    gone = reserved(version, cpuManagerPolicy="static", featureGates={{"NodeSwap": True}})
    print(version, reserved(version), reserved(version, **socket), gone)
Pod.from_dict({{**guaranteed("pod", 2), "spec": {{**guaranteed("pod", 2)["spec"], "brandNewField": 1}}}})
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("house"))
    house.change(
        f"{ROOM}sources/versions.py",
        f"KubernetesVersion({NEWEST.major}, {NEWEST.minor})",
        f"KubernetesVersion({NEXT.major}, {NEXT.minor})",
    )
    house.change(f"{ROOM}sources/gates.txt", "1.34 locked\nWindows", f"1.34 locked, {NEXT} gone\nWindows")
    house.add(f"{ROOM}sources/defaults.py", f', ("{NEXT}", "static")', behind=last_argument("cpuManagerPolicy"))
    house.change(f"{ROOM}sources/options.txt", "socket; 1.25 alpha\n", f"socket; 1.25 alpha, {NEXT} beta\n")
    house.add(
        f"{ROOM}chapters/settings.py", f', until="{NEWEST}"', behind=last_keyword("cpu-manager/policy/defaults-to-none")
    )
    house.change(f"{ROOM}kube/pod_fields.py", '_SPEC = """\n', '_SPEC = """\nbrandNewField ')
    house.change("CHANGELOG.md", "## Unreleased\n\n", f"## Unreleased\n\n- Kubernetes {NEXT}.\n")
    return house


def test_touches_what_the_recipe_names(house):
    named = files_of_recipe("A version of Kubernetes, a gate, a default")
    assert len(house.touched) == 7
    assert [path for path in house.touched if not is_named(path, named)] == []


def test_a_node_of_the_version_has_what_changed_and_older_ones_do_not(house):
    assert house.run("-c", ASKED).splitlines() == [f"{NEWEST} None StartError 1", f"{NEXT} 1 1 StartError"]


@deep
def test_commands_and_pages_know_the_version(house):
    page = house.run("-m", "numa_conformance", "requirements", "--versions")
    assert f"from {NEXT} `static`" in page
    assert f" {NEXT} |" in page
    assert f"{NEXT}" in house.run("-m", "numa_conformance", "requirements", "--kubernetes-versions")
    house.run("-m", "numa_conformance", "requirements")
    house.run("-m", "numa_conformance", "smoke", "--kubernetes-version", str(NEXT))


@deep
def test_the_requirements_about_what_changed_are_asked_and_met(house):
    said = house.ask(
        "cpu-manager/align-by-socket/is-available",
        "cpu-manager/align-by-socket/stays-hidden",
        "cpu-manager/policy/*",
        more=("--numa-profile", f"all@{NEXT}", "--numa-budget", "2%"),
    )
    assert f"conforms to the documented behaviour of Kubernetes {NEXT}" in said
