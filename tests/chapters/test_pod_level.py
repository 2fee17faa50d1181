"""Pods that get their CPUs as a whole: what wrong nodes break, and that the reference breaks nothing."""

from collections.abc import Iterator

import pytest

from directly import Directly
from numa_conformance.asking.drive import drive
from numa_conformance.asking.profiles import Profile
from numa_conformance.chapters.cpu.pod_level import FEATURE, wholes
from numa_conformance.judging.verdicts import judge
from numa_conformance.reference.managers.cpu import static_policy
from numa_conformance.reference.managers.cpu.static_policy import StaticPolicy
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire.features import FEATURES

VERSION = "1.37"


def broken() -> Iterator[str]:
    client = Directly(ReferenceTarget("documented"))
    for scenario in wholes(frozenset(FEATURES), None, 0):
        history, fault = drive(scenario, client, VERSION)
        assert fault is None
        yield from (each.requirement for each in judge(history).broken)


def test_the_reference_serves_pods_as_a_whole() -> None:
    assert set(broken()) == set()


def test_containers_that_share_and_run_in_the_pool_of_the_node_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = StaticPolicy.allocate_pod

    def allocate_pod(self, pod, *more, **named):
        right(self, pod, *more, **named)
        held = self.state.assignments.get(pod.uid, {})
        for container in pod.all_containers:
            if container.requests.get("cpu") != container.limits.get("cpu"):
                held.pop(container.name, None)

    monkeypatch.setattr(StaticPolicy, "allocate_pod", allocate_pod)
    assert "cpu-manager/pod-level/others-share-what-is-left" in broken()


def test_pods_that_leave_nothing_to_share_are_to_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_policy, "empty_pool", lambda pod, total, owed: None)
    assert "cpu-manager/pod-level/refuses-an-empty-pool" in broken()


@pytest.mark.parametrize(("version", "offers"), [("1.36", False), ("1.37", True)])
def test_versions_ask_for_them_from_the_beta_on(version: str, offers: bool) -> None:
    assert (FEATURE in Profile.parse("all", version).offered) is offers
    assert FEATURE in Profile.parse("all", version).optional
