"""Resources of a pod as a whole."""

from typing import Any

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import FeatureGates, Pod, pod_requests
from numa_conformance.reference.managers.eligibility import exclusive_cpus, is_pinned, pod_exclusive_cpus
from numa_conformance.reference.scheduler.inputs import filter_amounts, scoring_amount
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion

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


OFF = {"PodLevelResources": False, "InPlacePodLevelResourcesVerticalScaling": False}
ON = {"PodLevelResources": True}
WHOLE = {"requests": BOTH, "limits": BOTH}


def seen(one: Pod, version: str, gates: dict[str, bool] | None = None, *, exact: bool = True) -> Pod:
    quirks = Quirks.of(KubernetesVersion.parse(version)) if exact else Quirks.none()
    return one.under_gates(FeatureGates.build(version, gates), quirks.node)


@pytest.mark.parametrize(
    ("version", "gates", "exact", "cpus"),
    [
        ("1.32", {}, True, 2),
        ("1.32", ON, True, 2),
        ("1.32", ON, False, 0),
        ("1.33", ON, True, 2),
        ("1.34", {}, True, 0),
        ("1.34", {"PodLevelResources": False}, True, 2),
        ("1.36", {}, True, 0),
        ("1.36", OFF, True, 0),
        ("1.36", OFF, False, 2),
        ("1.36", {"PodLevelResourceManagers": True}, True, 4),
    ],
)
def test_whom_the_managers_serve_depends_on_version_and_gates(version, gates, exact, cpus):
    """CPU-ELIG-10: findings D, G and H of the review of version profiles."""
    own = {"name": "c", "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}
    assert pod_exclusive_cpus(seen(pod(WHOLE, containers=[own]), version, gates, exact=exact)) == cpus


def test_a_pod_can_be_looked_at_again_with_other_gates():
    own = {"name": "c", "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}
    hidden = seen(pod(WHOLE, containers=[own]), "1.32")
    assert not hidden.has_pod_level
    assert seen(hidden, "1.34").has_pod_level


@pytest.mark.parametrize(("version", "qos"), [("1.33", "Guaranteed"), ("1.36", "BestEffort"), ("1.37", "Guaranteed")])
def test_empty_resources_of_the_pod_decide_its_class_up_to_1_36(version, qos):
    """ADM-QOS-09."""
    own = {"name": "c", "resources": {"limits": BOTH}}
    assert seen(pod({}, containers=[own]), version).qos == qos


@pytest.mark.parametrize(
    ("own", "cpus"),
    [
        ({"limits": {"cpu": "2", "memory": "1Gi"}}, 2),
        ({"limits": {"cpu": "2"}}, 0),
        ({"requests": {"cpu": "2"}, "limits": {"cpu": "3", "memory": "1Gi"}}, 0),
        ({"limits": {"cpu": "1500m", "memory": "1Gi"}}, 0),
    ],
)
def test_of_a_pod_served_as_a_whole_guaranteed_containers_are_owed_cpus(own, cpus):
    """CPU-ELIG-11."""
    one = seen(pod(WHOLE, containers=[{"name": "c", "resources": own}]), "1.36", {"PodLevelResourceManagers": True})
    assert exclusive_cpus(one, one.containers[0]) == cpus


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


def faults(**spec: Any) -> list[str]:
    with pytest.raises(UsageError) as refused:
        Pod.from_dict({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}], **spec}})
    return [str(fault) for fault in refused.value.faults]


def containers(*resources: dict[str, dict[str, str]]) -> list[dict[str, Any]]:
    return [{"name": f"c{index}", "resources": one} for index, one in enumerate(resources)]


PAGES = {"hugepages-2Mi": "4Mi"}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            {"resources": {"requests": {"cpu": "1"}}, "containers": containers(*[{"requests": {"cpu": "600m"}}] * 2)},
            'requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 1200m',
        ),
        (
            {
                "resources": {"requests": {"cpu": "1"}},
                "initContainers": [{"name": "i", "resources": {"limits": {"cpu": "2"}}}],
            },
            'requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
        ),
        (
            {"resources": {"limits": {"cpu": "1"}}, "containers": containers(*[{"requests": {"cpu": "600m"}}] * 2)},
            'requests.cpu: Invalid value: "1200m": must be less than or equal to cpu limit of 1',
        ),
        (
            {
                "resources": {"limits": {"cpu": "2"}},
                "containers": containers({}, {"limits": {"cpu": "3"}, "requests": {"cpu": "1"}}),
            },
            'containers[1][cpu].limits: Invalid value: "3": must be less than or equal to pod limits of 2',
        ),
        (
            {
                "resources": {"limits": {"cpu": "2", **PAGES}, "requests": {"cpu": "1", **PAGES}},
                "containers": containers(
                    *[{"limits": {"cpu": "1", **PAGES}, "requests": {"cpu": "100m", **PAGES}}] * 2
                ),
            },
            'limits[hugepages-2Mi]: Invalid value: "4Mi": must be greater than or equal to aggregate container limits '
            "of 8Mi",
        ),
        (
            {"resources": {"claims": [{"name": "x"}]}},
            "claims: Forbidden: claims may not be set for Resources at pod-level",
        ),
    ],
)
def test_a_pod_has_what_its_containers_have_together(spec, said):
    assert f"spec.resources.{said}" in faults(**spec)


def test_a_pod_may_have_just_that():
    both = [{"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}] * 2
    assert pod({"limits": {"cpu": "2"}}, containers=containers(*both)).requests["cpu"].value == 2


def test_huge_pages_of_containers_are_a_limit_of_the_pod():
    both = [{"limits": PAGES, "requests": {"cpu": "100m", **PAGES}}] * 2
    whole = pod({"requests": {"cpu": "1"}}, containers=containers(*both))
    assert (str(whole.limits["hugepages-2Mi"]), str(whole.requests["hugepages-2Mi"])) == ("8Mi", "8Mi")
    (fault,) = faults(resources={"requests": {"cpu": "1", "hugepages-2Mi": "8Mi"}}, containers=containers(*both))
    assert fault.startswith("spec.resources.limits.hugepages-2Mi: Required value")
