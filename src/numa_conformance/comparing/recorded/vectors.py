"""Reading and selecting recorded decisions: JSON lines, gzip-compressed or plain, or one JSON document."""

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from gzip import GzipFile
from io import BufferedReader
from pathlib import Path
from typing import Any

from ...errors import Fault, UsageError, faults_within
from ...files import open_unpacked
from ...sources.versions import KubernetesVersion

FIRST_RECORDED = KubernetesVersion(1, 32)
"""The version of decisions that do not tell one: the first were recorded of it."""

MAX_LINE = 16 * 1024 * 1024
"""Longest line accepted, in bytes after decompression."""
MAX_FILE = 1024 * 1024 * 1024
"""Largest file accepted, in bytes after decompression."""
SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".json.gz")


@dataclass(frozen=True, slots=True)
class Vector:
    """One recorded decision. ``place`` is ``file:line``; ``body`` is the JSON object as it was read.

    ``stated``: the Kubernetes version that decided so, as ``kubernetesVersion`` tells it; None where it does not.
    """

    id: str
    kind: str
    body: dict[str, Any]
    place: str
    stated: KubernetesVersion | None = None

    @property
    def version(self) -> KubernetesVersion:
        """The version whose profile is asked."""
        return self.stated or FIRST_RECORDED


def read_vectors(paths: Iterable[Path]) -> Iterator[Vector]:
    """Yield the decisions of files and folders, in order of name; raises ``UsageError`` with file and line."""
    for path in paths:
        for file in _files(path):
            try:
                with open_unpacked(file) as stream:
                    yield from _read_lines(file, stream)
            except (OSError, EOFError, zlib.error) as error:
                raise UsageError(Fault(str(file), f"cannot be read: {error}", "JSON lines, plain or gzip")) from error


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and file.name.endswith(SUFFIXES))
        if not files:
            raise UsageError(Fault(str(path), "no recorded decisions in this folder", ", ".join(SUFFIXES)))
        return files
    if not path.exists():
        raise UsageError(Fault(str(path), "no such file or folder"))
    return [path]


def _read_lines(file: Path, stream: BufferedReader | GzipFile) -> Iterator[Vector]:
    first = stream.readline(MAX_LINE + 1)
    number, size = 1, 0
    if first.strip() in (b"{", b"["):
        text = first + stream.read(MAX_LINE + 1 - len(first))
        if len(text) > MAX_LINE:
            raise UsageError(Fault(str(file), f"the document is longer than {MAX_LINE} bytes"))
        parsed = _parse(text, str(file))
        for index, body in enumerate(parsed if isinstance(parsed, list) else [parsed]):
            yield _vector(body, f"{file}[{index}]" if isinstance(parsed, list) else str(file))
        return
    line = first
    while line:
        place = f"{file}:{number}"
        if len(line) > MAX_LINE:
            raise UsageError(Fault(place, f"the line is longer than {MAX_LINE} bytes"))
        size += len(line)
        if size > MAX_FILE:
            raise UsageError(Fault(place, f"the file is longer than {MAX_FILE} bytes"))
        if line.strip():
            yield _vector(_parse(line, place), place)
        number += 1
        line = stream.readline(MAX_LINE + 1)


def _parse(text: bytes, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(Fault(place, f"not JSON: {error}", "one JSON object a line")) from error


def _vector(body: Any, place: str) -> Vector:
    if not isinstance(body, dict):
        raise UsageError(Fault(place, "not a recorded decision", "a JSON object with id and kind"))
    kind = body.get("kind")
    if not isinstance(kind, str):
        raise UsageError(Fault(f"{place}: kind", "missing", "a text such as admission"))
    return Vector(str(body.get("id", place)), kind, body, place, _version(body.get("kubernetesVersion"), place))


def _version(written: object, place: str) -> KubernetesVersion | None:
    if written is None:
        return None
    with faults_within(f"{place}: kubernetesVersion"):
        return KubernetesVersion.parse(str(written))


MAX_DECISIONS = 500_000
"""Decisions that are read in one run at most."""

Chooser = Callable[[Iterable[str], Iterable[str], str], list[str]]
"""Returns which names are wanted; raises ``UsageError`` for one that is not there, with what the names are of."""


@dataclass(frozen=True, slots=True)
class SelectedDecisions:
    """Decisions of some files; ``kinds`` and ``ids`` are None where all are meant."""

    files: tuple[Path, ...]
    kinds: Collection[str] | None
    ids: Collection[str] | None
    count: int

    def __iter__(self) -> Iterator[Vector]:
        for vector in read_vectors(self.files):
            if (self.kinds is None or vector.kind in self.kinds) and (self.ids is None or vector.id in self.ids):
                yield vector


def select(
    files: tuple[Path, ...],
    kinds: Collection[str],
    ids: Collection[str],
    choose: Chooser,
    check: Callable[[Vector], None] = lambda vector: None,
) -> SelectedDecisions:
    """Read and check the files before anything is asked; raises ``UsageError`` for wrong, too many or no decisions."""
    known_kinds: dict[str, None] = {}
    known_ids: dict[str, None] = {}
    count = 0
    for count, vector in enumerate(read_vectors(files), 1):
        if count > MAX_DECISIONS:
            raise UsageError(Fault(vector.place, f"these are more than {MAX_DECISIONS} decisions"))
        if not (kinds or ids):
            check(vector)
        if kinds:
            known_kinds[vector.kind] = None
        if ids:
            known_ids[vector.id] = None
    of_kinds = set(choose(kinds, known_kinds, "kind")) if kinds else None
    with_ids = set(choose(ids, known_ids, "recorded decision")) if ids else None
    selected = SelectedDecisions(files, of_kinds, with_ids, count)
    if kinds or ids:
        count = 0
        for vector in selected:
            check(vector)
            count += 1
    if not count:
        raise UsageError(Fault("", f"{', '.join(map(str, files))}: there is no recorded decision"))
    return replace(selected, count=count)
