"""Control Memory Management Policies on a Node, what troubleshooting shows, and the enhancement proposal behind it."""

from __future__ import annotations

from ..pages import MEMORY_KEP, MEMORY_TASK, TROUBLESHOOTING
from .statement import Statement, must, should, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        MEMORY_TASK.section("Overview", ""),
        "head",
        "1.21",
        must("guarantees", "The Memory Manager guarantees memory and huge pages to Guaranteed pods."),
        must(
            "hints-and-policy-decide", "Its hints and the Topology Manager's policy decide whether the pod is admitted."
        ),
        must("fewest-numa-nodes", "The memory a pod requests comes from the minimum number of NUMA nodes."),
    ),
    *stated(
        MEMORY_TASK.section("How does the Memory Manager operate?"),
        "how",
        "1.21",
        must("cpuset-mems", "It enforces cpuset.mems for pods."),
        must("reserved-memory-is-mandatory", "reservedMemory must be given with policy Static."),
        should(
            "groups",
            "A request above the capacity of one NUMA node makes the manager attempt to create a group of NUMA nodes.",
        ),
    ),
    *stated(
        MEMORY_TASK.section("Policies"),
        "policies",
        "1.21",
        must("those", "The policies are None, the default, Static on Linux, and BestEffort on Windows."),
    ),
    *stated(
        MEMORY_TASK.section("None policy", "policy-none"),
        "none",
        "1.21",
        must("does-nothing", "Policy None does not affect memory in any way."),
        must("default-hint", "Policy None gives the default hint: no preference."),
    ),
    *stated(
        MEMORY_TASK.section("Static policy", "policy-static"),
        "static",
        "1.21",
        must(
            "hints-and-reserves",
            "For a Guaranteed pod Static gives hints for NUMA nodes that can guarantee its memory, and reserves it.",
        ),
        must("other-classes", "For BestEffort and Burstable pods it gives the default hint and reserves nothing."),
    ),
    *stated(
        MEMORY_TASK.section("BestEffort policy", "policy-best-effort"),
        "best-effort",
        "1.32",
        should(
            "enough-on-a-node",
            "On Windows the manager makes a best effort that a NUMA node has enough memory.",
            untestable="targets are Linux nodes",
        ),
    ),
    *stated(
        MEMORY_TASK.section("Reserved memory configuration", "reserved-memory-flag"),
        "reserved",
        "1.21",
        must("not-for-containers", "Reserved memory is not used for containers."),
        must(
            "eviction-default",
            "The default hard eviction threshold is 100Mi, so that with Static reservedMemory is obligatory.",
        ),
    ),
    *stated(
        MEMORY_TASK.section("Memory manager reserved memory syntax", "reserved-memory-syntax"),
        "syntax",
        "1.21",
        must("per-numa-node", "Memory is reserved per NUMA node, with a limit for each type."),
    ),
    *stated(
        MEMORY_TASK.section("Constraints on NUMA memory reservation"),
        "constraints",
        "1.21",
        must(
            "sum",
            "For each type the amounts over all NUMA nodes equal kubeReserved, systemReserved and the hard eviction "
            "threshold together.",
        ),
        must("error-otherwise", "Otherwise the manager shows an error at start."),
        must(
            "worked-example",
            "4Gi and 1Gi reserved, with the default threshold, match 3Gi and 2148Mi on two NUMA nodes.",
        ),
    ),
    *stated(
        MEMORY_TASK.section("Configurations to avoid", "reserved-memory-configurations-to-avoid"),
        "avoid",
        "1.21",
        should("duplicates", "The same NUMA node and type should not be given twice."),
        should("zero", "No type should be given a limit of zero."),
        should("unknown-numa-nodes", "NUMA nodes that the machine does not have should not be named."),
        should("unknown-types", "No other types than memory and hugepages of an existing size should be named."),
    ),
    *stated(
        MEMORY_TASK.section("Placing a Pod in the Guaranteed QoS class"),
        "guaranteed",
        "1.21",
        must(
            "specific-hints",
            "Guaranteed pods have specific hints, also with fractional CPUs; others have the default hint.",
        ),
    ),
    *stated(
        TROUBLESHOOTING.section("Troubleshoot TopologyAffinityError", "TopologyAffinityError"),
        "error",
        "1.21",
        must(
            "without-enough",
            "A node without enough memory, or a policy that is not met, shows as TopologyAffinityError.",
        ),
    ),
    *stated(
        TROUBLESHOOTING.section("Examine the memory manager state on a node"),
        "state",
        "1.21",
        must(
            "pinned-to-several", "A pod of 150Gi on two NUMA nodes of 125Gi is pinned to both, which become one group."
        ),
        must("group-amounts-add-up", "What is free in a group is the sum over its NUMA nodes."),
        must("file", "The state file holds the policy, the state of each NUMA node, and what each container has."),
    ),
    *stated(
        MEMORY_KEP.section("How to enable the guaranteed memory allocation over many NUMA nodes?"),
        "groups",
        "1.21",
        should("disjoint", "Groups of NUMA nodes are disjoint."),
        should("inseparable", "A group is one inseparable unit: its NUMA nodes serve no container alone."),
    ),
    *stated(
        MEMORY_KEP.section("Hints Generation for Topology Manager"),
        "hints",
        "1.21",
        should(
            "every-type-counts",
            "A hint names NUMA nodes with enough capacity for all types of memory that are asked for.",
        ),
    ),
)
