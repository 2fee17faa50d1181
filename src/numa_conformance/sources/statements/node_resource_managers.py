"""Node Resource Managers: CPUs, policy static, memory."""

TEXT = """\
# nrm/head 1.8+ Overview #
aligns-cpus-and-devices [MUST 1.18+] The managers together align the CPUs and devices of a pod.
aligns-memory [MUST 1.21+] Memory and huge pages are aligned with the CPUs and devices of their pod.

# nrm/alignment 1.18+ Hardware topology alignment policies
policy-governs [MUST] The policy of the Topology Manager governs the whole process.

# nrm/cpus 1.8+ Policies for assigning CPUs to Pods
quota-by-default [MUST] By default CPU limits are enforced by CFS quota.
two-policies [MUST] The CPU Manager has two policies, none and static.
none-gives-no-affinity [MUST] Policy none gives no affinity beyond what the operating system's scheduler does.
none-leaves-cpusets-alone [MUST] So under policy none no container is kept to some CPUs.
none-bounds-by-quota [MUST] Under policy none CFS quota enforces the limits of Guaranteed and Burstable pods.
static-gives-exclusive-cpus [MUST] Policy static gives containers of Guaranteed pods with whole CPU requests exclusive
  CPUs.
cpusets-enforce-exclusivity [MUST] The cpuset cgroup controller enforces exclusivity.
system-services-may-run-there [MAY] The container runtime, the kubelet and other system services may run on exclusive
  CPUs.
  untestable: it permits, and demands nothing
exclusive-against-other-pods [MUST] Exclusivity extends to other pods only: no other pod runs on exclusive CPUs.
no-hotplug [MUST] CPUs that go offline or come online at run time are not supported.

# nrm/static 1.8+ Static policy
pool-holds-all-cpus-at-first [MUST] The shared pool initially holds all CPUs of the node.
exclusive-are-all-but-reserved [MUST] As many CPUs can be exclusive as the node has beyond its reservation.
every-reservation-counts [MUST] Any CPU reservation of the kubelet's configuration counts.
reserved-in-whole-cpus [MUST] Reserved CPUs are taken in whole numbers.
reserved-by-core-id [MUST] Reserved CPUs are taken in ascending order of physical core ids.
best-effort-is-shared [MUST] Containers of BestEffort pods run in the shared pool.
burstable-is-shared [MUST] Containers of Burstable pods run in the shared pool.
fractional-is-shared [MUST] Containers of Guaranteed pods with fractional CPU requests run in the shared pool.
only-whole-guaranteed-is-exclusive [MUST] Only containers of Guaranteed pods with whole CPU requests get exclusive CPUs.
needs-a-reservation [MUST] Policy static needs a CPU reservation above zero.
pool-never-empty [MUST] The reservation keeps the shared pool from becoming empty.
cpus-leave-the-pool [MUST] CPUs given to a container are removed from the shared pool.
cpus-are-the-containers-own [MUST] They are placed in the cpuset of that one container.
no-quota-on-exclusive-cpus [MUST] CFS quota does not bound containers with exclusive CPUs.
as-many-as-the-limit [MUST] The number of CPUs of such a container equals its whole CPU limit.
fewer-context-switches [MUST] Static assignment reduces context switches.
  untestable: performance is not what a target answers
example-1-class [MUST] Example 1: a pod without requests and limits is BestEffort.
example-1-placement [MUST] Example 1 runs in the shared pool.
example-2-class [MUST] Example 2: a pod with a memory limit above its request and no CPU is Burstable.
example-2-placement [MUST] Example 2 runs in the shared pool.
example-3-class [MUST] Example 3: a pod whose CPU and memory limits are above its requests is Burstable.
example-3-placement [MUST] Example 3 runs in the shared pool.
example-4-class [MUST] Example 4: a pod whose requests equal its limits, with 2 CPUs, is Guaranteed.
example-4-placement [MUST] Example 4 gets 2 exclusive CPUs.
example-5-class [MUST] Example 5: a pod whose requests equal its limits, with 1.5 CPUs, is Guaranteed.
example-5-placement [MUST] Example 5 runs in the shared pool.
example-6-class [MUST] Example 6: a pod with limits alone is Guaranteed.
requests-default-to-limits [MUST] A request that is not given is set to its limit, resource by resource.
example-6-placement [MUST] Example 6, with 2 CPUs, gets 2 exclusive CPUs.
at-least-one-cpu [MUST] Exclusive CPUs need a whole CPU limit of at least one.

# nrm/memory 1.21+ Policies for assigning memory to Pods #memory-management-policies
guarantees-memory [MUST] The Memory Manager allocates memory to Guaranteed pods.
guarantees-huge-pages [MUST] It allocates huge pages to them as well.
gives-hints [MUST] It feeds the Topology Manager with hints.
hints-and-policy-decide [MUST] The hints and the Topology Manager's policy decide whether the pod is admitted.
fewest-numa-nodes [MUST] Memory of a pod comes from the minimum number of NUMA nodes.
gates [MUST 1.32+] The page marks how mature the gates CPUManager and MemoryManager are.
  untestable: it says how mature the feature is, not what it does
"""
