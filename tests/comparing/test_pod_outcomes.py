"""What became of pods beside a target: where each container may run, and beside whom."""

from numa_conformance.asking.generators.workloads import burstable, guaranteed, static
from numa_conformance.comparing.pod_outcomes import lived, pod_outcomes
from numa_conformance.cpuset import format_bits
from numa_conformance.machine import load_machine
from numa_conformance.report.reference_answers import open_reference
from numa_conformance.wire.history.history import Head, History, Step

MACHINE = load_machine("two-nodes-devices")
"""Two sockets, a NUMA node each: CPUs 0-3,8-11 and 4-7,12-15; CPU 8 is the other thread of CPU 0."""


def of_reference(*pods, kubelet=None):
    with open_reference("exact") as reference:
        return pod_outcomes(lived(reference, MACHINE, kubelet or static(), pods))


def told(held, pods, pool="0-15"):
    """Return what became of pods whose containers hold this, as a target tells it."""
    answer = {"result": "admitted", "default_cpuset": pool, "containers": {}}
    admits = [Step("node.admit", {"pod": pod}, answer) for pod in pods]
    return pod_outcomes(
        History(
            Head("moved", "pods", 0, MACHINE, "1.37"),
            (*admits, Step("node.state", {}, {"default_cpuset": pool, "containers": held})),
        )
    )


def test_exclusive_cpus_are_alone_and_a_shared_container_has_the_pool():
    of_pods = of_reference(burstable("b", 1), guaranteed("a", 3), burstable("d", 1))
    mine, shared = of_pods["a"].containers["c"], of_pods["b"].containers["c"]
    assert (mine.cpus.bit_count(), mine.alone, mine.sockets, mine.nodes) == (3, True, (0,), (0,))
    assert mine.shared_cores == 1
    assert format_bits(shared.cpus | mine.cpus) == "0-15"
    assert not shared.alone
    assert shared.nodes == (0, 1)
    assert shared.cpus == of_pods["d"].containers["c"].cpus


def test_a_pod_that_is_refused_has_its_reason():
    refused = of_reference(guaranteed("a", 16))["a"]
    assert refused.reason == "UnexpectedAdmissionError"
    assert refused.to_dict()["result"] == "rejected"
    assert "containers" not in refused.to_dict()


def test_what_a_runtime_keeps_a_container_to_counts_before_its_own_cpus():
    held = {"a": {"c": {"cpus": "2-3", "cpuset": "2-4", "mems": "0"}}, "b": {"c": {"cpus": "", "cpuset": "4-5"}}}
    of_pods = told(held, [guaranteed("a", 2), burstable("b", 1)])
    mine = of_pods["a"].containers["c"]
    assert (format_bits(mine.cpus), mine.alone, mine.mems) == ("2-4", False, (0,))
    assert of_pods["b"].containers["c"].mems is None


def test_memory_that_may_be_anywhere_is_not_kept():
    held = {"a": {"c": {"cpus": "2-3", "mems": "0-1"}}}
    assert told(held, [guaranteed("a", 2)])["a"].containers["c"].mems is None
    held = {"a": {"c": {"cpus": "2", "memory": [{"type": "memory", "bytes": 1, "nodes": [0, 1]}]}}}
    assert told(held, [guaranteed("a", 1)])["a"].containers["c"].mems == (0, 1)


def test_an_init_container_that_has_ended_shares_nothing():
    pod = guaranteed("a", 2)
    pod["spec"]["initContainers"] = [{**pod["spec"]["containers"][0], "name": "i"}]
    held = {"a": {"i": {"cpus": "2-3"}, "c": {"cpus": "2-3"}}}
    containers = told(held, [pod])["a"].containers
    assert [*containers] == ["c"]
    assert containers["c"].alone
    pod["spec"]["initContainers"][0]["restartPolicy"] = "Always"
    assert not told(held, [pod])["a"].containers["c"].alone
