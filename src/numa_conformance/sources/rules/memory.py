"""Memory Manager."""

TEXT = """\
# Policies
MEM-POL-01 [doc+impl] The policies are None, the default, and Static; BestEffort is for Windows.
MEM-POL-02 [impl] Unknown policies are refused.
MEM-POL-03 [doc+impl] None gives no hints, allocates nothing and still writes a state file.
MEM-POL-04 [doc+impl] Static acts for Guaranteed pods alone, for each of their containers.
MEM-POL-05 [impl] It handles memory and the huge pages that a container requests. Amounts that are no whole number of
  bytes are refused.
MEM-POL-06 [impl] With in-place resizing the amounts allocated in the status count.
MEM-POL-07 [impl] Whether an amount is whole depends on how it was written: 1.5Gi and 100Ti are refused.
MEM-POL-08 [impl] Resizing a Guaranteed pod in place is refused under policy Static, as Infeasible: since 1.33 unless
  the gate InPlacePodVerticalScalingExclusiveCPUs is on; since 1.34 where the memory request of a container changes,
  unless the gate InPlacePodVerticalScalingExclusiveMemory is on. 1.32 compares with "static" and never refuses.

# Reserved memory
MEM-RSV-01 [impl] reservedMemory takes memory and hugepages-<size> only.
MEM-RSV-02 [impl] A reserved amount of zero is refused.
MEM-RSV-03 [impl] The same resource twice on one NUMA node is refused.
MEM-RSV-04 [impl] Memory reserved on a NUMA node that the machine does not have is refused.
MEM-RSV-05 [doc+impl] The amounts of a type over all NUMA nodes must equal the node's reservation of it.
MEM-RSV-06 [doc+impl] The node's reservation is kubeReserved plus systemReserved plus the hard eviction threshold.
MEM-RSV-07 [doc+impl] By default the hard eviction threshold is 100Mi.
MEM-RSV-08 [impl] A reserved amount that is no whole number of bytes is refused.
MEM-RSV-09 [impl] Reserved memory must be more than zero in all.
MEM-RSV-10 [impl] Entries of one NUMA node are put together.
MEM-RSV-11 [doc] The flag is written N:type=value,...; it is mandatory with Static.

# What is kept of each NUMA node
MEM-STATE-01 [impl] Huge pages of a size are a resource of their own, counted in bytes.
MEM-STATE-02 [impl] Allocatable memory is the total less what is reserved and what huge pages take.
MEM-STATE-03 [impl] Allocatable is always reserved plus free.
MEM-STATE-04 [impl] Amounts are unsigned 64-bit numbers: reserving more than a node has wraps round.
MEM-STATE-05 [impl] The nodes of an allocation become one group; a node without assignments is alone again.
MEM-STATE-06 [impl] Each block adds one assignment to each of its nodes.
MEM-STATE-07 [impl] A page size that some NUMA node does not know crashes the kubelet.

# Hints of the Memory Manager
MEM-REQ-01 [impl] A pod's amount is the larger of its long-running containers and its init phase. A resource that no app
  container asks for is dropped.
MEM-HINT-01 [doc+impl] Sets of NUMA nodes are visited by size.
MEM-HINT-02 [impl] A set whose allocatable memory is too small for some resource is skipped.
MEM-HINT-03 [impl] The narrowest other set is the measure of preferred, whatever is in use.
MEM-HINT-04 [doc+impl] A grouped node serves no container alone, and a node in use alone joins no group. A group is used
  as it is.
MEM-HINT-05 [impl] A set without enough free memory, reusable memory of exactly this set included, is skipped.
MEM-HINT-06 [impl] Any other set is a hint for every resource; preferred are the narrowest.
MEM-HINT-07 [impl] Where no set is left the answer is no opinion, not an impossibility.
MEM-HINT-08 [impl] A container that has blocks gives these as hints where they match its request, else no opinion.
MEM-HINT-09 [impl] In the pod scope the first container's blocks are compared with the pod's amounts, which mostly
  differ.
MEM-HINT-10 [impl] Blocks of an init container that were shrunk no longer match.

# Allocation
MEM-ALLOC-01 [impl] Stale state is removed first; a container that has blocks keeps them.
MEM-ALLOC-02 [impl] The stored affinity of the container is read.
MEM-ALLOC-03 [impl] Without an affinity the best hint of the moment is taken; none, or one less preferred, is an
  error.
MEM-ALLOC-04 [impl] An affinity without enough free memory is extended to the best hint that contains it; none is an
  error.
MEM-ALLOC-05 [impl] An affinity of several nodes that cuts across groups is refused.
MEM-ALLOC-06 [impl] Errors are UnexpectedAdmissionError with a fixed text around them.
MEM-ALLOC-07 [impl] Each resource becomes a block of affinity, type and size; what is reusable is not charged again.
MEM-ALLOC-08 [impl] The charge fills the nodes of the affinity in the order of their ids.
MEM-ALLOC-09 [impl] The order of blocks is not specified.
MEM-ALLOC-10 [impl] Reuse, node state and blocks are written in this order; then earlier init containers' blocks
  shrink.
MEM-ALLOC-11 [doc+impl] The container is created with cpuset.mems naming the nodes of its blocks.
MEM-ALLOC-12 [impl] Metrics count requests and errors.

# Memory of init containers
MEM-REUSE-01 [impl] The memory of a regular init container becomes reusable, the largest amount counting.
MEM-REUSE-02 [impl] Sidecars and app containers use it up.
MEM-REUSE-03 [impl] It is reusable for exactly the same set of nodes.
MEM-REUSE-04 [impl] It is kept for one pod at a time.
MEM-REUSE-05 [impl] Blocks of earlier init containers shrink by what a later container takes over.
MEM-REUSE-06 [impl] The shrinking ends at the container itself.
MEM-REUSE-07 [impl] When a container starts the blocks of regular init containers before it are removed.

# Release
MEM-REL-01 [impl] On removal the bytes of each block return to its nodes in the order of their ids, and the groups
  dissolve with their last assignment.
MEM-REL-02 [impl] They may return to another node of the group than the one charged.
MEM-REL-03 [impl] A group stays while any assignment is on it.
MEM-REL-04 [impl] The end of a container releases nothing.
MEM-GC-01 [impl] Blocks of containers that are not of active pods are stale; they are removed with every hint and
  allocation.

# The state file memory_manager_state
MEM-CKPT-01 [impl] It is JSON on one line: policyName, machineState by node, entries by pod and container, checksum.
MEM-CKPT-02 [impl] A file that cannot be read or is of another policy keeps the kubelet from starting.
MEM-CKPT-03 [impl] An empty node state is filled from the machine, and refused where there are assignments.
MEM-CKPT-04 [impl] The state is computed anew from the assignments.
MEM-CKPT-05 [impl] Any difference from what the file says is refused.
MEM-CKPT-06 [impl] Free and reserved bytes are compared by group, everything else by node.
MEM-CKPT-07 [doc] The file must be deleted after draining when policy, reserved memory or hardware change.
MEM-CKPT-08 [impl] The checksum is FNV-1a of 32 bits over a typed text of the content.
MEM-CKPT-09 [impl] From 1.37 on the state is a text of its own in the file, with a checksum of its own, beside the
  members that older kubelets read. Only the text counts.
MEM-REPORT-01 [impl] Allocatable memory is told per node and resource, as it was at start.

# Pods that get their memory as a whole
MEM-PLR-01 [doc+impl] With the gate PodLevelResourceManagers and the scope pod the memory of a Guaranteed pod with
  spec.resources is taken in one piece. All its containers are bound to the same NUMA nodes.
MEM-PLR-02 [doc+impl] A container whose requests equal its limits is counted its own part, the others what is left. A
  pod that would leave them nothing is refused with EmptyPodSharedPoolError.
MEM-PLR-03 [doc+impl] The memory comes back with the pod's last container.
"""
