"""No test waits for the clock: what guards against hanging is ``PATIENCE``, and orders are shown by events."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import PATIENCE

TESTS = Path(__file__).parent
LEAST = 300.0
"""Seconds that a busy machine may take for what else takes a moment."""
WHOLE = ""
REASONS = {
    "doctor/guest.py": {WHOLE: "a program in a guest: what sleeps there, and what waits for passes of a loop"},
    "doctor/kubelet_node.py": {"run": "a kubelet makes passes of its loop by the clock"},
    "doctor/test_pod_resources.py": {"test_a_kubelet_that_is_slow_is_asked_for_a_while": "the limit is what is tested"},
    "lab/node_agent/test_device_plugins.py": {
        "test_a_plugin_that_does_not_come_back_takes_its_resource_with_it": "the limit is what is tested",
        "test_a_plugin_that_does_not_serve_is_not_waited_for_long": "nobody ever serves",
        "test_a_plugin_that_never_answers_costs_its_pod_alone": "it never answers",
    },
    "plugin/test_signals.py": {"test_what_is_left_is_whole_and_claims_no_more_than_was_asked": "any moment is right"},
    "wire/fakes/hangs.py": {WHOLE: "a target that hangs"},
    "wire/fakes/leaves_a_daemon.py": {WHOLE: "a daemon that stays"},
    "wire/test_stdio.py": {"test_a_target_that_hangs_costs_its_budget_and_no_more": "it never answers"},
    "lab/cluster/test_ends.py": {"test_nothing_remains_when_it_is_killed_at_any_moment": "any moment is right"},
    "lab/cluster/test_scheduler.py": {
        "test_a_second_scheduler_takes_the_pods_that_name_it": "it is waited for what nobody does"
    },
    "lab/kubelet/test_start.py": {WHOLE: "the limit is what is tested"},
}
"""Why a file, or a function of it, pauses or has a shorter limit."""


def waits(tree: ast.AST) -> Iterator[int]:
    """Yield the lines in which a program pauses, looks whether a time is over, or gives less than ``LEAST``."""
    for node in ast.walk(tree):
        pauses = _name(node) == "sleep"
        compares = isinstance(node, ast.Compare) and any(_name(part) in _CLOCKS for part in ast.walk(node))
        if pauses or compares or any(map(_is_short, _limits(node))):
            yield node.lineno


_CLOCKS = {"monotonic", "perf_counter"}
_PLACES = {"join": 0, "result": 0, "settimeout": 0, "wait": 0, "communicate": 1, "wait_for": 1}
_PLACES |= {"InChild": 1, "Stdio": 1}
"""Where a call has its limit, if it is not named."""


def _name(node: ast.AST) -> str:
    """Return the name of what is called; nothing of what is no call."""
    called = node.func if isinstance(node, ast.Call) else None
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _limits(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a call, an assignment or a default gives as a limit."""
    match node:
        case ast.Assign([ast.Attribute(attr="timeout" | "_timeout")], value):
            yield value
        case ast.FunctionDef(args=spec):
            names = zip(reversed((*spec.posonlyargs, *spec.args)), reversed(spec.defaults), strict=False)
            yield from (value for name, value in names if name.arg == "timeout")
        case ast.Call(args=[_, ast.Constant(name), value]) if _name(node) == "setattr":
            if str(name).endswith(("SECONDS", "PATIENCE", "TIMEOUT")):
                yield value
        case ast.Call():
            place = _PLACES.get(_name(node), len(node.args))
            yield from (*node.args[place : place + 1], *(each.value for each in node.keywords if each.arg == "timeout"))


def _is_short(value: ast.expr) -> bool:
    try:
        number = ast.literal_eval(value)
    except ValueError:
        return False
    return type(number) in (int, float) and number < LEAST


def places(file: Path) -> set[str]:
    """Return the functions of a file that wait."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    around = dict.fromkeys(waits(tree), WHOLE)
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        around |= {line: function.name for line in around if function.lineno <= line <= (function.end_lineno or 0)}
    return set(around.values())


def test_no_test_waits_for_the_clock():
    files = {file.relative_to(TESTS).as_posix(): file for file in TESTS.rglob("*.py")}
    waiting = {name: places(file) for name, file in files.items() if name != "processes.py"}
    unexplained, stale = [], []
    for name, functions in waiting.items():
        reasons = REASONS.get(name, {})
        unexplained += [(name, each) for each in functions - reasons.keys() if WHOLE not in reasons]
        stale += [(name, each) for each in reasons.keys() - functions if each != WHOLE or not functions]
    assert unexplained == [], "a limit that guards against hanging is PATIENCE; processes.wait_until waits"
    assert stale == []
    assert REASONS.keys() <= waiting.keys()


@pytest.mark.parametrize(
    "text",
    [
        "time.sleep(1)",
        "sleep(600)",
        "while time.monotonic() < end: pass",
        "assert perf_counter() - began < 600",
        "process.wait(30)",
        "process.communicate(farewell, timeout=30)",
        "run(words, timeout=5)",
        "thread.join(2.5)",
        "changed.wait_for(holds, 10)",
        "InChild(make, 10)",
        "Stdio(command, 20)",
        "target._timeout = 0.2",
        "monkeypatch.setattr(target, 'REGISTER_SECONDS', 5.0)",
        "def start(name, timeout=20): pass",
    ],
)
def test_what_is_found(text):
    assert list(waits(ast.parse(text))) == [1]


def test_what_guards_against_hanging_is_not_found():
    text = "run(words, timeout=PATIENCE)\nprocess.wait()\n', '.join(names)\nInChild(make, PATIENCE)\n"
    assert list(waits(ast.parse(text))) == []
    assert PATIENCE >= LEAST
