"""What is counted of a scheduler, in a cluster that is none: kubelets are the reference, the scheduler a function."""

import json

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.lab.cluster.scheduled import groups_of, run_workload
from numa_conformance.machine import load_machine, machine_from_dict, machine_to_dict
from numa_conformance.reference.node import Node

MACHINE = load_machine("t3-two-numa-per-socket")
STATIC = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0,16"}


class Pretended:
    """Answers as a cluster of two nodes; ``choose`` is told the nodes that would take a pod and all, and names one."""

    def __init__(self, policy, choose):
        kubelet = {**STATIC, "topologyManagerPolicy": policy}
        self.choose = choose
        self.plan = {"machine": machine_to_dict(MACHINE), "kubelet": kubelet, "version": "v1.37.1"}
        machine = machine_from_dict(self.plan["machine"], "machine")
        self.nodes = {name: Node(machine, kubelet, kubernetes_version="1.37", resource_fit=True) for name in ("a", "b")}
        self.there = {}

    def ask(self, verb, *words):
        return getattr(self, verb)(*words)

    def status(self):
        return {"nodes": [{"name": name, "pods": len(copy.pods)} for name, copy in self.nodes.items()]}

    def plans(self):
        return dict.fromkeys(self.nodes, self.plan)

    def make(self, text):
        manifest = json.loads(text)
        name = manifest["metadata"]["name"]
        pod = {**manifest, "metadata": {"name": name, "namespace": "default", "uid": name}}
        takers = [node for node, copy in self.nodes.items() if copy.admit(pod).admitted and copy.remove(name)]
        node = self.choose(takers, list(self.nodes))
        self.there[name] = node
        if node is None:
            condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "I will not"}
            return {**pod, "status": {"phase": "Pending", "conditions": [condition]}}
        admission = self.nodes[node].admit(pod)
        spec = {**pod["spec"], "nodeName": node}
        if admission.admitted:
            started = [{"state": {"running": {}}} for _ in spec["containers"]]
            return {**pod, "spec": spec, "status": {"phase": "Running", "containerStatuses": started}}
        return {**pod, "spec": spec, "status": {"phase": "Failed", "reason": admission.reason}}

    def drop(self, *names):
        for name in names:
            self.nodes.get(self.there.pop(name), Node(MACHINE, {})).remove(name)


def outcomes(policy, choose, settle=lambda node: None):
    cluster = Pretended(policy, choose)
    (group,) = groups_of(cluster)
    found = list(run_workload(cluster, group, 1, 20, "any", settle))
    assert cluster.there == {}
    assert (group.policy, group.scope, len(found)) == (policy, "container", 20)
    return found


def test_a_scheduler_that_knows_the_kubelets_makes_no_fault():
    found = outcomes("single-numa-node", lambda takers, every: takers[0] if takers else None)
    assert not any(one.is_refused or one.is_held_back_wrongly or one.reason for one in found)
    assert any(not one.node for one in found)
    assert all(one.expected for one in found)


def test_what_is_bound_and_refused_is_counted():
    found = outcomes("single-numa-node", lambda takers, every: every[0])
    assert sum(one.is_refused for one in found) > 3
    assert all(one.expected for one in found)


def test_what_is_held_back_though_a_kubelet_would_take_it_is_counted():
    found = outcomes("single-numa-node", lambda takers, every: None)
    assert all(one.is_held_back_wrongly and one.takers == ("a", "b") for one in found)
    assert {one.message for one in found} == {"I will not"}


def test_nodes_with_pods_of_others_are_refused():
    cluster = Pretended("none", lambda takers, every: "a")
    cluster.make(json.dumps({"metadata": {"name": "other"}, "spec": {"containers": [{"name": "c"}]}}))
    with pytest.raises(UsageError, match="pods are on a"):
        list(run_workload(cluster, groups_of(cluster)[0], 1, 3, "any", lambda node: None))


def test_an_exporter_has_time_at_first_and_after_each_pod_that_was_bound():
    settled = []
    found = outcomes("restricted", lambda takers, every: takers[0] if takers else None, settled.append)
    assert settled == ["a", "b", *(one.node for one in found if one.node)]


def test_a_scheduler_that_does_not_work_is_told():
    class Silent(Pretended):
        def make(self, text):
            return {**json.loads(text), "status": {"phase": "Pending"}}

        def drop(self, *names):
            """Nothing was bound."""

    cluster = Silent("none", None)
    with pytest.raises(UsageError, match="nobody has decided about pod scheduled-1-0"):
        list(run_workload(cluster, groups_of(cluster)[0], 1, 3, "mine", lambda node: None))
