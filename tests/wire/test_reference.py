"""The reference as a target: what the wire adds to the node."""

import pytest

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.machine.hostfs import write_cgroup_tree
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess, TargetFault
from numa_conformance.wire.messages.host import HostReconcile
from numa_conformance.wire.messages.node import AdmitPod, RunPod, StartNode


@pytest.mark.parametrize(("level", "also"), [("exact", []), ("documented", ["here", "pinned"])])
def test_a_cpuset_that_cannot_be_written_is_skipped_and_written_in_the_next_pass(tmp_path, level, also):
    """CPU-REC-05; what was written before is written again where the cgroup has it no longer, as documented."""
    machine = load_machine("t1-one-socket-smt2")
    target = ReferenceTarget(level)
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
    assert {one.uid for one in second.updates} == {"late", *also}
    assert {one.uid: one.cpus for one in second.updates}["late"] == first.updates[0].cpus
    assert (second.handled, second.skipped) == (3, [])


@pytest.mark.parametrize("level", ["exact", "documented"])
@pytest.mark.parametrize(
    "wrong",
    [
        {"topologyManagerPolicy": "strict"},
        {"topologyManagerScope": "node"},
        {"reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi"}}] * 2},
    ],
    ids=str,
)
def test_a_configuration_is_validated_before_managers_are_built(level, wrong):
    target = Client(InProcess(lambda: ReferenceTarget(level), "the reference"))
    machine = machine_to_dict(load_machine("t1-one-socket-smt2"))
    for kubelet in (wrong, {**wrong, "cpuManagerPolicy": "no-such"}):
        told = target.call("node.start", {"machine": machine, "kubelet": kubelet})
        assert (told["result"], told["stage"]) == ("failed", "kubelet")
    assert target.call("node.start", {"machine": machine, "kubelet": {}})["result"] == "started"
    told = target.call("node.restart", {"kubelet": wrong})
    assert (told["result"], told["stage"]) == ("failed", "kubelet")
    assert target.call("node.restart", {"kubelet": {}})["result"] == "restarted"


def test_a_choice_that_never_ends_is_no_answer():
    """Quirk distribution-hang: to its caller the kubelet is silent."""
    question = {
        "machine": machine_to_dict(load_machine("amd-naples-7451")),
        "available": "0,2-17,19-26,28-35,37,39-44,46-52,54-59,62-65,69-79,81-85,88-90,92,94",
        "count": 48,
        "options": dict.fromkeys(("align-by-socket", "distribute-cpus-across-numa", "full-pcpus-only"), True),
    }
    target = Client(InProcess(lambda: ReferenceTarget("exact"), "the reference"))
    with pytest.raises(TargetFault, match="the kubelet never answers"):
        target.call("pick", question)
    documented = Client(InProcess(lambda: ReferenceTarget("documented"), "the reference"))
    assert documented.call("pick", question)["result"] == "picked"
