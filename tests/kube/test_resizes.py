import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import read_cluster

WAITING = [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]
DEFERRED = [{**WAITING[0], "reason": "Deferred"}]


def resized(*, spec="8", allocated=None, actual=None, conditions=(), limits=True):
    amounts = {"cpu": spec, "memory": "1Gi"}
    resources = {"requests": amounts, **({"limits": amounts} if limits else {})}
    status = {"name": "c"}
    if allocated:
        status["allocatedResources"] = {"cpu": allocated, "memory": "1Gi"}
    if actual:
        status["resources"] = {"requests": {"cpu": actual, "memory": "1Gi"}}
    return {
        "kind": "Pod",
        "metadata": {"name": "p", "uid": "u", "resourceVersion": "1"},
        "spec": {"nodeName": "a", "containers": [{"name": "c", "resources": resources}]},
        "status": {"phase": "Running", "conditions": list(conditions), "containerStatuses": [status]},
    }


@pytest.fixture
def read(cluster_of):
    return lambda **pod: cluster_of(
        {"kind": "Node", "metadata": {"name": "a"}, "status": {"capacity": {"cpu": 9}}}, resized(**pod)
    )


@pytest.fixture
def cluster_of(tmp_path):
    def read(*objects):
        file = tmp_path / "pods.yaml"
        file.write_text(str({"kind": "List", "items": list(objects)}))
        return read_cluster(file)

    return read


def cpus(pod):
    return str(pod.containers[0].requests["cpu"])


@pytest.mark.parametrize(
    ("pod", "of_kubelet", "of_scheduler"),
    [
        ({"allocated": "4", "actual": "4", "conditions": WAITING}, "4", "4"),
        ({"allocated": "4", "actual": "4", "conditions": DEFERRED}, "4", "8"),
        ({"actual": "4", "conditions": WAITING}, "4", "4"),  # since 1.33 no kubelet tells what it has allocated
        ({"actual": "4"}, "8", "8"),  # granted, and under way
        ({"spec": "2", "allocated": "2", "actual": "6"}, "2", "6"),
        ({"spec": "2"}, "2", "2"),
    ],
)
def test_counts_what_was_allocated(read, pod, of_kubelet, of_scheduler):
    cluster = read(**pod)
    assert [cpus(each) for each in (*cluster.in_order, *cluster.in_life)] == [of_kubelet] * 2
    assert cpus(cluster.bound[0]) == of_scheduler


def test_limits_that_equal_requests_stay_so(read):
    held = read(allocated="4", conditions=WAITING).in_order[0]
    assert (held.qos, str(held.containers[0].limits["cpu"])) == ("Guaranteed", "4")
    assert held.to_dict()["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "4"
    assert read(allocated="4", conditions=WAITING, limits=False).in_order[0].qos == "Burstable"


def test_reports_resizes_that_wait(read):
    assert "a resize in place waits, and what was allocated before it counts: default/p (Infeasible)" in (
        read(allocated="4", conditions=WAITING).notices
    )
    assert read(actual="4").notices == ()


def test_a_wrong_amount_of_a_status_is_named(read):
    cluster = read(allocated="four")
    with pytest.raises(UsageError, match=r"default/p: status of container c: allocatedResources.cpu: 'four'"):
        assert cluster.in_order


def test_a_pod_that_is_there_again_is_a_resize_to_what_it_asks_for(tmp_path):
    first, again = resized(spec="2"), resized(allocated="2", conditions=DEFERRED)
    file = tmp_path / "life.yaml"
    file.write_text(str([first, again]))
    assert [cpus(pod) for pod in read_cluster(file, lives=True).in_life] == ["2", "8"]
