"""Random changes of operators, constants and calls in the code of the reference, drawn with Cosmic Ray's operators."""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Example, Operator
from cosmic_ray.operators.provider import OperatorProvider
from parso.python.tree import Keyword

import numa_conformance

ROOMS = ("managers/cpu", "managers/memory", "managers/device", "managers/topology", "managers", "node", "scheduler")
"""Folders of the reference; ``managers`` is what lies in it directly."""
PACKAGE = Path(numa_conformance.__file__).parent
SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "reversed": "list"}
NOT_DRAWN = {"RemoveDecorator", "ExceptionReplacer", "VariableReplacer", "VariableInserter"}
"""Neither operators, constants nor calls."""


class ReplaceCall(Operator):
    """Swaps the function that is called, or leaves out a call that is a statement."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Yield where a call can be changed."""
        if _is_call(node) and (node.children[0].value in SWAPPED or node.parent.type == "simple_stmt"):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """Change the call."""
        name = node.children[0]
        if name.value in SWAPPED:
            name.value = SWAPPED[name.value]
            return node
        return Keyword("None", node.start_pos, node.get_first_leaf().prefix)

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """Return what it does."""
        return Example("x = min(y)", "x = max(y)"), Example("f(x)\n", "None\n")


def _is_call(node: Any) -> bool:
    if node.type not in ("atom_expr", "power") or node.children[0].type != "name":
        return False
    last = node.children[-1]
    return bool(last.type == "trailer" and last.children[0].value == "(")


OPERATORS: dict[str, Any] = {
    **{name: OperatorProvider()[name] for name in OperatorProvider() if name not in NOT_DRAWN},
    "ReplaceCall": ReplaceCall,
}


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change: which operator is applied where in which file."""

    file: str
    operator: str
    occurrence: int
    line: int

    @property
    def module(self) -> str:
        """The module that is changed."""
        parts = Path(self.file).with_suffix("").parts
        return ".".join(["numa_conformance", *parts[: -1 if parts[-1] == "__init__" else None]])

    @property
    def path(self) -> Path:
        """The file that is changed."""
        return PACKAGE / self.file

    def source(self) -> str:
        """Return the text of the changed module."""
        changed: str = mutate_code(self.path.read_text(encoding="utf-8"), OPERATORS[self.operator](), self.occurrence)
        return changed


def places_of(room: str) -> list[list[Mutation]]:
    """Return the changes that can be made in a room, those of one place together."""
    files = sorted((PACKAGE / "reference" / room).glob("*.py" if room == "managers" else "**/*.py"))
    return [place for file in files for place in _places(file)]


def drawn(room: str, places: Sequence[list[Mutation]], count: int, seed: int = 0) -> list[Mutation]:
    """Draw changes of a room, each at a place of its own; what only changes annotations is left out."""
    rng = random.Random(f"{room}/{seed}")
    places = rng.sample(places, len(places))
    chosen: list[Mutation] = []
    for place in places:
        if len(chosen) == count:
            break
        mutation = rng.choice(place)
        if _changes_code(mutation):
            chosen.append(mutation)
    return chosen


def _places(file: Path) -> list[list[Mutation]]:
    """Return the changes of a file, those of one place together."""
    nodes = list(ast_nodes(get_ast(file.read_text(encoding="utf-8"))))
    places: dict[tuple[int, int], list[Mutation]] = defaultdict(list)
    for name, operator in OPERATORS.items():
        made = operator()
        positions = [start for node in nodes for start, _ in made.mutation_positions(node)]
        for occurrence, start in enumerate(positions):
            mutation = Mutation(file.relative_to(PACKAGE).as_posix(), name, occurrence, start[0])
            places[start].append(mutation)
    return [places[start] for start in sorted(places)]


def _changes_code(mutation: Mutation) -> bool:
    try:
        return _code(mutation.source()) != _code(mutation.path.read_text(encoding="utf-8"))
    except SyntaxError:
        return False


def _code(source: str) -> str:
    """Return what decides: the tree without annotations, and without how classes are made."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.ClassDef):
            node.decorator_list = []
    return ast.dump(tree)


def statement_lines(path: Path, line: int) -> range:
    """Return the lines of the innermost statement around a line; of a block, those of its head."""
    inner = max(_around(path, line), key=lambda node: _lines(node).start)
    body = getattr(inner, "body", None)
    return range(_lines(inner).start, body[0].lineno) if body and line < body[0].lineno else _lines(inner)


def at_import(path: Path, line: int) -> bool:
    """Tell whether the statement around a line is executed when the module is imported, and not when it is asked."""
    lines = statement_lines(path, line)
    functions = (node for node in _around(path, line) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return all(_lines(function).start == lines.start for function in functions)


def _around(path: Path, line: int) -> list[ast.stmt]:
    return [node for node in _statements(path) if line in _lines(node)]


@cache
def _statements(path: Path) -> tuple[ast.stmt, ...]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def _lines(node: ast.stmt) -> range:
    """Return the lines of a statement, decorators among them."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return range(first, (node.end_lineno or first) + 1)
