import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import KubeletConfiguration, ReservedMemory, with_flags
from numa_conformance.kube.kubelet_flags import FLAGS
from numa_conformance.kube.quantity import Quantity
from numa_conformance.sources.quirks.areas import NodeQuirks
from numa_conformance.sources.versions import DEFAULT


def read(text: str, **written: object) -> KubeletConfiguration:
    return with_flags(KubeletConfiguration.from_dict(written), text, NodeQuirks())


def faults(text: str) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read(text)
    return [str(fault) for fault in caught.value.faults]


def test_no_flag_changes_nothing() -> None:
    config = KubeletConfiguration.from_dict({"cpuManagerPolicy": "static"})
    assert with_flags(config, "", NodeQuirks()) is config


@pytest.mark.parametrize("text", ["--cpu-manager-policy=static", "--cpu-manager-policy static"])
def test_a_flag_overrides_the_configuration(text: str) -> None:
    config = read(text, cpuManagerPolicy="none", maxPods=7)
    assert (config.cpu_manager_policy, config.max_pods) == ("static", 7)


def test_a_flag_with_one_dash_is_none() -> None:
    with pytest.raises(UsageError, match="unknown shorthand flag: 'c' in -cpu-manager-policy=static"):
        read("-cpu-manager-policy=static")


def test_a_unit_sets_what_its_command_names_alone() -> None:
    unit = (
        '[Service]\nEnvironment="ARGS=--cpu-manager-policy=static"\nEnvironment="OTHER=--max-pods=7"\n'
        "ExecStart=/usr/bin/kubelet $ARGS \\\n  # --pods-per-core=3 \\\n  --reserved-cpus=0\n"
    )
    config = read(unit)
    assert (config.cpu_manager_policy, config.reserved_system_cpus) == ("static", "0")
    assert not config.to_dict().keys() & {"maxPods", "podsPerCore"}


def test_a_flag_replaces_the_whole_field() -> None:
    config = read("--kube-reserved cpu=1", kubeReserved={"memory": "1Gi"})
    assert config.kube_reserved == {"cpu": Quantity(1)}


def test_feature_gates_are_set_one_by_one() -> None:
    config = read("--feature-gates=A=true,B=0 --feature-gates C=F", featureGates={"A": False, "D": True})
    assert config.feature_gates == {"A": True, "B": False, "C": False, "D": True}


@pytest.mark.parametrize(
    "text",
    [
        "--reserved-memory 0:memory=1Gi,hugepages-2Mi=4Mi --reserved-memory=1:memory=2Gi",
        "--reserved-memory '0:memory=1Gi,hugepages-2Mi=4Mi;1:memory=2Gi'",
    ],
)
def test_reserved_memory_is_written_per_numa_node(text: str) -> None:
    gib = Quantity.parse("1Gi")
    first = ReservedMemory(0, {"memory": gib, "hugepages-2Mi": Quantity.parse("4Mi")})
    assert read(text).reserved_memory == (first, ReservedMemory(1, {"memory": Quantity.parse("2Gi")}))


def test_every_flag_reaches_its_field() -> None:
    values = {
        "eviction-hard": "memory.available<10%,nodefs.available<1Gi",
        "feature-gates": "CPUManagerPolicyAlphaOptions=true",
        "reserved-memory": "0:memory=1Gi",
        "cpu-manager-reconcile-period": "5s",
        "node-status-update-frequency": "20s",
        "cpu-cfs-quota": "false",
        "cpu-cfs-quota-period": "50ms",
        "max-pods": "99",
        "pods-per-core": "9",
    }
    pairs = dict.fromkeys((name for name, flag in FLAGS.items() if flag.written), "cpu=1")
    written = {name: {**pairs, **values}.get(name, "static") for name in FLAGS}
    said = with_flags(
        KubeletConfiguration(), " ".join(f"--{name}={value}" for name, value in written.items()), NodeQuirks()
    )
    assert {flag.field for flag in FLAGS.values()} <= said.to_dict().keys()
    assert said.eviction_hard == {"memory.available": "10%", "nodefs.available": "1Gi"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("--reserve-cpus=0", "did you mean '--reserved-cpus'"),
        ("$KUBELET_ARGS", "holds no flag of a kubelet"),
        ("cpu-manager-polcy=static", "did you mean '--cpu-manager-policy'"),
        ("--max-pods=many", "'many' is no such value (accepted: a number)"),
        ("--reserved-cpus", "has no value"),
        ("--reserved-memory memory=1Gi", "'memory=1Gi' is no such value (accepted: node:type=amount"),
        ("--feature-gates A=yes", "'A=yes' is no such value"),
        ("--kube-reserved cpu=many", "--flags: kubeReserved.cpu"),
        ("--reserved-cpus '0", "cannot be split into words"),
    ],
)
def test_a_bad_line_is_one_clear_error(text: str, said: str) -> None:
    assert said in "\n".join(faults(text))


def test_all_faults_are_told_at_once() -> None:
    assert len(faults("--reserve-cpus=0 --kube-reserved cpu --feature-gates A")) == 3


def test_options_are_a_list_to_the_page_and_one_pair_to_the_kubelet() -> None:
    text = "--cpu-manager-policy-options=full-pcpus-only=true,align-by-socket=true"
    assert read(text).cpu_manager_policy_options == {"full-pcpus-only": "true", "align-by-socket": "true"}
    kubelets = with_flags(KubeletConfiguration(), text, NodeQuirks.of(DEFAULT))
    assert kubelets.cpu_manager_policy_options == {"full-pcpus-only": "true,align-by-socket=true"}
