"""Every recorded merge."""

import gzip
import json
from typing import Any

from numa_conformance.cpuset import CpuSet
from numa_conformance.kube.features import FeatureGates
from numa_conformance.kube.kubelet_config import KubeletConfiguration
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.topology import make_topology_policy
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion
from shared_data import SHARED, needs_shared


def _hint(recorded: dict[str, Any]) -> Hint:
    return Hint(None if recorded["nodes"] is None else CpuSet(recorded["nodes"]).bits, recorded["preferred"])


def _answer(vector: dict[str, Any]) -> dict[str, Any]:
    config = KubeletConfiguration(
        topology_manager_policy=vector["policy"], topology_manager_policy_options=vector["options"]
    )
    gates = FeatureGates.build("1.32", {})
    policy = make_topology_policy(
        config, vector["nodes"], vector["distances"], gates, Quirks.of(KubernetesVersion(1, 32)).topology
    )
    merged = policy.merge(
        [
            given and {name: hints and [_hint(one) for one in hints] for name, hints in given.items()}
            for given in vector["providers"]
        ]
    )
    mask = merged.hint.mask
    nodes = None if mask is None else list(CpuSet.from_bits(mask))
    return {"nodes": nodes, "preferred": merged.hint.preferred, "admit": merged.admit}


@needs_shared
def test_repeats_every_recorded_merge() -> None:
    assert SHARED is not None
    with gzip.open(SHARED / "recorded" / "merge.jsonl.gz", "rt", encoding="utf-8") as lines:
        vectors = [json.loads(line) for line in lines]
    different = [vector["id"] for vector in vectors if _answer(vector) != vector["expect"]]
    assert vectors
    assert not different, f"{len(different)} of {len(vectors)} differ: {different[:5]}"
