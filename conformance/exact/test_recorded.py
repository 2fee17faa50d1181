"""A selection of recorded decisions of kubelet v1.32.10, each kind as one case."""

from __future__ import annotations

from pathlib import Path

import pytest

from numa_conformance.protocol import Client
from numa_conformance.suite.findings import Finding
from numa_conformance.suite.recorded import read_vectors, replay

pytestmark = pytest.mark.exact

FOLDER = Path(__file__).parent / "recorded"
KINDS = ["admission", "cpu-static", "lifecycle", "merge", "noderesourcesfit", "qos"]


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.requirement(f"exact/recorded/{kind}")) for kind in KINDS]
)
def test_recorded_decisions_come_out_the_same(target: Client, requirements: tuple[str, ...], kind: str) -> None:
    file = FOLDER / f"{kind}.jsonl.gz"
    outcomes = list(replay(target, read_vectors([file])))
    differing = [one for one in outcomes if one.status == "differed"]
    if differing:
        first = differing[0]
        asked = sum(one.status != "unsupported" for one in outcomes)
        shown = "\n".join(str(one) for one in first.differences[:5])
        why = f"{len(differing)} of {asked} recorded decisions come out otherwise; the first is {first.vector.id}:"
        again = f"see it again: numa-conformance replay {file} --id {first.vector.id}"
        raise Finding(requirements, f"{why}\n{shown}\n{again}")
    if not any(one.status == "matched" for one in outcomes):
        pytest.skip(f"not claimed: every recorded {kind} needs features that the target does not claim")
