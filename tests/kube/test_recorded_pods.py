"""Every recorded pod is read, and every recorded class and CPU count is reproduced."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from numa_conformance.comparing.recorded import FIRST_RECORDED
from numa_conformance.errors import UsageError
from numa_conformance.kube import KubeletConfiguration, Pod, ScoringStrategy
from numa_conformance.reference.managers.eligibility import exclusive_cpus, pod_exclusive_cpus
from shared_data import SHARED, needs_shared

pytestmark = needs_shared
FILES = ("admission", "cpu-static", "lifecycle", "noderesourcesfit", "qos")


def vectors(name: str) -> Iterator[dict[str, Any]]:
    assert SHARED
    with gzip.open(SHARED / "recorded" / f"{name}.jsonl.gz", "rt") as lines:
        yield from map(json.loads, lines)


def pods(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if value.get("kind") == "Pod" and "spec" in value:
            yield value
        else:
            for inner in value.values():
                yield from pods(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from pods(inner)


def test_classes_and_cpu_counts_are_those_recorded() -> None:
    count = 0
    for vector in vectors("qos"):
        pod = Pod.from_dict(vector["pod"], validate=False)
        got = {
            "qos": pod.qos,
            "container_cpus": {container.name: exclusive_cpus(pod, container) for container in pod.all_containers},
            "pod_cpus": pod_exclusive_cpus(pod),
        }
        assert got == vector["expect"], vector["id"]
        count += 1
    assert count >= 256


@pytest.mark.parametrize("name", FILES)
def test_every_recorded_pod_is_read(name: str) -> None:
    read = [Pod.from_dict(pod, validate=False) for vector in vectors(name) for pod in pods(vector)]
    assert all(pod.uid for pod in read)
    assert len(read) >= 256


@pytest.mark.parametrize("name", ["admission", "cpu-static", "lifecycle"])
def test_pods_of_real_nodes_pass_the_api_servers_checks(name: str) -> None:
    assert [Pod.from_dict(pod).uid for vector in vectors(name) for pod in pods(vector)]


@pytest.mark.parametrize("name", ["admission", "cpu-static", "lifecycle"])
def test_every_recorded_configuration_is_read_and_written(name: str) -> None:
    for vector in vectors(name):
        config = KubeletConfiguration.from_dict(vector["kubelet"])
        assert KubeletConfiguration.from_dict(config.to_dict()) == config


def test_scheduler_arguments_are_refused_as_recorded() -> None:
    refused = 0
    for vector in vectors("noderesourcesfit"):
        try:
            ScoringStrategy.from_dict(vector["strategy"], version=FIRST_RECORDED)
            said = None
        except UsageError as error:
            said = str(error)
            refused += 1
        assert said == vector.get("construction_error"), vector["id"]
    assert refused >= 23
