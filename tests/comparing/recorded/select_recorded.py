"""Chooses the decisions that are shipped: python tests/comparing/recorded/select_recorded.py RECORDED_FOLDER [BYTES]

First the decisions that together run every branch of the reference that all of them run, and show every combination
of options, policies, steps and outcomes; cheap ones before dear ones. Then more of each combination in turn, until the
compressed files have so many bytes.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage

from numa_conformance.comparing.recorded import Vector, read_vectors, replay
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess

SHIPPED = Path(__file__).parents[3] / "conformance" / "exact" / "recorded"
BYTES = 300_000
SHARES = {"admission": 0.4, "cpu-static": 0.25, "lifecycle": 0.16, "merge": 0.1, "noderesourcesfit": 0.06, "qos": 0.02}
"""What part of the bytes each kind may have."""


def main(folder: Path, limit: int) -> None:
    vectors = list(read_vectors([folder]))
    marks = seen_by(vectors)
    order = essential(vectors, marks)
    chosen = list(order)
    known = {vector.id for vector in order}
    for kind, share in SHARES.items():
        own = [vector for vector in order if vector.kind == kind]
        rest = filler([vector for vector in vectors if vector.kind == kind and vector.id not in known])
        while more := [vector for _, vector in zip(range(20), rest, strict=False)]:
            if size([*own, *more]) > share * limit:
                break
            own += more
        chosen += [vector for vector in own if vector.id not in known]
    for name, text in compressed(chosen).items():
        (SHIPPED / name).write_bytes(text)
    sys.stdout.write(f"{len(order)} essential, {len(chosen)} chosen, {size(chosen)} bytes\n")


def seen_by(vectors: list[Vector]) -> dict[str, frozenset[object]]:
    """Return what each decision shows: branches of the reference, and its combination of settings and outcomes."""
    measured = coverage.Coverage(branch=True, source=["numa_conformance"], data_file=None, config_file=False)
    target = Client(InProcess(ReferenceTarget, "the reference"))
    measured.start()
    for vector in vectors:
        measured.switch_context(vector.id)
        (outcome,) = replay(target, [vector])
        assert outcome.status == "matched", vector.id
    measured.stop()
    data, marks = measured.get_data(), defaultdict(set)
    for vector in vectors:
        data.set_query_context(vector.id)
        for file in data.measured_files():
            marks[vector.id].update((file, arc) for arc in data.arcs(file) or ())
        marks[vector.id] |= combination(vector)
    return {name: frozenset(found) for name, found in marks.items()}


def combination(vector: Vector) -> set[object]:
    """Return the settings and outcomes of a decision as marks."""
    body, kind = vector.body, vector.kind
    kubelet = body.get("kubelet") or {}
    options = tuple(sorted((*(kubelet.get("cpuManagerPolicyOptions") or {}), *(body.get("options") or {}))))
    keys = ("topologyManagerPolicy", "topologyManagerScope", "memoryManagerPolicy")
    policies = tuple(kubelet.get(key) for key in keys)
    found: set[object] = {(kind, options), (kind, policies), (kind, "policy", body.get("policy"), body.get("stage"))}
    found.add((kind, (body.get("strategy") or {}).get("type"), words(body.get("construction_error"))))
    for step, answer in zip(body.get("steps", ()), body.get("expect", ()), strict=False):
        found.add((kind, step["op"], answer.get("result"), answer.get("reason"), words(answer.get("message"))))
    return found


def words(text: str | None) -> str:
    """Return the beginning of a message without its numbers."""
    return " ".join(re.findall(r"[A-Za-z]+", text or "")[:4])


def essential(vectors: list[Vector], marks: dict[str, frozenset[object]]) -> list[Vector]:
    """Return decisions that together show every mark, in the order of what each adds for its size."""
    left = set().union(*marks.values())
    cost = {vector.id: len(json.dumps(vector.body)) + 500 for vector in vectors}
    chosen, remaining = [], list(vectors)
    while left:
        best = max(remaining, key=lambda vector: len(marks[vector.id] & left) / cost[vector.id])
        left -= marks[best.id]
        remaining = [vector for vector in remaining if vector is not best and marks[vector.id] & left]
        chosen.append(best)
    return chosen


def filler(vectors: list[Vector]) -> Iterator[Vector]:
    """Yield further decisions, one of each combination in turn."""
    groups = defaultdict(list)
    for vector in vectors:
        groups[tuple(sorted(map(str, combination(vector))))].append(vector)
    rows = [sorted(group, key=lambda vector: len(json.dumps(vector.body))) for _, group in sorted(groups.items())]
    for turn in range(max(map(len, rows))):
        for row in rows:
            yield from row[turn : turn + 1]


def compressed(vectors: list[Vector]) -> dict[str, bytes]:
    files = defaultdict(list)
    for vector in sorted(vectors, key=lambda vector: vector.id):
        files[f"{vector.kind}.jsonl.gz"].append(json.dumps(vector.body, separators=(",", ":")))
    return {name: gzip.compress("\n".join([*lines, ""]).encode(), 9, mtime=0) for name, lines in files.items()}


def size(vectors: list[Vector]) -> int:
    return sum(map(len, compressed(vectors).values()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else BYTES)
