"""Telling questions: other answers of the right form are judged, and each MUST can be broken on each machine."""

from collections import Counter
from itertools import islice, product

import msgspec
import pytest

from asked_in_full import DEEP
from directly import Directly
from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.workloads import static
from numa_conformance.asking.groups import GROUPS
from numa_conformance.files import text_of
from numa_conformance.judging import other_answers as others
from numa_conformance.judging.chapter import CHECKERS, REQUIREMENTS
from numa_conformance.judging.choice import CpuChoice
from numa_conformance.judging.node_subjects import Admission, Crash
from numa_conformance.judging.settings import Settings
from numa_conformance.judging.telling import add_up
from numa_conformance.judging.verdicts import judge, subjects
from numa_conformance.judging.world import World
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.versions import NEWEST
from numa_conformance.wire.features import FEATURES
from numa_conformance.wire.history.values import CpuBits, HoldingBits
from stored_histories import SURFACES, stored

CHEAP = ("classes", "merges", "plugins", "claims")
MUSTS = {check for check in CHECKERS if REQUIREMENTS[check.requirement].strength == "MUST"}
MOST_SUBJECTS = 400 if DEEP else 40


@pytest.mark.parametrize("group", GROUPS if DEEP else CHEAP)
def test_no_pair_of_a_must_and_a_machine_is_asked_in_vain(group):
    client, telling = Directly(ReferenceTarget("documented")), Counter()
    for scenario in GROUPS[group].scenarios(frozenset(FEATURES), 0):
        history, _ = drive(scenario, client, str(NEWEST))
        add_up(telling, judge(history, telling).telling)
    assert telling
    assert [pair for pair, number in telling.items() if not number] == []


def parts(kind):
    """Return a class and the classes of what its fields hold."""
    found, left = set(), [kind]
    while left:
        one = left.pop()
        if isinstance(one, type) and issubclass(one, msgspec.Struct) and one not in found:
            found.add(one)
            left += [field.type for field in msgspec.structs.fields(one)]
        left += getattr(one, "__args__", ())
    return found


def test_what_comes_of_an_answer_is_a_field_of_what_is_judged():
    kinds = {part for check in CHECKERS for subject in check.subjects for part in parts(subject)}
    fields = {name for kind in kinds for name in kind.__struct_fields__}
    assert sorted(set(text_of("numa_conformance.judging", "answer_fields.txt").split()) - fields) == []


def test_every_subject_of_a_must_has_something_that_comes_of_an_answer():
    kinds = {kind for check in MUSTS for kind in check.subjects}
    assert [kind.__name__ for kind in kinds if not others._fields(kind)] == []


@pytest.mark.parametrize("surface", SURFACES)
def test_other_answers_are_others_and_every_judge_reads_them(surface):
    seen = Counter()
    for history in stored(surface):
        for _, subject in subjects(history):
            seen[type(subject)] += 1
            if seen[type(subject)] > MOST_SUBJECTS or not others._fields(type(subject)):
                continue
            answers = list(islice(others.other_answers(subject), 100))
            assert [other for other in answers if other != subject]
            for other, check in product(answers, MUSTS):
                if isinstance(other, check.subjects):
                    check.judge(other)
    assert seen


def test_other_answers_to_a_choice_have_other_cpus_of_what_is_available():
    machine = load_machine("t3-two-numa-per-socket")
    choice = CpuChoice(machine, frozenset(), machine.online_bits, 4, 0b1111)
    answers = {other.answer for other in others.other_answers(choice)}
    assert {None, 0, 0b1110, 0b11110} <= answers
    assert {other.available for other in others.other_answers(choice)} == {choice.available}


def test_a_list_that_is_too_long_is_not_changed_part_by_part():
    pods = {f"p{number}": {"c": HoldingBits(CpuBits(1))} for number in range(others.LONGEST + 1)}
    node = World(load_machine("one-cpu"), Settings.of(static()), 0, 1, 1)
    crash = Crash(node, node, pods)
    held = [other.held for other in others.other_answers(crash)]
    assert [len(each) for each in held if each != pods] == [len(pods) - 1]


def test_what_was_asked_stays_as_it_is():
    lives = (subject for history in stored("node") for _, subject in subjects(history))
    admission = next(each for each in lives if isinstance(each, Admission) and each.admitted and each.cpus)
    for other in others.other_answers(admission):
        assert (other.before, other.pod, other.again) == (admission.before, admission.pod, admission.again)
