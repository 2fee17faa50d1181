"""An option, its quirk and a requirement, added as CONTRIBUTING.md tells: ``prefer-last-cpus``, which no page has."""

import pytest

from asked_in_full import deep
from contributing.house import House, files_of_recipe, is_named, last_entry, last_function

ROOM = "src/numa_conformance/"
OPTIONS = f"{ROOM}sources/options.txt"
QUIRKS = f"{ROOM}sources/quirks/cpu.txt"
ALGORITHM = f"{ROOM}reference/managers/cpu/options/prefer_last_cpus.py"
PROBES = f"{ROOM}asking/generators/option_probes.py"
CHAPTER = f"{ROOM}chapters/cpu/options/prefer_last_cpus.py"
PAIRS = "conformance/pairs/prefer_last_cpus.py"
TEST = "tests/reference/managers/cpu/test_quirks.py"

RECORD = """prefer-last-cpus; 1.32 alpha, 1.36 beta
  exclusive CPUs are those with the highest ids
  excludes: full-pcpus-only, align-by-socket
"""
WRITTEN = '''"""``prefer-last-cpus``: exclusive CPUs are those with the highest ids.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#prefer-last-cpus

The kubelet packs beside a core that is partly in use.
"""

from __future__ import annotations

from ...departures import Documented
from ..accumulator import Accumulator

__all__ = ["CHOOSES_FIRST"]


class LastCpus(Documented):
    """Takes CPUs from the end."""

    def take_first(self, taking: Accumulator) -> bool:
        """Take the CPUs with the highest ids; tell whether it did."""
        cpus = taking.free
        while cpus.bit_count() > taking.need:
            cpus &= cpus - 1
        taking.take(cpus, taking.need)
        return True


class _BesideWholeCoresOnly(LastCpus, quirk="last_cpus_beside_whole_cores_only"):
    """Packs beside a core that is partly in use."""

    def take_first(self, taking: Accumulator) -> bool:
        return taking.topology.whole_cores(taking.free) == taking.free and super().take_first(taking)


CHOOSES_FIRST = LastCpus
'''
HEAD = '''"""prefer-last-cpus. Page: Node Resource Managers."""

from __future__ import annotations

from ....cpuset import format_bits
from ....judging.chapter import Chapter, Judgement, applies, rests_on, violated
from ....judging.choice import CpuChoice
from ..choices import on, only, took
from .maturity import excluded, maturity

LAST = "prefer-last-cpus"
chapter = Chapter("cpu-manager/static", f"cpu-manager/{LAST}", since="1.32", area="cpu-manager options")
'''
IDS = """maturity(
    chapter,
    LAST,
    available="cpu-manager/prefer-last-cpus/is-available",
    hidden="cpu-manager/prefer-last-cpus/stays-hidden",
    placements="exact/placements/prefer-last-cpus",
)
"""
REFUSED = """excluded(
    chapter,
    "cpu-manager/prefer-last-cpus/refuses-full-pcpus-only",
    LAST,
    "full-pcpus-only",
    "nrm/options/prefer-last-cpus",
)
excluded(
    chapter,
    "cpu-manager/prefer-last-cpus/refuses-align-by-socket",
    LAST,
    "align-by-socket",
    "nrm/options/prefer-last-cpus",
)
"""
PROMISE = '''

@chapter.requires("cpu-manager/prefer-last-cpus/takes-the-highest")
@rests_on("nrm/options/prefer-last-cpus")
def takes_the_highest(choice: CpuChoice) -> Judgement:
    """Exclusive CPUs are those with the highest ids."""
    taken = took(choice)
    on(choice, LAST)
    only(choice, LAST, "strict-cpu-reservation")
    applies(choice.near is None, "a hint was followed")
    left = choice.available & ~taken
    return violated(
        left < taken & -taken,
        "a CPU that is free has a higher id",
        got=format_bits(taken),
        allowed=f"the highest {choice.count} of {format_bits(choice.available)}",
    )
'''
PAIR = '''"""CPUs with and without the highest ids under prefer-last-cpus."""

from numa_conformance.chapters.cpu.options import prefer_last_cpus as chapter

from .options import of_every_option
from .worlds import picked

PAIRS = {
    **of_every_option(chapter.LAST, without="1", effect="31"),
    chapter.takes_the_highest: (
        picked("t1-one-socket-smt2", "0-7", "0", chapter.LAST),
        picked("t1-one-socket-smt2", "0-7", "7", chapter.LAST),
    ),
}
'''
HOW_IT_SHOWS = """

def _one_of_many(machine: Machine) -> Made:
    first = machine.core_bits[0]
    return (first, 1, {}) if len(machine.core_bits) > 2 else None


def _is_the_highest(machine: Machine, first: FirstPod) -> bool:
    return first.cpus.bit_length() == (machine.online_bits & ~machine.core_bits[0]).bit_length()"""
PROBE = """,
        "prefer-last-cpus": OptionProbe(_one_of_many, _at_the_pod(_is_the_highest))"""
QUIRK = """last-cpus-beside-whole-cores-only; 1.32+
  prefer-last-cpus does nothing while a core is partly in use
  documented: exclusive CPUs are those with the highest ids
"""
QUIRK_SHOWN = """

def test_last_cpus_beside_whole_cores_only() -> None:
    options = StaticOptions(prefer_last_cpus=True)
    assert picks(golden("T3"), options, "1-31", 2, "last-cpus-beside-whole-cores-only") == ("1,17", "30-31")
    assert picks(golden("T3"), options, "1-15,17-31", 2, "last-cpus-beside-whole-cores-only") == ("30-31", "30-31")
"""
ASKED = """
from numa_conformance.errors import StartError
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.cpuset import format_bits
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node
from numa_conformance.wire.features import FEATURES
from numa_conformance.testing import guaranteed, static

def given(version, gates, **options):
    config = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0,16", "featureGates": gates}
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
    """Follow the recipes; ``complaints``: what is said while something is missing, step by step."""
    house = House(tmp_path_factory.mktemp("house"))
    house.complaints = []

    def said(command="requirements"):
        house.complaints += house.complaint("-m", "numa_conformance", command).splitlines()

    house.add(OPTIONS, RECORD)
    said()
    house.write(CHAPTER, HEAD)
    said()
    house.add(PROBES, HOW_IT_SHOWS, behind=last_function)
    house.add(PROBES, PROBE, behind=last_entry("PROBES"))
    said()
    house.add(CHAPTER, IDS + REFUSED + PROMISE)
    house.write(PAIRS, PAIR)
    said("smoke")
    house.write(ALGORITHM, WRITTEN)
    house.add(QUIRKS, QUIRK)
    house.add(TEST, QUIRK_SHOWN)
    house.change("CHANGELOG.md", "## Unreleased\n\n", "## Unreleased\n\n- The option prefer-last-cpus.\n")
    return house


def test_touches_what_the_recipes_name_and_no_more_than_eight_files(house):
    recipes = ("An option of the static policy", "A quirk", "A sentence")
    named = [path for recipe in recipes for path in files_of_recipe(recipe)]
    assert [path for path in house.touched if not is_named(path, named)] == []
    assert len(house.touched) == 8


def test_what_is_missing_is_told_in_a_sentence_with_its_place(house):
    assert house.complaints == [
        f"error: {CHAPTER}: option prefer-last-cpus has no file with what is asked of it",
        f"error: {PROBES}: option prefer-last-cpus has no OptionProbe in PROBES: how it is provoked, and how its "
        "effect is seen",
        f"error: {CHAPTER}: no call of maturity says under which ids prefer-last-cpus is asked",
        f"error: {CHAPTER}: no call of excluded says under which id it is asked that prefer-last-cpus excludes "
        "full-pcpus-only",
        f"error: {CHAPTER}: no call of excluded says under which id it is asked that prefer-last-cpus excludes "
        "align-by-socket",
        f"error: {ALGORITHM}: option prefer-last-cpus has no file that says how it is met",
    ]


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


@deep
def test_pages_tell_it(house):
    assert "exclusive CPUs are those with the highest ids" in house.run(
        "-m", "numa_conformance", "requirements", "--versions"
    )
    listed = house.run("-m", "numa_conformance", "requirements")
    for id in ("is-available", "stays-hidden", "takes-the-highest"):
        assert f"cpu-manager/prefer-last-cpus/{id}" in listed
    assert "last-cpus-beside-whole-cores-only" in house.run("-m", "numa_conformance", "quirks")


@deep
def test_what_is_asked_of_every_option_and_its_requirement_are_asked_and_met(house):
    assert "5 passed" in house.ask("cpu-manager/prefer-last-cpus/*", more=("--numa-budget", "2%"))


@deep
def test_level_exact_has_its_golden_placements(house):
    assert "VERDICT: " in house.ask(
        "exact/placements/prefer-last-cpus", level="exact", more=("--numa-snapshot-update",)
    )
    placed = [path.read_text() for path in (house.folder / "conformance/exact/golden").rglob("*prefer-last-cpus*.txt")]
    assert len(placed) > 5


@deep
def test_our_tests_of_options_quirks_and_mutants_are_content(house):
    said = house.test(
        "tests/sources/test_options.py::test_an_option_has_its_section_and_excludes_options_that_exist",
        "tests/reference/managers/cpu/test_option_files.py",
        f"{TEST}::test_last_cpus_beside_whole_cores_only",
        f"{TEST}::test_every_quirk_of_this_room_is_shown_here",
        "tests/chapters/test_ids.py",
        "tests/suite/test_pairs.py",
        "tests/suite/test_mutants.py::test_every_requirement_is_seen_to_break",
        "tests/suite/test_mutants.py::test_a_mutant_is_caught[ignores_prefer_last_cpus]",
    )
    assert "failed" not in said
