"""What the Topology Manager refuses to start with, and in which order it looks."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from numa_conformance.errors import StartError
from numa_conformance.kube.features import FeatureGates
from numa_conformance.kube.kubelet_config import KubeletConfiguration
from numa_conformance.reference.managers.topology import TopologyPolicy, make_topology_policy
from numa_conformance.sources.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.quirks.areas import TopologyQuirks
from numa_conformance.sources.versions import KubernetesVersion

EXACT = Quirks.of(KubernetesVersion(1, 32)).topology
CLOSEST = "prefer-closest-numa-nodes"
MOST = "max-allowable-numa-nodes"


def make(
    options: Mapping[str, str] | None = None,
    *,
    nodes: int | Sequence[int] = 2,
    name: str = "restricted",
    scope: str = "container",
    gates: Mapping[str, bool] | None = None,
    distances: bool = True,
    version: str = "1.32",
    quirks: TopologyQuirks = EXACT,
) -> TopologyPolicy:
    ids = range(nodes) if isinstance(nodes, int) else nodes
    fields: dict[str, Any] = {"topology_manager_policy_options": options} if options else {}
    config = KubeletConfiguration(topology_manager_policy=name, topology_manager_scope=scope, **fields)
    rows = [[10] * len(ids)] * len(ids) if distances else None
    return make_topology_policy(config, ids, rows, FeatureGates.build(version, gates or {}), quirks)


def refusal(options: Mapping[str, str] | None = None, **how: Any) -> str:
    with pytest.raises(StartError) as raised:
        make(options, **how)
    assert raised.value.stage == "topologymanager"
    return raised.value.message


@pytest.mark.parametrize("name", TOPOLOGY_POLICIES)
@pytest.mark.parametrize("scope", TOPOLOGY_SCOPES)
def test_knows_four_policies_and_two_scopes(name: str, scope: str) -> None:
    policy = make(name=name, scope=scope)
    assert (policy.name, policy.scope) == (name, scope)


def test_refuses_an_unknown_policy_or_scope() -> None:
    assert refusal(name="strict", scope="node") == 'unknown policy: "strict"'
    assert refusal(scope="node") == 'unknown scope: "node"'


def test_nine_numa_nodes_are_one_too_many() -> None:
    assert make(nodes=8).everything == 255
    assert refusal(nodes=9) == "unsupported on machines with more than 8 NUMA Nodes"


@pytest.mark.parametrize("limit", ["9", "+9", "009"])
def test_the_limit_of_numa_nodes_can_be_raised(limit: str) -> None:
    assert make({MOST: limit}, nodes=9).everything == 511
    assert refusal({MOST: limit}, nodes=10) == "unsupported on machines with more than 9 NUMA Nodes"


@pytest.mark.parametrize("limit", ["7", "0", "-9"])
def test_the_limit_of_numa_nodes_cannot_be_lowered(limit: str) -> None:
    assert refusal({MOST: limit}) == f'the minimum value of "{MOST}" should not be less than 8'


@pytest.mark.parametrize("limit", ["", "eight", "8.0", "1_0", " 9", "٩"])
def test_the_limit_of_numa_nodes_is_a_decimal_integer(limit: str) -> None:
    assert refusal({MOST: limit}).startswith(f'unable to convert policy option to integer "{MOST}": ')


def test_the_page_raises_the_limit_with_true() -> None:
    assert refusal({MOST: "true"}, nodes=9).startswith(f'unable to convert policy option to integer "{MOST}": ')
    assert make({MOST: "true"}, nodes=9, quirks=TopologyQuirks()).everything == 511


@pytest.mark.parametrize("value", ["1", "t", "T", "TRUE", "true", "True"])
def test_closest_is_on_for_every_word_of_truth(value: str) -> None:
    assert make({CLOSEST: value}).fitness is not make().fitness


@pytest.mark.parametrize("value", ["0", "f", "F", "FALSE", "false", "False"])
def test_closest_is_off_for_every_word_of_falsehood(value: str) -> None:
    assert make({CLOSEST: value}).fitness is make().fitness


@pytest.mark.parametrize("value", ["", "yes", "tRUE", "on"])
def test_closest_takes_no_other_word(value: str) -> None:
    assert refusal({CLOSEST: value}).startswith(f'bad value for option "{CLOSEST}": ')


def test_closest_needs_distances() -> None:
    missing = "cannot discover NUMA topology: error getting NUMA distances from cadvisor"
    assert refusal({CLOSEST: "true"}, distances=False) == missing
    assert make({CLOSEST: "false"}, distances=False).name == "restricted"


def test_single_numa_node_ignores_closest() -> None:
    assert make({CLOSEST: "true"}, name="single-numa-node").fitness is make().fitness


def test_refuses_unknown_options_whatever_their_value() -> None:
    assert refusal({"Prefer-closest": "false"}) == 'unknown Topology Manager Policy option: "Prefer-closest"'


def test_options_need_the_gates_of_their_maturity() -> None:
    beta = {"TopologyManagerPolicyBetaOptions": False}
    assert make({CLOSEST: "true"}, gates=beta).name == "restricted"
    assert refusal({MOST: "9"}, gates=beta) == (
        f'Topology Manager Policy Beta-level Options not enabled, but option "{MOST}" provided'
    )


def test_options_need_the_gate_of_all_options() -> None:
    off = {"TopologyManagerPolicyOptions": False}
    assert make(gates=off, version="1.31").name == "restricted"
    assert refusal({MOST: "9", CLOSEST: "x"}, gates=off, version="1.31") == (
        f"topology manager policy options map[{MOST}:9 {CLOSEST}:x] require feature gates "
        '"TopologyManagerPolicyOptions" enabled'
    )


def test_looks_at_options_then_distances_then_nodes_then_policy_then_scope() -> None:
    wrong = {"nodes": 9, "name": "strict", "scope": "node", "distances": False}
    assert "unknown Topology Manager Policy option" in refusal({"x": "1"}, **wrong)
    assert "distances" in refusal({CLOSEST: "true"}, **wrong)
    assert "more than 8 NUMA Nodes" in refusal({CLOSEST: "true"}, **wrong | {"distances": True})
    assert "unknown policy" in refusal(**wrong | {"nodes": 8})


def test_policy_none_looks_at_nothing() -> None:
    assert make({"x": "1", CLOSEST: "x"}, name="none", nodes=70, scope="node", distances=False).name == "none"


def test_any_numa_id_comes_up() -> None:
    assert make(nodes=[0, 64]).everything == 1 | 1 << 64
