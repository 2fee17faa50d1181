"""Every ordered pair of events is drawn, or cannot come for a reason."""

from __future__ import annotations

import pytest

from .pairs_of_events import ALONE, GROUPS, drawn_pairs, pairs_of, reasons


@pytest.mark.parametrize("group", GROUPS)
def test_every_pair_of_events_is_drawn_or_cannot_come(group: str) -> None:
    drawn = drawn_pairs(group)
    assert [pair for pair in pairs_of(group) if not drawn[pair] and not reasons(group, pair)] == []
    assert [pair for pair in drawn if reasons(group, pair)] == []
    assert {event for pair in drawn for event in pair[:2]} <= GROUPS[group].keys() | ALONE[group].keys()
