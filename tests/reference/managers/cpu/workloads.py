"""Pods and CPU Managers for tests, in a line each."""

from collections.abc import Mapping, Sequence
from typing import Any

from numa_conformance.asking.generators import workloads
from numa_conformance.cpuset import CpuSet, format_bits
from numa_conformance.kube.features import FeatureGates
from numa_conformance.kube.kubelet_config import KubeletConfiguration
from numa_conformance.kube.pod import Pod
from numa_conformance.reference.managers.cpu import CpuTopology, StaticPolicy, make_cpu_manager
from numa_conformance.reference.managers.hint import NO_AFFINITY, Hint
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.quirks.areas import CpuQuirks
from numa_conformance.sources.versions import KubernetesVersion

EXACT = Quirks.of(KubernetesVersion(1, 32)).cpu
DOCUMENTED: CpuQuirks = CpuQuirks()


def pod(uid: str, *cpus: object, init: Sequence[object] = (), sidecars: Sequence[object] = ()) -> Pod:
    """Build a Guaranteed pod: app containers c0, c1, ..., init containers i0, ..., then sidecars s0, ..."""

    def containers(letter: str, amounts: Sequence[object], *, sidecar: bool = False) -> list[dict[str, Any]]:
        return [
            workloads.container(f"{letter}{index}", cpu=str(amount), memory="64Mi", sidecar=sidecar)
            for index, amount in enumerate(amounts)
        ]

    first = containers("i", init) + containers("s", sidecars, sidecar=True)
    return Pod.from_dict(workloads.pod(uid, containers("c", cpus), first))


def static(
    topology: CpuTopology,
    *options: str,
    reserved: str = "",
    quirks: CpuQuirks = EXACT,
    version: str = "1.32",
    **config: Any,
) -> StaticPolicy:
    """Build the static policy with these options set to true; ``reserved`` names CPUs."""
    read = KubeletConfiguration.from_dict(
        {
            "cpuManagerPolicy": "static",
            **({"cpuManagerPolicyOptions": dict.fromkeys(options, "true")} if options else {}),
            **({"reservedSystemCPUs": reserved} if reserved else {}),
            "featureGates": {"CPUManagerPolicyAlphaOptions": True},
            **config,
        }
    )
    made = make_cpu_manager(topology, read, FeatureGates.build(version, read.feature_gates), quirks)
    assert isinstance(made, StaticPolicy)
    return made


def admit(manager: StaticPolicy, one: Pod, affinity: Hint = NO_AFFINITY) -> dict[str, str]:
    """Allocate for every container in order; return container to CPUs in list format."""
    for container in one.all_containers:
        manager.allocate(one, container, affinity)
    return written(manager.state.assignments.get(one.uid, {}))


def written(sets: Mapping[str, int]) -> dict[str, str]:
    return {name: format_bits(cpus) for name, cpus in sets.items()}


def bits(text: str) -> int:
    return CpuSet.parse(text).bits
