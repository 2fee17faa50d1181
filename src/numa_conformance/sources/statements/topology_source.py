"""The Topology Manager as its source of 1.22 says, told by a walk through it."""

TEXT = """\
# topology-source/admission 1.27+ Admission #
handlers [SHOULD] The Topology Manager is one of five handlers of admission.
  untestable: a target tells what came of an admission, not whom it asked on the way
managers-in-turn [SHOULD] CPU, device and memory managers are asked for resources in turn.
  untestable: a target tells what came of an admission, not whom it asked on the way
errors-refuse [SHOULD] An error there refuses the pod.
again-after-a-restart [SHOULD] After a restart of the kubelet every pod passes admission again and may be refused.
first-refusal-counts [SHOULD] Handlers run in sequence, and the first refusal refuses the pod.
  untestable: a target tells what came of an admission, not whom it asked on the way
others-go-on [SHOULD] A refused pod does not stop the others.
reason-and-message [SHOULD] A refusal has a reason and a message.
without-the-gate [SHOULD 1.27-1.26] Without the gate TopologyManager each manager allocates on its own.
  untestable: no version before 1.27 can be asked for
allocation-errors-refuse [SHOULD] An error of an allocation refuses the pod.
refused-is-terminated [SHOULD] A refused pod becomes Terminated.

# topology-source/policies 1.27+ Policies #
four [SHOULD] There are four policies.
none-is-the-default [SHOULD] The default policy is none.
best-effort [SHOULD] best-effort admits without an optimum.
restricted [SHOULD] restricted refuses without an optimum.
single-numa-node [SHOULD] single-numa-node needs an optimum of exactly one NUMA node.
none-skips-hints [SHOULD] Policy none asks for no hints and admits.
topology-affinity-error [SHOULD] A pod that is not admitted has the reason TopologyAffinityError.
its-message [SHOULD] The message says that resources cannot be allocated with topology locality.
stored-and-used [SHOULD] When a pod is admitted its hint is stored and resources are allocated accordingly.
unknown-policy [SHOULD] An unknown policy is an error.

# topology-source/scopes 1.27+ Scopes #
container-is-the-default [SHOULD] The default scope is container.
pod [SHOULD] There is the scope pod.
unknown-scope [SHOULD] An unknown scope is an error.
init-first [SHOULD] In the container scope init containers come first, then app containers.
container-by-container [SHOULD] In the container scope hints and admission are per container.
pod-asks-pod-hints [SHOULD] In the pod scope providers are asked for hints of the pod.

# topology-source/machine 1.27+ NUMA nodes #
node-ids [SHOULD] NUMA node ids come from the machine's topology.
more-than-eight [SHOULD] More than 8 NUMA nodes are refused.
eight [SHOULD] Exactly 8 NUMA nodes are accepted.
none-has-no-limit [SHOULD] Policy none has no such limit.
limit-for-other-policies [SHOULD] The limit holds for best-effort, restricted and single-numa-node.
three-providers [SHOULD] CPU, device and memory managers are hint providers.

# topology-source/cpu-hints 1.27+ Hints of the CPU Manager #
pod-total [SHOULD] A pod asks for the larger of its largest init container and the sum of its app containers.
init-without-cpu [SHOULD] Init containers without a CPU request are skipped.
  untestable: every container of a Guaranteed pod requests CPUs, and others have no hints
held-cpus-again [SHOULD] CPUs that are held give the same hints again after a restart.
other-number-held [SHOULD] CPUs held in another number than asked give an empty list of hints.
empty-list-refuses [SHOULD] An empty list is refused under every policy but best-effort.
available [SHOULD] Available are the CPUs of the shared pool without the reserved ones.
reusable [SHOULD] CPUs of init containers are reusable within their pod; for new pods there are none.
every-combination [SHOULD] Every combination of NUMA nodes is looked at.
size-counts-all-cpus [SHOULD] The narrowest size counts all CPUs of the NUMA nodes, used ones included.
reusable-must-be-covered [SHOULD] Combinations that miss the NUMA node of a reusable CPU are dropped.
too-few-free [SHOULD] Combinations with fewer free CPUs than asked are no hints.
narrowest-is-preferred [SHOULD] Hints of the narrowest size are preferred, others are not.
picture [SHOULD] Of 3 NUMA nodes with 2 CPUs each, with CPUs 1, 3, 4 and 6 free, 2 CPUs are asked for.

# topology-source/device-hints 1.27+ Hints of the Device Manager #
every-combination [SHOULD] Every combination of NUMA nodes is looked at; the narrowest size counts all devices.
any-of-its-nodes [SHOULD] A device counts for any of its NUMA nodes.
reusable-first [SHOULD] Reusable devices must be used up first.
too-few-free [SHOULD] Combinations with fewer free devices than asked are no hints.
narrowest-is-preferred [SHOULD] Hints of the narrowest size are preferred.

# topology-source/merge 1.27+ The merge #
best-common-hint [SHOULD] The merge finds the best hint that all providers share.
"""
