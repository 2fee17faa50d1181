"""Topology Manager."""

TEXT = """\
# Hints
TOPO-HINT-01 [doc+impl] A hint is a set of NUMA nodes and whether it is preferred. No set means any node will do, and is
  not the empty set.
TOPO-HINT-02 [impl] Node ids are 0 to 63.
TOPO-HINT-03 [impl] Of two sets the one with fewer nodes is narrower, of equals the one whose number, node n counting
  2 to the n, is smaller.
TOPO-HINT-04 [impl] So {1,2} is narrower than {0,3}: the highest node in which they differ decides.
TOPO-HINT-05 [impl] In logs a set is printed in binary, padded to an even width.
TOPO-HINT-06 [impl] Providers enumerate sets by size, then in lexicographic order.

# Hint providers
TOPO-PROV-01 [impl] A provider answers, per container or per pod, a list of hints for each of its resources.
TOPO-PROV-02 [impl] No answer, or one without resources, is no opinion: any node, preferred.
TOPO-PROV-03 [impl] A resource without a list is no opinion on that resource.
TOPO-PROV-04 [impl] A resource with an empty list cannot be had anywhere: any node, not preferred.
TOPO-PROV-05 [impl] Otherwise each resource is merged on its own, its list unchanged.
TOPO-PROV-06 [impl] Providers are asked, and allocate, in the order device, CPU, memory.
TOPO-PROV-07 [impl] The order of resources inside a provider is not specified and makes no difference.
TOPO-PROV-08 [impl] Asking for hints may remove stale state.

# The merge
TOPO-MERGE-01 [doc+impl] One hint of every resource at a time is merged, in all combinations.
TOPO-MERGE-02 [doc+impl] The merged set is the intersection of the sets, within the machine's nodes.
TOPO-MERGE-03 [impl] It is preferred when every hint is and all sets named are equal; the pages ask only for the
  first.
TOPO-MERGE-04 [impl] Equality is that of the sets as given, before the machine's nodes are considered.
TOPO-MERGE-05 [impl] Combinations without a common node are dropped.
TOPO-MERGE-06 [impl] The bound among results that are not preferred is the largest of the resources' narrowest sizes.
TOPO-MERGE-07 [impl] Where nothing is left the result is every node, not preferred.
TOPO-MERGE-08 [impl] Without any resource the result is every node, preferred.
TOPO-MERGE-09 [doc+impl] A preferred result beats one that is not.
TOPO-MERGE-10 [impl] Of two preferred results the fitter wins.
TOPO-MERGE-11 [impl] Of results that are not preferred those of the bound's size come first, then smaller, then larger
  ones.
TOPO-MERGE-12 [impl] Among the smaller ones the larger wins, then the fitter; else the fitter.
TOPO-MERGE-13 [impl] Equal results leave nothing to choose.
TOPO-MERGE-14 [impl] Fitter is narrower; with prefer-closest-numa-nodes, and not under single-numa-node, it is closer.
TOPO-EQ-01 [impl] The result depends on the reachable sets alone, not on any order.
TOPO-EQ-02 [impl] It can be had without enumerating combinations: preferred results from sets common to all resources,
  others by intersecting resource after resource.
TOPO-EQ-03 [impl] Lists closed under adding nodes can be merged by their minimal sets; those of memory are not.

# Policies
TOPO-POL-01 [doc+impl] Under none no hint is asked for and nothing is refused or stored.
TOPO-POL-02 [doc+impl] best-effort merges, admits and stores.
TOPO-POL-03 [doc+impl] restricted admits what is preferred.
TOPO-POL-04 [doc+impl] single-numa-node admits what is preferred after its filter.
TOPO-POL-05 [impl] Its filter keeps preferred hints of one node or of none named; a resource may so have nothing left.
TOPO-POL-06 [impl] A result of every node is stored as none named.
TOPO-POL-07 [impl] On a machine with one NUMA node every success is so stored.
TOPO-POL-08 [impl] Under the other policies no opinion of anybody is every node, preferred.
TOPO-POL-09 [impl] The result is the lowest node that every resource with an opinion prefers.
TOPO-POL-10 [impl] restricted accepts several nodes where all prefer the same.

# Options
TOPO-OPT-01 [doc+impl] prefer-closest-numa-nodes is a boolean text.
TOPO-OPT-02 [doc+impl] max-allowable-numa-nodes is a whole number of at least 8, the default.
TOPO-OPT-03 [impl] The page switches it on with max-allowable-numa-nodes=true; the kubelet takes a number only.
TOPO-OPT-04 [impl] A smaller number is refused, a larger one draws a warning.
TOPO-OPT-05 [impl] Unknown options, and those whose gate is off, are refused.
TOPO-OPT-06 [impl] Under policy none options, scope and number of NUMA nodes are not looked at. In 1.27 options and
  scope are looked at.
TOPO-OPT-07 [doc+impl] With more NUMA nodes than allowed the kubelet does not start.
TOPO-OPT-08 [impl] Unknown policies and scopes are refused when the configuration is read.
TOPO-OPT-09 [impl] Checked are, in order, options, distances where they are needed, the number of nodes, policy,
  scope.
TOPO-OPT-10 [impl] Options are refused where TopologyManagerPolicyOptions is off.
TOPO-DIST-01 [impl] The average distance of a set is over all ordered pairs, a node and itself included.
TOPO-DIST-02 [doc+impl] The closer set has fewer nodes, then the smaller average, then the smaller number.
TOPO-DIST-03 [impl] Averages are compared without tolerance.
TOPO-DIST-04 [impl] Columns of the distance table are found by position, so that sparse node ids go wrong.
TOPO-DIST-05 [impl] Distances do not matter to single-numa-node.

# Scopes and admission
TOPO-SCOPE-01 [doc+impl] The scopes are container, the default, and pod.
TOPO-SCOPE-02 [impl] Init containers come first, then app containers, each as listed.
TOPO-SCOPE-03 [impl] In the container scope each container is aligned and allocated before the next.
TOPO-SCOPE-04 [impl] In the pod scope one merge holds for every container.
TOPO-SCOPE-05 [doc+impl] The total of a pod is the larger of its app containers' sum and its largest init container.
  Sidecars count beside both.
TOPO-SCOPE-06 [impl] The result is stored by pod and container before allocating, and not withdrawn when that fails.
TOPO-SCOPE-07 [impl] When a container stops its result is removed, unless it was restarted.
TOPO-SCOPE-08 [impl] Results of refused pods stay until the kubelet restarts.
TOPO-SCOPE-09 [impl] What earlier containers of a refused pod were given stays until stale state is removed.
TOPO-SCOPE-10 [doc+impl] Pods of every class are considered.
TOPO-SCOPE-11 [impl] In the pod scope a container's own allocation may still fail or leave the affinity.
TOPO-FAIL-01 [doc+impl] A refusal has the reason TopologyAffinityError and a fixed message.
TOPO-FAIL-02 [impl] An SMTAlignmentError keeps its name.
TOPO-FAIL-03 [impl] Any other error of an allocation is UnexpectedAdmissionError.
TOPO-FAIL-04 [impl] The pod is Failed; its message says that it was rejected.
TOPO-FAIL-05 [doc+impl] The page calls the state Terminated and the error Topology Affinity; the scheduler does not
  try the pod again.
TOPO-FAIL-06 [impl] Metrics count admissions, errors and aligned containers.
"""
