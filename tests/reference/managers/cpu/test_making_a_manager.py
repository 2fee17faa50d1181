import pytest

from numa_conformance.cpuset import format_bits
from numa_conformance.errors import StartError
from numa_conformance.kube.features import FeatureGates
from numa_conformance.kube.kubelet_config import KubeletConfiguration
from numa_conformance.reference.managers.cpu import CpuManager, CpuTopology, make_cpu_manager
from numa_conformance.reference.managers.hint import NO_AFFINITY
from reference.managers.cpu.golden_machines import golden, view_of
from reference.managers.cpu.workloads import EXACT, bits, pod, static


def make(topology: CpuTopology, **fields: object) -> CpuManager:
    config = KubeletConfiguration.from_dict(fields)
    return make_cpu_manager(topology, config, FeatureGates.build("1.32", config.feature_gates), EXACT)


def test_policy_none_has_no_opinion_and_an_empty_pool() -> None:
    manager = make(golden("T1"))
    one = pod("a", 2)
    assert manager.policy == "none"
    assert manager.hints(one, one.container("c0")) is None
    assert manager.pod_hints(one) is None
    manager.allocate(one, one.container("c0"), NO_AFFINITY)
    assert manager.cpus_of("a", "c0") == manager.state.default == manager.reserved == 0


@pytest.mark.parametrize("name", ["None", "Static", "dynamic"])
def test_refuses_an_unknown_policy(name: str) -> None:
    with pytest.raises(StartError) as refused:
        make(golden("T1"), cpuManagerPolicy=name)
    assert (refused.value.stage, refused.value.message) == ("cpumanager", f'unknown policy: "{name}"')


def test_policy_none_takes_no_options() -> None:
    with pytest.raises(StartError) as refused:
        make(golden("T1"), cpuManagerPolicyOptions={"full-pcpus-only": "true"})
    assert refused.value.message == (
        "new none policy error: None policy: received unsupported options=map[full-pcpus-only:true]"
    )


def test_a_machine_without_cpus_cannot_start() -> None:
    with pytest.raises(StartError, match="could not detect number of cpus"):
        make(CpuTopology(view_of([])))


@pytest.mark.parametrize(
    ("machine", "options", "amount", "reserved"),
    [
        ("T1", (), "1", "0"),
        ("T1", (), "1m", "0"),
        ("T1", (), "2", "0,4"),
        ("T1", (), "1500m", "0,4"),
        ("T1", (), "3", "0-1,4"),
        ("T1", ("distribute-cpus-across-cores",), "3", "0-2"),
        ("T2", (), "1", "0"),
        ("T3", (), "2", "0,16"),
    ],
)
def test_reserves_what_the_kubelet_reserves(machine: str, options: tuple[str, ...], amount: str, reserved: str) -> None:
    manager = static(golden(machine), *options, kubeReserved={"cpu": amount})
    assert format_bits(manager.reserved) == reserved


def test_an_explicit_set_overrides_the_amounts() -> None:
    manager = static(golden("T1"), reserved="3,5", kubeReserved={"cpu": "4"}, systemReserved={"cpu": "1"})
    assert format_bits(manager.reserved) == "3,5"


def test_amounts_add_up() -> None:
    manager = static(golden("T1"), kubeReserved={"cpu": "700m"}, systemReserved={"cpu": "400m"})
    assert format_bits(manager.reserved) == "0,4"


def test_a_reservation_larger_than_the_machine_is_refused() -> None:
    with pytest.raises(StartError) as refused:
        static(golden("T1"), kubeReserved={"cpu": "9"})
    assert refused.value.message == (
        "new static policy error: [cpumanager] unable to reserve the required amount of CPUs (size of  did not equal 9)"
    )


def test_reserved_cpus_are_in_the_shared_pool_unless_strict() -> None:
    assert static(golden("T1"), reserved="0").state.default == bits("0-7")
    assert static(golden("T1"), "strict-cpu-reservation", reserved="0").state.default == bits("1-7")
