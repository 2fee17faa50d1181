"""Histories that an earlier version wrote are read, and judged as before."""

import random
from functools import cache

import pytest

from numa_conformance.wire.history.history import FORMAT
from stored_histories import EACH, FOLDER, SURFACES, differences, stored, verdict_of, verdicts

MOST_BYTES = 300_000
DELIBERATE = "if the judge was changed deliberately: cd tests && python -m yardstick renew"
READ = cache(stored)


@pytest.mark.parametrize("surface", SURFACES)
def test_a_stored_history_is_judged_as_before(surface):
    otherwise = [
        f"{history.id}: {difference}"
        for history, before in zip(READ(surface), verdicts(surface), strict=True)
        for difference in differences(before, verdict_of(history))
    ]
    assert not otherwise, "\n".join([*otherwise, DELIBERATE])


@pytest.mark.parametrize("surface", SURFACES)
def test_right_and_wrong_ones_are_stored(surface):
    wrong = [bool(verdict["broken"]) for verdict in verdicts(surface)]
    assert wrong.count(True) >= EACH // 2
    assert wrong.count(False) >= EACH // 2


@pytest.mark.parametrize("surface", SURFACES)
def test_what_came_first_is_judged_alike_whatever_comes_later(surface):
    lot = random.Random(surface)
    for history, whole in zip(READ(surface), verdicts(surface), strict=True):
        end = lot.randint(1, len(history.steps))
        broken = [each for each in whole["broken"] if each[1] < end]
        assert verdict_of(history.until(end))["broken"] == broken, (history.id, end)


def test_they_are_small_and_of_the_format_of_today():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < MOST_BYTES
    assert FORMAT == 1, "store histories of the new format beside those of the old"


def test_what_is_judged_otherwise_is_printed():
    before = {"asked": ["a", "b"], "broken": [["a", 3], ["b", 4]]}
    now = {"asked": ["a", "c"], "broken": [["a", 3], ["a", 5]]}
    expected = ["no longer asked: b", "no longer broken: b at step 4", "newly broken: a at step 5"]
    assert list(differences(before, now)) == expected
    assert list(differences(before, before)) == []
