"""Resource Bin Packing, and what the scheduler's references add."""

from __future__ import annotations

from ..pages import BIN_PACKING, SCHEDULER_CONFIGURATION, SCHEDULER_REFERENCE
from .statement import Statement, must, should, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        BIN_PACKING.section("Overview", ""),
        "head",
        "1.22",
        must(
            "two-strategies",
            "NodeResourcesFit has two strategies of bin packing, MostAllocated and RequestedToCapacityRatio.",
        ),
    ),
    *stated(
        BIN_PACKING.section("Placement using MostAllocated strategy", "strategy-MostAllocated"),
        "most-allocated",
        "1.22",
        must("favours-full-nodes", "MostAllocated favours nodes with higher allocation."),
        must("weights", "Each resource has a weight."),
        must("configuration", "The example weighs cpu 1, memory 1 and two extended resources 3 each."),
    ),
    *stated(
        BIN_PACKING.section("Placement using RequestedToCapacityRatio strategy", "strategy-RequestedToCapacityRatio"),
        "ratio",
        "1.22",
        must("weights", "RequestedToCapacityRatio takes resources with weights."),
        must("shape", "Its shape of utilization and score tunes the function as least or most requested."),
        must("configuration", "The example weighs two extended resources 3 each, with a shape from 0 to 10."),
        must(
            "config-flag",
            "--config passes the file to the scheduler.",
            untestable="the flag is the scheduler's; targets are given a strategy",
        ),
    ),
    *stated(
        BIN_PACKING.section("Tuning the score function"),
        "shape",
        "1.22",
        must("zero-scores-zero", "With the rising shape utilization 0 scores 0."),
        must("hundred-scores-ten", "With the rising shape utilization 100 scores 10."),
        must("reversed", "With the falling shape the scores are reversed: least requested is favoured."),
        must("resources-default", "Without resources they are cpu and memory, with weight 1 each."),
        must("extended-resources", "Extended resources can be added."),
        must("weight-default", "A weight is optional and 1 by default."),
        must("no-negative-weight", "A weight cannot be negative."),
    ),
    *stated(
        BIN_PACKING.section("Node scoring for capacity allocation"),
        "example",
        "1.22",
        must("node-1-extended", "Node 1: 3 of 4 intel.com/foo are 75 percent and score 7."),
        must("node-1-memory", "Node 1: 512 of 1024 MB are 50 percent and score 5."),
        must("node-1-cpu", "Node 1: 3 of 8 CPUs are 37.5 percent and score 3."),
        must("node-1", "Node 1 scores 5."),
        must("node-2-extended", "Node 2: 4 of 8 intel.com/foo are 50 percent and score 5."),
        must("node-2-memory", "Node 2: 768 of 1024 MB are 75 percent and score 7."),
        must("node-2-cpu", "Node 2: 8 of 8 CPUs are 100 percent and score 10."),
        must("node-2", "Node 2 scores 7."),
        must("floor", "A resource scores a tenth of its percentage, rounded down."),
        must("requested-and-used", "What the pod requests and what is used count together."),
        must("weighted-mean", "The node's score is the weighted mean."),
    ),
    *stated(
        SCHEDULER_CONFIGURATION.section("Scheduling plugins"),
        "plugins",
        "1.22",
        must(
            "fit-checks-everything-requested",
            "NodeResourcesFit checks that the node has all the resources that the pod requests.",
        ),
        must(
            "three-strategies", "Its score uses LeastAllocated, the default, MostAllocated or RequestedToCapacityRatio."
        ),
    ),
    *stated(
        SCHEDULER_REFERENCE.section("ScoringStrategy", "kubescheduler-config-k8s-io-v1-ScoringStrategy"),
        "strategy",
        "1.22",
        should("least-allocated", "LeastAllocated favours nodes with the least amount of requested resources."),
    ),
    *stated(
        SCHEDULER_REFERENCE.section("UtilizationShapePoint", "kubescheduler-config-k8s-io-v1-UtilizationShapePoint"),
        "shape",
        "1.22",
        should("ranges", "Utilization is 0 to 100, scores are 0 to 10."),
    ),
    *stated(
        SCHEDULER_REFERENCE.section("ResourceSpec", "kubescheduler-config-k8s-io-v1-ResourceSpec"),
        "resources",
        "1.22",
        should("weight", "ResourceSpec is a name and a weight."),
    ),
)
