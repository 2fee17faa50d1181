from pathlib import Path

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import read_kubelet_configuration, read_scheduler_configuration
from numa_conformance.kube.configuration_files import HEAD

KUBELET = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncpuManagerPolicy: static\n"
KUBEADM = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nnetworking: {podSubnet: 10.0.0.0/16}\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kubelet.yaml"


@pytest.mark.parametrize(
    "text",
    [
        KUBELET,
        "cpuManagerPolicy: static\n",
        f"{KUBEADM}---\n{KUBELET}",
        f"{KUBELET}---\n{KUBEADM}",
        '{"kubeletconfig": {"enableServer": true, "syncFrequency": "1m0s", "cpuManagerPolicy": "static"}}',
    ],
    ids=["alone", "without kind", "of kubeadm", "before kubeadm's", "of configz"],
)
def test_a_kubelet_configuration_is_found_where_users_have_it(file: Path, text: str) -> None:
    file.write_text(text)
    assert read_kubelet_configuration(file).cpu_manager_policy == "static"


def test_a_field_that_no_kubelet_knows_is_passed_over(file: Path) -> None:
    file.write_text('{"kubeletconfig": {"cpuManagerPolicie": "static", "maxPods": 5}}')
    config = read_kubelet_configuration(file)
    assert (config.max_pods, config.cpu_manager_policy, config.to_dict()) == (5, "none", {**HEAD, "maxPods": 5})
    assert config.passed_over_notices == {
        "cpuManagerPolicie": "the kubelet passes over cpuManagerPolicie; did you mean 'cpuManagerPolicy'?"
    }


@pytest.mark.parametrize(
    "text",
    [
        "kind: KubeletConfiguration\ncpuManagerPolicy: none\ncpuManagerPolicy: static\n",
        '{"kind": "KubeletConfiguration",\n"cpuManagerPolicy": "none",\n"cpuManagerPolicy": "static"}',
    ],
)
def test_of_a_field_that_is_written_twice_the_last_counts(file: Path, text: str) -> None:
    file.write_text(text)
    config = read_kubelet_configuration(file)
    assert config.cpu_manager_policy == "static"
    assert config.notes == (f"{file}:3: cpuManagerPolicy is given twice: the last one counts",)


def test_without_a_file_there_are_the_defaults() -> None:
    assert read_kubelet_configuration(None).cpu_manager_policy == "none"


def test_reads_a_scheduler_configuration(file: Path) -> None:
    file.write_text("kind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: mine}]\n---\nkind: Other\n")
    assert read_scheduler_configuration(file).profile("mine")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{KUBELET}---\n{KUBELET}", "document 2: kind: is another KubeletConfiguration (accepted: one in a file)"),
        (
            f"{KUBEADM}---\nkind: KubeletConfig\n",
            "holds no KubeletConfiguration, but ClusterConfiguration, KubeletConfig (accepted: one Kub",
        ),
        ("", "holds no KubeletConfiguration, but nothing (accepted: one KubeletConfiguration"),
        ('{"kubeletconfig": 3}', "is a number (accepted: an object)"),
    ],
)
def test_what_holds_none_or_several_says_what_it_holds(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(UsageError) as refused:
        read_kubelet_configuration(file)
    assert said in str(refused.value)


def test_a_bare_number_of_a_reservation_is_refused_as_a_kubelet_cannot_read_it(tmp_path: Path) -> None:
    file = tmp_path / "kubelet.yaml"
    file.write_text("kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\nkubeReserved: {cpu: 1}\n")
    with pytest.raises(UsageError, match=r'kubeReserved.cpu: is a number; put it in quotes: "1"'):
        read_kubelet_configuration(file)
