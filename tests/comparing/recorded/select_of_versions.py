"""Chooses the recorded decisions of other versions than 1.32 that are shipped.

numa-conformance record QUESTIONS --target-command ./kubelet-1.37 --times 4 --output recorded.jsonl.gz
python tests/comparing/recorded/select_of_versions.py recorded.jsonl.gz

Of each version first some questions of each kind, then those that the reference answers otherwise at the version
before or after, small ones before large ones; then others, until the compressed files of the version have so many
bytes together.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

from numa_conformance.comparing.recorded import KINDS, Vector, read_vectors, replay
from numa_conformance.comparing.recorded.differences import ANY_OF
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.versions import SUPPORTED, KubernetesVersion
from numa_conformance.wire import Client, InProcess

SHIPPED = Path(__file__).parents[3] / "conformance" / "exact" / "recorded"
BYTES = 100_000
STEP = 10


def main(files: list[Path]) -> None:
    by_version: dict[KubernetesVersion, list[Vector]] = defaultdict(list)
    for vector in read_vectors(files):
        by_version[vector.version].append(vector)
    for version, vectors in by_version.items():
        place = SUPPORTED.index(version)
        beside = [one for one in SUPPORTED[max(place - 1, 0) : place + 2] if one != version]
        write(version, chosen(vectors, version, beside))


def chosen(
    vectors: Iterable[Vector], version: KubernetesVersion, neighbours: Iterable[KubernetesVersion]
) -> list[Vector]:
    """Return as many as fit, those that tell versions apart first; none of which the start is told by chance."""
    certain = [vector for vector in vectors if ANY_OF not in json.dumps(vector.body.get("initial"))]
    certain.sort(key=lambda vector: len(json.dumps(vector.body)))
    otherwise = set().union(*(differing(certain, beside) for beside in neighbours)) - differing(certain, version)
    first = [one for kind in KINDS for one in [vector for vector in certain if vector.kind == kind][:STEP]]
    rest = [vector for vector in certain if vector not in first]
    picked: list[Vector] = []
    waiting = [
        *first,
        *in_turn(vector for vector in rest if vector.id in otherwise),
        *in_turn(vector for vector in rest if vector.id not in otherwise),
    ]
    while waiting and size([*picked, *waiting[:STEP]]) <= BYTES:
        picked, waiting = [*picked, *waiting[:STEP]], waiting[STEP:]
    return picked


def differing(vectors: Iterable[Vector], version: KubernetesVersion) -> set[str]:
    """Return the questions that the reference answers otherwise at a version than was recorded."""
    target = Client(InProcess(lambda: ReferenceTarget("exact", version), "the reference"))
    return {one.vector.id for one in replay(target, vectors) if one.status == "differed"}


def in_turn(vectors: Iterable[Vector]) -> Iterator[Vector]:
    """Yield one of each kind of question in turn."""
    kinds = defaultdict(list)
    for vector in vectors:
        kinds[vector.kind, vector.id.partition("-")[0]].append(vector)
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
    main([Path(name) for name in sys.argv[1:]])
