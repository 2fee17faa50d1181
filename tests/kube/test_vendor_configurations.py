"""Configurations of installers and distributions: read, or refused with the way to the part that matters."""

import json

import pytest
import yaml

from numa_conformance.errors import UsageError
from numa_conformance.kube import read_kubelet_configuration

FIELDS = "cpuManagerPolicy: static\nreservedSystemCPUs: 0-1\ntopologyManagerPolicy: restricted\n"


def indented(text: str, spaces: int) -> str:
    return "".join(f"{' ' * spaces}{line}\n" for line in text.splitlines())


USER_DATA = """MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="B"

--B
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
--B--
"""
BOTTLEROCKET = '[settings.kubernetes]\ncpu-manager-policy = "static"\n'
TEMPLATE = "spec:\n  cpuManagerPolicy: {{ .Values.policy }}\n  {{- end }}\n"
OPENSHIFT = f"""
apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata: {{name: cpumanager-enabled}}
spec:
  machineConfigPoolSelector: {{matchLabels: {{custom-kubelet: cpumanager-enabled}}}}
  kubeletConfig:
{indented(FIELDS, 4)}"""
RENDERED = f"""
apiVersion: machineconfiguration.openshift.io/v1
kind: KubeletConfig
metadata: {{name: performance-cnf, ownerReferences: [{{kind: PerformanceProfile, name: cnf}}]}}
spec:
  kubeletConfig:
    apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
    authentication: {{anonymous: {{}}, webhook: {{cacheTTL: 0s}}, x509: {{}}}}
    cpuManagerReconcilePeriod: 5s
    memoryManagerPolicy: Static
    kubeReserved: {{memory: 500Mi}}
    reservedMemory: [{{numaNode: 0, limits: {{memory: 1100Mi}}}}]
{indented(FIELDS, 4)}"""
CONFIG_MAP = f"""
apiVersion: v1
kind: ConfigMap
metadata: {{name: kubelet-config, namespace: kube-system}}
data:
  kubelet: |
    apiVersion: kubelet.config.k8s.io/v1beta1
    kind: KubeletConfiguration
{indented(FIELDS, 4)}"""
KUBEADM = f"""
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
nodeRegistration: {{criSocket: unix:///run/containerd/containerd.sock}}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.36.0
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
{FIELDS}"""
EXTRA_ARGS = """
apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
nodeRegistration:
  kubeletExtraArgs:
    - {name: cpu-manager-policy, value: static}
    - {name: reserved-cpus, value: 0-1}
    - {name: topology-manager-policy, value: restricted}
    - {name: node-labels, value: "a=b"}
"""
OLD_EXTRA_ARGS = """
apiVersion: kubeadm.k8s.io/v1beta3
kind: InitConfiguration
nodeRegistration:
  kubeletExtraArgs: {cpu-manager-policy: static, reserved-cpus: 0-1, topology-manager-policy: restricted}
"""
K3S = """
write-kubeconfig-mode: "0644"
node-label: [pool=numa]
kubelet-arg:
  - cpu-manager-policy=static
  - reserved-cpus=0-1
  - topology-manager-policy=restricted
  - max-pods=250
"""
RKE2 = K3S.replace("write-kubeconfig-mode", "cni: canal\nwrite-kubeconfig-mode").replace("- cpu", "- --cpu")
EKS = f"""
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster: {{name: numa, apiServerEndpoint: https://example.com}}
  kubelet:
    config:
{indented(FIELDS, 6)}    flags: ["--node-labels=pool=numa"]
"""
TALOS = f"""
version: v1alpha1
machine:
  type: worker
  kubelet:
    image: ghcr.io/siderolabs/kubelet:v1.36.0
    extraConfig:
{indented(FIELDS, 6)}    extraArgs: {{rotate-server-certificates: "true"}}
cluster: {{}}
"""
GKE = f"kubeletConfig:\n{indented(FIELDS, 2)}linuxConfig: {{sysctl: {{net.core.somaxconn: '2048'}}}}\n"
CONFIGZ = json.dumps({"kubeletconfig": yaml.safe_load(FIELDS)})
LIST = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [yaml.safe_load(OPENSHIFT)]})

SETTINGS = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0-1"}
OF_GKE = {
    **SETTINGS,
    "topologyManager": {"policy": "restricted", "scope": "pod"},
    "podPidsLimit": "4096",
    "cpuCfsQuota": False,
}
OF_AKS = {
    **SETTINGS,
    "topologyManagerPolicy": "restricted",
    "cpuCfsQuota": False,
    "podMaxPids": 100,
    "failSwapOn": None,
}
RKE1 = """
cluster_name: numa
services:
  etcd: {snapshot: true}
  kubelet:
    extra_args: {cpu-manager-policy: static, reserved-cpus: 0-1, topology-manager-policy: restricted, v: 4}
"""
READ = {
    "what oc lists": LIST,
    "a drop-in of RKE2": RKE2.replace("kubelet-arg:", "kubelet-arg+:"),
    "OpenShift KubeletConfig": OPENSHIFT,
    "rendered PerformanceProfile": RENDERED,
    "kubeadm's ConfigMap": CONFIG_MAP,
    "kubeadm's documents": KUBEADM,
    "kubeadm's extra arguments": EXTRA_ARGS,
    "kubeadm's extra arguments of v1beta3": OLD_EXTRA_ARGS,
    "k3s": K3S,
    "RKE2": RKE2,
    "EKS nodeadm": EKS,
    "Talos": TALOS,
    "GKE": GKE,
    "configz": CONFIGZ,
    "GKE in its own words": json.dumps({"kubeletConfig": OF_GKE}),
    "a node pool of GKE": json.dumps({"name": "numa", "config": {"kubeletConfig": OF_GKE}}),
    "AKS": json.dumps(OF_AKS),
    "a node pool of AKS": json.dumps({"name": "numa", "count": 3, "kubeletConfig": OF_AKS}),
    "RKE1": RKE1,
    "RKE1 in a template": "rancher_kubernetes_engine_config:\n" + indented(RKE1.strip(), 2),
    "a part of kubeadm's document": OLD_EXTRA_ARGS.partition("InitConfiguration\n")[2],
}
REFUSED = {
    "PerformanceProfile": (
        "apiVersion: performance.openshift.io/v2\nkind: PerformanceProfile\nspec: {cpu: {reserved: 0-1}}\n",
        "oc get kubeletconfig performance-NAME -o yaml",
    ),
    "Cluster of kops": ("apiVersion: kops.k8s.io/v1alpha2\nkind: Cluster\nspec: {kubelet: {}}\n", "proxy/configz"),
    "k3s with a file": ("kubelet-arg: [config=/etc/k.yaml, cpu-manager-policy=static]\n", "reads /etc/k.yaml"),
    "a pod": ("apiVersion: v1\nkind: Pod\nspec: {containers: [{name: c}]}\n", "holds no KubeletConfiguration, but Pod"),
    "an empty List": ("apiVersion: v1\nkind: List\nitems: []\n", "but List"),
    "a block of Terraform": ('kubelet_config {\n  cpu_manager_policy = "static"\n}\n', "proxy/configz"),
    "a misspelt flag": ("kubelet-arg: [cpu-manager-polcy=static]\n", "did you mean '--cpu-manager-policy'?"),
}  # fmt: skip


@pytest.mark.parametrize("text", READ.values(), ids=READ.keys())
def test_the_part_that_matters_is_read(tmp_path, text):
    (tmp_path / "file.yaml").write_text(text)
    config = read_kubelet_configuration(tmp_path / "file.yaml")
    assert config.cpu_manager_policy == "static"
    assert config.reserved_system_cpus == "0-1"
    assert config.topology_manager_policy == "restricted"


@pytest.mark.parametrize(("text", "remedy"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_not_read_says_what_to_give(tmp_path, text, remedy):
    (tmp_path / "file.yaml").write_text(text)
    with pytest.raises(UsageError) as refused:
        read_kubelet_configuration(tmp_path / "file.yaml")
    assert remedy in str(refused.value)
    assert len(refused.value.faults) == 1


def test_a_fault_says_where_in_the_file_it_stands(tmp_path):
    (tmp_path / "file.yaml").write_text(OPENSHIFT.replace("cpuManagerPolicy: static", "cpuManagerPolicy: [static]"))
    with pytest.raises(UsageError, match=r"spec\.kubeletConfig.*cpuManagerPolicy: is a list"):
        read_kubelet_configuration(tmp_path / "file.yaml")


def test_flags_override_fields_and_gates_are_set_one_by_one(tmp_path):
    text = EKS.replace("--node-labels=pool=numa", "--cpu-manager-policy=none", 1).replace(
        "    flags:", "      featureGates: {A: true}\n    flags:"
    )
    (tmp_path / "file.yaml").write_text(text.replace('"]', '", "--feature-gates=B=true"]'))
    config = read_kubelet_configuration(tmp_path / "file.yaml")
    assert config.cpu_manager_policy == "none"
    assert config.feature_gates == {"A": True, "B": True}


@pytest.mark.parametrize(
    ("text", "instead"),
    [(USER_DATA, "application/node.eks.aws"), (BOTTLEROCKET, "configz"), (TEMPLATE, "helm template")],
)
def test_a_known_format_that_is_not_read_says_what_to_give(tmp_path, text, instead):
    path = tmp_path / "kubelet.yaml"
    path.write_text(text)
    with pytest.raises(UsageError, match=rf"not YAML: .*\(accepted: .*{instead}"):
        read_kubelet_configuration(path)


@pytest.mark.parametrize("name", ["GKE in its own words", "a node pool of AKS"])
def test_the_words_of_a_provider_are_those_of_the_kubelet_and_its_reservations_are_not_here(tmp_path, name):
    (tmp_path / "file").write_text(READ[name])
    config = read_kubelet_configuration(tmp_path / "file")
    assert not config.cpu_cfs_quota
    assert config.topology_manager_scope == ("pod" if "GKE" in name else "container")
    assert config.passed_over == ()
    assert "proxy/configz has all" in config.notes[0]


def test_a_misspelt_setting_of_a_provider_is_passed_over_with_the_near_name(tmp_path):
    (tmp_path / "file.yaml").write_text(
        "kubeletConfig: {cpuManagerPolcy: static, topologyManager: {policy: restricted}}\n"
    )
    assert "did you mean 'cpuManagerPolicy'" in str(
        read_kubelet_configuration(tmp_path / "file.yaml").passed_over_notices
    )


def test_arguments_that_are_added_to_others_count_too(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text("kubelet-arg: [cpu-manager-policy=static]\nkubelet-arg+: [reserved-cpus=0]\n")
    config = read_kubelet_configuration(file)
    assert (config.cpu_manager_policy, config.reserved_system_cpus) == ("static", "0")


TALOS_STATIC = "machine:\n  kubelet:\n    extraConfig: {cpuManagerPolicy: static}\n"
EKS_STATIC = (
    "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {kubelet: {config: {cpuManagerPolicy: static}}}\n"
)


@pytest.mark.parametrize("text", [OPENSHIFT.replace("reservedSystemCPUs: 0-1", ""), TALOS_STATIC, EKS_STATIC])
def test_a_provider_that_reserves_by_itself_is_noted_where_nothing_is_reserved(tmp_path, text):
    (tmp_path / "config.yaml").write_text(text)
    (note,) = read_kubelet_configuration(tmp_path / "config.yaml").notes
    assert "the provider adds what is reserved, which is not here" in note


def test_a_provider_is_not_noted_where_something_is_reserved(tmp_path):
    (tmp_path / "config.yaml").write_text(OPENSHIFT)
    assert read_kubelet_configuration(tmp_path / "config.yaml").notes == ()
