"""CPU Manager: one allocation."""

TEXT = """\
# One allocation
CPU-STEP-01 [impl] Stale assignments are removed first; a container without exclusive CPUs stores nothing.
CPU-STEP-02 [impl] Under full-pcpus-only the SMT checks come next, before an assignment already held is looked at.
CPU-STEP-03 [impl] A container that already has CPUs keeps them, whatever their number.
CPU-STEP-04 [impl] Available are the shared pool without reserved CPUs and the reusable CPUs of the pod. The affinity is
  what the Topology Manager stored.
CPU-STEP-05 [impl] With an affinity as many CPUs as possible are first taken from its NUMA nodes, or from their
  sockets under align-by-socket.
CPU-STEP-06 [impl] The rest is taken from what is available elsewhere, by an allocation of its own.
CPU-STEP-07 [impl] The shared pool is written first, then the assignment, then the reusable CPUs change.
CPU-STEP-08 [impl] An error of the allocator refuses the pod; containers before it keep their CPUs until stale
  assignments are removed.

# CPUs of init containers
CPU-REUSE-01 [impl] Reusable CPUs are kept for one pod at a time, in memory.
CPU-REUSE-02 [impl] The CPUs of a regular init container become reusable.
CPU-REUSE-03 [impl] The CPUs of a sidecar or an app container are no longer reusable.
CPU-REUSE-04 [impl] Reusable CPUs have no precedence over free ones, so that an app container may get others.
CPU-REUSE-05 [impl] Later init containers and sidecars may reuse CPUs of earlier init containers; CPUs that a sidecar
  took are not offered again.
CPU-REUSE-06 [impl] One CPU may so stand in several assignments of one pod, never in those of two pods nor of two
  containers that run on.
CPU-REUSE-07 [impl] After a restart of the kubelet the reusable CPUs are rebuilt, as every pod is admitted again in
  order.
CPU-REUSE-08 [impl] Releasing a container returns only CPUs that no other container of its pod holds.

# The packed allocation
CPU-ALLOC-01 [impl] distribute-cpus-across-numa selects the distributed allocation. Otherwise it is packed, by CPU id
  under distribute-cpus-across-cores, with the uncore step under its option.
CPU-ALLOC-02 [impl] Nothing asked gives the empty set; more asked than available is an error.
CPU-ALLOC-03 [impl] With at least as many sockets as NUMA nodes the NUMA nodes come first, else the sockets.
CPU-ALLOC-10 [impl] Of siblings the one with fewer free CPUs comes first, of equals the one with the lower id.
CPU-ALLOC-11 [impl] Each level is ordered inside the level above it. The free CPUs of the whole element count, also
  where it spans two NUMA nodes.
CPU-ALLOC-12 [impl] A NUMA node or uncore cache is full when all its CPUs are free. A socket or core is full when its
  free CPUs equal the machine's average.
CPU-ALLOC-13 [impl] Full elements are walked in order, those larger than the need are skipped, and one that is taken
  is taken whole.
CPU-ALLOC-14 [impl] First whole NUMA nodes are taken, or whole sockets where these come first.
CPU-ALLOC-15 [impl] Then whole sockets, or whole NUMA nodes.
CPU-ALLOC-16 [impl] Then the uncore step, with its option.
CPU-ALLOC-17 [impl] Then whole cores, unless threads are spread over cores.
CPU-ALLOC-18 [impl] Then single CPUs, in an order computed once.
CPU-ALLOC-19 [impl] What cannot be given then is an error.
CPU-ALLOC-20 [impl] A single CPU comes from a half-used core where there is one.
CPU-ALLOC-21 [impl] A NUMA node in use is filled before a free one, unless the request takes a whole free node or
  socket.
CPU-ALLOC-22 [doc+impl] An odd request leaves a half-used core that the next odd request is given: two pods share it.
CPU-ALLOC-23 [impl] Whole cores are looked for before single CPUs, also where half-used cores would do.
CPU-ALLOC-24 [impl] distribute-cpus-across-cores merely takes CPUs in the order of their ids inside a socket, and so
  packs siblings where their ids are adjacent.
CPU-ALLOC-25 [impl] On machines whose cores differ in threads a core may look full by the average and be taken with
  CPUs that were not offered.
CPU-ALLOC-26 [impl] Where sockets and NUMA nodes do not nest an element may be counted twice: fewer CPUs than asked,
  or CPUs not offered, may be given.

# prefer-align-cpus-by-uncorecache
CPU-UNC-01 [impl] For each uncore cache in order: whole free caches while the need covers one, then the exact need
  from the cores of this cache, or nothing.
CPU-UNC-02 [impl] What is left continues with whole cores.
CPU-UNC-03 [impl] On machines with SMT an odd request never fits the exact step, and is packed plainly.
CPU-UNC-04 [impl] Half-used cores with low ids may make the exact step fail though the cache has enough free CPUs.
CPU-UNC-05 [impl] NUMA nodes and sockets that fit are taken before any cache is looked at.
CPU-UNC-06 [impl] What whole caches leave over is placed by best fit.
CPU-UNC-07 [doc] Alignment is best effort and never refuses a container.
CPU-UNC-08 [impl] Where uncore ids are socket ids the option prefers one socket, by ascending core ids, across NUMA
  nodes.
CPU-UNC-09 [impl] A machine without cores would divide by zero.
CPU-UNC-10 [impl] Reserved CPUs that the allocator chooses pass through this step too.

# distribute-cpus-across-numa
CPU-DIST-01 [impl] A number that is no multiple of the group (a core under full-pcpus-only, else one CPU) is packed.
CPU-DIST-02 [impl] Candidates are the NUMA nodes with free CPUs, in the order of the packed allocation.
CPU-DIST-03 [impl] The number of nodes tried runs from what the capacity of a node demands to the number of groups or
  of candidates.
CPU-DIST-04 [impl] Sets of nodes are tried in lexicographic order. One is skipped that lacks CPUs, whole groups, or an
  even share on some node.
CPU-DIST-05 [impl] Each node of the set gives an even share in whole groups. What remains goes to nodes that still have
  a group.
CPU-DIST-06 [impl] The score of a set is the deviation of the free CPUs that would be left. For the remainder the best
  subset is sought, large ones first.
CPU-DIST-07 [impl] The deviation is the population's, over all candidate nodes, with mean and root rounded to three
  decimals.
CPU-DIST-08 [impl] The first set with the lowest score is kept; a score of 0 ends the search.
CPU-DIST-09 [impl] Shares, then remaining groups, are taken by packed allocations restricted to one node.
CPU-DIST-10 [impl] A count that does not come out is an accounting error.
CPU-DIST-11 [impl] Where no set works everything is packed.
CPU-DIST-12 [impl] A request that fits one NUMA node is steered by the balance too, to the node with the most free
  CPUs.
CPU-DIST-13 [impl] Sockets are not considered.
CPU-DIST-14 [impl] An affinity bounds the nodes; fewer of them may be used.
CPU-DIST-15 [impl] The kept set is not a copy: for 4, 6 to 8 and 10 to 16 nodes its last elements are overwritten by
  sets enumerated later.
CPU-DIST-16 [impl] With groups of several CPUs and nodes with odd free CPUs the share of the remainder may never end.
CPU-DIST-17 [impl] The cost doubles with every NUMA node, twice over.
CPU-DIST-18 [impl] From 1.37 on NUMA nodes of one socket come first beside align-by-socket, however uneven. A node that
  has less than an even share gives what it has.
"""
