"""``reasons_of``: why a requirement may not be asked, read from the source of its judges for pages and lists."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from .chapter import CHECKERS, applies

__all__ = ["reasons_of"]

_BOOK = __name__.replace(".judge.reasons", ".chapters.")


def reasons_of(requirement: str) -> list[str]:
    """Return the texts of all conditions under which judges of a requirement apply, in their order, each once."""
    judges = [check.function for check in CHECKERS if check.requirement == requirement]
    return list(dict.fromkeys(reason for judge in judges for reason in _reasons(judge, {})))


def _reasons(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the reasons of a function and of the functions of chapters that it calls."""
    while isinstance(function, partial):
        function = function.func
    names = {**function.__globals__, **arguments}
    for call in _calls(function):
        callee = names.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if callee is applies:
            yield _value(call.args[1], names)
        elif inspect.isfunction(callee) and callee is not function and callee.__module__.startswith(_BOOK):
            yield from _reasons(callee, _bound(callee, call, names))


@cache
def _calls(function: Callable[..., Any]) -> tuple[ast.Call, ...]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except OSError:  # made at run time, as the methods of data classes are
        return ()
    calls = (node for statement in getattr(tree, "body", ()) for node in ast.walk(statement))
    return tuple(sorted((node for node in calls if isinstance(node, ast.Call)), key=lambda node: node.lineno))


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """Return what an expression of constants and known names is; its source where more is needed."""
    try:
        return eval(compile(ast.Expression(node), "<reason>", "eval"), dict(names))
    except Exception:
        return ast.unparse(node)


def _bound(callee: Callable[..., Any], call: ast.Call, names: Mapping[str, Any]) -> Mapping[str, Any]:
    values = [_value(argument, names) for argument in call.args if not isinstance(argument, ast.Starred)]
    try:
        return inspect.signature(callee).bind_partial(*values).arguments
    except TypeError:
        return {}
