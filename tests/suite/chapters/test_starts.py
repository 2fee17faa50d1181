"""Nodes that start rightly and wrongly, judged by what became of their configuration and of the first pod."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from asked_in_full import DEEP
from numa_conformance.documentation.options import STATIC_OPTIONS
from numa_conformance.documentation.versions import SUPPORTED
from numa_conformance.machine import load_machine
from numa_conformance.protocol import FEATURES
from numa_conformance.suite.asking.asking import Asking
from numa_conformance.suite.asking.groups import GROUPS, asked_in
from numa_conformance.suite.generators.start_sweeps import node_starts
from numa_conformance.suite.generators.workloads import kubelet
from numa_conformance.suite.history.history import Head, History, Step
from numa_conformance.suite.judge.start_subjects import Start
from numa_conformance.suite.judge.subjects import subjects
from numa_conformance.suite.judge.verdicts import judge
from planted import documented_reference

Answer = Mapping[str, Any]
FULL, NUMA, SOCKET = "full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket"
CORES, UNCORE = "distribute-cpus-across-cores", "prefer-align-cpus-by-uncorecache"
ALL = frozenset(FEATURES)
VERSIONS = [str(version) for version in SUPPORTED if str(version) != "1.32"]
T3 = "t3-two-numa-per-socket"
DOWN = {"result": "failed", "stage": "kubelet", "message": "no"}


def up(reserved: str | None = None, pool: str = "0-31") -> Answer:
    return {"result": "started", "default_cpuset": pool, "reserved_cpus": reserved}


def restarted(before: Mapping[str, Any], config: Mapping[str, Any], answer: Answer) -> set[str]:
    """Judge a node that comes up with one configuration and is restarted with another one."""
    steps = (Step("node.start", {"kubelet": before}, up()), Step("node.restart", {"kubelet": config}, answer))
    return judge(History(Head("start", "", 0, load_machine(T3), "1.32"), steps)).unmet


def test_the_documented_reference_starts_as_the_pages_say() -> None:
    outcome = Asking(node_starts(ALL), documented_reference(), "1.32").spend()
    asked = {name for name in asked_in(GROUPS["starts"]) if not outcome.verdicts.asked[name]}
    assert (outcome.ended, asked) == ([], set())
    assert outcome.verdicts.unmet.isdisjoint(asked_in(GROUPS["starts"]))


@pytest.mark.parametrize("version", VERSIONS if DEEP else VERSIONS[::5])
def test_the_reference_of_every_version_shows_and_hides_options(version: str) -> None:
    scenarios = [
        scenario for scenario in node_starts(ALL, versions=[version]) if scenario.cell.split(",")[0] in STATIC_OPTIONS
    ]
    outcome = Asking(scenarios, documented_reference(), "1.32").spend()
    assert outcome.verdicts.unmet == set()
    hidden = {name for name in STATIC_OPTIONS if outcome.verdicts.asked[f"cpu-manager/{name}/stays-hidden"]}
    shown = {name for name in STATIC_OPTIONS if outcome.verdicts.asked[f"cpu-manager/{name}/is-available"]}
    assert hidden | shown == STATIC_OPTIONS.keys()


@pytest.mark.parametrize(
    ("option", "version", "gates", "shown"),
    [
        (FULL, "1.32", {}, True),
        (FULL, "1.32", {"CPUManagerPolicyBetaOptions": False}, False),
        (FULL, "1.33", {"CPUManagerPolicyBetaOptions": False}, True),
        (FULL, "1.33", {"CPUManagerPolicyOptions": False}, None),
        (NUMA, "1.32", {}, False),
        (NUMA, "1.33", {}, True),
        (SOCKET, "1.36", {}, False),
        (CORES, "1.30", {"CPUManagerPolicyAlphaOptions": True}, False),
        (CORES, "1.31", {"CPUManagerPolicyAlphaOptions": True}, True),
        (UNCORE, "1.36", {"CPUManagerPolicyAlphaOptions": False}, True),
        ("max-allowable-numa-nodes", "1.30", {}, False),
        ("max-allowable-numa-nodes", "1.31", {}, True),
        ("max-allowable-numa-nodes", "1.31", {"TopologyManagerPolicyOptions": False}, False),
    ],
    ids=str,
)
def test_versions_and_gates_show_options(option: str, version: str, gates: dict[str, bool], shown: bool | None) -> None:
    head = Head("start", "", 0, load_machine(T3), version)
    step = Step("node.start", {"kubelet": kubelet(featureGates=gates)}, up())
    (start,) = (each for _, each in subjects(History(head, (step,))) if isinstance(each, Start))
    assert start.shows(option) is shown


def test_a_restart_for_another_topology_manager_is_a_start() -> None:
    """State files have a say in what the other managers are told anew, so such restarts are read by others."""
    unknown, refused = {**kubelet(), "topologyManagerScope": "x"}, "topology-manager/scope/unknown-is-refused"
    again = {"result": "restarted", "default_cpuset": "0-31", "pods": []}
    assert refused in restarted(kubelet(), unknown, again)
    assert not restarted(kubelet(), unknown, DOWN)
    assert not restarted(kubelet(), kubelet(cpuManagerPolicy="x", topologyManagerScope="x"), again)
