"""Daemons on a node: drivers of Dynamic Resource Allocation, NRI plugins, and exporters of NodeResourceTopology."""

TEXT = """\
# dra/slices 1.34+ ResourceSlice
published-by-drivers [MUST] A driver publishes the devices of a node in ResourceSlices.

# dra-api/device 1.34+ Device #
unique-name [MUST] A device's name is its own among all devices of its driver in the pool.
total-capacity [MUST] What claims consume of a capacity together does not exceed what the device has of it.

# dra-api/allocation 1.34+ DeviceRequestAllocationResult #
consumed-capacity [MUST] An allocation tells how much a claim consumes of each capacity of a device.

# dra-attributes/numa-node 1.36+ StandardDeviceAttributeNUMANode #
physical [MUST] The standard attribute numaNode is the NUMA node where the device physically is.

# dra-plugin/prepare 1.34+ PrepareResourceClaims #
idempotent [MUST] To prepare claims is idempotent: the kubelet may ask again, as after its restart.
checks-use [SHOULD] A driver checks that no device of a claim is in use for another.
  untestable: only a scheduler that is wrong allocates a device twice

# dra-plugin/unprepare 1.34+ UnprepareResourceClaims #
undoes [MUST] To unprepare undoes whatever was done to prepare.
idempotent [MUST] To unprepare is idempotent: a claim that is not prepared is no error.
other-process [MUST] A claim may have been prepared by another process of the driver, before a restart.

# dra-driver-cpu/attributes 1.34+ device-attributes.md, Attribute reference #
socket [MUST] socketID is the CPU socket of the group, or of the CPU.
cache [MUST] cacheL3ID is the group of CPUs with one last-level cache.
cpu [MUST] cpuID is the logical id of the CPU.

# dra-driver-cpu/features 1.34+ feature-support.md, Currently Supported #
exclusive [MUST] Pods that request CPUs by a claim are allocated exclusive CPUs.

# dra-driver-cpu/shared-pool 1.34+ how-it-works.md, How it Works #
all-others [MUST] Containers without a claim are confined to CPUs that no container of a claim has.

# dra-driver-cpu/configuration 1.34+ configuration.md, driverConfig sub-fields #
reserved [MUST] CPUs that are reserved are excluded from allocation and from the ResourceSlice.

# nri-topology-aware/features 1.24+ Key Features
mixed [MUST] Mixed allocation: a workload is assigned exclusive and shared CPU cores, both.

# nri-topology-aware/preferences 1.24+ CPU Allocation Preferences
mixed-from-one-to-two [MUST] Guaranteed containers that request 1 CPU or more, and less than 2, are mixed.
exclusive-is-honored [MUST] By default they may have exclusive CPUs, which should always be possible to honor.
reserved [MUST] Containers in kube-system are pinned to share all kube-reserved CPU cores.

# nri-balloons/concepts 1.24+ Core Concepts
one-balloon [MUST] Every container is assigned to exactly one balloon, and may use all CPUs in it.
apart [MUST] Every CPU belongs to at most one balloon, and containers never access CPUs of others.

# nri-balloons/reserved 1.24+ Reserved Balloon
system-pods [MUST] Containers from namespace kube-system run in the reserved balloon.
preferred [MUST] A cpuset that is reserved is preferred for it; beyond it goes what their requests require.

# nfd-objects/zones 1.23+ NodeResourceTopology
parts-of-the-topology [MUST] A zone is a part of a node's topology, such as a socket, node, die or core.

# nfd-updater/head 1.23+ NFD-Topology-Updater #
cpus-memory-and-devices [MUST] CPU cores, memory and devices that Guaranteed pods have exclusively are accounted, and
  nothing else.

# nrt-api/costs 1.23+ CostInfo #
distance [MUST] A cost of a zone is its cost, or distance, to another zone.

# nrt-api/attributes 1.23+ NodeResourceTopology #
instead-of-policies [SHOULD] Attributes of the object take the place of its field of policies.

# nrt-api/resources 1.23+ ResourceInfo #
capacity [MUST] Capacity is the total amount of a resource that the node has, as in its status.
allocatable [MUST] Allocatable is how much of a resource pods may use, as in the node's status.
available [MUST] Available is what is allocatable less what running pods have reserved.
"""
