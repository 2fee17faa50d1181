"""Chooses the recorded decisions of other versions than 1.32 that are shipped.

python tests/suite/select_of_versions.py FOLDER_OF_1_32 FILES_OF_OTHER_VERSIONS...

Of each version first the questions that a neighbour answers otherwise or was not asked, small ones before large ones;
then others, until the compressed files of the version have so many bytes together.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from numa_conformance.documentation.versions import KubernetesVersion
from numa_conformance.suite.recorded import Vector, read_vectors

SHIPPED = Path(__file__).parents[2] / "conformance" / "exact" / "recorded"
BYTES = 100_000
STEP = 10
ANSWERS = ("initial", "expect", "construction_error", "stage", "reserved_cpus")


def main(base: Path, others: Sequence[Path]) -> None:
    by_version: dict[KubernetesVersion, dict[str, Vector]] = defaultdict(dict)
    for vector in read_vectors([base, *others]):
        by_version[vector.version][question(vector)] = vector
    versions = sorted(by_version)
    for index, version in enumerate(versions):
        if any(vector.told for vector in by_version[version].values()) and version != versions[0]:
            neighbours = [by_version[beside] for beside in versions[max(index - 1, 0) : index + 2] if beside != version]
            write(version, chosen(by_version[version].values(), neighbours))


def question(vector: Vector) -> str:
    return vector.id.partition("@")[0]


def answers(vector: Vector) -> Any:
    return [vector.body.get(name) for name in ANSWERS]


def chosen(vectors: Iterable[Vector], neighbours: Sequence[dict[str, Vector]]) -> list[Vector]:
    """Return as many as fit, those that tell versions apart first."""
    apart, alike = [], []
    for vector in sorted(vectors, key=lambda vector: len(json.dumps(vector.body))):
        beside = [known.get(question(vector)) for known in neighbours]
        same = all(one is not None and answers(one) == answers(vector) for one in beside)
        (alike if same else apart).append(vector)
    picked: list[Vector] = []
    waiting = [*in_turn(apart), *in_turn(alike)]
    while waiting and size([*picked, *waiting[:STEP]]) <= BYTES:
        picked, waiting = [*picked, *waiting[:STEP]], waiting[STEP:]
    return picked


def in_turn(vectors: Iterable[Vector]) -> Iterator[Vector]:
    """Yield one of each kind of question in turn."""
    kinds = defaultdict(list)
    for vector in vectors:
        kinds[vector.kind, question(vector).partition("-")[0]].append(vector)
    for row in zip_longest(*kinds.values()):
        yield from (vector for vector in row if vector is not None)


def compressed(vectors: Iterable[Vector]) -> dict[str, bytes]:
    files = defaultdict(list)
    for vector in sorted(vectors, key=lambda vector: vector.id):
        files[f"{vector.kind}.jsonl.gz"].append(json.dumps(vector.body, separators=(",", ":")))
    return {name: gzip.compress("\n".join([*lines, ""]).encode(), 9, mtime=0) for name, lines in files.items()}


def size(vectors: Iterable[Vector]) -> int:
    return sum(map(len, compressed(vectors).values()))


def write(version: KubernetesVersion, vectors: list[Vector]) -> None:
    folder = SHIPPED / str(version)
    folder.mkdir(exist_ok=True)
    for name, text in compressed(vectors).items():
        (folder / name).write_bytes(text)
    sys.stdout.write(f"{version}: {len(vectors)} decisions, {size(vectors)} bytes\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
