"""A Memory Manager policy that likes the last NUMA node, added as CONTRIBUTING.md tells."""

import pytest

from asked_in_full import deep
from contributing.house import House, files_of_recipe, is_named, last_entry, last_import

MANAGER = "src/numa_conformance/reference/managers/memory/manager.py"
POLICY = '''"""Policy LastNode: containers are drawn to the last NUMA node; no memory is pinned."""

from __future__ import annotations

from ....kube.container import Container
from ....kube.pod import Pod
from ..hint import Hint
from ..provider import Answer
from .provider import NoneMemoryManager

__all__ = ["LastNodeMemoryManager"]


class LastNodeMemoryManager(NoneMemoryManager):
    """Offers one hint."""

    policy = "LastNode"

    def __init__(self, last: int) -> None:
        super().__init__()
        self._last = last

    def hints(self, pod: Pod, container: Container) -> Answer:
        """Prefer the last NUMA node."""
        return {"memory": [Hint(1 << self._last, True)]}
'''
ASKED = """
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node
from numa_conformance.wire.features import FEATURES
from numa_conformance.testing import guaranteed, static

machine = load_machine("t3-two-numa-per-socket")
print(FEATURES.get("memory-manager/last-node"))
for policy in ("None", "LastNode"):
    config = {**static(reserved="0", topology="best-effort"), "memoryManagerPolicy": policy}
    node = Node(machine, KubeletConfiguration.from_dict(config))
    (given,) = node.admit(Pod.from_dict(guaranteed("pod", 2))).placements.values()
    print(policy, [place for place, cpus in machine.numa_bits.items() if cpus & given.cpus])
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("house"))
    house.add(
        "src/numa_conformance/sources/policies.txt",
        "memoryManagerPolicy; LastNode; 1.27; any; memory; LastNode policy\n",
    )
    house.write("src/numa_conformance/reference/managers/memory/last_node_policy.py", POLICY)
    house.add(MANAGER, "\nfrom .last_node_policy import LastNodeMemoryManager", behind=last_import)
    house.add(
        MANAGER,
        ',\n    "LastNode": lambda machine, config, quirks: LastNodeMemoryManager(max(machine.numa_ids))',
        behind=last_entry("_POLICIES"),
    )
    house.change("CHANGELOG.md", "## Unreleased\n\n", "## Unreleased\n\n- The policy LastNode.\n")
    return house


def test_touches_what_the_recipe_names(house):
    named = files_of_recipe("A policy of a manager")
    assert len(house.touched) == 4
    assert [path for path in house.touched if not is_named(path, named)] == []


def test_the_policy_is_a_feature_and_decides(house):
    said = house.run("-c", ASKED).splitlines()
    assert said == ["Memory Manager policy LastNode", "None [0]", "LastNode [3]"]


@deep
def test_commands_and_pages_know_the_policy(house):
    assert "LastNode" in house.run("-m", "numa_conformance", "requirements", "--versions")
    assert "memory-manager/last-node" in house.run("-m", "numa_conformance", "requirements", "--protocol")
    house.run("-m", "numa_conformance", "requirements")


@deep
def test_a_node_keeps_what_is_asked_of_every_memory_policy(house):
    assert "passed" in house.ask("memory-manager/policy/*", more=("--numa-budget", "2%"))
