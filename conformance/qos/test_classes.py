"""Quality-of-service classes."""

from __future__ import annotations

from typing import Any

import pytest

from numa_conformance.protocol import Client
from numa_conformance.protocol.messages.classify import Classify
from numa_conformance.suite.examples.questions import Questions
from numa_conformance.suite.generators.workloads import best_effort, burstable, container, guaranteed, pod

pytestmark = pytest.mark.surfaces("classify")
requirement = pytest.mark.requirement
departs = pytest.mark.departs


class Classifier(Questions):
    """Asks the target for a pod's class and exclusive CPUs."""

    def expect(self, subject: dict[str, Any], **allowed: object) -> None:
        """Raise a finding unless the answer has these values."""
        __tracebackhide__ = True
        answer = self.ask(Classify(subject))
        for name, value in allowed.items():
            got = getattr(answer, name)
            self.check(got == value, f"{name} of the pod is wrong", got, value)


@pytest.fixture
def classify(target: Client, requirements: tuple[str, ...]) -> Classifier:
    return Classifier(target, requirements)


@requirement("qos/guaranteed-needs-equal-limits-everywhere")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({"cpu": "2", "memory": "1Gi"}, {"cpu": "1", "memory": "1Gi"}, "Guaranteed"),
        ({"cpu": "2", "memory": "1Gi"}, {"cpu": "1"}, "Burstable"),
        ({"cpu": "2", "memory": "1Gi"}, {}, "Burstable"),
    ],
    ids=["all-limited", "one-without-memory", "one-without-limits"],
)
def test_guaranteed_needs_limits_in_every_container(
    classify: Classifier, first: dict[str, str], second: dict[str, str], expected: str
) -> None:
    classify.expect(pod("p", [container("a", other=first), container("b", other=second)]), qos=expected)


@requirement("qos/guaranteed-needs-equal-limits-everywhere")
def test_a_request_below_its_limit_is_not_guaranteed(classify: Classifier) -> None:
    lower = container("c", cpu="2", memory="200Mi", requests={"cpu": "1", "memory": "100Mi"})
    classify.expect(pod("p", [lower]), qos="Burstable")


@requirement("qos/guaranteed-needs-equal-limits-everywhere")
@pytest.mark.parametrize("written", ["2000m", "2.0", "2"], ids=str)
def test_amounts_are_compared_by_value(classify: Classifier, written: str) -> None:
    same = container("c", cpu="2", memory="1Gi", requests={"cpu": written, "memory": "1024Mi"})
    classify.expect(pod("p", [same]), qos="Guaranteed")


@requirement("qos/requests-default-to-limits")
def test_limits_alone_make_a_pod_guaranteed(classify: Classifier) -> None:
    classify.expect(guaranteed("p", 2, "200Mi"), qos="Guaranteed", container_cpus={"c": 2})


@requirement("qos/burstable-has-some-request")
def test_a_request_without_limit_is_burstable(classify: Classifier) -> None:
    classify.expect(burstable("p", "500m"), qos="Burstable")


@requirement("qos/burstable-has-some-request")
def test_a_memory_limit_above_its_request_is_burstable(classify: Classifier) -> None:
    only_memory = container("c", memory="200Mi", requests={"memory": "100Mi"})
    classify.expect(pod("p", [only_memory]), qos="Burstable", container_cpus={"c": 0})


@requirement("qos/best-effort-has-none")
def test_a_pod_without_requests_is_best_effort(classify: Classifier) -> None:
    classify.expect(best_effort("p"), qos="BestEffort")


@requirement("qos/best-effort-has-none")
def test_devices_do_not_change_the_class(classify: Classifier) -> None:
    classify.expect(best_effort("p", **{"example.com/gpu": "1"}), qos="BestEffort")


@requirement("qos/init-containers-count")
def test_an_init_container_without_limits_makes_a_pod_burstable(classify: Classifier) -> None:
    app = container("c", cpu="2", memory="1Gi")
    classify.expect(pod("p", [app], init=[container("i")]), qos="Burstable", container_cpus={"c": 0, "i": 0})


@requirement("qos/only-integral-cpus-are-exclusive")
@pytest.mark.parametrize(
    ("cpu", "exclusive"), [("2", 2), ("2000m", 2), ("2.0", 2), ("1500m", 0), ("1.5", 0), ("300m", 0)], ids=str
)
def test_only_whole_cpus_are_exclusive(classify: Classifier, cpu: str, exclusive: int) -> None:
    classify.expect(guaranteed("p", cpu), container_cpus={"c": exclusive}, pod_cpus=exclusive)


@requirement("qos/only-integral-cpus-are-exclusive")
def test_burstable_pods_ask_for_none(classify: Classifier) -> None:
    classify.expect(burstable("p", 2), container_cpus={"c": 0}, pod_cpus=0)


@requirement("qos/pod-total-is-the-larger-of-init-and-apps")
@pytest.mark.parametrize(("init", "apps", "total"), [(4, (1, 2), 4), (2, (3, 1), 4), (3, (1, 2), 3)], ids=str)
def test_init_containers_and_apps_share_a_pods_total(
    classify: Classifier, init: int, apps: tuple[int, ...], total: int
) -> None:
    containers = [container(f"c{index}", cpu=str(cpu), memory="1Gi") for index, cpu in enumerate(apps)]
    classify.expect(pod("p", containers, init=[container("i", cpu=str(init), memory="1Gi")]), pod_cpus=total)


@requirement("qos/pod-total-is-the-larger-of-init-and-apps")
@departs("sidecars-leave-their-resources")
def test_a_sidecar_counts_beside_the_init_containers_after_it(classify: Classifier) -> None:
    init = [
        container("a", cpu="2", memory="1Gi"),
        container("s", cpu="1", memory="1Gi", sidecar=True),
        container("b", cpu="3", memory="1Gi"),
    ]
    apps = [container("x", cpu="1", memory="1Gi"), container("y", cpu="1", memory="1Gi")]
    classify.expect(pod("p", apps, init=init), pod_cpus=4)
