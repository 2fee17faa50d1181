"""Manifests in the shapes that charts, operators and kubectl give them: read, or refused with what to give."""

import pytest
import yaml

from numa_conformance.errors import UsageError
from numa_conformance.kube import read_cluster

SPEC = {"containers": [{"name": "c", "image": "c:1", "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}]}
TEMPLATE = {"metadata": {"labels": {"app": "c"}}, "spec": SPEC}


def obj(kind, spec, api="apps/v1", **metadata):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "x", **metadata}, "spec": spec}


def pod(**spec):
    return obj("Pod", {**SPEC, **spec}, "v1")


def with_resources(**amounts):
    return pod(containers=[{"name": "c", "resources": {"limits": amounts, "requests": amounts}}])


OF_KUBECTL = {
    **obj("Pod", {**SPEC, "nodeName": "w"}, "v1", resourceVersion="7", managedFields=[{"manager": "kubelet"}]),
    "status": {"phase": "Running", "qosClass": "Guaranteed", "containerStatuses": [{"name": "c", "ready": True}]},
}
READ = {
    "pod": (pod(), 1),
    "pod of kubectl": (OF_KUBECTL, 1),
    "dpdk": (with_resources(cpu="4", memory="1Gi", **{"hugepages-1Gi": "4Gi", "intel.com/sriov_dpdk": "1"}), 1),
    "gpu": (with_resources(cpu="8", memory="32Gi", **{"nvidia.com/gpu": "1"}), 1),
    "sidecar": (pod(initContainers=[{"name": "s", "restartPolicy": "Always"}]), 1),
    "runtime class": (pod(runtimeClassName="kata", overhead={"cpu": "250m", "memory": "120Mi"}), 1),
    "pod level": (pod(resources={"limits": {"cpu": "2", "memory": "1Gi"}}), 1),
    "claims": (pod(resourceClaims=[{"name": "g", "resourceClaimTemplateName": "t"}]), 1),
    "Deployment": (obj("Deployment", {"replicas": 3, "selector": {}, "template": TEMPLATE}), 3),
    "ReplicaSet": (obj("ReplicaSet", {"replicas": 2, "template": TEMPLATE}), 2),
    "ReplicationController": (obj("ReplicationController", {"replicas": 2, "template": TEMPLATE}, "v1"), 2),
    "StatefulSet": (obj("StatefulSet", {"replicas": 2, "serviceName": "x", "template": TEMPLATE}), 2),
    "DaemonSet": (obj("DaemonSet", {"template": TEMPLATE}), 1),
    "Job": (obj("Job", {"parallelism": 4, "completions": 8, "template": TEMPLATE}, "batch/v1"), 4),
    "CronJob": (obj("CronJob", {"schedule": "@daily", "jobTemplate": {"spec": {"template": TEMPLATE}}}, "batch/v1"), 1),
    "List": ({"apiVersion": "v1", "kind": "List", "items": [pod()]}, 1),
    "PodList": ({"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "x"}, "spec": SPEC}]}, 1),
    "chart": ([obj("Service", {}, "v1"), obj("ConfigMap", {}, "v1"), obj("Deployment", {"template": TEMPLATE})], 1),
    "operator beside": ([obj("Certificate", {}, "cert-manager.io/v1"), pod()], 1),
    "Rollout beside": ([obj("Rollout", {"template": TEMPLATE}, "argoproj.io/v1alpha1"), pod()], 1),
}  # fmt: skip
MAKERS = {
    "Rollout": "argoproj.io/v1alpha1",
    "VirtualMachineInstance": "kubevirt.io/v1",
    "VirtualMachine": "kubevirt.io/v1",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
    "JobSet": "jobset.x-k8s.io/v1alpha2",
    "SparkApplication": "sparkoperator.k8s.io/v1beta2",
    "RayCluster": "ray.io/v1",
    "PyTorchJob": "kubeflow.org/v1",
}
OTHERS = {
    "PodTemplate": (obj("PodTemplate", {}, "v1"), "accepted: Pod, Deployment"),
    "a configuration": (obj("KubeletConfiguration", {}, "kubelet.config.k8s.io/v1beta1"), "for --config"),
}  # fmt: skip


def read(tmp_path, objects):
    (tmp_path / "m.yaml").write_text(yaml.safe_dump_all(objects if isinstance(objects, list) else [objects]))
    return read_cluster(tmp_path / "m.yaml")


@pytest.mark.parametrize(("objects", "number"), READ.values(), ids=READ.keys())
def test_the_pods_are_read(tmp_path, objects, number):
    assert len(read(tmp_path, objects).pods) == number


@pytest.mark.parametrize("kind", MAKERS)
def test_what_makes_pods_by_rules_of_its_own_is_refused_with_what_to_give(tmp_path, kind):
    with pytest.raises(UsageError) as refused:
        read(tmp_path, obj(kind, {"template": TEMPLATE}, MAKERS[kind]))
    assert f"the pods that {kind} made: kubectl get pods -o yaml" in str(refused.value)


@pytest.mark.parametrize(("objects", "remedy"), OTHERS.values(), ids=OTHERS.keys())
def test_other_files_are_told_by_what_they_are(tmp_path, objects, remedy):
    with pytest.raises(UsageError) as refused:
        read(tmp_path, objects)
    assert remedy in str(refused.value)


def test_beside_pods_it_is_named_with_what_to_give(tmp_path):
    (notice,) = read(tmp_path, READ["Rollout beside"][0]).notices
    assert notice.endswith("1 Rollout; give the pods that Rollout made (kubectl get pods -o yaml)")
