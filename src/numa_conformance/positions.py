"""On which line of a file a fault stands: looked up when the fault is told, so that what is right costs nothing."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import yaml

from .errors import Fault, UsageError
from .files import read_bounded

MAX_BYTES = 4 * 1024 * 1024
"""Of a larger file the field path alone is told."""
_DOCUMENT = re.compile(r"document ([0-9]{1,6})")
_ENTRY = re.compile(r"\[([0-9]{1,9})\]")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def with_position(fault: Fault) -> Fault:
    """Return a fault whose place names line and column behind the file, where its field can be found in there."""
    file, *path = fault.place.split(": ")
    try:
        position = _position(Path(file), path) if path and Path(file).is_file() else None
    except (UsageError, OSError, yaml.YAMLError, ValueError, RecursionError):
        return fault
    if position is None:
        return fault
    place = ": ".join((f"{file}:{position[0]}:{position[1]}", *path))
    return Fault(place, fault.message, fault.accepted, fault.suggestion)


def _position(file: Path, path: list[str]) -> tuple[int, int] | None:
    """Return line and column, from 1, of what a field path leads to; of what is missing, those of what lacks it."""
    numbered = _DOCUMENT.fullmatch(path[0])
    documents = yaml.compose_all(read_bounded(file, MAX_BYTES), Loader=_LOADER)
    wanted = int(numbered[1]) - 1 if numbered else 0
    node = next(islice(documents, wanted, None), None)
    mark = None
    for part in path[1:] if numbered else path:
        node, mark = _last(node, mark, part)
    return None if mark is None else (mark.line + 1, mark.column + 1)


def _last(node: yaml.Node | None, mark: yaml.Mark | None, path: str) -> tuple[yaml.Node | None, yaml.Mark | None]:
    """Return what a field path leads to, as far as it is there, and where it begins: a field where its name stands."""
    while path and node is not None:
        step, inner, begin = _step(node, path)
        if inner is None:
            break
        node, mark = inner, begin
        path = path[len(step) :].removeprefix(".")
    return node, mark


def _step(node: yaml.Node, path: str) -> tuple[str, yaml.Node | None, yaml.Mark | None]:
    if isinstance(node, yaml.SequenceNode) and (entry := _ENTRY.match(path)) and int(entry[1]) < len(node.value):
        inner = node.value[int(entry[1])]
        return entry[0], inner, inner.start_mark
    if isinstance(node, yaml.MappingNode):
        # The longest, as names of resources have dots of their own.
        keys = [pair for pair in node.value if re.match(rf"{re.escape(str(pair[0].value))}(?=[.\[]|$)", path)]
        if keys:
            key, value = max(keys, key=lambda pair: len(pair[0].value))
            return key.value, value, key.start_mark
    return "", None, None
