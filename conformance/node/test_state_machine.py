"""Random pods come and go on random machines; what must always hold is checked after every step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Machine, load_machine
from numa_conformance.protocol.messages.node import NodeStarted
from numa_conformance.pytest_plugin.run import Run
from numa_conformance.suite.examples.invariants import cpu_violations, footprint, split_cores
from numa_conformance.suite.examples.node_run import NodeRun, held_after
from numa_conformance.suite.strategies.machines import machines
from numa_conformance.suite.strategies.workloads import kubelet_configurations, pods

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement

MACHINES = machines(max_cpus=32, max_nodes=8, sane=True) | st.sampled_from(
    [load_machine(name) for name in ("t1-one-socket-smt2", "t2-two-sockets-interleaved", "two-nodes-devices")]
)
"""Drawn machines are often too small for much to happen, so every other one is of the catalogue."""
FULL = "full-pcpus-only"
MAY_NOT_COME_BACK = {FULL, "strict-cpu-reservation"}
"""Options under which the kubelet may refuse its own pods or its own state file after a restart: the quirks
smt-check-before-own-cpus and strict-pool-may-empty."""


def life_of_a_node(
    new_node: Callable[[], NodeRun], features: frozenset[str], level: str
) -> type[RuleBasedStateMachine]:
    """Return a state machine that drives one node of the target, within what it claims."""

    class LifeOfANode(RuleBasedStateMachine):
        """What is drawn never depends on what is answered: a target may answer otherwise the next time."""

        @initialize(machine=MACHINES, data=st.data())
        def start(self, machine: Machine, data: st.DataObject) -> None:
            self.node = new_node()
            self.config = data.draw(kubelet_configurations(machine, features), label="kubelet")
            started = self.node.try_start(machine, self.config)
            self.up = isinstance(started, NodeStarted)
            self.sets: dict[str, dict[str, CpuSet]] = {}
            self.pool = self.node.initial_pool if self.up else CpuSet()
            self.count = 0
            self.resources = sorted({one.resource for one in machine.devices})
            self.devices: dict[str, list[tuple[str, str]]] = {}

        @rule(data=st.data())
        def admit(self, data: st.DataObject) -> None:
            self.count += 1
            pod = data.draw(pods(f"p{self.count}", features, self.resources), label="pod")
            if not self.up:
                return
            before = self.pool
            answer = self.node.try_admit(pod)
            self.pool = answer.pool
            if answer.admitted:
                self.sets[answer.uid] = {name: answer.cpus(name) for name in answer.containers}
                self.keeps_promises(answer.uid)
                own = {
                    (name, one)
                    for name in self.resources
                    for c in self.sets[answer.uid]
                    for one in answer.devices(name, c)
                }
                taken = own & {device for uid, held in self.devices.items() if uid in self.sets for device in held}
                self.node.check(not taken, "devices are given to two pods", got=sorted(taken), allowed="none")
                self.devices[answer.uid] = sorted(own)
            else:
                self.node.check(answer.pool == before, "a refused pod holds CPUs", got=answer.pool, allowed=before)

        def keeps_promises(self, uid: str) -> None:
            """Check what options and policies promise of every placement."""
            own = self.sets[uid]
            if FULL in self.config.get("cpuManagerPolicyOptions", {}):
                split = [str(core) for cpus in own.values() for core in split_cores(self.node.machine, cpus)]
                self.node.check(not split, f"the cores {split} are split", got=str(own), allowed="whole cores")
            if self.config.get("topologyManagerPolicy") == "single-numa-node":
                whole_pod = self.config["topologyManagerScope"] == "pod"
                together = CpuSet(cpu for cpus in own.values() for cpu in cpus)
                for cpus in [together] if whole_pod else own.values():
                    nodes = footprint(self.node.machine, cpus).numa_nodes
                    what = f"the {'pod' if whole_pod else 'container'} has CPUs of {len(nodes)} NUMA nodes"
                    self.node.check(len(nodes) <= 1, what, got=cpus, allowed="one NUMA node")

        @rule(data=st.data())
        def remove(self, data: st.DataObject) -> None:
            lot = data.draw(st.integers(0, 999), label="remove")
            if not self.up or not self.sets:
                return
            uid = sorted(self.sets)[lot % len(self.sets)]
            own = self.sets.pop(uid)
            self.pool = self.node.remove(uid).pool
            for name, cpus in own.items():
                self.node.check(cpus <= self.pool, f"CPUs of {uid}/{name} do not return", got=self.pool, allowed=cpus)

        @rule()
        def restart(self) -> None:
            if not self.up or "node/restart" not in features:
                return
            if self.config.get("memoryManagerPolicy") == "Static":
                return  # what the memory manager makes of its state file is not what these requirements are about
            if level == "exact" and MAY_NOT_COME_BACK & self.config.get("cpuManagerPolicyOptions", {}).keys():
                return
            after = held_after(self.node.restart())
            for uid, own in self.sets.items():
                held = {name: CpuSet.parse(holding.cpus) for name, holding in after.get(uid, {}).items()}
                self.node.check(held == own, f"pod {uid} has other CPUs after a restart", got=str(held))

        @rule()
        def reconcile(self) -> None:
            if not self.up or "cpu-manager/reconcile" not in features:
                return
            for uid in self.sets:
                self.node.run(uid)
            for update in self.node.reconcile().updates:
                wanted = self.sets.get(update.uid, {}).get(update.container) or self.pool
                self.node.check(
                    update.cpus == str(wanted),
                    f"{update.uid}/{update.container} is sent other CPUs than it has",
                    got=update.cpus,
                    allowed=wanted,
                )

        @invariant()
        def cpus_are_in_order(self) -> None:
            if not getattr(self, "up", False) or self.config.get("cpuManagerPolicy") != "static":
                return
            strict = "strict-cpu-reservation" in self.config.get("cpuManagerPolicyOptions", {})
            found = cpu_violations(self.node.online, self.node.reserved, self.pool, self.sets, strict=strict)
            self.node.check(not found, "; ".join(found))

    return LifeOfANode


@pytest.mark.searches
@requirement(
    "cpu-manager/shared-pool/loses-nothing",
    "cpu-manager/shared-pool/regains-cpus-on-removal",
    "cpu-manager/static/exclusive-cpus-belong-to-one-pod",
    "cpu-manager/static/exclusive-cpus-leave-the-shared-pool",
    "cpu-manager/static/refuses-what-is-not-free",
    "cpu-manager/reservation/is-never-exclusive",
)
def test_a_node_stays_in_order(new_node: Callable[[], NodeRun], conformance: Run) -> None:
    machine: Any = life_of_a_node(new_node, conformance.client.features, conformance.level)
    run_state_machine_as_test(machine, settings=settings())


PROMISING = (
    "cpu-manager/static",
    "cpu-manager/full-pcpus-only",
    "topology-manager/none",
    "topology-manager/single-numa-node",
    "topology-manager/scope/container",
    "topology-manager/scope/pod",
)


@pytest.mark.searches
@requirement(
    "cpu-manager/full-pcpus-only/gives-whole-cores",
    "topology-manager/single-numa-node/gives-one-node",
    "topology-manager/scope/pod/aligns-the-pod-as-a-whole",
)
def test_a_node_keeps_what_its_policies_promise(new_node: Callable[[], NodeRun], conformance: Run) -> None:
    machine: Any = life_of_a_node(new_node, frozenset(PROMISING), conformance.level)
    run_state_machine_as_test(machine, settings=settings())
