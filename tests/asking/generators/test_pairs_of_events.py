"""Every ordered pair of events is drawn, or cannot come for a reason."""

from __future__ import annotations

import random
import runpy
from itertools import pairwise, product

import pytest

from numa_conformance.files import data_folder

from .pairs_of_events import ALONE, GROUPS, drawn_pairs, pairs_of, reasons


@pytest.mark.parametrize("group", GROUPS)
def test_every_pair_of_events_is_drawn_or_cannot_come(group: str) -> None:
    drawn = drawn_pairs(group)
    assert [pair for pair in pairs_of(group) if not drawn[pair] and not reasons(group, pair)] == []
    assert [pair for pair in drawn if reasons(group, pair)] == []
    assert {event for pair in drawn for event in pair[:2]} <= GROUPS[group].keys() | ALONE[group].keys()


def test_every_pair_of_events_of_a_host_is_drawn() -> None:
    """A host begins with pods that come; who does not claim to survive a restart is not restarted."""
    host = runpy.run_path(str(data_folder("conformance") / "host" / "test_reconcile.py"))
    for restarts in (True, False):
        lives = [["come and go", *host["life"](random.Random(seed), restarts=restarts)] for seed in range(16)]
        events = ("come and go", "pass", *(("restart",) if restarts else ()))
        assert {pair for life in lives for pair in pairwise(life)} == set(product(events, repeat=2))
