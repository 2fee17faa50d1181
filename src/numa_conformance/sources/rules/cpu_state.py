"""CPU Manager: the shared pool, the reconcile loop, the state file, what is told of it, quota."""

TEXT = """\
# The shared pool
CPU-POOL-01 [doc] The shared pool holds all CPUs at first, reserved ones included; exclusive CPUs leave it and come
  back on release.
CPU-POOL-02 [doc+impl] Under strict-cpu-reservation reserved CPUs are never in the pool; this also holds for
  reservations without an explicit list.
CPU-POOL-03 [impl] A container without CPUs of its own runs on the whole pool.
CPU-POOL-04 [impl] Exclusive CPUs come from the pool without the reserved ones.
CPU-POOL-05 [impl] Under strict-cpu-reservation the pool may become empty: shared containers then have no cpuset, and
  a restart fails.
CPU-POOL-06 [doc] Exclusivity holds against other pods only; system services may run anywhere.
CPU-POOL-07 [impl] Under policy none the pool is empty in the state, and containers get no cpuset.
CPU-POOL-08 [impl] Pool and assignments are disjoint and are together all CPUs. Assignments of two pods are disjoint. An
  assignment has the size of its request.

# Creation of containers and the reconcile loop
CPU-REC-01 [impl] A container is created with its own CPUs, else with the pool, unless that is empty.
CPU-REC-02 [impl] Exclusive CPUs count as written once the container is created.
CPU-REC-03 [doc+impl] A loop writes cpusets through the CRI every reconcile period; it starts at once, and not under
  policy none.
CPU-REC-04 [impl] A pass removes stale assignments and visits every container. One without status or container id, or
  that waits, is a failure. One that has ended is passed over.
CPU-REC-05 [impl] A running container is updated when its cpuset differs from what was last written. What failed is
  tried again. An empty cpuset is a failure.
CPU-REC-06 [impl] What was last written is kept by container name, in memory: after a restart every container is
  updated once.
CPU-REC-07 [impl] The loop never reads cgroups, though the page speaks of reconciling with them.
CPU-REC-08 [impl] Shared containers may run on CPUs just given away for up to one period.
CPU-REC-09 [impl] A restarted container keeps its CPUs; a pool written before and unchanged is not written again.
CPU-REC-10 [impl] Assignments of containers that are not of active pods are stale; they are removed before
  allocations, hints and passes.
CPU-REC-11 [impl] A pod is active until it has ended for good; the pod under admission is.
CPU-REC-12 [impl] The end of a container frees nothing: CPUs stay until the pod is inactive.
CPU-REC-13 [impl] On release the assignment is removed first, then the pool grows.

# The state file cpu_manager_state
CPU-CKPT-01 [doc] The file lies in the kubelet's folder, and must be deleted after draining when the policy or the set
  of online CPUs changes.
CPU-CKPT-02 [impl] It is JSON on one line: policyName, defaultCpuSet, entries by pod and container, checksum.
CPU-CKPT-03 [impl] The older form keys its entries by container id.
CPU-CKPT-04 [impl] The checksum is FNV-1a of 32 bits over a typed text of the content.
CPU-CKPT-05 [impl] A checksum of 0 is not verified; unknown keys are passed over; keys match in any case.
CPU-CKPT-06 [impl] Every change rewrites the whole file through a temporary one; a write that fails is only logged.
CPU-CKPT-07 [impl] Without a file a fresh one is written; else the older form is tried first, then the newer.
CPU-CKPT-08 [impl] The older form needs the runtime's container ids, and becomes the newer at the next change.
CPU-CKPT-09 [doc+impl] A file that cannot be read or is of another policy keeps the kubelet from starting, with the
  advice to drain and delete it.
CPU-CKPT-10 [impl] Policy none reads and checks the file too.
CPU-CKPT-11 [impl] An empty pool with assignments is refused; without them it is filled.
CPU-CKPT-12 [impl] Reserved CPUs missing from the pool are refused.
CPU-CKPT-13 [impl] Under strict-cpu-reservation reserved CPUs in the pool are refused.
CPU-CKPT-14 [impl] An assignment that overlaps the pool is refused.
CPU-CKPT-15 [impl] Assignments that overlap one another, or have a wrong size, are not noticed.
CPU-CKPT-16 [impl] Pool and assignments that are not together all CPUs are refused.
CPU-CKPT-17 [impl] From 1.37 on the state is a text of its own in the file, with a checksum of its own, beside the
  members that older kubelets read. Only the text counts.
CPU-CKPT-18 [impl] From 1.37 on, with the gate InPlacePodVerticalScalingExclusiveCPUs, that text names also the CPUs
  that containers were admitted with.

# PodResources and metrics
CPU-POD-01 [doc+impl] GetAllocatableResources tells the CPUs that can be exclusive, used or not: all but the reserved
  under static, none under none.
CPU-POD-02 [impl] List tells the exclusive CPUs of a container, nothing for a shared one.
CPU-POD-03 [impl] Sidecars and app containers are listed, regular init containers are not.
CPU-POD-04 [impl] Node Allocatable subtracts the reserved amount without rounding it up.
CPU-POD-05 [impl] The scheduler counts the larger of init and app containers, while the kubelet may hold both: a pod
  that fits by count may be refused.
CPU-MET-01 [impl] Metrics count pinning requests and errors, the size of the pool and the exclusive CPUs. Reuse by init
  containers makes the latter two drift.

# CFS quota
CPU-CFS-01 [doc+impl] The page says that quota does not bound containers with exclusive CPUs; before 1.33 it does.
CPU-CFS-02 [impl] From 1.33 on, by the gate DisableCPUQuotaWithExclusiveCPUs, such containers and their pods have no
  quota.
CPU-CFS-03 [impl] The CPU Manager itself writes neither quota nor shares.
CPU-CFS-04 [impl] Quota is at least 1000 microseconds; without a limit there is none; another period needs a gate.
"""
