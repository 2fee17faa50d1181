"""Resources of a pod as a whole."""

from typing import Any

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import FeatureGates, Pod, pod_requests
from numa_conformance.managers.eligibility import is_pinned, pod_exclusive_cpus
from numa_conformance.scheduler.inputs import filter_amounts, scoring_amount

BOTH = {"cpu": "4", "memory": "2Gi"}


def pod(resources: object, *requests: dict[str, str], **spec: Any) -> Pod:
    containers = [{"name": f"c{index}", "resources": {"requests": one}} for index, one in enumerate(requests or [{}])]
    spec = {"resources": resources, "containers": containers, **spec}
    return Pod.from_dict({"metadata": {"name": "p"}, "spec": spec})


@pytest.mark.parametrize(
    ("resources", "qos"),
    [
        ({"limits": BOTH}, "Guaranteed"),
        ({"limits": BOTH, "requests": {"cpu": "2", "memory": "2Gi"}}, "Burstable"),
        ({"limits": {"cpu": "4"}}, "Burstable"),
        ({"requests": {"memory": "1Gi"}}, "Burstable"),
    ],
)
def test_the_class_looks_at_the_pods_own_amounts_only(resources, qos):
    """ADM-QOS-09."""
    assert pod(resources).qos == qos


def test_without_any_the_containers_decide():
    assert pod({}, {"cpu": "1"}).qos == "Burstable"
    assert pod(None).qos == "BestEffort"


def test_a_request_not_given_is_that_of_the_containers_or_else_the_limit():
    """ADM-DEF-02."""
    requests = pod_requests(pod({"limits": BOTH}, {"cpu": "1"}, {"cpu": "500m"}))
    assert {name: str(amount) for name, amount in requests.items()} == {"cpu": "1500m", "memory": "2Gi"}


def test_scheduling_counts_the_pods_own_amounts_and_defaults_for_the_rest():
    """SCH-REQ-04."""
    one = pod({"requests": {"cpu": "3"}}, {"cpu": "1"}, {}, overhead={"cpu": "250m"})
    assert scoring_amount(one, "cpu") == 3250
    assert scoring_amount(one, "memory") == 2 * 200 * 1024 * 1024
    assert filter_amounts(one) == {"cpu": 3250}


def test_the_static_policies_leave_such_a_pod_in_the_shared_pool():
    own = {"name": "c", "resources": {"limits": BOTH}}
    guaranteed = pod({"limits": BOTH}, containers=[own])
    assert guaranteed.qos == "Guaranteed"
    assert pod_exclusive_cpus(guaranteed) == 0
    assert not is_pinned(guaranteed)


def test_an_agent_whose_gate_is_off_does_not_see_them():
    own = {"name": "c", "resources": {"limits": BOTH}}
    whole = pod({"limits": BOTH}, containers=[own])
    assert pod_exclusive_cpus(whole.as_seen(FeatureGates.build("1.32"))) == 4
    assert whole.as_seen(FeatureGates.build("1.32", {"PodLevelResources": True})) is whole
    assert whole.as_seen(FeatureGates.build("1.34")) is whole


@pytest.mark.parametrize(
    ("resources", "said"),
    [
        ({"limits": {"cpus": "1"}}, "spec.resources.limits.cpus: Unsupported value: *did you mean 'cpu'"),
        ({"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}, "spec.resources.requests.cpu: *less than or equal"),
        ({"requests": "much"}, "spec.resources.requests"),
        ("much", "spec.resources"),
    ],
)
def test_bad_amounts_are_told(resources, said):
    with pytest.raises(UsageError, match=said.replace(".", r"\.").replace("*", ".*")):
        pod(resources)
