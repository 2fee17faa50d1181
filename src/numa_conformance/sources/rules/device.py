"""Device Manager."""

TEXT = """\
# Devices
DEV-MODEL-01 [doc+impl] A plugin owns one resource and tells its devices: id, health, NUMA nodes.
DEV-MODEL-02 [impl] Each list replaces the one before.
DEV-MODEL-03 [doc+impl] A device may have several NUMA nodes, or none.
DEV-MODEL-04 [impl] A resource has topology when one of its devices names a node.
DEV-MODEL-05 [impl] A resource is known when a plugin registered it or a device of it is allocated; others are passed
  over.
DEV-MODEL-06 [doc+impl] Capacity counts all devices, allocatable the healthy ones.
DEV-MODEL-07 [impl] When a plugin is gone its devices are unhealthy, and after five minutes the resource disappears.
DEV-MODEL-08 [doc+impl] Amounts come from limits, which equal requests.
DEV-MODEL-09 [impl] Node ids of plugins are not checked; unknown ones match nothing.

# Hints of the Device Manager
DEV-HINT-01 [impl] A resource without topology is no opinion.
DEV-HINT-02 [impl] A container that has its devices gives hints for these; another number cannot be satisfied.
DEV-HINT-03 [impl] Fewer free devices than asked cannot be satisfied; reusable ones count in the container scope only.
DEV-HINT-04 [impl] A set of nodes is a hint when enough free devices touch it and all reusable ones do. Preferred are
  the narrowest by all devices of the machine.
DEV-HINT-05 [impl] So preferred is measured on all devices, whatever is in use.
DEV-HINT-06 [impl] Devices without nodes count nowhere in hints.
DEV-HINT-07 [impl] A reusable device with an empty list of nodes makes its resource impossible.
DEV-HINT-08 [impl] A request for 0 offers every set.
DEV-HINT-09 [impl] A container without known resources is no opinion.
DEV-HINT-10 [impl] Devices of pods that are gone are freed first.
DEV-HINT-11 [impl] From 1.36 on hints name only NUMA nodes that have a device of the resource, free or not.

# Allocation
DEV-ALLOC-01 [impl] Another number than a container already has is an error.
DEV-ALLOC-02 [impl] A container that runs while the kubelet starts is left alone, also before its plugin is back.
DEV-ALLOC-03 [impl] A resource that is not registered, or has no healthy device, is an error, also for a request of 0.
DEV-ALLOC-04 [impl] Reusable devices are taken first, whatever their place or health.
DEV-ALLOC-05 [impl] Fewer healthy free devices than still needed is an error.
DEV-ALLOC-06 [impl] Free devices are divided into those on the affinity, those elsewhere and those without nodes.
DEV-ALLOC-07 [impl] With more than enough on the affinity the plugin's preference chooses among them.
DEV-ALLOC-08 [impl] Else all on the affinity are taken, then what the plugin prefers, others, and those without nodes.
DEV-ALLOC-09 [impl] A plugin is asked only if it says so. What does not suit in its answer is passed over. A call that
  fails refuses the container.
DEV-ALLOC-10 [impl] Among equals the choice is random.
DEV-ALLOC-11 [impl] The plugin is told the new devices; its errors refuse the container.
DEV-ALLOC-12 [impl] Devices are recorded by NUMA node, those without under -1.
DEV-ALLOC-13 [impl] All errors are UnexpectedAdmissionError.
DEV-ALLOC-14 [impl] Health of running containers' devices is not looked at again.
DEV-INIT-01 [impl] Reusable devices are kept for one pod at a time.
DEV-INIT-02 [impl] Devices of a regular init container become reusable, those of sidecars and apps no longer are.
DEV-INIT-03 [impl] So init containers share devices with later ones, and long-running containers never do.
DEV-INIT-04 [impl] In the pod scope after a restart the devices of all containers together are compared with the pod's
  request.
DEV-INIT-05 [impl] A finished init container may make its pod fail at a restart before the plugin is back.

# The state file kubelet_internal_checkpoint
DEV-CKPT-01 [impl] It is JSON: PodDeviceEntries, RegisteredDevices with the healthy ids, Checksum.
DEV-CKPT-02 [impl] The checksum is FNV-1a of 32 bits over a typed text of the content.
DEV-CKPT-03 [impl] A missing or corrupt file does not keep the kubelet from starting.
DEV-CKPT-04 [impl] Devices are unhealthy until their plugin registers again.
DEV-CKPT-05 [impl] At start everything else in the plugin folder is deleted.
DEV-CKPT-06 [impl] The file is written when a container has got all devices that it asks for: what one got that lacks
  others is not in it, and removal of stale pods reaches it with the next write.

# The gRPC interface
DEV-API-01 [impl] The version must be v1beta1.
DEV-API-02 [impl] The resource name must be that of an extended resource.
DEV-API-03 [impl] The plugin must serve before it registers.
DEV-API-04 [doc+impl] After a restart of the kubelet plugins must register again.
DEV-API-05 [impl] Of settings given twice the first counts.
DEV-API-06 [impl] Plugins are not told of releases.
DEV-PR-01 [impl] PodResources tells each device and NUMA node in a record of its own.
DEV-PR-02 [impl] CPUs are the exclusive ones.
DEV-PR-03 [impl] Memory is the blocks.
DEV-PR-04 [impl] Allocatable devices are the healthy ones.
DEV-PR-05 [impl] Since 1.34 only active pods are listed.
DEV-PR-06 [impl] Dynamic resources need a gate before 1.34.
"""
