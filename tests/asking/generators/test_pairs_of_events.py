"""Every ordered pair of events is drawn, or cannot come for a reason."""

from __future__ import annotations

import os
import random
import runpy
import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path

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


_HOST = """
import random, runpy, sys
from pathlib import Path
from numa_conformance.asking.examples.node_run import NodeRun
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess
host, root = runpy.run_path(sys.argv[1]), Path(sys.argv[2])
target = Client(InProcess(lambda: ReferenceTarget("documented"), "the reference"))
world = host["World"](NodeRun(target, ""), target, load_machine("sparse-ids"), root, (2, "cgroupfs"), random.Random(1))
for _ in range(6):
    world.come_and_go()
    print(list(world.assigned), world.missing())
"""
"""Pods of a host come and go a few times, and are printed."""


def test_a_host_draws_the_same_whatever_the_seed_of_hashes_is(tmp_path: Path) -> None:
    file = str(data_folder("conformance") / "host" / "test_reconcile.py")
    first, second = (
        subprocess.run(
            [sys.executable, "-c", _HOST, file, str(tmp_path / seed)],
            check=True,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second != b""
