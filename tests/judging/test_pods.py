"""The judge reads pods as the pages do."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from numa_conformance.asking.generators.workloads import container, pod
from numa_conformance.judging.pods import PodSpec

MEMORY = "200Mi"


def spec(*apps: dict[str, Any], init: list[dict[str, Any]] | None = None) -> PodSpec:
    return PodSpec.of(pod("p", apps, init=init or []))


def amounts(requests: dict[str, str], limits: dict[str, str]) -> dict[str, Any]:
    return {"name": "nginx", "resources": {"requests": requests, "limits": limits}}


@pytest.mark.parametrize(
    ("written", "qos", "exclusive"),
    [
        ({"name": "nginx"}, "BestEffort", 0),
        (amounts({"memory": "100Mi"}, {"memory": MEMORY}), "Burstable", 0),
        (amounts({"cpu": "1", "memory": "100Mi"}, {"cpu": "2", "memory": MEMORY}), "Burstable", 0),
        (amounts({"cpu": "2", "memory": MEMORY}, {"cpu": "2", "memory": MEMORY}), "Guaranteed", 2),
        (amounts({"cpu": "1.5", "memory": MEMORY}, {"cpu": "1.5", "memory": MEMORY}), "Guaranteed", 0),
        (amounts({}, {"cpu": "2", "memory": MEMORY}), "Guaranteed", 2),
        (amounts({"example.com/device": "1"}, {"example.com/device": "1"}), "BestEffort", 0),
        (amounts({"cpu": "2000m"}, {"cpu": "2", "memory": MEMORY}), "Guaranteed", 2),
        (amounts({"cpu": "0"}, {"memory": "0"}), "BestEffort", 0),
    ],
    ids=["nothing", "memory", "below", "equal", "fraction", "limits", "device", "notation", "zero"],
)
def test_classes_and_exclusive_cpus_are_those_of_the_pages_examples(
    written: dict[str, Any], qos: str, exclusive: int
) -> None:
    read = spec(written)
    assert (read.qos, read.exclusive, read.containers[0].exclusive) == (qos, exclusive, exclusive)


def test_one_container_without_limits_makes_the_pod_burstable() -> None:
    read = spec(container("a", cpu="2", memory=MEMORY), init=[container("i")])
    assert read.qos == "Burstable"
    assert [(own.name, own.kind, own.exclusive) for own in read.containers] == [("i", "init", 0), ("a", "app", 0)]


def test_requests_that_differ_by_turns_are_not_guaranteed() -> None:
    read = spec(
        container("a", cpu="2", memory=MEMORY, requests={"cpu": "1"}),
        container("b", cpu="1", memory=MEMORY, requests={"cpu": "2"}),
    )
    assert read.qos == "Burstable"


def test_a_pod_requests_the_larger_of_its_apps_and_each_moment_of_its_start() -> None:
    """Init containers of 2 and 3, the latter beside a sidecar of 1, then apps of 1 and 1."""
    read = spec(
        container("x", cpu="1", memory=MEMORY),
        container("y", cpu="1", memory=MEMORY),
        init=[
            container("a", cpu="2", memory=MEMORY),
            container("s", cpu="1", memory=MEMORY, sidecar=True),
            container("b", cpu="3", memory=MEMORY),
        ],
    )
    assert (read.effective("cpu"), read.exclusive) == (4, 4)
    assert read.effective("memory") == 3 * 200 * 2**20
    assert [own.kind for own in read.containers] == ["init", "sidecar", "init", "app", "app"]


def test_overhead_counts_for_the_scheduler_alone() -> None:
    written = pod("p", [container("a", requests={"cpu": "1"})])
    written["spec"]["overhead"] = {"cpu": "250m"}
    read = PodSpec.of(written)
    assert (read.effective("cpu"), read.scheduled("cpu")) == (1, Fraction(5, 4))
    assert read.resources == {"cpu"}


def test_a_pod_without_metadata_has_a_uid() -> None:
    assert PodSpec.of({"spec": {"containers": [{"name": "nginx"}]}}).uid == "default/"
    assert spec(container("a")).uid == "p"
    assert list(spec(container("a")).by_name) == ["a"]
