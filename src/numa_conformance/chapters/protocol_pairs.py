"""Nodes that do not come up, or tell one thing in two ways, and nodes that do not."""

from __future__ import annotations

from ..asking.generators.workloads import guaranteed, static
from ..asking.generators.worlds import held, node, resident
from ..judging.node_subjects import Arrival, State
from . import protocol as chapter

BUSY = node("t1-one-socket-smt2", static(), resident(guaranteed("p", 2), c=held("1,5")))

PAIRS = {
    chapter.comes_up: (Arrival(BUSY.settings, None, "no"), Arrival(BUSY.settings, BUSY)),
    chapter.state_agrees_with_answers: (State(BUSY, {"p": {"c": held("2,6")}}), State(BUSY, {"p": {"c": held("1,5")}})),
}
