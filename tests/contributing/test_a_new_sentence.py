"""A sentence of a page that is not asked yet, added as CONTRIBUTING.md tells: a statement, a chapter and its pair."""

import pytest

from contributing.house import House, files_of_recipe, is_named, last_entry
from numa_conformance.judging.releases import NEXT

STATEMENTS = "src/numa_conformance/sources/statements/node_resource_managers.txt"
CHAPTER, PAIRS = "src/numa_conformance/chapters/qos.py", "conformance/pairs/qos.py"
ID = "qos/pods-have-a-class"
SENTENCE = f'''

@chapter.requires("{ID}")
@rests_on("nrm/cpus/a-new-one")
def has_a_class(subject: Classification) -> Judgement:
    """Each pod has one of three QoS classes."""
    applies(subject.pod.containers, "the pod has no containers")
    known = subject.qos in ("Guaranteed", "Burstable", "BestEffort")
    return violated(known, "the pod has no class that there is", got=subject.qos)
'''
PAIR = ',\n    chapter.has_a_class: (classed(DEVICES, "Platinum"), classed(DEVICES, BEST_EFFORT))'


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("house"))
    house.change(STATEMENTS, "\nno-hotplug [MUST]", "\na-new-one [MUST] A new sentence of the page.\nno-hotplug [MUST]")
    house.add(CHAPTER, SENTENCE)
    house.add(PAIRS, PAIR, behind=last_entry("PAIRS"))
    return house


def test_touches_what_the_recipe_names(house):
    named = files_of_recipe("A sentence")
    assert len(house.touched) == 3
    assert [path for path in house.touched if not is_named(path, named)] == []


def test_its_judge_condemns_what_is_wrong_and_passes_what_is_right(house):
    assert "1 passed" in house.test("tests/suite/test_pairs.py", "-k", ID)


def test_it_is_asked_and_printed(house):
    assert "1 passed" in house.ask(ID, more=("--numa-budget", "100%"))
    printed = house.run("-m", "numa_conformance", "requirements", ID)
    assert "Each pod has one of three QoS classes." in printed
    assert "A new sentence of the page." in printed


def test_the_page_of_changes_lists_it_under_the_next_release(house):
    first = house.run("-m", "numa_conformance", "requirements", "--changes").split("\n## ")[1]
    assert first.startswith(NEXT)
    assert ID in first
