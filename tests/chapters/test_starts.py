"""Nodes that start rightly and wrongly, judged by what became of their configuration and of the first pod."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from asked_in_full import DEEP
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.start_sweeps import node_starts
from numa_conformance.asking.generators.workloads import guaranteed, kubelet, static
from numa_conformance.asking.groups import GROUPS, requirements_in
from numa_conformance.judging.start_subjects import Start
from numa_conformance.judging.subjects import subjects
from numa_conformance.judging.verdicts import HistoryVerdicts, judge
from numa_conformance.machine import load_machine
from numa_conformance.sources.options import STATIC_OPTIONS
from numa_conformance.sources.versions import SUPPORTED
from numa_conformance.wire import FEATURES
from numa_conformance.wire.history.history import Head, History, Step
from planted import documented_reference

Answer = Mapping[str, Any]
FULL, NUMA, SOCKET = "full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket"
CORES, UNCORE = "distribute-cpus-across-cores", "prefer-align-cpus-by-uncorecache"
ALL = frozenset(FEATURES)
VERSIONS = [str(version) for version in SUPPORTED if str(version) != "1.32"]
T3 = "t3-two-numa-per-socket"
DOWN = {"result": "failed", "stage": "kubelet", "message": "no"}
REFUSED = {"result": "rejected", "default_cpuset": "", "reason": "No", "message": "no"}


def up(reserved: str | None = None, pool: str = "0-31") -> Answer:
    return {"result": "started", "default_cpuset": pool, "reserved_cpus": reserved}


def gave(cpus: str, **more: Any) -> Answer:
    return {"result": "admitted", "default_cpuset": "", "containers": {"c": {"cpus": cpus, **more}}}


Taken = tuple[Mapping[str, Any], ...]
"""A configuration, its answer and, for a first pod, the pod and its answer."""


def verdicts(machine: str, *starts: Taken) -> HistoryVerdicts:
    """Judge a history of starts."""
    steps = []
    for config, started, *first in starts:
        steps.append(Step("node.start", {"kubelet": config}, started))
        if first:
            steps.append(Step("node.admit", {"pod": first[0]}, first[1]))
    return judge(History(Head("start", "", 0, load_machine(machine), "1.32"), tuple(steps)))


def restarted(before: Mapping[str, Any], config: Mapping[str, Any], answer: Answer) -> set[str]:
    """Judge a node that comes up with one configuration and is restarted with another one."""
    steps = (Step("node.start", {"kubelet": before}, up()), Step("node.restart", {"kubelet": config}, answer))
    return judge(History(Head("start", "", 0, load_machine(T3), "1.32"), steps)).unmet


def test_the_documented_reference_starts_as_the_pages_say() -> None:
    outcome = Asking(node_starts(ALL), documented_reference(), "1.32").spend()
    asked = {name for name in requirements_in(GROUPS["starts"]) if not outcome.verdicts.tests[name]}
    assert (outcome.ended, asked) == ([], set())
    assert outcome.verdicts.unmet == {"cpu-manager/static/packs-few-cores-in-use"}  # of a hybrid machine: recommended


@pytest.mark.parametrize("version", VERSIONS if DEEP else VERSIONS[::5])
def test_the_reference_of_every_version_shows_and_hides_options(version: str) -> None:
    scenarios = [scenario for scenario in node_starts(ALL) if scenario.cell in STATIC_OPTIONS]
    outcome = Asking(scenarios, documented_reference(), version).spend()
    assert outcome.verdicts.unmet == set()
    hidden = {name for name in STATIC_OPTIONS if outcome.verdicts.tests[f"cpu-manager/{name}/stays-hidden"]}
    shown = {name for name in STATIC_OPTIONS if outcome.verdicts.tests[f"cpu-manager/{name}/is-available"]}
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


def aligned(policy: str, **fields: Any) -> dict[str, Any]:
    return kubelet(topologyManagerPolicy=policy, **fields)


def memory(*entries: tuple[int, str, str]) -> dict[str, Any]:
    listed = [{"numaNode": node, "limits": {kind: text}} for node, kind, text in entries]
    return kubelet(kubeReserved={"memory": "256Mi"}, memoryManagerPolicy="Static", reservedMemory=listed)


def counted(**kept: str) -> dict[str, Any]:
    return kubelet(cpuManagerPolicy="static", **{f"{name}Reserved": {"cpu": text} for name, text in kept.items()})


CPU, MEMORY, TOPOLOGY = "cpu-manager/", "memory-manager/", "topology-manager/"
RESERVED, LIMIT = MEMORY + "reserved-memory/", TOPOLOGY + "max-allowable-numa-nodes/"
BESIDE_SINGLE, MORE_SOCKETS = static(SOCKET, topology="single-numa-node"), static(SOCKET, topology="restricted")
T2, T5, TWELVE = "t2-two-sockets-interleaved", "t5-two-sockets-one-numa", "twelve-numa-nodes"
WIDE, GIB = guaranteed("wide", 9), {"type": "memory", "bytes": 1 << 30, "nodes": [0]}
WRONG: list[tuple[str, str, Taken]] = [
    (CPU + "reservation/must-be-positive", T3, (counted(kube="0"), up())),
    (CPU + "reservation/ascending-core-ids", T3, (counted(kube="2"), up("0,17"))),
    (CPU + "reservation/adds-kube-and-system", T3, (counted(kube="1", system="1"), up("0"))),
    (CPU + "reservation/explicit-list-is-taken", T3, (static(reserved="5"), up("0"))),
    (CPU + "policy/unknown-is-refused", T3, (kubelet(cpuManagerPolicy="x"), up())),
    (CPU + "policy/defaults-to-none", T3, (kubelet(), up(), WIDE, gave("0-8"))),
    (CPU + f"{SOCKET}/refuses-single-numa-node", T3, (BESIDE_SINGLE, up("0"), WIDE, gave("1-8,17"))),
    (CPU + f"{SOCKET}/refuses-more-sockets-than-numa-nodes", T5, (MORE_SOCKETS, up("0"), WIDE, REFUSED)),
    (MEMORY + "policy/unknown-is-refused", T3, (kubelet(memoryManagerPolicy="x"), up())),
    (MEMORY + "policy/defaults-to-none", T3, (static(), up(), WIDE, gave("1-9", memory=[GIB]))),
    (RESERVED + "refuses-duplicates", T3, (memory((0, "memory", "178Mi"), (0, "memory", "178Mi")), up())),
    (RESERVED + "refuses-zero-limits", T3, (memory((0, "memory", "356Mi"), (1, "memory", "0")), up())),
    (RESERVED + "refuses-unknown-numa-nodes", T3, (memory((9, "memory", "356Mi")), up())),
    (RESERVED + "refuses-unknown-types", T3, (memory((0, "memory", "356Mi"), (0, "swap", "1")), up())),
    (RESERVED + "must-match-the-node-reservation", T3, (memory((0, "memory", "355Mi")), up())),
    (RESERVED + "comes-up-when-it-matches", T3, (memory((0, "memory", "100Mi"), (1, "memory", "256Mi")), DOWN)),
    (TOPOLOGY + "policy/unknown-is-refused", T3, (aligned("x"), up())),
    (TOPOLOGY + "scope/unknown-is-refused", T3, (aligned("none", topologyManagerScope="x"), up())),
    (TOPOLOGY + "admission/aligns-no-cpus-without-the-cpu-manager", T3, (aligned("restricted"), up(), WIDE, REFUSED)),
    (
        TOPOLOGY + "admission/aligns-no-memory-without-the-memory-manager",
        T2,
        (aligned("restricted"), up(), guaranteed("p", 1, "900Gi"), REFUSED),
    ),
    (LIMIT + "none-has-no-limit", TWELVE, (aligned("none"), DOWN)),
    (LIMIT + "eight-are-accepted", "t6-eight-numa-no-smt", (aligned("restricted"), DOWN)),
    (LIMIT + "default-is-eight", TWELVE, (aligned("restricted"), up())),
]


@pytest.mark.parametrize(("requirement", "machine", "start"), WRONG)
def test_a_wrong_start_is_read_from_a_history(requirement: str, machine: str, start: Taken) -> None:
    assert requirement in verdicts(machine, start).unmet


@pytest.mark.parametrize("start", [(BESIDE_SINGLE, DOWN), (BESIDE_SINGLE, up("0"), WIDE, REFUSED)])
def test_an_option_beside_single_numa_node_may_keep_a_node_down_or_be_in_vain(start: Taken) -> None:
    assert CPU + f"{SOCKET}/refuses-single-numa-node" not in verdicts(T3, start).unmet


@pytest.mark.parametrize("start", [(MORE_SOCKETS, DOWN), (MORE_SOCKETS, up("0"), WIDE, gave("1-9"))])
def test_an_option_on_more_sockets_than_numa_nodes_may_keep_a_node_down_or_be_in_vain(start: Taken) -> None:
    assert CPU + f"{SOCKET}/refuses-more-sockets-than-numa-nodes" not in verdicts(T5, start).unmet


PLAIN = static(reserved="0,16")
WITHOUT_FULL = {**static(FULL, reserved="0,16"), "featureGates": {"CPUManagerPolicyOptions": False}}
WITH_UNCORE = static(UNCORE, reserved="0,16")


def first_after(config: Mapping[str, Any], option: str, cpus: str) -> Taken:
    """Start, and admit a pod that shows an option."""
    return config, up(), guaranteed(option, cpus.count(",") + 1), gave(cpus)


def test_more_options_than_named_make_no_effect_known() -> None:
    """A node that does the same without an option shows nothing of it."""
    plain, named = ((config, up(), guaranteed(FULL, 1), REFUSED) for config in (PLAIN, static(FULL, reserved="0,16")))
    assert not verdicts(T3, plain, named).tests[f"cpu-manager/{FULL}/is-available"]


@pytest.mark.parametrize(
    ("requirement", "plain", "wrong", "right"),
    [
        (
            "cpu-manager/options/gate-off-means-defaults",
            first_after(PLAIN, FULL, "1"),
            (WITHOUT_FULL, up(), guaranteed(FULL, 1), REFUSED),
            [first_after(WITHOUT_FULL, FULL, "2"), (WITHOUT_FULL, DOWN)],
        ),
        (
            f"cpu-manager/{UNCORE}/is-available",
            first_after(PLAIN, UNCORE, "1,4"),
            (WITH_UNCORE, DOWN),
            [first_after(WITH_UNCORE, UNCORE, cpus) for cpus in ("1,17", "1,4")],
        ),
    ],
)
def test_a_start_is_held_against_the_one_without_the_option(
    requirement: str, plain: Taken, wrong: Taken, right: list[Taken]
) -> None:
    assert requirement in verdicts(T3, plain, wrong).unmet
    assert [start for start in right if requirement in verdicts(T3, plain, start).unmet] == []


def test_a_restart_for_another_topology_manager_is_a_start() -> None:
    """State files have a say in what the other managers are told anew, so such restarts are read by others."""
    unknown, refused = {**kubelet(), "topologyManagerScope": "x"}, "topology-manager/scope/unknown-is-refused"
    again = {"result": "restarted", "default_cpuset": "0-31", "pods": []}
    assert refused in restarted(kubelet(), unknown, again)
    assert not restarted(kubelet(), unknown, DOWN)
    assert not restarted(kubelet(), kubelet(cpuManagerPolicy="x", topologyManagerScope="x"), again)


def test_a_first_pod_that_may_lack_a_device_is_no_proof():
    conversation = History(
        Head("test", "", 0, load_machine("two-nodes-devices"), "1.37"),
        (
            Step("node.start", {"kubelet": kubelet(topologyManagerPolicy="best-effort")}, up(pool="")),
            Step("node.admit", {"pod": guaranteed("p", 1, **{"example.com/gpu": "9"})}, REFUSED),
        ),
    )
    verdicts = judge(conversation)
    assert "topology-manager/admission/aligns-no-cpus-without-the-cpu-manager" not in verdicts.unmet
    plain = Step("node.admit", {"pod": guaranteed("p", 1)}, REFUSED)
    verdicts = judge(History(conversation.head, (conversation.steps[0], plain)))
    assert "topology-manager/admission/aligns-no-cpus-without-the-cpu-manager" in verdicts.unmet
