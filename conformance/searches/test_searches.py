"""Conversations drawn at random, on machines drawn at random, judged by the same checkers as generated ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from numa_conformance.asking.examples.conversation import Conversation
from numa_conformance.asking.generators.picks import OPTION_SETS
from numa_conformance.asking.generators.scenario import Question
from numa_conformance.asking.strategies.machines import machines
from numa_conformance.asking.strategies.workloads import kubelet_configurations, pods
from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Machine, load_machine
from numa_conformance.plugin.run import Run
from numa_conformance.plugin.spending import SEARCHES
from numa_conformance.wire import Client

pytestmark = pytest.mark.documented
requirement = pytest.mark.requirement

SMALL = machines(max_cpus=32, max_nodes=4, sane=True, devices=False)
MACHINES = machines(max_cpus=32, max_nodes=8, sane=True) | st.sampled_from(
    [load_machine(name) for name in ("t1-one-socket-smt2", "t2-two-sockets-interleaved", "two-nodes-devices")]
)
"""Drawn machines are often too small for much to happen, so every other one is of the catalogue."""
NODES = [0, 1, 2, 3]
DISTANCES = [[10, 12, 20, 20], [12, 10, 20, 20], [20, 20, 10, 11], [20, 20, 11, 10]]
POLICIES = ("best-effort", "restricted", "single-numa-node")


@pytest.fixture
def search(target: Client, conformance: Run, requirements: tuple[str, ...]) -> Conversation:
    version = str(conformance.profile.version)
    return Conversation(target, requirements, version, over=lambda: not conformance.spending.left(SEARCHES))


@pytest.mark.surfaces("pick")
@pytest.mark.beside_node
@requirement(
    "cpu-manager/static/gives-free-cpus-only",
    "cpu-manager/static/integral-guaranteed-is-exclusive",
    "cpu-manager/static/refuses-what-is-not-free",
    "cpu-manager/static/packs-whole-cores",
    "cpu-manager/full-pcpus-only/gives-whole-cores",
    "cpu-manager/distribute-cpus-across-cores/takes-separate-cores",
    "cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses",
)
@given(data=st.data(), machine=SMALL)
def test_choices_of_cpus(search: Conversation, conformance: Run, data: st.DataObject, machine: Machine) -> None:
    _only_on_chosen(machine, conformance)
    claimed = [names for names in OPTION_SETS if {f"cpu-manager/{name}" for name in names} <= conformance.features]
    options = data.draw(st.sampled_from(claimed), label="options")
    if "align-by-socket" in options and len(machine.socket_bits) > len(machine.numa_bits):
        options = ()
    search(machine, [_pick(data, machine, *options)])


@pytest.mark.surfaces("pick")
@pytest.mark.beside_node
@requirement("cpu-manager/static/gives-free-cpus-only", "cpu-manager/static/integral-guaranteed-is-exclusive")
@given(data=st.data(), machine=machines(max_cpus=32, max_nodes=4, devices=False))
def test_choices_of_cpus_on_odd_machines(
    search: Conversation, conformance: Run, data: st.DataObject, machine: Machine
) -> None:
    _only_on_chosen(machine, conformance)
    search(machine, [_pick(data, machine)])


def _only_on_chosen(machine: Machine, run: Run) -> None:
    """Ask nothing where machines are named, as a search draws its own; and nothing on one that is left out."""
    if run.machines.named:
        pytest.skip("not asked on the machines that are named: machines are drawn at random")
    assume(run.machines.has(machine))


def _pick(data: st.DataObject, machine: Machine, *options: str) -> Question:
    """Draw what is taken, and how many of the rest are asked for: now and then one too many."""
    online = CpuSet.from_bits(machine.online_bits)
    available = online - CpuSet(data.draw(st.sets(st.sampled_from(list(online))), label="taken"))
    count = data.draw(st.integers(0, len(available) + 1), label="count")
    return "pick", {"available": str(available), "count": count, "options": dict.fromkeys(options, True)}


@pytest.mark.surfaces("merge")
@requirement(
    "topology-manager/merge/takes-the-narrowest-preferred-affinity",
    "topology-manager/merge/restricted-admits-only-preferred",
    "topology-manager/merge/single-numa-node-admits-only-one-node",
    "topology-manager/best-effort/admits-unaligned-pods",
)
@given(data=st.data())
def test_merges_of_hints(search: Conversation, conformance: Run, data: st.DataObject) -> None:
    claimed = [name for name in POLICIES if f"topology-manager/{name}" in conformance.features]
    if not claimed:
        pytest.skip("not claimed: a policy that aligns")
    policy = data.draw(st.sampled_from(claimed), label="policy")
    providers = data.draw(st.lists(_providers(), min_size=1, max_size=3), label="providers")
    question = {"policy": policy, "options": {}, "nodes": NODES, "distances": DISTANCES, "providers": providers}
    search(load_machine("one-cpu"), [("merge", question)])


def _providers() -> st.SearchStrategy[Mapping[str, Any] | None]:
    nodes = st.lists(st.sampled_from(NODES), min_size=1, unique=True).map(sorted)
    hints = st.dictionaries(nodes.map(tuple), st.booleans(), max_size=4)
    listed = hints.map(lambda sets: [{"nodes": list(nodes), "preferred": good} for nodes, good in sets.items()])
    return st.none() | listed.map(lambda rows: {"r": rows})


@pytest.mark.surfaces("node")
@requirement(
    "cpu-manager/shared-pool/loses-nothing",
    "cpu-manager/shared-pool/regains-cpus-on-removal",
    "cpu-manager/static/exclusive-cpus-leave-the-shared-pool",
    "cpu-manager/reservation/is-never-exclusive",
    "topology-manager/single-numa-node/gives-one-node",
    "topology-manager/scope/pod/aligns-the-pod-as-a-whole",
    "device-manager/allocation/shares-no-device",
)
@given(data=st.data(), machine=MACHINES)
def test_lives_of_nodes(search: Conversation, conformance: Run, data: st.DataObject, machine: Machine) -> None:
    _only_on_chosen(machine, conformance)
    search(machine, _life(data, machine, conformance.claimed))


def _life(data: st.DataObject, machine: Machine, features: frozenset[str]) -> list[Question]:
    """Draw a node's configuration, and pods that come, run and go; the node is reconciled and restarted.

    What is drawn does not depend on what is answered: a target may answer otherwise the next time.
    """
    kubelet = data.draw(kubelet_configurations(machine, features), label="kubelet")
    resources = sorted({device.resource for device in machine.devices})
    life: list[Question] = [("node.start", {"kubelet": kubelet})]
    kinds = ["admit", "admit", "run", "remove"]
    if "cpu-manager/reconcile" in features:
        kinds.append("reconcile")
    if "node/restart" in features and kubelet.get("memoryManagerPolicy") != "Static":
        kinds.append("restart")
    for number in range(data.draw(st.integers(0, 20), label="steps")):
        kind = data.draw(st.sampled_from(kinds), label="step")
        if kind == "admit":
            life.append(("node.admit", {"pod": data.draw(pods(f"p{number}", features, resources), label="pod")}))
        elif kind in ("run", "remove"):
            come = [params["pod"]["metadata"]["uid"] for method, params in life if method == "node.admit"]
            life += [(f"node.{kind}", {"uid": data.draw(st.sampled_from(come), label=kind)})] if come else []
        else:
            life.append((f"node.{kind}", {}))
    return life
