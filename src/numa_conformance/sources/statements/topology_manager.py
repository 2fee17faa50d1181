"""Control Topology Management Policies on a node, and the enhancement proposal behind it."""

TEXT = """\
# topology/requirements 1.18+ Before you begin #
gate-is-on [MUST] The page is for 1.18 and later, where the Topology Manager is on by default.
  untestable: no version before 1.27 can be asked for

# topology/how 1.18+ How topology manager works
hints [MUST] A hint is a bit mask of NUMA nodes and whether it is preferred.
undesirable-is-not-preferred [MUST] An undesirable result is stored as not preferred.
narrowest-preferred [MUST] Preferred is the narrowest preferred mask.
hint-is-stored-and-used [MUST] The chosen hint is stored and used by the providers for their allocation.
policy-decides [MUST] By the policy and the chosen hint the pod is accepted or rejected.

# topology/scopes-and-policies 1.18+ Topology manager scopes and policies
every-class [MUST] Pods of all classes are aligned.
resources-with-hints [MUST] Resources for which a provider gives hints are aligned, no others.
cpus-need-the-cpu-manager [MUST] To align CPUs the CPU Manager must be configured with a policy.
memory-needs-the-memory-manager [MUST 1.21+] To align memory and huge pages the Memory Manager must be configured with a
  policy.

# topology/scopes 1.18+ Topology manager scopes
container-is-the-default [MUST] The scope is set in the configuration; the default is container.

# topology/container 1.18+ container scope
each-container-alone [MUST] Each container is aligned on its own, without grouping them on some NUMA nodes.

# topology/pod 1.18+ pod scope
one-node [SHOULD] The manager attempts to allocate all containers of a pod to one NUMA node.
one-set [SHOULD] It attempts to allocate them to one common set of NUMA nodes where one node is not enough.
total [MUST] A pod's total is the larger of its app containers' sum and its largest init container.
one-node-under-single [MUST] With single-numa-node all containers of a pod are placed on one NUMA node.
one-node-is-admitted [MUST] With single-numa-node a set of one NUMA node leads to admission.
more-are-refused [MUST] With single-numa-node a set of two or more NUMA nodes leads to rejection.

# topology/policies 1.18+ Topology manager policies
none-is-the-default [MUST] The policy is set in the configuration; the default is none.
same-for-every-container [MUST] In the pod scope every container of the pod has the same alignment.

# topology/none 1.18+ none policy #policy-none
aligns-nothing [MUST] Policy none performs no alignment.

# topology/best-effort 1.18+ best-effort policy #policy-best-effort
admits-anyway [MUST] Under best-effort an affinity that is not preferred is stored, and the pod admitted.

# topology/restricted 1.18+ restricted policy #policy-restricted
refuses [MUST] Under restricted a pod whose affinity is not preferred is rejected.
not-rescheduled [MUST] The scheduler does not try to reschedule a terminated pod.
  untestable: it is the scheduler's and the controllers' part
topology-affinity-error [MUST] The failure is called a Topology Affinity error.

# topology/single-numa-node 1.18+ single-numa-node policy #policy-single-numa-node
one-node-or-refused [MUST] Under single-numa-node a possible affinity to one NUMA node is stored and used, else the pod
  is rejected.

# topology/policy-options 1.26+ Topology manager policy options
gates [MUST] Options need TopologyManagerPolicyOptions, and the gate of their maturity.

# topology/prefer-closest-numa-nodes 1.26+ prefer-closest-numa-nodes #policy-option-prefer-closest-numa-nodes
favours-shorter-distance [MUST] With it best-effort and restricted favour sets of NUMA nodes with shorter distance
  between them.
default-takes-few-nodes [MUST 1.18+] Without it one NUMA node is used, or the minimum number where one is not enough.

# topology/max-allowable-numa-nodes 1.31+ max-allowable-numa-nodes #policy-option-max-allowable-numa-nodes
eight-by-default [MUST 1.18+] By default the kubelet does not run with the Topology Manager on more than 8 NUMA nodes.
allows-more [MUST] With the option more than 8 NUMA nodes are allowed.
is-set-to-true [MUST] The option is switched on by max-allowable-numa-nodes=true.
not-recommended [SHOULD] Its use is not recommended.
  untestable: advice to administrators

# topology/interactions 1.18+ Pod interactions with topology manager policies
spec-1-class [MUST] The first pod, without resources, is BestEffort.
spec-2-class [MUST] The second pod, with a memory request below its limit, is Burstable.
specs-1-and-2-have-no-cpu-hint [MUST] Both are considered unless the policy is none; policy static gives the default
  hint for them.
spec-3-class [MUST] The third pod, with 2 CPUs and a device, is Guaranteed.
spec-4-class [MUST] The fourth pod, with 300m CPU and a device, is Guaranteed.
spec-5-class [MUST] The fifth pod, with two kinds of devices alone, is BestEffort.
spec-3-hints [MUST] For the third pod there are hints for exclusive CPUs and for the device.
spec-4-hints [MUST] For the fourth pod the CPU hint is the default one, and there are hints for the device.
none-gives-the-default-hint [MUST] For both the CPU policy none gives the default hint.
spec-5-hints [MUST] For the fifth pod the CPU hint is the default one, and there are hints for each kind of device.
best-hint-is-stored-and-used [MUST] The optimal hint is calculated, stored and used for the assignments.

# topology/limitations 1.18+ Known limitations
eight-numa-nodes [MUST] At most 8 NUMA nodes are allowed.
scheduler-is-not-aware [MUST] The scheduler knows nothing of topology: a pod may be scheduled and then fail on the node.
  untestable: it is the scheduler's part

# kep-693/hints 1.18+ New Component: Topology Manager
masks-can-satisfy [SHOULD] A hint names NUMA nodes where the request can be satisfied.
preferred-as-if-empty [SHOULD] It is preferred when no smaller number of NUMA nodes could satisfy the request on an
  empty node.

# kep-693/total 1.18+ The Effective Resource Request/Limit of a Pod
larger-of-init-and-apps [SHOULD] Providers consider the larger of the largest init container and the sum of the app
  containers.

# kep-693/affinity 1.18+ Computing Preferred Affinity
narrowest [SHOULD] Of the merged hints the one with the narrowest preferred affinity is returned.
all-nodes-otherwise [SHOULD] Where no NUMA node is left the hint is all of them, not preferred.
restricted-admits-preferred [SHOULD] restricted admits a pod when the merged hint is preferred.
single-admits-one-node [SHOULD] single-numa-node admits a pod when the merged hint is preferred and names one NUMA node.
"""
