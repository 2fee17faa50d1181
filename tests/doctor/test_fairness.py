"""What looks odd and is legal, or cannot be told apart from what is legal, gives no finding."""

import os
import time

import pytest

from fake_nodes import MEMORY, PODS, ROOT_DIR, STATIC, FakeNode, container, pod
from numa_conformance.doctor.findings import check
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.sources.versions import KubernetesVersion

STATE = f"{ROOT_DIR}/cpu_manager_state"
GPU = {"example.com/gpu": 1}


def found(node, **asked):
    return [(one.requirement, one.message) for one in check(look(NodeSource(node.root, **asked))).findings]


@pytest.fixture
def node(tmp_path):
    return FakeNode(tmp_path)


@pytest.mark.parametrize("topology", ["none", "single-numa-node"])
def test_init_containers_that_ended_and_sidecars_that_run(tmp_path, topology):
    sidecar = {**container("proxy", 1), "restartPolicy": "Always"}
    pods = (
        pod("db", container("main", 2), init=(container("prepare", 4, "2Gi"),)),
        pod("web", container("app", 2), container("log", 2), init=(container("warm", 2), sidecar)),
    )
    assert found(FakeNode(tmp_path, kubelet={**STATIC, **MEMORY, "topologyManagerPolicy": topology}, pods=pods)) == []


def test_an_init_container_that_runs_with_cpus_that_its_app_container_will_have(tmp_path):
    """Both are in the state file, with the same CPUs; only one runs."""
    pods = (pod("db", container("main", 2), init=(container("prepare", 2),)),)
    node = FakeNode(tmp_path, pods=pods)
    node.rename("db-uid", "main", "prepare")
    assert found(node) == []


def test_a_device_that_an_init_container_left_to_its_app_container(tmp_path):
    pods = (pod("db", container("main", 2, **GPU), init=(container("prepare", 2, **GPU),)),)
    node = FakeNode(tmp_path, "two-nodes-devices", pods=pods)
    assert found(node) == []
    node.stop("db-uid", "main")
    assert found(node) == []


def test_a_container_that_ended_keeps_what_it_had(node):
    node.stop("db-uid", "main")
    node.moves("db-uid", "main", "0-31")
    assert found(node) == []


def test_a_container_that_is_assigned_and_has_no_cgroup_yet(node):
    node.change_cpus(lambda state: state.assign("new-uid", "main", 1 << 9))
    os.makedirs(node.root / node.top / "kubepods-podnew_uid.slice")
    for uid, name in node.paths:
        if uid != "db-uid" and (uid, name) != ("web-uid", "app"):
            node.moves(uid, name, "0,3-8,10-16,19-31")
    assert found(node) == []


def test_shared_containers_have_time_until_the_next_passes(node, tmp_path):
    node.change_cpus(lambda state: state.assign("new-uid", "main", 1 << 9))
    os.makedirs(node.root / node.top / "kubepods-podnew_uid.slice")
    now = time.time()
    dump = '{"format": 1, "time": %f, "state_changed": %f}'
    node.write("numa-conformance/dump.json", dump % (now, now - 5))
    assert found(node) == []
    node.write("numa-conformance/dump.json", dump % (now, now - 60))
    assert {requirement.split("/")[1] for requirement, _ in found(node)} == {"reconcile"}


def test_system_services_may_run_on_exclusive_cpus(node):
    node.write("sys/fs/cgroup/system.slice/sshd.service/cgroup.threads", "77\n")
    node.thread(77, "1,17")
    assert found(node) == []


def test_threads_may_bind_themselves_to_less(node):
    node.thread(node.threads("db-uid", "main")[0], "17")
    node.thread(node.threads("idle-uid", "rest")[0], "5")
    assert found(node) == []


def test_cgroups_below_a_container_may_have_less(node):
    inner = f"{node.paths['db-uid', 'main']}/init.scope"
    node.write(f"{inner}/cgroup.threads", "7001\n")
    node.write(f"{inner}/cpuset.cpus", "1\n")
    node.thread(7001, "1")
    assert found(node) == []


def test_a_pods_sandbox_and_a_monitor_are_no_containers(node):
    folder = node.paths["db-uid", "main"].rpartition("/")[0]
    node.write(f"{folder}/crio-conmon-{'a' * 64}.scope/cgroup.threads", "88\n")
    node.thread(88, "0-31")
    assert found(node) == []


def test_a_policy_that_is_not_in_use_says_nothing_of_cpusets(tmp_path):
    node = FakeNode(tmp_path, kubelet={})
    node.moves("db-uid", "main", "3-4")
    assert found(node) == []


def test_containers_that_cannot_be_told_apart_are_not_judged(node):
    for link in (node.root / "var/log/containers").iterdir():
        link.unlink()
    node.moves("db-uid", "main", "0-31")
    told = check(look(NodeSource(node.root)))
    assert told.findings == ()
    assert any("which cgroup is which container is not known" in note for note in told.notes)


def test_pods_with_resources_as_a_whole_may_have_integral_limits_and_share(node):
    """Cgroups do not tell them apart, so nothing is said unless the version has no such pods."""
    node.change_cpus(lambda state: state.release("db-uid", "main"))
    for uid, name in node.paths:
        if (uid, name) != ("web-uid", "app"):
            node.moves(uid, name, "0-1,3-17,19-31")
    assert found(node) == []
    assert len(found(node, version=KubernetesVersion.parse("1.32"))) == 1


def test_what_depends_on_an_unknown_version_is_not_said(tmp_path):
    """One of the options, which exclude each other, is not there in old versions."""
    node = FakeNode(tmp_path, pods=())
    options = {"full-pcpus-only": "true", "distribute-cpus-across-cores": "true"}
    gates = {"featureGates": {"CPUManagerPolicyAlphaOptions": True, "CPUManagerPolicyBetaOptions": True}}
    node.configure({**STATIC, **gates, "cpuManagerPolicyOptions": options})
    assert found(node) == []
    excluded = found(node, version=KubernetesVersion.parse("1.32"))
    assert [one for one, _ in excluded] == ["cpu-manager/distribute-cpus-across-cores/refuses-full-pcpus-only"]


def test_quota_on_exclusive_cpus_where_its_gate_is_off(tmp_path):
    gate = {"featureGates": {"DisableCPUQuotaWithExclusiveCPUs": False}}
    node = FakeNode(tmp_path, kubelet={**STATIC, **gate}, version="1.34")
    assert node.read(f"{node.paths['db-uid', 'main']}/cpu.max") == "200000 100000\n"
    assert found(node, version=KubernetesVersion.parse("1.34")) == []


@pytest.mark.parametrize("version", ["1.27", "1.30", "1.32", "1.34", "1.35", "1.36", "1.37"])
def test_state_files_of_every_version(tmp_path, version):
    node = FakeNode(tmp_path, kubelet={**STATIC, **MEMORY}, version=version)
    assert found(node) == []
    assert found(node, version=KubernetesVersion.parse(version)) == []


def test_pods_that_were_given_cpus_as_a_whole(tmp_path):
    kubelet = {**STATIC, **MEMORY, "featureGates": {"PodLevelResourceManagers": True}}
    kubelet |= {"topologyManagerPolicy": "single-numa-node", "topologyManagerScope": "pod"}
    whole = pod("db", container("main", 2), container("rest"))
    whole["spec"]["resources"] = {"limits": {"cpu": "4", "memory": "4Gi"}, "requests": {"cpu": "4", "memory": "4Gi"}}
    assert found(FakeNode(tmp_path, kubelet=kubelet, pods=(whole, *PODS[1:]), version="1.37")) == []


def test_a_cgroup_of_a_pod_that_is_just_being_made(node):
    os.makedirs(node.root / node.top / "kubepods-podnew.slice" / f"cri-containerd-{'b' * 64}.scope")
    assert found(node) == []


def test_a_kubelet_that_never_ran_is_not_said_to_have_come_up(tmp_path):
    node = FakeNode(tmp_path, kubelet={}, pods=())
    for path in ("proc/4242/cmdline", STATE, f"{ROOT_DIR}/memory_manager_state"):
        (node.root / path).unlink(missing_ok=True)
    node.configure({"cpuManagerPolicy": "static"})
    assert found(node) == []
