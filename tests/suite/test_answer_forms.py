"""Every form of an answer: a stored history has it or none can, and a wrong form in its place is caught or legal.

The histories are those that are stored, so a change of generators changes nothing here.
"""

import random
import re
from collections import defaultdict
from dataclasses import replace
from functools import cache

import pytest

from answer_forms import FORMS, form_of, places, replaced, simplest
from answer_reasons import LEGAL, NEVER
from asked_in_full import DEEP
from numa_conformance.judging.verdicts import judge
from numa_conformance.wire.history.answers import HISTORY_METHODS, read_answer
from numa_conformance.wire.history.history import History
from stored_histories import SURFACES, stored, verdicts

TRIES = 12
"""Places in which a wrong form is tried, until it is caught."""
WHOLE = ("classify", "pick", "hints", "merge", "score")
"""Surfaces of which each form is in a stored history, or in none."""
TRIED = [name for name in SURFACES if DEEP or name != "node"]


@cache
def right(surface):
    """Return the stored histories of a surface that break nothing."""
    judged = zip(stored(surface), verdicts(surface), strict=True)
    return [history for history, verdict in judged if not verdict["broken"]]


@cache
def drawn(surface):
    """Return by place and form where it is: the number of the history, of the step, and the place."""
    known = defaultdict(list)
    for number, history in enumerate(right(surface)):
        for index, step in enumerate(history.steps):
            for place in places(step.method, step.answer):
                known[place.name, form_of(place.kind, place.value)].append((number, index, place))
    return known


def forms_of(surface):
    methods = "|".join(re.escape(name) for name, method in HISTORY_METHODS.items() if method.surface == surface)
    return {name: forms for name, forms in FORMS.items() if re.match(rf"({methods})(?!\w)", name)}


def is_listed(text, patterns):
    return any(re.fullmatch(pattern, text) for pattern in patterns)


def is_caught(surface, name, correct, wrong):
    """Tell whether a wrong form is caught in one of some places; None where no value of that form is at hand."""
    lot, tried, known = random.Random(f"{name} {correct} {wrong}"), False, drawn(surface)
    for number, index, place in lot.sample(known[name, correct], min(TRIES, len(known[name, correct]))):
        others = [each.value for other, _, each in known[name, wrong] if other == number]
        others = others or [each.value for _, _, each in known[name, wrong]]
        try:
            value = lot.choice(others) if others else simplest(place.kind, wrong, place.value)
        except LookupError:
            continue
        history, tried = right(surface)[number], True
        step = history.steps[index]
        changed = replace(step, answer=replaced(step.answer, place.keys, value))
        steps = (*history.steps[:index], changed)
        for more in ((), history.steps[index + 1 :]):
            if judge(History(history.head, (*steps, *more))).broken:
                return True
    return False if tried else None


@pytest.mark.parametrize("surface", WHOLE)
def test_every_form_is_in_a_history_or_in_none(surface):
    missing = [f"{name} {form}" for name, forms in forms_of(surface).items() for form in forms]
    missing = [each for each in missing if not drawn(surface)[tuple(each.rsplit(" ", 1))]]
    assert [each for each in missing if not is_listed(each, NEVER)] == []


@pytest.mark.parametrize("surface", TRIED)
def test_a_wrong_form_in_its_place_is_caught_or_legal(surface):
    pairs = [
        (name, correct, wrong) for name, forms in forms_of(surface).items() for correct in forms for wrong in forms
    ]
    unlisted = [each for each in pairs if each[1] != each[2] and not is_listed("{}: {} -> {}".format(*each), LEGAL)]
    assert unlisted
    assert [each for each in unlisted if is_caught(surface, *each) is False] == []


def test_none_told_is_not_the_same_as_not_told():
    """An empty set of reserved CPUs where some are reserved, and no merge where hints are merged, are wrong."""
    for name, correct in (("node.start started.reserved_cpus", "many"), ("node.admit admitted.alignments", "one")):
        assert is_caught("node", name, correct, "empty"), name


def test_absent_and_null_are_read_alike():
    answer = {"result": "refused", "message": "no"}
    assert read_answer("pick", answer) == read_answer("pick", {**answer, "reason": None})
