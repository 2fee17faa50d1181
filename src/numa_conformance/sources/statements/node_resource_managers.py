"""Node Resource Managers: CPUs, policy static, memory."""

from __future__ import annotations

from ..pages import NODE_RESOURCE_MANAGERS
from .statement import Statement, may, must, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        NODE_RESOURCE_MANAGERS.section("Overview", ""),
        "head",
        "1.8",
        must("aligns-cpus-and-devices", "The managers together align the CPUs and devices of a pod.", since="1.18"),
        must(
            "aligns-memory", "Memory and huge pages are aligned with the CPUs and devices of their pod.", since="1.21"
        ),
    ),
    *stated(
        NODE_RESOURCE_MANAGERS.section("Hardware topology alignment policies"),
        "alignment",
        "1.18",
        must("policy-governs", "The policy of the Topology Manager governs the whole process."),
    ),
    *stated(
        NODE_RESOURCE_MANAGERS.section("Policies for assigning CPUs to Pods"),
        "cpus",
        "1.8",
        must("quota-by-default", "By default CPU limits are enforced by CFS quota."),
        must("two-policies", "The CPU Manager has two policies, none and static."),
        must(
            "none-gives-no-affinity", "Policy none gives no affinity beyond what the operating system's scheduler does."
        ),
        must("none-leaves-cpusets-alone", "So under policy none no container is kept to some CPUs."),
        must(
            "none-bounds-by-quota", "Under policy none CFS quota enforces the limits of Guaranteed and Burstable pods."
        ),
        must(
            "static-gives-exclusive-cpus",
            "Policy static gives containers of Guaranteed pods with whole CPU requests exclusive CPUs.",
        ),
        must("cpusets-enforce-exclusivity", "The cpuset cgroup controller enforces exclusivity."),
        may(
            "system-services-may-run-there",
            "The container runtime, the kubelet and other system services may run on exclusive CPUs.",
            untestable="it permits, and demands nothing",
        ),
        must(
            "exclusive-against-other-pods",
            "Exclusivity extends to other pods only: no other pod runs on exclusive CPUs.",
        ),
        must("no-hotplug", "CPUs that go offline or come online at run time are not supported."),
    ),
    *stated(
        NODE_RESOURCE_MANAGERS.section("Static policy"),
        "static",
        "1.8",
        must("pool-holds-all-cpus-at-first", "The shared pool initially holds all CPUs of the node."),
        must("exclusive-are-all-but-reserved", "As many CPUs can be exclusive as the node has beyond its reservation."),
        must("every-reservation-counts", "Any CPU reservation of the kubelet's configuration counts."),
        must("reserved-in-whole-cpus", "Reserved CPUs are taken in whole numbers."),
        must("reserved-by-core-id", "Reserved CPUs are taken in ascending order of physical core ids."),
        must("best-effort-is-shared", "Containers of BestEffort pods run in the shared pool."),
        must("burstable-is-shared", "Containers of Burstable pods run in the shared pool."),
        must(
            "fractional-is-shared", "Containers of Guaranteed pods with fractional CPU requests run in the shared pool."
        ),
        must(
            "only-whole-guaranteed-is-exclusive",
            "Only containers of Guaranteed pods with whole CPU requests get exclusive CPUs.",
        ),
        must("needs-a-reservation", "Policy static needs a CPU reservation above zero."),
        must("pool-never-empty", "The reservation keeps the shared pool from becoming empty."),
        must("cpus-leave-the-pool", "CPUs given to a container are removed from the shared pool."),
        must("cpus-are-the-containers-own", "They are placed in the cpuset of that one container."),
        must("no-quota-on-exclusive-cpus", "CFS quota does not bound containers with exclusive CPUs."),
        must("as-many-as-the-limit", "The number of CPUs of such a container equals its whole CPU limit."),
        must(
            "fewer-context-switches",
            "Static assignment reduces context switches.",
            untestable="performance is not what a target answers",
        ),
        must("example-1-class", "Example 1: a pod without requests and limits is BestEffort."),
        must("example-1-placement", "Example 1 runs in the shared pool."),
        must("example-2-class", "Example 2: a pod with a memory limit above its request and no CPU is Burstable."),
        must("example-2-placement", "Example 2 runs in the shared pool."),
        must("example-3-class", "Example 3: a pod whose CPU and memory limits are above its requests is Burstable."),
        must("example-3-placement", "Example 3 runs in the shared pool."),
        must("example-4-class", "Example 4: a pod whose requests equal its limits, with 2 CPUs, is Guaranteed."),
        must("example-4-placement", "Example 4 gets 2 exclusive CPUs."),
        must("example-5-class", "Example 5: a pod whose requests equal its limits, with 1.5 CPUs, is Guaranteed."),
        must("example-5-placement", "Example 5 runs in the shared pool."),
        must("example-6-class", "Example 6: a pod with limits alone is Guaranteed."),
        must("requests-default-to-limits", "A request that is not given is set to its limit, resource by resource."),
        must("example-6-placement", "Example 6, with 2 CPUs, gets 2 exclusive CPUs."),
        must("at-least-one-cpu", "Exclusive CPUs need a whole CPU limit of at least one."),
    ),
    *stated(
        NODE_RESOURCE_MANAGERS.section("Policies for assigning memory to Pods", "memory-management-policies"),
        "memory",
        "1.21",
        must("guarantees-memory", "The Memory Manager allocates memory to Guaranteed pods."),
        must("guarantees-huge-pages", "It allocates huge pages to them as well."),
        must("gives-hints", "It feeds the Topology Manager with hints."),
        must(
            "hints-and-policy-decide", "The hints and the Topology Manager's policy decide whether the pod is admitted."
        ),
        must("fewest-numa-nodes", "Memory of a pod comes from the minimum number of NUMA nodes."),
        must(
            "gates",
            "The page marks how mature the gates CPUManager and MemoryManager are.",
            since="1.32",
            untestable="it says how mature the feature is, not what it does",
        ),
    ),
)
