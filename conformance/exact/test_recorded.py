"""A selection of recorded decisions of the kubelet of the version asked for, each kind as one case."""

from __future__ import annotations

from pathlib import Path

import pytest

from numa_conformance.asking.findings.findings import Finding
from numa_conformance.comparing.recorded import FIRST_RECORDED, read_vectors, replay
from numa_conformance.plugin.run import Run
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire import Client

pytestmark = pytest.mark.exact

FOLDER = Path(__file__).parent / "recorded"
KINDS = ["admission", "cpu-static", "lifecycle", "merge", "noderesourcesfit", "qos"]


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.requirement(f"exact/recorded/{kind}")) for kind in KINDS]
)
def test_recorded_decisions_come_out_the_same(
    conformance: Run, target: Client, requirements: tuple[str, ...], kind: str
) -> None:
    file = _file(kind, conformance.profile.version)
    if not file.exists():
        pytest.skip(f"not claimed: no {kind} of Kubernetes {conformance.profile.version} is recorded")
    outcomes = list(replay(target, read_vectors([file])))
    differing = [outcome for outcome in outcomes if outcome.status == "differed"]
    if differing:
        first = differing[0]
        asked = sum(outcome.status != "unsupported" for outcome in outcomes)
        shown = "\n".join(str(difference) for difference in first.differences[:5])
        why = f"{len(differing)} of {asked} recorded decisions come out otherwise; the first is {first.vector.id}:"
        again = f"see it again: numa-conformance replay {file} --id {first.vector.id}"
        raise Finding(requirements, f"{why}\n{shown}\n{again}")
    if not any(outcome.status == "matched" for outcome in outcomes):
        pytest.skip(f"not claimed: every recorded {kind} needs features that the target does not claim")


def _file(kind: str, version: KubernetesVersion) -> Path:
    folder = FOLDER if version == FIRST_RECORDED else FOLDER / str(version)
    return folder / f"{kind}.jsonl.gz"
