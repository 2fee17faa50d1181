import json
import os
import subprocess
import sys
from pathlib import Path

from asked_in_full import deep
from strength.__main__ import changed_lines
from strength.mutations import Mutation, drawn, statement_lines
from strength.table import BEGIN, END, table, write_table

TESTS = Path(__file__).parents[1]


@deep
def test_changes_are_drawn_alike_each_time_and_differ():
    changes = drawn("managers/device", 8)
    assert changes == drawn("managers/device", 8)
    assert len({(change.file, change.source()) for change in changes}) == 8


def test_a_call_is_swapped_or_left_out():
    changes = [Mutation("managers/topology/merge.py", "ReplaceCall", index, 0) for index in range(3)]
    assert all(len(changed_lines(change)) == 2 for change in changes)


def test_a_line_belongs_to_its_innermost_statement(tmp_path):
    file = tmp_path / "code.py"
    file.write_text("if (\n    a\n    and b\n):\n    c = [\n        1,\n    ]\n@d\nclass E:\n    pass\n")
    assert [list(statement_lines(file, line)) for line in (3, 6, 8)] == [[1, 2, 3, 4], [5, 6, 7], [8, 9]]


@deep
def test_the_changed_reference_is_asked(tmp_path):
    results = tmp_path / "results.jsonl"
    command = [sys.executable, "-m", "strength", "--room", "scheduler", "--each", "3", "--seed", "3"]
    subprocess.run(
        [*command, "--group", "scores", "--results", str(results)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        check=True,
        capture_output=True,
    )
    told = [json.loads(line) for line in results.read_text().splitlines()]
    asked = [result for result in told if result["status"] == "asked"]
    assert len(told) == 3
    assert any(result["exact"]["caught"] and result["documented"]["caught"] for result in asked)


def test_the_table_is_written_between_its_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    seen = {"changes": True, "caught": "x", "recommended": ""}
    missed = {"changes": True, "caught": "", "recommended": "y"}
    results = [
        {"room": "node", "status": "asked", "exact": seen, "documented": missed},
        {"room": "node", "status": "not reached"},
    ]
    write_table(page, table(results))
    assert page.read_text().startswith(f"before\n{BEGIN}\n| room")
    assert "| all | 2 | 1 | 1 | 1 | 100 % | 1 | 0 | 0 % | 1 |\n" in page.read_text()
    assert page.read_text().endswith(f"{END}\nafter\n")
