"""A seventh option of the static policy, added as CONTRIBUTING.md tells: ``prefer-last-cpus``, which no page has."""

import pytest

from contributing.house import House, files_of_recipe, is_named

ROOM = "src/numa_conformance/"
RECORD = """
    prefer_last_cpus: bool = _option(
        False,
        ("1.32", "alpha"),
        ("1.36", "beta"),
        text="exclusive CPUs are those with the highest ids",
        source=NODE_RESOURCE_MANAGERS.section("prefer-last-cpus"),
        excludes=("full-pcpus-only",),
    )

    @classmethod
    def from_names("""
OPTION = '''"""``prefer-last-cpus``: exclusive CPUs are those with the highest ids."""

from __future__ import annotations

__all__ = ["take"]


def take(free: int, count: int) -> int:
    """Return the ``count`` highest CPUs of ``free``."""
    while free.bit_count() > count:
        free &= free - 1
    return free
'''
STATEMENT = """    *stated(
        NODE_RESOURCE_MANAGERS.section("prefer-last-cpus"),
        "prefer-last-cpus",
        "1.32",
        must("highest", "Exclusive CPUs are those with the highest ids."),
    ),
)
"""
REQUIREMENT = """REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "prefer-last-cpus/takes-the-highest",
        "Exclusive CPUs are those with the highest ids.",
        "cpu-manager/prefer-last-cpus",
        statements=("nrm/prefer-last-cpus/highest",),
        since="1.32",
    ),
    _requirement(
        "full-pcpus-only/refuses-prefer-last-cpus",
        "The node does not come up with both.",
        "cpu-manager/full-pcpus-only",
        "cpu-manager/prefer-last-cpus",
        statements=("nrm/prefer-last-cpus/highest",),
        since="1.32",
    ),
"""
CASE = '''"""Option prefer-last-cpus."""

from __future__ import annotations

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import load_machine
from numa_conformance.suite.examples.node_run import NodeRun
from numa_conformance.suite.generators.workloads import guaranteed, static


@pytest.mark.requirement("cpu-manager/prefer-last-cpus/takes-the-highest")
def test_takes_the_highest(node: NodeRun) -> None:
    node.start(load_machine("t3-two-numa-per-socket"), static("prefer-last-cpus", reserved="0"))
    got = node.try_admit(guaranteed("a", 2)).cpus()
    node.check(got == CpuSet.parse("30-31"), "not the highest", got=got, allowed="30-31")
'''
ASKED = """
from numa_conformance.errors import StartError
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.cpuset import format_bits
from numa_conformance.machine import load_machine
from numa_conformance.node import Node
from numa_conformance.protocol.features import FEATURES
from numa_conformance.testing import guaranteed

def given(version, gates, **options):
    config = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0", "featureGates": gates}
    config["cpuManagerPolicyOptions"] = {name.replace("_", "-"): on for name, on in options.items()}
    try:
        node = Node(
            load_machine("t3-two-numa-per-socket"), KubeletConfiguration.from_dict(config), kubernetes_version=version
        )
    except StartError as error:
        return error.message.removeprefix("new static policy error: ")
    (placement,) = node.admit(Pod.from_dict(guaranteed("pod", 2))).placements.values()
    return format_bits(placement.cpus)

ALPHA = {"CPUManagerPolicyAlphaOptions": True}
print(FEATURES["cpu-manager/prefer-last-cpus"])
print(given("1.32", ALPHA, prefer_last_cpus="true"))
print(given("1.32", ALPHA, prefer_last_cpus="false"))
print(given("1.36", {}, prefer_last_cpus="true"))
print(given("1.32", {}, prefer_last_cpus="true"))
print(given("1.31", ALPHA, prefer_last_cpus="true"))
print(given("1.32", ALPHA, prefer_last_cpus="maybe"))
print(given("1.32", ALPHA, prefer_last_cpus="true", full_pcpus_only="true"))
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("house"))
    static_options = "\n    @classmethod\n    def from_names("
    house.change(f"{ROOM}documentation/options.py", static_options, RECORD)
    house.write(f"{ROOM}managers/cpu/options/prefer_last_cpus.py", OPTION)
    allocator = f"{ROOM}managers/cpu/allocator.py"
    house.change(
        allocator,
        "import distribute_cpus_across_cores, prefer_align_cpus_by_uncorecache\n",
        "import distribute_cpus_across_cores, prefer_align_cpus_by_uncorecache, prefer_last_cpus\n",
    )
    house.change(
        allocator,
        "        self._quirks = quirks\n",
        "        self._quirks = quirks\n        self._last = options.prefer_last_cpus\n",
    )
    house.change(
        allocator,
        "        taking = Accumulator(",
        "        if self._last:\n            return prefer_last_cpus.take(free, count)\n        taking = Accumulator(",
    )
    return house


@pytest.fixture(scope="module")
def asked(house):
    """Add the requirement, which a recipe of its own tells."""
    own = set(house.touched)
    statements = f"{ROOM}documentation/statements/static_policy_options.py"
    text = (house.folder / statements).read_text()
    house.write(statements, text.removesuffix(")\n") + STATEMENT)
    requirements = f"{ROOM}suite/requirements/cpu_options.py"
    house.change(requirements, "REQUIREMENTS: tuple[Requirement, ...] = (\n", REQUIREMENT)
    house.write("conformance/cpu/test_prefer_last_cpus.py", CASE)
    return house.touched - own


def test_touches_what_the_recipe_names(house):
    named = files_of_recipe("An option of the static policy")
    assert len(house.touched) == 3
    assert [path for path in house.touched if not is_named(path, named)] == []


def test_the_option_is_read_gated_offered_and_decides(house):
    assert house.run("-c", ASKED).splitlines() == [
        "static policy option prefer-last-cpus",
        "30-31",
        "1,17",
        "30-31",
        'CPU Manager Policy Alpha-level Options not enabled, but option "prefer-last-cpus" provided',
        'unknown CPU Manager Policy option: "prefer-last-cpus"',
        'bad value for option "prefer-last-cpus": strconv.ParseBool: parsing "maybe": invalid syntax',
        "static policy options prefer-last-cpus and full-pcpus-only can not be used at the same time",
    ]


def test_pages_tell_it(house):
    assert "exclusive CPUs are those with the highest ids" in house.run(
        "-m", "numa_conformance", "requirements", "--versions"
    )


def test_its_requirement_is_asked_as_the_other_recipe_tells(house, asked):
    named = files_of_recipe("A requirement")
    assert [path for path in asked if not is_named(path, named)] == []
    ours = "cpu-manager/prefer-last-cpus/takes-the-highest"
    said = house.run("-m", "pytest", "--numa-conformance", "--numa-requirement", ours, "-q", "-p", "no:cacheprovider")
    assert "1 passed" in said
