import pytest

from numa_conformance.errors import StartError, UsageError
from numa_conformance.kube import FeatureGates, gate_faults, option_maturity
from numa_conformance.sources.versions import SUPPORTED, KubernetesVersion

MATRIX = """
option                            1.27 1.31 1.32 1.33 1.34 1.35 1.36 1.37
full-pcpus-only                   B    B    B    G    G    G    G    G
distribute-cpus-across-numa       A    A    A    B    B    B    B    B
align-by-socket                   A    A    A    A    A    A    A    A
distribute-cpus-across-cores      -    A    A    A    A    A    A    A
strict-cpu-reservation            -    -    A    B    B    G    G    G
prefer-align-cpus-by-uncorecache  -    -    A    A    B    B    G    G
prefer-closest-numa-nodes         A    B    G    G    G    G    G    G
max-allowable-numa-nodes          -    B    B    B    B    G    G    G
no-such-option                    -    -    -    -    -    -    -    -
"""
LETTERS = {"alpha": "A", "beta": "B", "ga": "G", None: "-"}


@pytest.mark.parametrize("row", MATRIX.strip().splitlines()[1:], ids=lambda row: str(row).split()[0])
def test_options_mature_as_the_table_says(row: str) -> None:
    option, *letters = row.split()
    versions = MATRIX.strip().splitlines()[0].split()[1:]
    assert [LETTERS[option_maturity(option, version)] for version in versions] == letters


@pytest.mark.parametrize(
    ("gate", "first_on"),
    [
        ("CPUManagerPolicyOptions", "1.27"),
        ("CPUManagerPolicyAlphaOptions", None),
        ("MemoryManager", "1.27"),
        ("TopologyManagerPolicyOptions", "1.28"),
        ("TopologyManagerPolicyBetaOptions", "1.28"),
        ("SidecarContainers", "1.29"),
        ("InPlacePodVerticalScaling", "1.33"),
        ("DisableCPUQuotaWithExclusiveCPUs", "1.33"),
        ("PodLevelResources", "1.34"),
        ("TopologyManager", "1.27"),
    ],
)
def test_gates_are_on_by_default_since_a_version(gate: str, first_on: str | None) -> None:
    on = [version for version in SUPPORTED if FeatureGates.build(version, {}).enabled(gate)]
    assert on == ([v for v in SUPPORTED if v >= KubernetesVersion.parse(first_on)] if first_on else [])


@pytest.mark.parametrize("version", ["1.32", "v1.32", "1.32.10", "v1.32.10"])
def test_a_version_may_be_written_in_full(version: str) -> None:
    assert FeatureGates.build(version, {"CPUManagerPolicyAlphaOptions": True}).enabled("CPUManagerPolicyAlphaOptions")


@pytest.mark.parametrize("version", ["1.26", "1.38", "2.0", "1", "", "latest", "1.32-rc"])
def test_an_unknown_version_is_refused_with_those_known(version: str) -> None:
    with pytest.raises(UsageError) as caught:
        FeatureGates.build(version, {})
    assert caught.value.faults[0].accepted == "1.27 to 1.37"


def test_a_locked_gate_may_be_set_to_what_it_is() -> None:
    assert FeatureGates.build("1.32", {"CPUManager": True}).enabled("CPUManager")
    with pytest.raises(StartError, match="cannot set feature gate CPUManager to false, feature is locked to true"):
        FeatureGates.build("1.32", {"CPUManager": False})


def test_a_gate_of_another_version_is_not_recognized() -> None:
    (fault,) = gate_faults("1.32", {"TopologyManager": True})
    assert (fault.place, fault.message) == (
        "featureGates.TopologyManager",
        "unrecognized feature gate: TopologyManager",
    )
    assert gate_faults("1.32", {"DisableCPUQuotaWithExclusiveCPUs": False})
    assert gate_faults("1.33", {"DisableCPUQuotaWithExclusiveCPUs": False}) == []


def test_a_slip_in_a_gates_name_gets_a_suggestion() -> None:
    (fault,) = gate_faults("1.32", {"CPUManagerPolicyAlphaOption": True})
    assert fault.message == "unrecognized feature gate: CPUManagerPolicyAlphaOption"
    assert fault.suggestion == "CPUManagerPolicyAlphaOptions"


def test_a_gate_of_no_version_is_not_recognized() -> None:
    assert gate_faults("1.37", {"CSIMigration": True})
    assert gate_faults("1.37", {"AllowServiceExternalIPs": False}) == []
    assert gate_faults("1.27", {"AllowServiceExternalIPs": False})


def test_gates_of_other_parts_of_kubernetes_are_left_alone() -> None:
    others = {"NodeSwap": True, "KubeletTracing": False, "TopologyAwareHints": True, "MemoryQoS": True}
    gates = FeatureGates.build("1.32", others)
    assert [gates.enabled(name) for name in others] == list(others.values())


def test_all_alpha_gates_can_be_switched_at_once() -> None:
    gates = FeatureGates.build("1.32", {"AllAlpha": True, "PodLevelResources": False})
    assert gates.enabled("CPUManagerPolicyAlphaOptions")
    assert not gates.enabled("PodLevelResources")


@pytest.mark.parametrize(
    ("version", "gates", "fault"),
    [
        (
            "1.36",
            {"PodLevelResources": False},
            "InPlacePodLevelResourcesVerticalScaling is enabled, but depends on features that are disabled: "
            "[PodLevelResources]",
        ),
        ("1.36", {"ResourceHealthStatus": False}, "ResourceHealthStatusMessage is enabled, but depends on features"),
        (
            "1.35",
            {"AllBeta": False, "InPlacePodLevelResourcesVerticalScaling": True},
            "depends on features that are disabled: [NodeDeclaredFeatures PodLevelResources]",
        ),
        ("1.35", {"PodLevelResources": False}, None),
        ("1.34", {"PodLevelResources": False}, None),
        ("1.36", {"AllBeta": False}, None),
    ],
)
def test_a_gate_that_is_on_needs_others_from_1_35_on(version: str, gates: dict[str, bool], fault: str | None) -> None:
    """Finding I of the review of version profiles."""
    if fault is None:
        assert not FeatureGates.build(version, gates).enabled("PodLevelResources")
        return
    with pytest.raises(StartError) as refused:
        FeatureGates.build(version, gates)
    assert fault in refused.value.message
