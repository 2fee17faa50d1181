"""The Topology Manager as its source of 1.22 says, told by a walk through it."""

from __future__ import annotations

from ..pages import TOPOLOGY_SOURCE
from .statement import Statement, should, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        TOPOLOGY_SOURCE.section("Admission", ""),
        "admission",
        "1.27",
        should(
            "handlers",
            "The Topology Manager is one of five handlers of admission.",
            untestable="a target tells what came of an admission, not whom it asked on the way",
        ),
        should(
            "managers-in-turn",
            "CPU, device and memory managers are asked for resources in turn.",
            untestable="a target tells what came of an admission, not whom it asked on the way",
        ),
        should("errors-refuse", "An error there refuses the pod."),
        should(
            "again-after-a-restart",
            "After a restart of the kubelet every pod passes admission again and may be refused.",
        ),
        should(
            "first-refusal-counts",
            "Handlers run in sequence, and the first refusal refuses the pod.",
            untestable="a target tells what came of an admission, not whom it asked on the way",
        ),
        should("others-go-on", "A refused pod does not stop the others."),
        should("reason-and-message", "A refusal has a reason and a message."),
        should(
            "without-the-gate",
            "Without the gate TopologyManager each manager allocates on its own.",
            until="1.26",
            untestable="no version before 1.27 can be asked for",
        ),
        should("allocation-errors-refuse", "An error of an allocation refuses the pod."),
        should("refused-is-terminated", "A refused pod becomes Terminated."),
    ),
    *stated(
        TOPOLOGY_SOURCE.section("Policies", ""),
        "policies",
        "1.27",
        should("four", "There are four policies."),
        should("none-is-the-default", "The default policy is none."),
        should("best-effort", "best-effort admits without an optimum."),
        should("restricted", "restricted refuses without an optimum."),
        should("single-numa-node", "single-numa-node needs an optimum of exactly one NUMA node."),
        should("none-skips-hints", "Policy none asks for no hints and admits."),
        should("topology-affinity-error", "A pod that is not admitted has the reason TopologyAffinityError."),
        should("its-message", "The message says that resources cannot be allocated with topology locality."),
        should("stored-and-used", "When a pod is admitted its hint is stored and resources are allocated accordingly."),
        should("unknown-policy", "An unknown policy is an error."),
    ),
    *stated(
        TOPOLOGY_SOURCE.section("Scopes", ""),
        "scopes",
        "1.27",
        should("container-is-the-default", "The default scope is container."),
        should("pod", "There is the scope pod."),
        should("unknown-scope", "An unknown scope is an error."),
        should("init-first", "In the container scope init containers come first, then app containers."),
        should("container-by-container", "In the container scope hints and admission are per container."),
        should("pod-asks-pod-hints", "In the pod scope providers are asked for hints of the pod."),
    ),
    *stated(
        TOPOLOGY_SOURCE.section("NUMA nodes", ""),
        "machine",
        "1.27",
        should("node-ids", "NUMA node ids come from the machine's topology."),
        should("more-than-eight", "More than 8 NUMA nodes are refused."),
        should("eight", "Exactly 8 NUMA nodes are accepted."),
        should("none-has-no-limit", "Policy none has no such limit."),
        should("limit-for-other-policies", "The limit holds for best-effort, restricted and single-numa-node."),
        should("three-providers", "CPU, device and memory managers are hint providers."),
    ),
    *stated(
        TOPOLOGY_SOURCE.section("Hints of the CPU Manager", ""),
        "cpu-hints",
        "1.27",
        should(
            "pod-total", "A pod asks for the larger of its largest init container and the sum of its app containers."
        ),
        should(
            "init-without-cpu",
            "Init containers without a CPU request are skipped.",
            untestable="every container of a Guaranteed pod requests CPUs, and others have no hints",
        ),
        should("held-cpus-again", "CPUs that are held give the same hints again after a restart."),
        should("other-number-held", "CPUs held in another number than asked give an empty list of hints."),
        should("empty-list-refuses", "An empty list is refused under every policy but best-effort."),
        should("available", "Available are the CPUs of the shared pool without the reserved ones."),
        should("reusable", "CPUs of init containers are reusable within their pod; for new pods there are none."),
        should("every-combination", "Every combination of NUMA nodes is looked at."),
        should("size-counts-all-cpus", "The narrowest size counts all CPUs of the NUMA nodes, used ones included."),
        should("reusable-must-be-covered", "Combinations that miss the NUMA node of a reusable CPU are dropped."),
        should("too-few-free", "Combinations with fewer free CPUs than asked are no hints."),
        should("narrowest-is-preferred", "Hints of the narrowest size are preferred, others are not."),
        should("picture", "Of 3 NUMA nodes with 2 CPUs each, with CPUs 1, 3, 4 and 6 free, 2 CPUs are asked for."),
    ),
    *stated(
        TOPOLOGY_SOURCE.section("Hints of the Device Manager", ""),
        "device-hints",
        "1.27",
        should(
            "every-combination", "Every combination of NUMA nodes is looked at; the narrowest size counts all devices."
        ),
        should("any-of-its-nodes", "A device counts for any of its NUMA nodes."),
        should("reusable-first", "Reusable devices must be used up first."),
        should("too-few-free", "Combinations with fewer free devices than asked are no hints."),
        should("narrowest-is-preferred", "Hints of the narrowest size are preferred."),
    ),
    *stated(
        TOPOLOGY_SOURCE.section("The merge", ""),
        "merge",
        "1.27",
        should("best-common-hint", "The merge finds the best hint that all providers share."),
    ),
)
