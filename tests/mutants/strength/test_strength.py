import json
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from asked_in_full import deep
from mutants.strength.__main__ import World, changed_lines
from mutants.strength.asking import PROMISED, Asked, asked
from mutants.strength.left_open import leaves_open
from mutants.strength.mutations import PACKAGE, ROOMS, Mutation, at_import, drawn, places_of, statement_lines
from mutants.strength.table import BEGIN, END, table, write_table
from numa_conformance.judging.verdicts import judge
from numa_conformance.machine import load_machine
from numa_conformance.wire.history.history import Head, History, Step

TESTS = Path(__file__).parents[2]


def test_changes_are_drawn_alike_each_time_and_differ():
    places = places_of("managers/device")
    changes = drawn("managers/device", places, 8)
    assert changes == drawn("managers/device", places, 8)
    assert len({(change.file, change.source()) for change in changes}) == 8


def test_every_room_has_places():
    assert all(sorted((PACKAGE / "reference" / room).glob("**/*.py")) for room in ROOMS)


def test_a_call_is_swapped_or_left_out():
    changes = [Mutation("reference/managers/topology/merge.py", "ReplaceCall", index, 0) for index in range(3)]
    assert all(len(changed_lines(change)) == 2 for change in changes)


def test_a_line_belongs_to_its_innermost_statement(tmp_path):
    file = tmp_path / "code.py"
    file.write_text("if (\n    a\n    and b\n):\n    c = [\n        1,\n    ]\n@d\nclass E:\n    pass\n")
    assert [list(statement_lines(file, line)) for line in (3, 6, 8)] == [[1, 2, 3, 4], [5, 6, 7], [8, 9]]


def test_what_is_executed_at_import_is_told_from_what_is_when_asked(tmp_path):
    file = tmp_path / "code.py"
    file.write_text("A = 1\ndef f(b=2):\n    def g(c=3):\n        return c\n    return g\nclass D:\n    e = 4\n")
    assert [at_import(file, line) for line in range(1, 8)] == [True, True, False, False, False, True, True]


def test_the_unchanged_reference_is_caught_of_nothing_that_it_claims():
    worlds = islice(asked("worlds", "documented", "1.37", 0, lambda: 0), 8)
    unmet = set().union(*(judge(each.history).unmet for each in worlds))
    assert unmet
    assert unmet <= PROMISED


def test_a_change_is_asked_where_it_is_executed_at_import_everywhere_in_the_group():
    change = Mutation("reference/managers/topology/merge.py", "ReplaceCall", 0, 65)
    at_the_top = Mutation("reference/managers/topology/merge.py", "ReplaceCall", 0, 1)
    history = History(Head("test", "", 0, load_machine("one-cpu"), "1.32"), ())
    merges = [Asked("merges", number, None, history) for number in (0, 1)]
    elsewhere = Asked("scores", 2, None, history)
    reached = {"merges": {str(change.path): {65: 0b10, 1: 0}}, "scores": {}}
    world = World("1.32", [*merges, elsewhere], [], [], reached)
    assert [asked.number for asked in world.at(change).documented] == [1]
    assert [asked.number for asked in world.at(at_the_top).documented] == [0, 1]


@deep
def test_the_changed_reference_is_asked(tmp_path):
    results = tmp_path / "results.jsonl"
    command = [sys.executable, "-m", "mutants.strength", "--room", "scheduler", "--each", "3", "--seed", "3"]
    subprocess.run(
        [*command, "--group", "scores", "--results", str(results)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        check=True,
        capture_output=True,
    )
    told = [json.loads(line) for line in results.read_text().splitlines()]
    places, *asked = told
    assert 0 < places["reached"] < places["places"]
    assert len(asked) == 3
    assert any(result["exact"]["caught"] and result["documented"]["caught"] for result in asked)


def between(one, other, kubelet):
    """Compare two lives of a node whose first pod is aligned in two ways."""
    start = Step("node.start", {"kubelet": kubelet}, {"result": "started"})
    lives = [(start, Step("node.admit", {"pod": {}}, {"result": "admitted", **answer})) for answer in (one, other)]
    return leaves_open(*(History(Head("test", "", 0, load_machine("one-cpu"), "1.32"), life) for life in lives))


@pytest.mark.parametrize(
    ("other", "kubelet", "is_open"),
    [
        ({}, {}, True),
        ({"nodes": [0, 1, 2]}, {}, False),
        ({"preferred": True}, {}, False),
        ({"admit": False}, {}, False),
        ({"providers": [{}]}, {}, False),
        ({}, {"topologyManagerPolicyOptions": {"prefer-closest-numa-nodes": "true"}}, False),
    ],
    ids=["others are taken", "more are taken", "preferred", "refused", "of other hints", "by distance"],
)
def test_which_unpreferred_numa_nodes_are_taken_is_open(other, kubelet, is_open):
    def aligned(nodes=(1, 2), preferred=False, admit=True, providers=()):
        affinity = {"nodes": [*nodes], "preferred": preferred}
        return {"alignments": [{"affinity": affinity, "admit": admit, "providers": list(providers)}]}

    assert between(aligned([0, 1]), aligned(**other), kubelet) is is_open


def test_a_hint_that_is_not_preferred_is_decided():
    offered = [{"hints": {"cpu": [{"nodes": nodes, "preferred": False}]}} for nodes in ([0], [0, 1])]
    head = Head("test", "", 0, load_machine("one-cpu"), "1.32")
    assert not leaves_open(*(History(head, (Step("hints", {}, answer),)) for answer in offered))


def test_which_manager_refuses_a_start_is_open():
    head = Head("test", "", 0, load_machine("one-cpu"), "1.32")
    answers = (
        {"result": "failed", "stage": "kubelet"},
        {"result": "failed", "stage": "cpumanager"},
        {"result": "started"},
    )
    starts = [History(head, (Step("node.start", {"kubelet": {}}, answer),)) for answer in answers]
    assert leaves_open(*starts[:2])
    assert not leaves_open(*starts[1:])


def test_the_table_is_written_between_its_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    seen = {"changes": True, "caught": "x", "recommended": ""}
    missed = {"changes": True, "caught": "", "recommended": "y"}
    left_open = {"changes": False, "open": True, "caught": "", "recommended": ""}
    results = [
        {"room": "node", "status": "asked", "exact": seen, "documented": missed},
        {"room": "node", "status": "asked", "exact": seen, "documented": left_open},
        {"room": "node", "status": "places", "places": 8, "reached": 6},
    ]
    write_table(page, table(results))
    assert page.read_text().startswith(f"before\n{BEGIN}\n| room")
    assert "| all | 8 | 75 % | 2 | 2 | 2 | 100 % | 1 | 1 | 0 | 0 % | 1 |\n" in page.read_text()
    assert page.read_text().endswith(f"{END}\nafter\n")
