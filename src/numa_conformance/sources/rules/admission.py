"""Quantities, classes, requests and the chain of admission."""

TEXT = """\
# Quantities
ADM-QTY-01 [doc+impl] A quantity is a decimal number with one suffix, binary (Ki to Ei), decimal (n to E) or an
  exponent.
ADM-QTY-02 [impl] Malformed ones are refused with the texts of the API.
ADM-QTY-03 [impl] Arithmetic is exact; finer than 1e-9 is rounded away from zero.
ADM-QTY-04 [impl] The API rounds requests and limits up to thousandths.
ADM-QTY-05 [impl] The value of a quantity is rounded up to a whole number, its milli-value to a whole number of
  thousandths.
ADM-QTY-06 [impl] A CPU request is integral when its value makes its milli-value: 2, 2.0 and 2000m are.
ADM-QTY-07 [doc+impl] Exclusive CPUs need class Guaranteed and an integral request.
ADM-QTY-08 [impl] Quantities are printed without fraction, with the largest exponent of their family; equality is that
  of numbers.

# Defaults of requests
ADM-DEF-01 [doc+impl] A resource with a limit and no request is requested as its limit; nothing is derived the other
  way.
ADM-DEF-02 [impl] Requests of the pod are set from its limits too, after those of the containers.
ADM-DEF-03 [impl] Since 1.37 a limit that a pod does not have is set where it has the request and all its containers
  have the limit (gate PodLevelResourcesFixDefaulting). It is set to theirs together, or to the request if that is
  larger.

# QoS class
ADM-QOS-01 [doc+impl] Only cpu and memory decide the class.
ADM-QOS-02 [impl] App and init containers count, sidecars included; ephemeral ones do not.
ADM-QOS-03 [impl] An amount of zero counts as none.
ADM-QOS-04 [impl] Requests and limits are summed over the pod.
ADM-QOS-05 [doc+impl] Without any request or limit the pod is BestEffort.
ADM-QOS-06 [impl] Guaranteed is a pod whose containers all have both limits and whose sums of requests equal those of
  limits. Any other is Burstable.
ADM-QOS-07 [impl] The page compares request and limit container by container; to 1.36 the kubelet compares sums.
ADM-QOS-08 [impl] A class in the pod's status is taken as it is.
ADM-QOS-09 [impl] With pod-level resources only these are looked at; to 1.36 also when the field is there and empty.

# Effective requests
ADM-REQ-01 [doc+impl] A pod's amount is the larger of app containers with sidecars and, at any point of the init
  phase, the init container with the sidecars before it.
ADM-REQ-02 [impl] A sidecar is an init container with restartPolicy Always.
ADM-REQ-03 [doc] Without sidecars it is the larger of the app containers' sum and the largest init container.
ADM-REQ-04 [impl] Devices count limits, the scheduler adds overhead, CPUs count integral requests only.

# The chain of admission
ADM-RSV-01 [impl] A kubelet ends at its start, after its managers, where kubeReserved, systemReserved and the hard
  eviction threshold together are more than the node has of cpu or memory; as much as it has is allowed.
ADM-CHAIN-01 [impl] Pods are handled by age; the first handler that refuses ends it; after a restart every pod is
  admitted again.
ADM-CHAIN-02 [impl] The handlers: eviction, sysctl, resource allocation, fit, AppArmor, shutdown.
ADM-CHAIN-03 [impl] Allocation comes before the check of fit: a pod refused later holds its resources until stale
  state is removed.
ADM-CHAIN-04 [impl] Fit is judged against the other active pods.
ADM-CHAIN-05 [impl] A refused pod is Failed, with reason and message.
ADM-PRED-01 [impl] Extended resources that the node does not list are passed over; of others, such as huge pages of a
  size, it then has none. The first failure is told.
ADM-PRED-02 [impl] Critical pods preempt lower ones where resources lack.
ADM-PRED-03 [impl] The operating system's label is compared with the node's.
ADM-PRED-04 [impl] A metric counts refusals for taints as Other.
ADM-RESIZE-01 [impl] A resize in place passes, in this order: the static policies' refusals, until 1.35 a check against
  what the node has (Infeasible), and admission beside the other pods, as of a new pod (Deferred). A resize that is
  not granted changes nothing. What the node has is its capacity but for kube and system reservations. A resize that
  changes no amount is granted without a question.
ADM-RESIZE-02 [impl] That admission includes the Topology Manager: until 1.36 all managers hint and allocate as for a
  new pod, and what a container has is kept; since 1.37 the CPU and Memory Managers have no opinion, the Device Manager
  hints for what is held, and none allocates. The hint stored is replaced.
ADM-RESIZE-03 [impl] With the gates InPlacePodVerticalScalingExclusiveCPUs and InPlacePodVerticalScalingExclusiveMemory
  the static policies refuse no resize. A container keeps the CPUs and memory that it has, whatever it asks for now;
  until 1.36 one that had none of its own gets them, and for another number than it has there is no hint.
ADM-LIFE-01 [impl] CPUs and memory nodes are written into the request that creates a container; the end of a container
  frees neither.
"""
