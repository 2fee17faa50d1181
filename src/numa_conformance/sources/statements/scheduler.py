"""Resource Bin Packing, references of configuration fields, and recorded decisions."""

TEXT = """\
# bin-packing/head 1.22+ Overview #
two-strategies [MUST] NodeResourcesFit has two strategies of bin packing, MostAllocated and RequestedToCapacityRatio.

# bin-packing/most-allocated 1.22+ Placement using MostAllocated strategy #strategy-MostAllocated
favours-full-nodes [MUST] MostAllocated favours nodes with higher allocation.
weights [MUST] Each resource has a weight.
configuration [MUST] The example weighs cpu 1, memory 1 and two extended resources 3 each.

# bin-packing/ratio 1.22+ Placement using RequestedToCapacityRatio strategy #strategy-RequestedToCapacityRatio
weights [MUST] RequestedToCapacityRatio takes resources with weights.
shape [MUST] Its shape of utilization and score tunes the function as least or most requested.
configuration [MUST] The example weighs two extended resources 3 each, with a shape from 0 to 10.
config-flag [MUST] --config passes the file to the scheduler.
  untestable: the flag is the scheduler's; targets are given a strategy

# bin-packing/shape 1.22+ Tuning the score function
zero-scores-zero [MUST] With the rising shape utilization 0 scores 0.
hundred-scores-ten [MUST] With the rising shape utilization 100 scores 10.
reversed [MUST] With the falling shape the scores are reversed: least requested is favoured.
resources-default [MUST] Without resources they are cpu and memory, with weight 1 each.
extended-resources [MUST] Extended resources can be added.
weight-default [MUST] A weight is optional and 1 by default.
no-negative-weight [MUST] A weight cannot be negative.

# bin-packing/example 1.22+ Node scoring for capacity allocation
node-1-extended [MUST] Node 1: 3 of 4 intel.com/foo are 75 percent and score 7.
node-1-memory [MUST] Node 1: 512 of 1024 MB are 50 percent and score 5.
node-1-cpu [MUST] Node 1: 3 of 8 CPUs are 37.5 percent and score 3.
node-1 [MUST] Node 1 scores 5.
node-2-extended [MUST] Node 2: 4 of 8 intel.com/foo are 50 percent and score 5.
node-2-memory [MUST] Node 2: 768 of 1024 MB are 75 percent and score 7.
node-2-cpu [MUST] Node 2: 8 of 8 CPUs are 100 percent and score 10.
node-2 [MUST] Node 2 scores 7.
floor [MUST] A resource scores a tenth of its percentage, rounded down.
requested-and-used [MUST] What the pod requests and what is used count together.
weighted-mean [MUST] The node's score is the weighted mean.

# scheduler-configuration/plugins 1.22+ Scheduling plugins
fit-checks-everything-requested [MUST] NodeResourcesFit checks that the node has all the resources that the pod
  requests.
three-strategies [MUST] Its score uses LeastAllocated, the default, MostAllocated or RequestedToCapacityRatio.

# scheduler-reference/strategy 1.22+ ScoringStrategy #kubescheduler-config-k8s-io-v1-ScoringStrategy
least-allocated [SHOULD] LeastAllocated favours nodes with the least amount of requested resources.

# scheduler-reference/shape 1.22+ UtilizationShapePoint #kubescheduler-config-k8s-io-v1-UtilizationShapePoint
ranges [SHOULD] Utilization is 0 to 100, scores are 0 to 10.

# scheduler-reference/resources 1.22+ ResourceSpec #kubescheduler-config-k8s-io-v1-ResourceSpec
weight [SHOULD] ResourceSpec is a name and a weight.

# kubelet-reference/configuration 1.10+ KubeletConfiguration #kubelet-config-k8s-io-v1beta1-KubeletConfiguration
cpu-policies [SHOULD] cpuManagerPolicy is none or static.
options [SHOULD 1.22+] cpuManagerPolicyOptions fine-tunes the CPU policy.
reserved-system-cpus [SHOULD 1.17+] reservedSystemCPUs names the CPUs reserved for the host and Kubernetes.
reserved-memory [SHOULD 1.21+] reservedMemory is per NUMA node; for each type the amounts equal what Node Allocatable
  reserves.
topology-policies [SHOULD 1.16+] topologyManagerPolicy is none, best-effort, restricted or single-numa-node.
topology-scopes [SHOULD 1.20+] topologyManagerScope is container or pod.

# recorded/decisions 1.32+ Recorded decisions #
placements [MUST] At level exact containers are placed on the CPUs that the kubelet of the version gives.
scores [MUST] At level exact nodes are scored as the kube-scheduler of the version scores them.
all [MUST] At level exact every recorded decision of the version comes out the same.
"""
