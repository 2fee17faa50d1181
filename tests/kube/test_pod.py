from pathlib import Path
from typing import Any

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import Pod, QosClass, read_cluster
from numa_conformance.reference.managers.eligibility import exclusive_cpus, pod_exclusive_cpus

EXAMPLES = Path(__file__).resolve().parents[2] / "fixtures" / "pods"


def pod(*containers: dict[str, Any], init: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "uid": "u"},
        "spec": {"containers": list(containers), "initContainers": init or [], **more},
    }


def container(name: str = "c", requests: object = None, limits: object = None) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": requests, "limits": limits}}


def faults(obj: object) -> list[str]:
    with pytest.raises(UsageError) as caught:
        Pod.from_dict(obj)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("name", "qos", "cpus"),
    [
        ("best-effort", "BestEffort", 0),
        ("burstable-memory", "Burstable", 0),
        ("burstable", "Burstable", 0),
        ("guaranteed", "Guaranteed", 2),
        ("guaranteed-fractional", "Guaranteed", 0),
        ("guaranteed-limits-only", "Guaranteed", 2),
        ("guaranteed-device", "Guaranteed", 0),
        ("devices-only", "BestEffort", 0),
    ],
)
def test_the_examples_of_the_documentation_have_their_class_and_cpus(name: str, qos: QosClass, cpus: int) -> None:
    (read,) = read_cluster(EXAMPLES / f"{name}.yaml").pods
    assert (read.qos, pod_exclusive_cpus(read)) == (qos, cpus)


def test_every_example_is_tested() -> None:
    assert len(list(EXAMPLES.glob("*.yaml"))) == 8


def test_requests_take_the_values_of_limits() -> None:
    read = Pod.from_dict(pod(container(limits={"cpu": "2", "memory": "1Gi"}, requests={"cpu": "1"})))
    assert {name: str(amount) for name, amount in read.containers[0].requests.items()} == {"cpu": "1", "memory": "1Gi"}


def test_amounts_are_rounded_up_to_a_thousandth() -> None:
    read = Pod.from_dict(pod(container(limits={"cpu": "1.0001", "memory": "0.1"})))
    assert [str(amount) for amount in read.containers[0].limits.values()] == ["1001m", "100m"]


def test_a_fractional_binary_amount_can_be_held_by_the_memory_manager() -> None:
    read = Pod.from_dict(pod(container(limits={"cpu": "1", "memory": "1.5Gi"})))
    assert read.containers[0].requests["memory"].is_int64


def test_the_class_in_the_status_wins() -> None:
    obj = {**pod(container(limits={"cpu": "2", "memory": "1Gi"})), "status": {"qosClass": "BestEffort"}}
    read = Pod.from_dict(obj)
    assert (read.qos, exclusive_cpus(read, read.containers[0])) == ("BestEffort", 0)


def test_an_init_container_without_limits_makes_the_pod_burstable() -> None:
    read = Pod.from_dict(pod(container(limits={"cpu": "2", "memory": "1Gi"}), init=[{"name": "i"}]))
    assert read.qos == "Burstable"


def test_an_explicit_zero_counts_as_absent() -> None:
    assert Pod.from_dict(pod(container(requests={"cpu": "0"}, limits={"memory": "0"}))).qos == "BestEffort"


def test_null_is_zero() -> None:
    written = Pod.from_dict(pod(container(requests={"cpu": None, "memory": "1Gi"}, limits={"cpu": 2, "memory": "1Gi"})))
    assert written.qos == "Burstable"
    assert written.containers[0].requests["cpu"].as_number == 0


def test_huge_pages_and_devices_have_no_part_in_the_class() -> None:
    amounts = {"cpu": "1", "memory": "1Gi", "hugepages-2Mi": "4Mi", "a.b/c": "1", "ephemeral-storage": "1Gi"}
    assert Pod.from_dict(pod(container(limits=amounts))).qos == "Guaranteed"


def test_sums_are_compared_over_the_pod_when_not_validated() -> None:
    one = container("a", {"cpu": "1", "memory": "1"}, {"cpu": "2", "memory": "1"})
    other = container("b", {"cpu": "2", "memory": "1"}, {"cpu": "1", "memory": "1"})
    assert Pod.from_dict(pod(one, other), validate=False).qos == "Guaranteed"
    assert faults(pod(one, other)) == [
        'spec.containers[1].resources.requests.cpu: Invalid value: "2": must be less than or equal to cpu limit of 1'
    ]


def test_containers_come_init_first_and_know_their_kind() -> None:
    sidecar = {"name": "s", "restartPolicy": "Always"}
    read = Pod.from_dict(pod(container("c"), init=[{"name": "i"}, sidecar]))
    assert [(c.name, read.is_ordinary_init(c)) for c in read.all_containers] == [
        ("i", True),
        ("s", False),
        ("c", False),
    ]
    assert read.container("s").restart_always


def test_a_policy_of_no_version_is_refused() -> None:
    init = {"name": "s", "restartPolicy": "always"}
    assert faults(pod(container(), init=[init])) == [
        'spec.initContainers[0].restartPolicy: Unsupported value: "always": supported values: "Always"'
    ]
    assert "is not a standard resource" in faults(pod(container(limits={"storage": "1Gi"})))[0]


def test_restart_policy_of_an_app_container_makes_no_sidecar() -> None:
    assert not Pod.from_dict(pod({"name": "c", "restartPolicy": "Always"})).containers[0].restart_always


def test_a_pod_without_uid_gets_one_from_its_name_and_hands_it_on() -> None:
    obj = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}
    read = Pod.from_dict(obj)
    assert (read.uid, read.to_dict()["metadata"]) == ("default/p", {"name": "p", "uid": "default/p"})
    assert "uid" not in obj["metadata"]


def test_what_was_read_is_handed_on_as_it_was() -> None:
    obj = pod(container(limits={"memory": "1.5Gi"}), nodeSelector={"a": "b"})
    assert Pod.from_dict(obj).to_dict() == obj


def test_all_faults_come_at_once_with_their_field_paths() -> None:
    obj = pod(
        container("a", {"cpu": "x"}, {"memory": "1Q"}),
        container("a", {"a.b/c": "1"}),
        {"name": "d", "resources": "much"},
        {"resources": {"limits": {"a.b/c": "1500m"}}},
        container("h", {"hugepages-2Mi": "2Mi", "cpu": "1"}, {"hugepages-2Mi": "4Mi"}),
        container("n", limits={"memory": "-1", "hugepages-2Mi": "3Mi"}),
    )
    found = faults(obj)
    for place, part in (
        ("spec.containers[0].resources.requests.cpu", "regular expression"),
        ("spec.containers[0].resources.limits.memory", "regular expression"),
        ("spec.containers[1].name", "Duplicate value: 'a'"),
        ("spec.containers[1].resources.limits.a.b/c", "Limit must be set"),
        ("spec.containers[2].resources", "an object"),
        ("spec.containers[3].name", "Required value"),
        ("spec.containers[3].resources.limits.a.b/c", "must be an integer"),
        ("spec.containers[4].resources.requests.hugepages-2Mi", "must be equal to hugepages-2Mi limit of 4Mi"),
        ("spec.containers[5].resources.limits.memory", "must be greater than or equal to 0"),
        ("spec.containers[5].resources.limits.hugepages-2Mi", "page size"),
    ):
        assert any(fault.startswith(f"{place}: ") and part in fault for fault in found), (place, found)


def test_a_misspelt_resource_gets_a_suggestion() -> None:
    (fault,) = faults(pod(container(limits={"memroy": "1Gi"})))
    assert "did you mean 'memory'?" in fault


@pytest.mark.parametrize(
    "obj",
    [None, [], "pod", {}, {"spec": []}, {"metadata": 1, "spec": {"containers": 3}}, pod(None), {"kind": "Node"}],  # type: ignore[arg-type]
)
def test_whatever_is_no_pod_is_refused(obj: object) -> None:
    assert faults(obj)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"os": {"name": "bsd"}}, 'spec.os.name: Unsupported value: "bsd": supported values: "linux", "windows"'),
        (
            {"securityContext": {"supplementalGroupsPolicy": "strict"}},
            'spec.securityContext.supplementalGroupsPolicy: Unsupported value: "strict": supported values: '
            '"Merge", "Strict"',
        ),
        ({"port": {"hostPort": 80}}, "spec.containers[0].ports[0].containerPort: Required value"),
        (
            {"port": {"containerPort": 70000}},
            "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
        ),
        (
            {"port": {"containerPort": 1, "hostPort": -1}},
            "spec.containers[0].ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive",
        ),
        (
            {"port": {"containerPort": 80, "hostPort": 81}, "hostNetwork": True},
            "spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is "
            "true",
        ),
        (
            {"port": {"containerPort": "80"}},
            "spec.containers[0].ports[0].containerPort: is '80' (accepted: a whole number)",
        ),
        ({"os": {"name": "linux"}, "securityContext": {"supplementalGroupsPolicy": "Merge"}}, None),
        ({"port": {"containerPort": 80, "hostPort": 81}}, None),
        ({"port": {"containerPort": 80, "hostPort": 80}, "hostNetwork": True}, None),
    ],
)
def test_what_decides_at_admission_is_checked_as_the_api_server_does(spec, said):
    ports = [spec["port"]] if "port" in spec else []
    whole = {"containers": [{"name": "c", "ports": ports}], **{k: v for k, v in spec.items() if k != "port"}}
    described = {"metadata": {"name": "p"}, "spec": whole}
    if said is None:
        Pod.from_dict(described)
        return
    with pytest.raises(UsageError) as refused:
        Pod.from_dict(described)
    assert [str(fault) for fault in refused.value.faults] == [said]
