"""Every recorded decision of the static policy, to the CPU id."""

import gzip
import json
from typing import Any

from numa_conformance.cpuset import CpuSet, format_bits
from numa_conformance.errors import Refusal, StartError
from numa_conformance.kube.features import FeatureGates
from numa_conformance.kube.kubelet_config import KubeletConfiguration
from numa_conformance.kube.pod import Pod
from numa_conformance.machine.codec import machine_from_dict
from numa_conformance.machine.model import derive_view
from numa_conformance.reference.managers.cpu import CpuManager, CpuState, CpuTopology, make_cpu_manager
from numa_conformance.reference.managers.eligibility import exclusive_cpus, pod_exclusive_cpus
from numa_conformance.reference.managers.hint import NO_AFFINITY, Hint
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion
from shared_data import SHARED, needs_shared

pytestmark = needs_shared
EXACT = Quirks.of(KubernetesVersion(1, 32)).cpu


def _bits(text: str) -> int:
    return CpuSet.parse(text).bits


def _manager(vector: dict[str, Any]) -> CpuManager:
    view = derive_view(machine_from_dict({**vector["machine"], "uncoreSource": "reported"}))
    config = KubeletConfiguration.from_dict(vector["kubelet"])
    return make_cpu_manager(CpuTopology.of(view), config, FeatureGates.build("1.32", config.feature_gates), EXACT)


def _load(manager: CpuManager, state: dict[str, Any]) -> None:
    manager.state = CpuState(
        _bits(state["default"]),
        {uid: {name: _bits(cpus) for name, cpus in own.items()} for uid, own in state.get("assignments", {}).items()},
    )
    manager.reusable = {uid: _bits(cpus) for uid, cpus in state.get("reusable", {}).items()}


def _listed(answer: Any) -> dict[str, Any] | None:
    if answer is None:
        return None
    return {
        resource: [{"nodes": list(CpuSet.from_bits(hint.mask)), "preferred": hint.preferred} for hint in hints]
        for resource, hints in answer.items()
    }


def _affinity(recorded: dict[str, Any] | None) -> Hint:
    if recorded is None or recorded["nodes"] is None:
        return NO_AFFINITY if recorded is None else Hint(None, recorded["preferred"])
    return Hint(CpuSet(recorded["nodes"]).bits, recorded["preferred"])


def _answer(vector: dict[str, Any]) -> dict[str, Any]:
    try:
        manager = _manager(vector)
    except StartError as refused:
        return {"construction_error": refused.message.removeprefix("new static policy error: ")}
    _load(manager, vector["state"])
    pod = Pod.from_dict(vector["pod"])
    container = pod.container(vector["container"])
    expect: dict[str, Any] = {
        "guaranteed_cpus": exclusive_cpus(pod, container),
        "pod_guaranteed_cpus": pod_exclusive_cpus(pod),
        "hints": _listed(manager.hints(pod, container)),
        "pod_hints": _listed(manager.pod_hints(pod)),
    }
    try:
        manager.allocate(pod, container, _affinity(vector["affinity"]))
    except Refusal as refused:
        expect["allocate"] = {"error": {"reason": refused.reason, "message": refused.message}}
    else:
        own = manager.state.assignments.get(pod.uid, {}).get(container.name, 0)
        expect["allocate"] = {"cpus": format_bits(own), "default_cpuset": format_bits(manager.state.default)}
        if pod.uid in manager.reusable:
            expect["allocate"]["reusable"] = format_bits(manager.reusable[pod.uid])
    return {"reserved_cpus": format_bits(manager.reserved), "expect": expect}


def test_repeats_every_recorded_decision() -> None:
    assert SHARED is not None
    with gzip.open(SHARED / "recorded" / "cpu-static.jsonl.gz", "rt", encoding="utf-8") as lines:
        vectors = [json.loads(line) for line in lines]
    answers = {vector["id"]: (vector, _answer(vector)) for vector in vectors}
    different = {
        name: wrong
        for name, (vector, answer) in answers.items()
        if (wrong := {key: (got, vector.get(key)) for key, got in answer.items() if vector.get(key) != got})
    }
    assert len(vectors) > 0
    assert not different, f"{len(different)} of {len(vectors)} differ, first: {next(iter(different.items()))}"
