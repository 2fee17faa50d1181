"""Control CPU Management Policies on the Node, of 1.8 and of today."""

from __future__ import annotations

from ..pages import CPU_1_8, CPU_TASK
from .statement import Statement, may, must, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        CPU_1_8.section("Configuration"),
        "configuration",
        "1.8",
        must(
            "alpha-gate",
            "The CPU Manager is alpha in 1.8 and needs the gate CPUManager=true.",
            until="1.9",
            untestable="no version before 1.27 can be asked for",
        ),
        must(
            "policy-flag",
            "The policy is chosen by --cpu-manager-policy.",
            untestable="the flag is the kubelet's; targets are given a KubeletConfiguration",
        ),
        must("none-is-the-default", "The default policy is none."),
        must(
            "reconciles-through-the-cri",
            "Cpusets are written periodically through the CRI, so that cgroups agree with what is assigned.",
        ),
        must(
            "period-flag",
            "--cpu-manager-reconcile-period sets the period.",
            untestable="the flag is the kubelet's; targets are given a KubeletConfiguration",
        ),
        must(
            "period-default",
            "By default the period is that of --node-status-update-frequency.",
            untestable="the period is in no answer; `numa-conformance simulate` tells the reference's",
        ),
    ),
    *stated(
        CPU_1_8.section("None policy"),
        "none",
        "1.8",
        must("quota", "Under policy none CFS quota enforces the limits of Guaranteed pods."),
    ),
    *stated(
        CPU_1_8.section("Static policy"),
        "static",
        "1.8",
        may(
            "restart-may-lose-exclusivity",
            "In 1.8 exclusivity is not guaranteed across restarts of the kubelet.",
            until="1.9",
            untestable="no version before 1.27 can be asked for",
        ),
        must("reservation-is-the-sum", "Reserved are kube-reserved and system-reserved together."),
        must("needs-a-reservation", "Policy static needs kube-reserved or system-reserved above zero."),
        must("reserved-by-core-id", "Reserved CPUs are taken in whole numbers, in ascending order of core ids."),
        must(
            "example-classes",
            "The six examples have the classes BestEffort, Burstable, Burstable, Guaranteed, Guaranteed, Guaranteed.",
        ),
        must(
            "example-placements",
            "The fourth and the sixth example get 2 exclusive CPUs, the others run in the shared pool.",
        ),
        must("pool-holds-all-cpus-at-first", "The shared pool initially holds all CPUs."),
        must("cpusets-enforce-exclusivity", "The cpuset cgroup controller enforces exclusivity."),
        must("exclusive-against-other-pods", "System services may run on exclusive CPUs; other pods are kept off."),
        must("quota-is-not-needed", "CFS quota does not bound containers with exclusive CPUs."),
        must("as-many-as-the-limit", "The number of exclusive CPUs equals the whole CPU limit."),
    ),
    *stated(
        CPU_TASK.section("Configuration"),
        "configuration",
        "1.8",
        must("policies", "The policies are none, the default, and static."),
        must(
            "reconciles-through-the-cri",
            "Cpusets are written periodically through the CRI, so that cgroups agree with what is assigned.",
        ),
        must(
            "period-default",
            "By default the reconcile period is nodeStatusUpdateFrequency.",
            untestable="the period is in no answer; `numa-conformance simulate` tells the reference's",
        ),
        must("options-field", "Options of policy static are a list of names and values.", since="1.22"),
        must(
            "gate-off-means-defaults",
            "With the gate CPUManagerPolicyOptions off the policy runs with its defaults.",
            since="1.22",
            until="1.32",
        ),
        must(
            "alpha-options-are-hidden",
            "Alpha options are hidden unless CPUManagerPolicyAlphaOptions is on.",
            since="1.23",
        ),
        must(
            "beta-options-are-visible",
            "Beta options are visible unless CPUManagerPolicyBetaOptions is off.",
            since="1.23",
        ),
    ),
    *stated(
        CPU_TASK.section("Changing the CPU Manager Policy"),
        "change",
        "1.10",
        must(
            "applies-to-new-pods",
            "A changed policy does not apply to pods that exist.",
            untestable="whole nodes are drained before; what happens without is the next sentence",
        ),
        must("needs-the-file-removed", "The policy changes once the node is drained and the state file is removed."),
        must("refused-otherwise", "Otherwise the kubelet ends at start, telling both policies and the file to delete."),
        must(
            "changed-cpus-need-it-too",
            "When the set of online CPUs changes the node must be drained and the state file deleted.",
        ),
    ),
    *stated(
        CPU_TASK.section("none policy configuration"),
        "none",
        "1.8",
        must("needs-nothing", "Policy none has no further configuration."),
    ),
    *stated(
        CPU_TASK.section("static policy configuration"),
        "static",
        "1.17",
        must(
            "explicit-list-comes-first",
            "An explicit list of reserved CPUs takes precedence over kube-reserved and system-reserved.",
        ),
        must(
            "needs-a-reservation",
            "Policy static needs a reservation above zero, by kube-reserved, system-reserved or the explicit list.",
        ),
    ),
    *stated(
        CPU_TASK.section("Static policy options", "cpu-policy-static--options"),
        "options",
        "1.22",
        must(
            "full-pcpus-and-numa-add-up",
            "full-pcpus-only and distribute-cpus-across-numa add up: whole cores are distributed.",
            since="1.23",
        ),
        must(
            "align-by-socket-adds-up",
            "align-by-socket adds to full-pcpus-only and distribute-cpus-across-numa.",
            since="1.25",
        ),
        must(
            "across-cores-stands-alone",
            "distribute-cpus-across-cores cannot be used with full-pcpus-only or distribute-cpus-across-numa.",
            since="1.31",
        ),
        must(
            "strict-needs-the-file-removed",
            "strict-cpu-reservation is switched on by option, removal of the state file, and a restart.",
            since="1.32",
        ),
        must(
            "incompatible-options-fail-the-start", "With incompatible options the kubelet fails to start.", since="1.32"
        ),
    ),
)
