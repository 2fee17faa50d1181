"""Restarts of the node agent, state files, the reconcile loop."""

from __future__ import annotations

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Machine, load_machine
from numa_conformance.protocol.messages.node import StartFailed
from numa_conformance.suite.examples.node_run import NodeRun, held_after
from numa_conformance.suite.generators.workloads import best_effort, guaranteed, kubelet, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement


@requirement("cpu-manager/state-file/assignments-survive-a-restart")
def test_a_restart_changes_nothing(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    before = {name: node.admit(guaranteed(name, cpu)).cpus() for name, cpu in (("a", 2), ("b", 1))}
    pool = node.admit(best_effort("c")).pool
    reply = node.restart()
    after = {uid: CpuSet.parse(held["c"].cpus) for uid, held in held_after(reply).items()}
    for name, cpus in before.items():
        node.check(
            after.get(name) == cpus, f"pod {name} has other CPUs after a restart", got=after.get(name), allowed=cpus
        )
    told = CpuSet.parse(reply.default_cpuset)
    node.check(told == pool, "the shared pool has changed", got=told, allowed=pool)


@requirement("cpu-manager/state-file/policy-change-is-refused")
def test_another_policy_is_refused_while_the_file_is_there(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    node.admit(guaranteed("a", 2))
    reply = node.try_restart(kubelet(cpuManagerPolicy="none"))
    node.check(isinstance(reply, StartFailed), "the node comes up with another policy", got=reply, allowed="failed")


@requirement("cpu-manager/state-file/policy-change-works-once-deleted")
def test_another_policy_works_once_the_file_is_deleted(node: NodeRun, machine: Machine) -> None:
    node.start(machine, kubelet(cpuManagerPolicy="none"))
    reply = node.restart(static(), files={"cpu_manager_state": None})
    told = CpuSet.parse(reply.default_cpuset)
    node.check(told == node.online, "the pool is wrong", got=told, allowed=node.online)


@requirement("cpu-manager/state-file/changed-cpus-are-refused")
def test_a_file_of_other_cpus_is_refused(node: NodeRun) -> None:
    node.start(load_machine("t3-two-numa-per-socket"), static())
    node.admit(guaranteed("a", 2))
    foreign = node.checkpoints()["cpu_manager_state"]
    node.start(load_machine("t1-one-socket-smt2"), static())
    reply = node.try_restart(files={"cpu_manager_state": foreign})
    node.check(
        isinstance(reply, StartFailed), "the node comes up with CPUs it does not have", got=reply, allowed="failed"
    )


@requirement("cpu-manager/state-file/strict-change-is-refused")
def test_strict_reservation_needs_the_file_deleted(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    reply = node.try_restart(static("strict-cpu-reservation"))
    node.check(isinstance(reply, StartFailed), "the node comes up, reserved CPUs shared", got=reply, allowed="failed")


@requirement("cpu-manager/reconcile/running-containers-get-their-cpusets")
def test_reconcile_brings_every_container_up_to_date(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    node.admit(best_effort("shared"))
    node.run("shared")
    node.reconcile()
    exclusive = node.admit(guaranteed("own", 2))
    node.run("own")
    sent = {(one.uid, one.container): CpuSet.parse(one.cpus) for one in node.reconcile().updates}
    got = sent.get(("shared", "c"), exclusive.pool)  # what was written at once need not be sent again
    node.check(
        got == exclusive.pool, "a shared container keeps CPUs that are exclusive", got=got, allowed=exclusive.pool
    )
    own = sent.get(("own", "c"), exclusive.cpus())
    node.check(own == exclusive.cpus(), "an exclusive container is moved", got=own, allowed=exclusive.cpus())


@requirement("cpu-manager/reconcile/running-containers-get-their-cpusets")
def test_reconcile_grows_the_pool_again(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    for name, subject in (("shared", best_effort("shared")), ("own", guaranteed("own", 2))):
        node.admit(subject)
        node.run(name)
    node.reconcile()
    pool = node.remove("own").pool
    sent = {(one.uid, one.container): CpuSet.parse(one.cpus) for one in node.reconcile().updates}
    got = sent.get(("shared", "c"), pool)
    node.check(got == pool, "a shared container does not regain CPUs", got=got, allowed=pool)
