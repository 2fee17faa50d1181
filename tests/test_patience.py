"""No test waits for the clock: what guards against hanging is ``PATIENCE``, and orders are shown by events."""

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import chain, pairwise
from pathlib import Path

import pytest

from processes import PATIENCE

TESTS = Path(__file__).parent
LEAST = 300.0
"""Seconds that a busy machine may take for what else takes a moment."""
WHOLE = ""
NEVER = "it is waited for what nobody does: any limit shows the same"
LIMIT = "the limit is what is tested"
PROCESSOR = "the limit is what is tested, of the processor's time: many times what is used, and others' load is no part"
REASONS = {
    "cli/test_commands.py": {"test_smoke_tells_a_terminal_how_long_it_waits": LIMIT},
    "doctor/guest.py": {WHOLE: "a program in a guest: what sleeps there, and what waits for passes of a loop"},
    "doctor/kubelet_node.py": {"run": "a kubelet makes passes of its loop by the clock"},
    "doctor/test_pod_resources.py": {"test_an_answer_without_end_is_told_in_a_line": NEVER},
    "judging/test_odd_answers.py": {"judged": PROCESSOR},
    "lab/cluster/test_ends.py": {"test_nothing_remains_when_it_is_killed_at_any_moment": "any moment is right"},
    "lab/cluster/test_scheduler.py": {"test_a_second_scheduler_takes_the_pods_that_name_it": NEVER},
    "lab/device_plugin/test_plugins.py": {"test_a_plugin_that_is_wrong_in_one_way_is_found": NEVER},
    "lab/node_agent/test_device_plugins.py": {
        "test_a_plugin_that_does_not_serve_is_not_waited_for_long": NEVER,
        "test_a_plugin_that_never_answers_costs_its_pod_alone": NEVER,
    },
    "plugin/test_attacks.py": {"test_it_gets_the_verdict_that_it_has_earned": NEVER},
    "plugin/test_plugin.py": {"test_an_endless_loop_is_timed_out_and_the_run_goes_on": LIMIT},
    "plugin/test_signals.py": {"test_what_is_left_is_whole_and_claims_no_more_than_was_asked": "any moment is right"},
    "plugin/test_spending.py": {WHOLE: "a slow target, which the deep profile alone asks"},
    "reference/managers/cpu/test_distribution_search.py": {"test_sixteen_uneven_nodes_take_no_time": PROCESSOR},
    "reference/managers/topology/test_merging_axes.py": {
        "test_three_dense_providers_on_sixteen_numa_nodes_end_quickly": PROCESSOR
    },
    "suite/test_one_field.py": {"test_what_is_wrong_is_found_made_shorter_asked_again_and_told": PROCESSOR},
    "wire/fakes/closes_its_output.py": {WHOLE: "a target that hangs"},
    "wire/fakes/hangs.py": {WHOLE: "a target that hangs"},
    "wire/fakes/leaves_a_daemon.py": {WHOLE: "a daemon that stays"},
    "wire/test_stdio.py": {"test_a_target_that_hangs_costs_its_budget_and_no_more": LIMIT},
}
"""Why a file, or a function of it, pauses or has a shorter limit."""


def waits(tree: ast.AST) -> Iterator[int]:
    """Yield the lines in which a program pauses, compares a clock, or gives less than ``LEAST``.

    A program in a text counts, and a command: what hangs, hangs longer than any load lasts.
    """
    numbers, times, places = dict(_numbers(tree)), _times(tree), _PLACES | dict(_places(tree))
    for node in ast.walk(tree):
        pauses = bool({"sleep", "wait_for_timeout"} & _words(node))
        compares = isinstance(node, ast.Compare) and any(_words(part) & times for part in ast.walk(node))
        limits = (*_limits(node, places), *_in_texts(node), *_in_commands(node))
        if pauses or compares or any(_is_short(each, numbers) for each in limits):
            yield node.lineno


_CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "monotonic_ns", "perf_counter_ns"}
_PLACES = {"join": 0, "result": 0, "settimeout": 0, "wait": 0, "alarm": 0, "communicate": 1, "wait_for": 1}
_PLACES |= {"InChild": 1, "Stdio": 1, "select": 3}
"""Where a call has its limit, if it is not named."""
_WAITING = ("processes.py", "test_patience.py")
"""The one place where tests wait, and this one."""
_OPTION = "--(?:numa-)?timeout"
_IN_A_TEXT = re.compile(rf"sleep\W{{1,6}}(?:args=\()?([0-9][0-9.e]*)|{_OPTION}[= ]([0-9.]+)$")


def _words(node: ast.AST) -> set[str]:
    """Return the name that a node is; what is imported under another name counts too."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(name) | ast.alias(name, str()):
            return {name}
    return set()


def _name(node: ast.AST) -> str:
    """Return the name of what is called; nothing of what is no call."""
    return "".join(_words(node.func)) if isinstance(node, ast.Call) else ""


def _numbers(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the constants of a file and its classes: a limit may bear a name."""
    for scope in (node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef))):
        for node in scope.body:
            for target in node.targets if isinstance(node, ast.Assign) else ():
                yield from _pairs(target, node.value)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match target, value:
        case ast.Name(name), _:
            yield name, value
        case ast.Tuple(targets), ast.Tuple(values):
            for each in zip(targets, values, strict=True):
                yield from _pairs(*each)


def _times(tree: ast.AST) -> set[str]:
    """Return the clocks, and the names of what they showed: sums and differences of times are times."""
    times, assigned = set(_CLOCKS), [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    for _ in assigned:
        before = len(times)
        for node in assigned:
            terms = [node.value]
            while any(isinstance(term, ast.BinOp) for term in terms):
                split = [[term.left, term.right] if isinstance(term, ast.BinOp) else [term] for term in terms]
                terms = list(chain.from_iterable(split))
            if any((_words(term) | {_name(term)}) & times for term in terms):
                times |= {name for target in node.targets for name in _words(target)}
        if len(times) == before:
            break
    return times


def _places(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield where functions of a file have their limit."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        names = [each.arg for each in function.args.args if each.arg != "self"]
        yield from ((function.name, names.index(name)) for name in ("timeout", "seconds") if name in names)


def _limits(node: ast.AST, places: Mapping[str, int]) -> Iterator[ast.expr]:
    """Yield what a call, an assignment or a default gives as a limit; a clock that is handed in makes it none."""
    match node:
        case ast.Assign([ast.Attribute(attr="timeout" | "_timeout")], value):
            yield value
        case ast.FunctionDef(args=spec):
            names = zip(reversed((*spec.posonlyargs, *spec.args)), reversed(spec.defaults), strict=False)
            yield from (value for name, value in names if name.arg == "timeout")
        case ast.Call(args=[_, ast.Constant(name), value]) if _name(node) == "setattr":
            if str(name).endswith(("SECONDS", "PATIENCE", "TIMEOUT", "__defaults__")):
                yield from value.elts if isinstance(value, ast.Tuple) else [value]
        case ast.Call(keywords=keywords) if all(each.arg != "clock" for each in keywords):
            place = places.get(_name(node), len(node.args))
            named = (each.value for each in keywords if each.arg in ("timeout", "seconds"))
            yield from (*node.args[place : place + 1], *named)


def _in_texts(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the limits in a text: of programs and of options."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        for found in _IN_A_TEXT.finditer(node.value):
            yield ast.Constant(float(found[1] or found[2]))


def _in_commands(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the limits among words of a command: what follows a word that asks for one."""
    words = node.elts if isinstance(node, (ast.List, ast.Tuple)) else node.args if isinstance(node, ast.Call) else ()
    for word, limit in pairwise(words):
        if isinstance(word, ast.Constant) and re.fullmatch(f"sleep|timeout|{_OPTION}", str(word.value)):
            yield limit


def _is_short(value: ast.expr, numbers: Mapping[str, ast.expr]) -> bool:
    """Tell whether a limit is one that a busy machine meets; none at all is met by none."""
    if isinstance(value, ast.IfExp):
        return _is_short(value.body, numbers) or _is_short(value.orelse, numbers)
    value = numbers.get("".join(_words(value)), value)
    try:
        number = ast.literal_eval(value)
        number = float(number) if isinstance(number, str) else number
    except ValueError:
        return False
    return type(number) in (int, float) and 0 < number < LEAST


def places(file: Path) -> set[str]:
    """Return the functions of a file that wait."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    around = dict.fromkeys(waits(tree), WHOLE)
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        around |= {line: function.name for line in around if function.lineno <= line <= (function.end_lineno or 0)}
    return set(around.values())


def test_no_test_waits_for_the_clock():
    files = {file.relative_to(TESTS).as_posix(): file for file in TESTS.rglob("*.py")}
    waiting = {name: places(file) for name, file in files.items() if name not in _WAITING}
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
        "monkeypatch.setattr(Client.ask, '__defaults__', (1.0,))",
        "def start(name, timeout=20): pass",
        "assert time.process_time() - began < 20",
        "pause = time.sleep",
        "from time import sleep as pause",
        "page.wait_for_timeout(10)",
        "process.wait(30 if slow else PATIENCE)",
        "script = 'import time; time.sleep(60)'",
        "words = ['sh', '-c', 'exec sleep 60']",
        "words = ['sleep', '60']",
        "words = ['--numa-timeout', '5']",
        "words = '--numa-timeout=5'",
        "smallest(first, smaller, still, seconds=0.1)",
    ],
)
def test_what_is_found(text):
    assert list(waits(ast.parse(text))) == [1]


@pytest.mark.parametrize(
    "text",
    [
        "SHORT = 5\nprocess.wait(SHORT)",
        "WAYS, SHORT = 1, 2.0\nInChild(make, SHORT)",
        "began = time.monotonic()\nassert now - began < most",
        "took = time.monotonic() - began\nassert took < most",
        "def made(first, timeout=PATIENCE): pass\nmade(first, 0.3)",
    ],
)
def test_a_limit_is_found_by_its_name(text):
    assert list(waits(ast.parse(text))) == [2]


def test_what_guards_against_hanging_is_not_found():
    text = "run(words, timeout=PATIENCE)\nprocess.wait()\n', '.join(names)\nInChild(make, PATIENCE)\n"
    text += "words = ['sleep', '3600']\nsmallest(first, smaller, still, seconds=20, clock=count().__next__)\n"
    assert list(waits(ast.parse(text))) == []
    assert PATIENCE >= LEAST
