"""Control Memory Management Policies on a Node, what troubleshooting shows, and the enhancement proposal behind it."""

TEXT = """\
# memory/head 1.21+ Overview #
guarantees [MUST] The Memory Manager guarantees memory and huge pages to Guaranteed pods.
hints-and-policy-decide [MUST] Its hints and the Topology Manager's policy decide whether the pod is admitted.
fewest-numa-nodes [MUST] The memory a pod requests comes from the minimum number of NUMA nodes.

# memory/how 1.21+ How does the Memory Manager operate?
cpuset-mems [MUST] It enforces cpuset.mems for pods.
reserved-memory-is-mandatory [MUST] reservedMemory must be given with policy Static.
groups [SHOULD] A request above the capacity of one NUMA node makes the manager attempt to create a group of NUMA nodes.

# memory/policies 1.21+ Policies
those [MUST] The policies are None, the default, Static on Linux, and BestEffort on Windows.

# memory/none 1.21+ None policy #policy-none
does-nothing [MUST] Policy None does not affect memory in any way.
default-hint [MUST] Policy None gives the default hint: no preference.

# memory/static 1.21+ Static policy #policy-static
hints-and-reserves [MUST] For a Guaranteed pod Static gives hints for NUMA nodes that can guarantee its memory, and
  reserves it.
other-classes [MUST] For BestEffort and Burstable pods it gives the default hint and reserves nothing.

# memory/best-effort 1.32+ BestEffort policy #policy-best-effort
enough-on-a-node [SHOULD] On Windows the manager makes a best effort that a NUMA node has enough memory.
  untestable: targets are Linux nodes

# memory/reserved 1.21+ Reserved memory configuration #reserved-memory-flag
not-for-containers [MUST] Reserved memory is not used for containers.
eviction-default [MUST] The default hard eviction threshold is 100Mi, so that with Static reservedMemory is obligatory.

# memory/syntax 1.21+ Memory manager reserved memory syntax #reserved-memory-syntax
per-numa-node [MUST] Memory is reserved per NUMA node, with a limit for each type.

# memory/constraints 1.21+ Constraints on NUMA memory reservation
sum [MUST] For each type the amounts over all NUMA nodes equal kubeReserved, systemReserved and the hard eviction
  threshold together.
error-otherwise [MUST] Otherwise the manager shows an error at start.
worked-example [MUST] 4Gi and 1Gi reserved, with the default threshold, match 3Gi and 2148Mi on two NUMA nodes.

# memory/avoid 1.21+ Configurations to avoid #reserved-memory-configurations-to-avoid
duplicates [SHOULD] The same NUMA node and type should not be given twice.
zero [SHOULD] No type should be given a limit of zero.
unknown-numa-nodes [SHOULD] NUMA nodes that the machine does not have should not be named.
unknown-types [SHOULD] No other types than memory and hugepages of an existing size should be named.

# memory/guaranteed 1.21+ Placing a Pod in the Guaranteed QoS class
specific-hints [MUST] Guaranteed pods have specific hints, also with fractional CPUs; others have the default hint.

# troubleshooting/error 1.21+ Troubleshoot TopologyAffinityError #TopologyAffinityError
without-enough [MUST] A node without enough memory, or a policy that is not met, shows as TopologyAffinityError.

# troubleshooting/state 1.21+ Examine the memory manager state on a node
pinned-to-several [MUST] A pod of 150Gi on two NUMA nodes of 125Gi is pinned to both, which become one group.
group-amounts-add-up [MUST] What is free in a group is the sum over its NUMA nodes.
file [MUST] The state file holds the policy, the state of each NUMA node, and what each container has.

# kep-1769/groups 1.21+ How to enable the guaranteed memory allocation over many NUMA nodes?
disjoint [SHOULD] Groups of NUMA nodes are disjoint.
inseparable [SHOULD] A group is one inseparable unit: its NUMA nodes serve no container alone.

# kep-1769/hints 1.21+ Hints Generation for Topology Manager
every-type-counts [SHOULD] A hint names NUMA nodes with enough capacity for all types of memory that are asked for.
"""
