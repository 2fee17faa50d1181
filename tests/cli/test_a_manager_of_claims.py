"""A manager that serves resource claims is seen by ``simulate`` and the protocol, with no line of its own there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from numa_conformance.errors import Refusal
from numa_conformance.kube import Container, Pod
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.provider import Answer, Holding, NodeSetup, Provider
from numa_conformance.reference.managers.registry import PROVIDERS
from numa_conformance.reference.node import Node

CLAIM = "gpu"
TWO_NODES = "intel-sapphirerapids-8480"


@dataclass(frozen=True)
class Claimed(Holding):
    """On which NUMA node a container's claim was served, None without a claim."""

    node: int | None

    def to_answer(self) -> dict[str, int]:
        return {} if self.node is None else {CLAIM: self.node}


class ClaimManager(Provider):
    """Serves one claim on each NUMA node, the highest first."""

    name = "claims"
    serves_claims = True

    def __init__(self, setup: NodeSetup) -> None:
        self.free = list(setup.machine.numa_ids)
        self.given: dict[tuple[str, str], int] = {}

    def hints(self, pod: Pod, container: Container) -> Answer:
        if not container.claims:
            return None
        return {CLAIM: [Hint(1 << node, node == max(self.free)) for node in self.free]}

    def allocate(self, pod: Pod, container: Container, affinity: Hint, trace: list[str] | None = None) -> None:
        if container.claims and (pod.uid, container.name) not in self.given:
            near = [node for node in self.free if (affinity.mask or 0) >> node & 1] or self.free
            if not near:
                raise Refusal.unexpected("no claim can be served")
            node = max(near)
            self.free.remove(node)
            self.given[pod.uid, container.name] = node

    def holding(self, uid: str, container: str) -> Claimed:
        return Claimed(self.given.get((uid, container)))


@pytest.fixture
def simulated(run, files, monkeypatch):
    """Return what ``simulate`` prints and tells of pods on a node with such a manager."""
    monkeypatch.setitem(Node.__init__.__kwdefaults__, "providers", (*PROVIDERS, ClaimManager))
    config = {"cpuManagerPolicy": "static", "topologyManagerPolicy": "restricted", "reservedSystemCPUs": "0"}
    kubelet = files("kubelet.json", json.dumps(config))

    def simulate(*pods: dict[str, Any], option: str = "--json") -> tuple[int, str, str]:
        listed = [files(f"{pod['metadata']['name']}.json", json.dumps(pod)) for pod in pods]
        return run("simulate", "--machine", TWO_NODES, "--config", kubelet, option, *listed)

    return simulate


def _claiming(name: str) -> dict[str, Any]:
    amounts = {"cpu": "2", "memory": "1Gi"}
    resources = {"requests": amounts, "limits": amounts, "claims": [{"name": CLAIM}]}
    spec = {"resourceClaims": [{"name": CLAIM}], "containers": [{"name": "c", "resources": resources}]}
    return {"metadata": {"name": name}, "spec": spec}


def test_its_hints_are_merged_and_what_it_gave_is_printed(simulated):
    code, out, err = simulated(_claiming("first"), _claiming("second"))
    told = [pod["containers"]["c"] for pod in json.loads(out)["pods"]]
    assert code == 0
    assert [one["further"] for one in told] == [{"claims": {CLAIM: 1}}, {"claims": {CLAIM: 0}}]
    assert [one["affinity"]["nodes"] for one in told] == [[1], [0]]
    assert "claims" not in err


def test_claims_that_it_serves_are_not_told_as_unserved(simulated):
    assert "claimsNotServed" not in simulated(_claiming("first"))[1]


def test_a_pod_that_finds_no_node_for_its_claim_is_refused(simulated):
    code, out, _ = simulated(*(_claiming(name) for name in ("first", "second", "third")))
    assert code == 1
    assert [pod.get("reason") for pod in json.loads(out)["pods"]] == [None, None, "TopologyAffinityError"]


def test_its_holding_is_in_the_text(simulated):
    assert f'    claims: {{"{CLAIM}":1}}' in simulated(_claiming("first"), option="--explain")[1]
