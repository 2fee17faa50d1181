"""No number of a target, or of a file, costs the suite more than a verdict or one error of the user's."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import inspect

import numa_conformance
from numa_conformance.asking.generators.workloads import guaranteed, static, static_memory
from numa_conformance.cli import main
from numa_conformance.doctor.pod_resources import PodResourcesReport
from numa_conformance.errors import UsageError
from numa_conformance.judging.questions import QUESTIONS
from numa_conformance.judging.verdicts import WELL_FORMED, judge, judge_from_file
from numa_conformance.machine import load_machine
from numa_conformance.machine.forms import CompactForm, MachineForm
from numa_conformance.wire.history.answers import READERS
from numa_conformance.wire.history.history import Head, History, Step, histories_text
from numa_conformance.wire.messages.node import MemoryNode

Json = dict[str, Any]
NO_NODES = (-1, 4096, 2**31, 3 * 10**9, 2**35, 10**12, 2**63, 10**30)
MACHINE = load_machine("two-nodes-devices")
PACKAGE = Path(numa_conformance.__file__).parent
BOUNDED = {("choice.py", "_sum_up"), ("choice.py", "_sums")}
"""Functions that shift by numbers of CPUs of one machine."""


def conversation(*steps: Step) -> History:
    return History(Head("test", "", 0, MACHINE, "1.36"), steps)


def books(node: int = 0, group: int = 0, free: int = 1) -> list[Json]:
    return [{"node": node, "assignments": 1, "group": [group], "free": {"memory": free}}]


def life(memory: list[Json]) -> History:
    """Return a life whose admission tells the books of memory."""
    pod = guaranteed("p", 2, "1Gi")
    held = {"c": {"cpus": "1-2", "memory": [{"type": "memory", "bytes": 2**30, "nodes": [0]}]}}
    admitted = {"result": "admitted", "default_cpuset": "0,3-15", "containers": held, "memory_state": memory}
    return conversation(
        Step("node.start", {"kubelet": static_memory()}, {"result": "started", "default_cpuset": "0-15"}),
        Step("node.admit", {"pod": pod}, admitted),
    )


Judge = Callable[[str], tuple[int, str]]


@pytest.fixture
def judge_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Judge:
    """Return what tells what ``judge`` makes of the text of a file: its status, and its words."""

    def run(text: str) -> tuple[int, str]:
        (tmp_path / "file.jsonl").write_text(text)
        with pytest.raises(SystemExit) as end:
            main(["judge", str(tmp_path / "file.jsonl")])
        return int(end.value.code or 0), "".join(capsys.readouterr())

    return run


@pytest.mark.parametrize("number", NO_NODES)
@pytest.mark.parametrize("place", ["node", "group"])
def test_a_number_that_is_no_node_is_a_malformed_answer(place: str, number: int, judge_file: Judge) -> None:
    history = life(books(**{place: number}))
    assert judge(history).unmet == {WELL_FORMED}
    code, output = judge_file(histories_text([history]))
    assert (code, WELL_FORMED in output) == (1, True), output


@pytest.mark.parametrize("amount", [2**64, -(2**63) - 1, 10**30])
def test_an_amount_that_no_computer_has_is_a_malformed_answer(amount: int) -> None:
    assert judge(life(books(free=amount))).unmet == {WELL_FORMED}


@pytest.mark.parametrize("amount", [-1, 2**64 - 1])
def test_what_a_kubelet_counts_below_nothing_is_judged(amount: int) -> None:
    assert WELL_FORMED not in judge(life(books(free=amount))).unmet


def test_a_number_that_the_machine_does_not_have_is_judged() -> None:
    assert WELL_FORMED not in judge(life(books(node=4095))).unmet


@pytest.mark.parametrize(("node", "malformed"), [(-1, False), (0, False), (-2, True), (10**12, True)])
def test_a_device_plugin_may_say_that_a_device_is_near_none(node: int, malformed: bool) -> None:
    device = {"id": "d", "health": "Healthy", "nodes": [node]}
    answer = {"result": "started", "resource": "example.com/d", "devices": [device], "prefers": False}
    assert (WELL_FORMED in judge(conversation(Step("plugin.start", {}, answer))).unmet) is malformed


LARGE: list[tuple[str, Json, Json]] = [
    (
        "node.start",
        {"kubelet": {**static_memory(), "reservedMemory": [{"numaNode": 10**12, "limits": {"memory": "1Gi"}}]}},
        {"result": "started", "default_cpuset": "0-15"},
    ),
    ("pick", {"available": "0-3", "count": 10**12, "options": {}}, {"result": "picked", "cpus": "0"}),
    (
        "merge",
        {"policy": "none", "options": {}, "nodes": [10**12], "distances": None, "providers": []},
        {"nodes": None, "preferred": True, "admit": True},
    ),
]


@pytest.mark.parametrize(("method", "params", "answer"), LARGE, ids=[method for method, *_ in LARGE])
def test_a_question_with_such_a_number_is_one_error(method: str, params: Json, answer: Json, judge_file: Judge) -> None:
    code, output = judge_file(histories_text([conversation(Step(method, params, answer))]))
    assert (code, output.count("error:")) == (2, 1), output


@pytest.mark.parametrize(
    "options", [(), ("full-pcpus-only", "distribute-cpus-across-numa"), ("distribute-cpus-across-numa",)]
)
def test_a_pod_of_any_size_is_judged(options: tuple[str, ...], judge_file: Judge) -> None:
    steps = (
        Step("node.start", {"kubelet": static(*options)}, {"result": "started", "default_cpuset": "0-15"}),
        Step(
            "node.admit",
            {"pod": guaranteed("p", 10**12)},
            {"result": "admitted", "default_cpuset": "0", "containers": {"c": {"cpus": "1-15"}}},
        ),
    )
    assert judge_file(histories_text([conversation(*steps)]))[0] == 1


@pytest.mark.parametrize(
    ("method", "version", "words"),
    [("node.starts", "1.36", "did you mean 'node.start'?"), ("node.start", "9.99", "accepted: 1.27 to ")],
)
def test_what_no_suite_asks_is_one_error(method: str, version: str, words: str) -> None:
    step = Step(method, {}, {"result": "failed", "stage": "cpumanager", "message": "no"})
    with pytest.raises(UsageError, match=re.escape(words)):
        judge_from_file(History(Head("test", "", 0, MACHINE, version), [step]))


def test_texts_of_too_many_digits_are_no_numbers(judge_file: Judge) -> None:
    config = {
        "topologyManagerPolicy": "restricted",
        "topologyManagerPolicyOptions": {"max-allowable-numa-nodes": "9" * 5000},
    }
    step = Step("node.start", {"kubelet": config}, {"result": "started", "default_cpuset": "0-15"})
    assert judge_file(histories_text([conversation(step)]))[0] == 0
    text = histories_text([conversation(step)]).replace('"seconds":0.0', '"seconds":1' + "0" * 400)
    assert judge_file(text)[0] == 0


def shifts(tree: ast.AST, where: str = "") -> Iterator[tuple[str, int]]:
    """Yield each shift to the left by what is no constant: the function it is in, and the line."""
    for node in ast.iter_child_nodes(tree):
        inside = node.name if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else where
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.LShift):
            by: Mapping[type, Any] = {ast.BinOp: "right", ast.AugAssign: "value"}
            if not isinstance(getattr(node, by[type(node)]), ast.Constant):
                yield inside, node.lineno
        yield from shifts(node, inside)


OF_A_MACHINE = {"cpuset.py", "kube", "machine", "reference/managers", "reference/node"}
"""Rooms whose numbers are those of a machine, which was checked as it was read; they count in a hot loop."""


def _is_of_a_machine(file: Path) -> bool:
    return any(file.as_posix() == room or file.as_posix().startswith(f"{room}/") for room in OF_A_MACHINE)


def test_numbers_become_bits_by_checked_functions_alone() -> None:
    """``cpuset.bit_of`` and ``bits_of`` refuse what is no id; ``1 << n`` takes the memory that n says."""
    files = [file for file in sorted(PACKAGE.rglob("*.py")) if not _is_of_a_machine(file.relative_to(PACKAGE))]
    assert {"judging", "wire", "lab", "doctor"} <= {file.relative_to(PACKAGE).parts[0] for file in files}
    assert [
        f"{file.relative_to(PACKAGE)}:{line}"
        for file in files
        for function, line in shifts(ast.parse(file.read_text(encoding="utf-8")))
        if (file.name, function) not in BOUNDED
    ] == []


def test_mypy_reads_what_it_must_refuse() -> None:
    """Whoever shifts by a stranger's number, or counts to it, is told by the type checker: ``cpuset.Unchecked``."""
    checkout = Path(__file__).parents[2]
    assert '"tests/numbers_of_strangers.py"]' in (checkout / "pyproject.toml").read_text(encoding="utf-8")
    wrong, right = (
        (checkout / "tests/numbers_of_strangers.py").read_text(encoding="utf-8").split("\ndef checked_numbers")
    )
    lines = [line for line in wrong.splitlines() if line.startswith("    yield")]
    assert len(lines) >= 11
    assert all("# type: ignore[" in line for line in lines)
    assert "ignore" not in right


def unbounded(kind: inspect.Type, path: str = "") -> Iterator[str]:
    """Yield where in a type a whole number has no bounds."""
    match kind:
        case inspect.IntType():
            if None in (kind.ge if kind.gt is None else kind.gt, kind.le if kind.lt is None else kind.lt):
                yield path
        case inspect.Metadata(inner):
            yield from unbounded(inner, path)
        case inspect.UnionType(kinds) | inspect.TupleType(kinds):
            for each in kinds:
                yield from unbounded(each, path)
        case inspect.CollectionType():
            yield from unbounded(kind.item_type, f"{path}[]")
        case inspect.DictType(key, value):
            yield from (*unbounded(key, f"{path}.KEY"), *unbounded(value, f"{path}.VALUE"))
        case inspect.StructType():
            for field in kind.fields:
                yield from unbounded(field.type, f"{path}.{field.encode_name}")
        case inspect.TypedDictType():
            for field in kind.fields:
                yield from unbounded(field.type, f"{path}.{field.encode_name}")


DECODED: dict[str, Any] = {
    **READERS,
    **QUESTIONS,
    "machine": MachineForm,
    "compact": CompactForm,
    "dump": PodResourcesReport,
}


@pytest.mark.parametrize("name", DECODED)
def test_every_number_that_is_decoded_has_bounds(name: str) -> None:
    assert list(unbounded(inspect.type_info(DECODED[name]))) == []


def test_a_number_without_bounds_is_found() -> None:
    found = {*unbounded(inspect.type_info(MemoryNode))}
    assert {".node", ".group[]", ".tables.VALUE.free", ".free.VALUE"} <= found
