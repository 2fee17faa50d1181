"""Control Topology Management Policies on a node, and the enhancement proposal behind it."""

from __future__ import annotations

from ..pages import TOPOLOGY_KEP, TOPOLOGY_TASK
from .statement import Statement, must, should, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        TOPOLOGY_TASK.section("Before you begin", ""),
        "requirements",
        "1.18",
        must(
            "gate-is-on",
            "The page is for 1.18 and later, where the Topology Manager is on by default.",
            untestable="no version before 1.27 can be asked for",
        ),
    ),
    *stated(
        TOPOLOGY_TASK.section("How topology manager works"),
        "how",
        "1.18",
        must("hints", "A hint is a bit mask of NUMA nodes and whether it is preferred."),
        must("undesirable-is-not-preferred", "An undesirable result is stored as not preferred."),
        must("narrowest-preferred", "Preferred is the narrowest preferred mask."),
        must("hint-is-stored-and-used", "The chosen hint is stored and used by the providers for their allocation."),
        must("policy-decides", "By the policy and the chosen hint the pod is accepted or rejected."),
    ),
    *stated(
        TOPOLOGY_TASK.section("Topology manager scopes and policies"),
        "scopes-and-policies",
        "1.18",
        must("every-class", "Pods of all classes are aligned."),
        must("resources-with-hints", "Resources for which a provider gives hints are aligned, no others."),
        must("cpus-need-the-cpu-manager", "To align CPUs the CPU Manager must be configured with a policy."),
        must(
            "memory-needs-the-memory-manager",
            "To align memory and huge pages the Memory Manager must be configured with a policy.",
            since="1.21",
        ),
    ),
    *stated(
        TOPOLOGY_TASK.section("Topology manager scopes"),
        "scopes",
        "1.18",
        must("container-is-the-default", "The scope is set in the configuration; the default is container."),
    ),
    *stated(
        TOPOLOGY_TASK.section("container scope"),
        "container",
        "1.18",
        must("each-container-alone", "Each container is aligned on its own, without grouping them on some NUMA nodes."),
    ),
    *stated(
        TOPOLOGY_TASK.section("pod scope"),
        "pod",
        "1.18",
        should("one-node", "The manager attempts to allocate all containers of a pod to one NUMA node."),
        should("one-set", "It attempts to allocate them to one common set of NUMA nodes where one node is not enough."),
        must("total", "A pod's total is the larger of its app containers' sum and its largest init container."),
        must("one-node-under-single", "With single-numa-node all containers of a pod are placed on one NUMA node."),
        must("one-node-is-admitted", "With single-numa-node a set of one NUMA node leads to admission."),
        must("more-are-refused", "With single-numa-node a set of two or more NUMA nodes leads to rejection."),
    ),
    *stated(
        TOPOLOGY_TASK.section("Topology manager policies"),
        "policies",
        "1.18",
        must("none-is-the-default", "The policy is set in the configuration; the default is none."),
        must("same-for-every-container", "In the pod scope every container of the pod has the same alignment."),
    ),
    *stated(
        TOPOLOGY_TASK.section("none policy", "policy-none"),
        "none",
        "1.18",
        must("aligns-nothing", "Policy none performs no alignment."),
    ),
    *stated(
        TOPOLOGY_TASK.section("best-effort policy", "policy-best-effort"),
        "best-effort",
        "1.18",
        must("admits-anyway", "Under best-effort an affinity that is not preferred is stored, and the pod admitted."),
    ),
    *stated(
        TOPOLOGY_TASK.section("restricted policy", "policy-restricted"),
        "restricted",
        "1.18",
        must("refuses", "Under restricted a pod whose affinity is not preferred is rejected."),
        must(
            "not-rescheduled",
            "The scheduler does not try to reschedule a terminated pod.",
            untestable="it is the scheduler's and the controllers' part",
        ),
        must("topology-affinity-error", "The failure is called a Topology Affinity error."),
    ),
    *stated(
        TOPOLOGY_TASK.section("single-numa-node policy", "policy-single-numa-node"),
        "single-numa-node",
        "1.18",
        must(
            "one-node-or-refused",
            "Under single-numa-node a possible affinity to one NUMA node is stored and used, else the pod is rejected.",
        ),
    ),
    *stated(
        TOPOLOGY_TASK.section("Topology manager policy options"),
        "policy-options",
        "1.26",
        must("gates", "Options need TopologyManagerPolicyOptions, and the gate of their maturity."),
    ),
    *stated(
        TOPOLOGY_TASK.section("prefer-closest-numa-nodes", "policy-option-prefer-closest-numa-nodes"),
        "prefer-closest-numa-nodes",
        "1.26",
        must(
            "favours-shorter-distance",
            "With it best-effort and restricted favour sets of NUMA nodes with shorter distance between them.",
        ),
        must(
            "default-takes-few-nodes",
            "Without it one NUMA node is used, or the minimum number where one is not enough.",
            since="1.18",
        ),
    ),
    *stated(
        TOPOLOGY_TASK.section("max-allowable-numa-nodes", "policy-option-max-allowable-numa-nodes"),
        "max-allowable-numa-nodes",
        "1.31",
        must(
            "eight-by-default",
            "By default the kubelet does not run with the Topology Manager on more than 8 NUMA nodes.",
            since="1.18",
        ),
        must("allows-more", "With the option more than 8 NUMA nodes are allowed."),
        must("is-set-to-true", "The option is switched on by max-allowable-numa-nodes=true."),
        should("not-recommended", "Its use is not recommended.", untestable="advice to administrators"),
    ),
    *stated(
        TOPOLOGY_TASK.section("Pod interactions with topology manager policies"),
        "interactions",
        "1.18",
        must("spec-1-class", "The first pod, without resources, is BestEffort."),
        must("spec-2-class", "The second pod, with a memory request below its limit, is Burstable."),
        must(
            "specs-1-and-2-have-no-cpu-hint",
            "Both are considered unless the policy is none; policy static gives the default hint for them.",
        ),
        must("spec-3-class", "The third pod, with 2 CPUs and a device, is Guaranteed."),
        must("spec-4-class", "The fourth pod, with 300m CPU and a device, is Guaranteed."),
        must("spec-5-class", "The fifth pod, with two kinds of devices alone, is BestEffort."),
        must("spec-3-hints", "For the third pod there are hints for exclusive CPUs and for the device."),
        must("spec-4-hints", "For the fourth pod the CPU hint is the default one, and there are hints for the device."),
        must("none-gives-the-default-hint", "For both the CPU policy none gives the default hint."),
        must(
            "spec-5-hints",
            "For the fifth pod the CPU hint is the default one, and there are hints for each kind of device.",
        ),
        must("best-hint-is-stored-and-used", "The optimal hint is calculated, stored and used for the assignments."),
    ),
    *stated(
        TOPOLOGY_TASK.section("Known limitations"),
        "limitations",
        "1.18",
        must("eight-numa-nodes", "At most 8 NUMA nodes are allowed."),
        must(
            "scheduler-is-not-aware",
            "The scheduler knows nothing of topology: a pod may be scheduled and then fail on the node.",
            untestable="it is the scheduler's part",
        ),
    ),
    *stated(
        TOPOLOGY_KEP.section("New Component: Topology Manager"),
        "hints",
        "1.18",
        should("masks-can-satisfy", "A hint names NUMA nodes where the request can be satisfied."),
        should(
            "preferred-as-if-empty",
            "It is preferred when no smaller number of NUMA nodes could satisfy the request on an empty node.",
        ),
    ),
    *stated(
        TOPOLOGY_KEP.section(
            "The Effective Resource Request/Limit of a Pod", "the-effective-resource-requestlimit-of-a-pod"
        ),
        "total",
        "1.18",
        should(
            "larger-of-init-and-apps",
            "Providers consider the larger of the largest init container and the sum of the app containers.",
        ),
    ),
    *stated(
        TOPOLOGY_KEP.section("Computing Preferred Affinity"),
        "affinity",
        "1.18",
        should("narrowest", "Of the merged hints the one with the narrowest preferred affinity is returned."),
        should("all-nodes-otherwise", "Where no NUMA node is left the hint is all of them, not preferred."),
        should("restricted-admits-preferred", "restricted admits a pod when the merged hint is preferred."),
        should(
            "single-admits-one-node",
            "single-numa-node admits a pod when the merged hint is preferred and names one NUMA node.",
        ),
    ),
)
