"""``reasons_of``: why a requirement may not be asked, read from the source of its judges for pages and lists."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from .chapter import applies, configured, exists, judges_of

BOOK = "numa_conformance.chapters."


def reasons_of(requirement: str) -> list[str]:
    """Return the texts of all conditions under which judges of a requirement apply, in their order, each once."""
    return list(dict.fromkeys(reason for judge in judges_of(requirement) for reason in _reasons(judge.function, {})))


def _reasons(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the reasons of a function and of the functions of chapters that it calls."""
    while isinstance(function, partial):
        arguments = {**_bound(function.func, function.args, function.keywords), **arguments}
        function = function.func
    names = {**function.__globals__, **_bound(function, (), {}), **arguments}
    for call in _calls(function):
        callee = names.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if callee in (applies, configured, exists):
            yield _value(call.args[1], names)
        elif inspect.isfunction(callee) and callee is not function and callee.__module__.startswith(BOOK):
            values: list[Any] = []
            for argument in call.args:
                values += (
                    _value(argument.value, names) if isinstance(argument, ast.Starred) else [_value(argument, names)]
                )
            keywords = {each.arg: _value(each.value, names) for each in call.keywords if each.arg}
            yield from _reasons(callee, _bound(callee, values, keywords))


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


def _bound(function: Callable[..., Any], values: Sequence[Any], named: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments of a call by name, with the defaults of others."""
    try:
        bound = inspect.signature(function).bind_partial(*values, **named)
    except (TypeError, ValueError):
        return {}
    bound.apply_defaults()
    return bound.arguments
