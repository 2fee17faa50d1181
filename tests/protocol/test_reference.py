"""The reference as a target: what the wire adds to the node."""

from numa_conformance.hostfs import write_cgroup_tree
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.protocol import ReferenceTarget
from numa_conformance.protocol.messages.host import HostReconcile
from numa_conformance.protocol.messages.node import AdmitPod, RunPod, StartNode
from numa_conformance.suite.workloads import guaranteed, static


def test_a_cpuset_that_cannot_be_written_is_skipped_and_written_in_the_next_pass(tmp_path):
    """CPU-REC-05."""
    machine = load_machine("t1-one-socket-smt2")
    target = ReferenceTarget("documented")
    target.node_start(StartNode(machine=machine_to_dict(machine), kubelet=static()))
    for name in ("here", "late"):
        target.node_admit(AdmitPod(pod=guaranteed(name, "500m")))
        target.node_run(RunPod(name))
    write_cgroup_tree(machine, tmp_path / "first", {"here": ["c"]})
    target.node_admit(AdmitPod(pod=guaranteed("pinned", 2)))
    target.node_run(RunPod("pinned"))
    first = target.host_reconcile(HostReconcile(root=str(tmp_path / "first")))
    assert [one.uid for one in first.updates] == ["here"]
    assert [one.uid for one in first.skipped] == ["late"]
    assert first.handled == 2
    write_cgroup_tree(machine, tmp_path / "second", {"here": ["c"], "late": ["c"], "pinned": ["c"]})
    second = target.host_reconcile(HostReconcile(root=str(tmp_path / "second")))
    assert [(one.uid, one.cpus) for one in second.updates] == [("late", first.updates[0].cpus)]
    assert (second.handled, second.skipped) == (3, [])
