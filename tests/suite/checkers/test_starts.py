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
from numa_conformance.suite.generators.workloads import guaranteed, kubelet, static
from numa_conformance.suite.history.history import Head, History, Step
from numa_conformance.suite.judge.start_subjects import GENERATOR, Start
from numa_conformance.suite.judge.subjects import subjects
from numa_conformance.suite.judge.verdicts import Verdicts, judge
from planted import documented_reference

Answer = Mapping[str, Any]
FULL, NUMA, SOCKET = "full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket"
CORES, UNCORE = "distribute-cpus-across-cores", "prefer-align-cpus-by-uncorecache"
ALL = frozenset(FEATURES)
VERSIONS = [str(version) for version in SUPPORTED if str(version) != "1.32"]
T3 = "t3-two-numa-per-socket"
DOWN = {"result": "failed", "stage": "kubelet", "message": "no"}
LIMIT = "topology-manager/max-allowable-numa-nodes/"


def up(reserved: str | None = None, pool: str = "0-31") -> Answer:
    return {"result": "started", "default_cpuset": pool, "reserved_cpus": reserved}


def gave(**cpus: str) -> Answer:
    return {
        "result": "admitted",
        "default_cpuset": "",
        "containers": {name: {"cpus": own} for name, own in cpus.items()},
    }


REFUSED = {"result": "rejected", "default_cpuset": "", "reason": "No", "message": "no"}


def verdicts(machine: str, *steps: tuple[Mapping[str, Any], ...], version: str = "1.32") -> Verdicts:
    """Judge starts: a configuration, its answer and, for a first pod, the pod and its answer."""
    taken = []
    for config, started, *first in steps:
        taken.append(Step("node.start", {"kubelet": config}, started))
        if first:
            taken.append(Step("node.admit", {"pod": first[0]}, first[1]))
    return judge(History(Head(GENERATOR, "", 0, load_machine(machine), version), tuple(taken)))


def restarted(before: Mapping[str, Any], config: Mapping[str, Any], answer: Answer) -> set[str]:
    """Judge a node that comes up with one configuration and is restarted with another one."""
    steps = (Step("node.start", {"kubelet": before}, up()), Step("node.restart", {"kubelet": config}, answer))
    return judge(History(Head(GENERATOR, "", 0, load_machine(T3), "1.32"), steps)).unmet


def broken(machine: str, *steps: tuple[Mapping[str, Any], ...], version: str = "1.32") -> set[str]:
    return verdicts(machine, *steps, version=version).unmet


def test_the_documented_reference_starts_as_the_pages_say() -> None:
    outcome = Asking(node_starts(ALL), documented_reference(), "1.32").spend()
    asked = {name for name in asked_in(GROUPS["starts"]) if not outcome.verdicts.asked[name]}
    assert (outcome.ended, asked) == ([], set())
    assert outcome.verdicts.unmet == set()


@pytest.mark.parametrize("version", VERSIONS if DEEP else VERSIONS[::5])
def test_the_reference_of_every_version_shows_and_hides_options(version: str) -> None:
    scenarios = [scenario for scenario in node_starts(ALL, [version]) if scenario.cell.split(",")[0] in STATIC_OPTIONS]
    outcome = Asking(scenarios, documented_reference(), "1.32").spend()
    assert outcome.verdicts.unmet == set()
    hidden = {name for name in STATIC_OPTIONS if outcome.verdicts.asked[f"cpu-manager/{name}/stays-hidden"]}
    shown = {name for name in STATIC_OPTIONS if outcome.verdicts.asked[f"cpu-manager/{name}/is-available"]}
    assert hidden | shown == STATIC_OPTIONS.keys()


def aligned(policy: str, **fields: Any) -> dict[str, Any]:
    return kubelet(topologyManagerPolicy=policy, **fields)


def counted(**kept: str) -> dict[str, Any]:
    return kubelet(cpuManagerPolicy="static", **{f"{name}Reserved": {"cpu": text} for name, text in kept.items()})


BESIDE_SINGLE = static(SOCKET, topology="single-numa-node", reserved="0,16")
MORE_SOCKETS = static(SOCKET, topology="restricted")
WIDE = guaranteed("wide", 9)
GIB = {"type": "memory", "bytes": 1 << 30, "nodes": [0]}
Case = tuple[str, str, tuple[Mapping[str, Any], ...], tuple[Mapping[str, Any], ...]]
CASES: list[Case] = [
    ("cpu-manager/reservation/must-be-positive", T3, (counted(kube="0"), up()), (counted(kube="0"), DOWN)),
    (
        "cpu-manager/reservation/ascending-core-ids",
        T3,
        (counted(kube="2"), up("0,17")),
        (counted(kube="2"), up("0,16")),
    ),
    (
        "cpu-manager/reservation/adds-kube-and-system",
        T3,
        (counted(kube="1", system="1"), up("0")),
        (counted(system="2"), up("0,16")),
    ),
    (
        "cpu-manager/reservation/explicit-list-is-taken",
        T3,
        (static(reserved="5"), up("0")),
        (static(reserved="5"), up("5")),
    ),
    (
        "cpu-manager/policy/unknown-is-refused",
        T3,
        (kubelet(cpuManagerPolicy="x"), up()),
        (kubelet(cpuManagerPolicy="x"), DOWN),
    ),
    (
        "cpu-manager/policy/defaults-to-none",
        T3,
        (kubelet(), up(), WIDE, gave(c="0-8")),
        (kubelet(), up(), WIDE, gave(c="")),
    ),
    (
        "memory-manager/policy/unknown-is-refused",
        T3,
        (kubelet(memoryManagerPolicy="x"), up()),
        (kubelet(memoryManagerPolicy="x"), DOWN),
    ),
    ("topology-manager/policy/unknown-is-refused", T3, (aligned("x"), up()), (aligned("x"), DOWN)),
    (
        "topology-manager/scope/unknown-is-refused",
        T3,
        (aligned("none", topologyManagerScope="x"), up()),
        (aligned("none", topologyManagerScope="x"), DOWN),
    ),
    (
        "topology-manager/admission/aligns-no-cpus-without-the-cpu-manager",
        T3,
        (aligned("restricted"), up(), WIDE, REFUSED),
        (aligned("restricted"), up(), WIDE, gave(c="")),
    ),
    (
        "topology-manager/admission/aligns-no-memory-without-the-memory-manager",
        "t2-two-sockets-interleaved",
        (aligned("restricted"), up(), guaranteed("p", 1, "900Gi"), REFUSED),
        (aligned("restricted"), up(), guaranteed("p", 1, "900Gi"), gave(c="")),
    ),
    (
        "memory-manager/policy/defaults-to-none",
        T3,
        (static(), up(), WIDE, {**gave(), "containers": {"c": {"cpus": "1-9", "memory": [GIB]}}}),
        (static(), up(), WIDE, {**gave(), "containers": {"c": {"cpus": "1-9", "memory": []}}}),
    ),
    (
        f"cpu-manager/{SOCKET}/refuses-single-numa-node",
        T3,
        (BESIDE_SINGLE, up("0,16"), WIDE, gave(c="1-8,17")),
        (BESIDE_SINGLE, up("0,16"), WIDE, REFUSED),
    ),
    (
        f"cpu-manager/{SOCKET}/refuses-single-numa-node",
        T3,
        (BESIDE_SINGLE, up("0,16"), WIDE, gave(c="1-8,17")),
        (BESIDE_SINGLE, DOWN),
    ),
    (
        f"cpu-manager/{SOCKET}/refuses-more-sockets-than-numa-nodes",
        "t5-two-sockets-one-numa",
        (MORE_SOCKETS, up("0"), WIDE, REFUSED),
        (MORE_SOCKETS, up("0"), WIDE, gave(c="1-9")),
    ),
    (
        f"cpu-manager/{SOCKET}/refuses-more-sockets-than-numa-nodes",
        "t5-two-sockets-one-numa",
        (MORE_SOCKETS, up("0"), WIDE, REFUSED),
        (MORE_SOCKETS, DOWN),
    ),
    (f"{LIMIT}none-has-no-limit", "twelve-numa-nodes", (aligned("none"), DOWN), (aligned("none"), up())),
    (
        f"{LIMIT}eight-are-accepted",
        "t6-eight-numa-no-smt",
        (aligned("restricted"), DOWN),
        (aligned("restricted"), up()),
    ),
    (f"{LIMIT}default-is-eight", "twelve-numa-nodes", (aligned("restricted"), up()), (aligned("restricted"), DOWN)),
]


@pytest.mark.parametrize(
    ("requirement", "machine", "wrong", "right"), CASES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_each_checker_bites_and_spares(
    requirement: str, machine: str, wrong: tuple[Mapping[str, Any], ...], right: tuple[Mapping[str, Any], ...]
) -> None:
    assert requirement in broken(machine, wrong)
    assert requirement not in broken(machine, right)


@pytest.mark.parametrize(
    ("machine", "count", "reserved", "legal"),
    [
        ("t2-two-sockets-interleaved", "2", "0,6", True),
        ("t2-two-sockets-interleaved", "2", "0-1", True),
        ("t2-two-sockets-interleaved", "2", "0,2", False),
        ("t2-two-sockets-interleaved", "4", "0-1,6-7", True),
        ("t2-two-sockets-interleaved", "4", "0,2,6,8", True),
        ("t2-two-sockets-interleaved", "4", "0,4,6,10", False),
        ("t1-one-socket-smt2", "3", "0-1,4", True),
        ("t1-one-socket-smt2", "3", "0,4-5", True),
        ("t1-one-socket-smt2", "3", "0-2", False),
        ("t1-one-socket-smt2", "1", "8", False),
    ],
)
def test_core_ids_may_be_counted_in_the_machine_or_in_the_socket(
    machine: str, count: str, reserved: str, legal: bool
) -> None:
    named = "cpu-manager/reservation/ascending-core-ids"
    assert (named not in broken(machine, (counted(kube=count), up(reserved)))) is legal


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
    head = Head(GENERATOR, "", 0, load_machine(T3), version)
    step = Step("node.start", {"kubelet": kubelet(featureGates=gates)}, up())
    ((_, start),) = subjects(History(head, (step,)))
    assert isinstance(start, Start)
    assert start.shows(option) is shown


def test_more_options_than_named_make_no_effect_known() -> None:
    """A node that does the same without an option shows nothing of it."""
    plain = (static(reserved="0,16"), up(), guaranteed(FULL, 1), REFUSED)
    named = (static(FULL, reserved="0,16"), up(), guaranteed(FULL, 1), REFUSED)
    assert not verdicts(T3, plain, named).asked[f"cpu-manager/{FULL}/is-available"]


def first_after(config: Mapping[str, Any], option: str, cpus: str) -> tuple[Mapping[str, Any], ...]:
    """Start, and admit a pod that shows an option."""
    return config, up(), guaranteed(option, cpus.count(",") + 1), gave(c=cpus)


PLAIN, GATE_OFF = static(reserved="0,16"), {"featureGates": {"CPUManagerPolicyOptions": False}}
WITHOUT_FULL = {**static(FULL, reserved="0,16"), **GATE_OFF}
Starts = tuple[Mapping[str, Any], ...]
BESIDE_PLAIN: list[tuple[str, Starts, Starts, list[Starts]]] = [
    (
        "cpu-manager/options/gate-off-means-defaults",
        first_after(PLAIN, FULL, "1"),
        (WITHOUT_FULL, up(), guaranteed(FULL, 1), REFUSED),
        [first_after(WITHOUT_FULL, FULL, "2"), (WITHOUT_FULL, DOWN)],
    ),
    (
        f"cpu-manager/{UNCORE}/is-available",
        first_after(PLAIN, UNCORE, "1,4"),
        (static(UNCORE, reserved="0,16"), DOWN),
        [first_after(static(UNCORE, reserved="0,16"), UNCORE, cpus) for cpus in ("1,17", "1,4")],
    ),
]
"""A start without an option, and with it a wrong one and right ones."""


@pytest.mark.parametrize(("requirement", "plain", "wrong", "right"), BESIDE_PLAIN)
def test_what_a_start_without_the_option_shows(
    requirement: str, plain: Starts, wrong: Starts, right: list[Starts]
) -> None:
    assert requirement in broken(T3, plain, wrong)
    for start in right:
        assert requirement not in broken(T3, plain, start)


def test_a_restart_for_another_topology_manager_is_a_start() -> None:
    """State files have a say in what the other managers are told anew, so such restarts are read by others."""
    unknown, refused = {**kubelet(), "topologyManagerScope": "x"}, "topology-manager/scope/unknown-is-refused"
    again = {"result": "restarted", "default_cpuset": "0-31", "pods": []}
    assert refused in restarted(kubelet(), unknown, again)
    assert not restarted(kubelet(), unknown, DOWN)
    assert not restarted(kubelet(), kubelet(cpuManagerPolicy="x", topologyManagerScope="x"), again)
