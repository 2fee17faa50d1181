"""A selection of recorded decisions of kubelet v1.32.10, each kind as one case."""

from __future__ import annotations

from pathlib import Path

import pytest

from numa_conformance.suite.findings import Finding
from numa_conformance.suite.recorded import read_vectors, replay
from numa_conformance.target import Client

pytestmark = pytest.mark.exact

FOLDER = Path(__file__).parent / "recorded"
KINDS = ["admission", "cpu-static", "lifecycle", "merge", "noderesourcesfit", "qos"]


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.requirement(f"exact/recorded/{kind}")) for kind in KINDS]
)
def test_recorded_decisions_come_out_the_same(target: Client, requirements: tuple[str, ...], kind: str) -> None:
    asked = 0
    for outcome in replay(target, read_vectors([FOLDER / f"{kind}.jsonl.gz"])):
        asked += outcome.status != "unsupported"
        if outcome.status == "differed":
            shown = "\n".join(str(one) for one in outcome.differences[:5])
            raise Finding(requirements, f"the recorded decision {outcome.vector.id} comes out otherwise:\n{shown}")
    if not asked:
        pytest.skip(f"not claimed: every recorded {kind} needs features that the target does not claim")
