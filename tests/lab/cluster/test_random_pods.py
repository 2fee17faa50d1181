"""Pods drawn at random for ten machines: what the kubelets did is judged, and held against the simulation."""

import random
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("kubernetes", reason="the extra [lab] is not installed")

from asked_in_full import DEEP
from clusters import FOLDER, needs_cluster
from kubelets import needs_namespaces
from numa_conformance.asking.drive import again
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.comparing.differing import differing
from numa_conformance.judging.verdicts import judge_from_file
from numa_conformance.lab.kubelet.target import untold_fields
from numa_conformance.plugin.numa_cluster import bring_up
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.report.reference_answers import quirks_in_history
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.history.history import read_histories
from random_pods import random_pod

pytestmark = [needs_namespaces, needs_cluster]
ROUNDS = 50 if DEEP else 8
"""In each of which ten pods come at once, one for each node."""
SEED = 11


@pytest.fixture(scope="module")
def filled():
    """The histories of a cluster to which pods came and from which they went, and the nodes."""
    with bring_up(Path(__file__).parent / "ten_machines.yaml", ["--binaries", FOLDER]) as cluster:
        nodes = [node["name"] for node in cluster.status()["nodes"]]
        _fill(cluster, nodes, random.Random(SEED))
        assert cluster.broken() == []
        yield list(read_histories(cluster.record().split("\n")))


def _fill(cluster, nodes, draw):
    running = {node: [] for node in nodes}
    for number in range(ROUNDS):
        going = [one.pop(draw.randrange(len(one))) for one in running.values() if len(one) > 3 and draw.random() < 0.5]
        if going:
            cluster.delete(*going)
        pods = {node: random_pod(draw, f"p{number}-{node}", node) for node in nodes}
        cluster.create(*pods.values())
        for node, pod in pods.items():
            name = pod["metadata"]["name"]
            if cluster.until_decided(name).admitted:
                running[node].append(name)
            else:
                cluster.delete(name)


def test_every_must_is_met_or_its_quirk_has_a_name(filled):
    unmet = [
        (history, requirement)
        for history in filled
        for requirement in judge_from_file(history).unmet
        if REQUIREMENTS[requirement].strength == "MUST"
    ]
    assert [(one.head.cell, requirement) for one, requirement in unmet if not quirks_in_history(one, requirement)] == []


def test_kubelets_decided_about_pods_that_came(filled):
    admitted = [step for history in filled for step in history.steps if step.method == "node.admit"]
    assert len(admitted) > 5 * ROUNDS
    assert {"admitted", "rejected"} == {step.answer["result"] for step in admitted}


def test_the_simulation_decides_as_the_kubelets_did_cpu_by_cpu(filled):
    for history in filled:
        version = KubernetesVersion.parse(history.head.version)
        other, _ = again(history, _reference(version))
        assert differing(history, other, untold=untold_fields(version)) is None


def _reference(version):
    return Client(InProcess(lambda: ReferenceTarget("exact", version, resource_fit=True), "reference"))
