"""Reservation, classes, init containers, sidecars, and resizing a pod in place."""

TEXT = """\
# reserve/kube 1.8+ Kube Reserved
kube-reserved [MUST] kube-reserved reserves resources for Kubernetes daemons.

# reserve/system 1.8+ System Reserved
system-reserved [MUST] system-reserved reserves resources for the operating system's daemons.

# reserve/list 1.17+ Explicitly Reserved CPU List
explicit-set [MUST] reserved-cpus defines an explicit set of CPUs for the daemons.
takes-precedence [MUST] The explicit set takes precedence over the CPUs of kube-reserved and system-reserved.
not-with-cgroups [MUST] It is for systems without --system-reserved-cgroup and --kube-reserved-cgroup.
  untestable: it says for whom the option is meant, not what a node does otherwise

# reserve/eviction 1.8+ Eviction Thresholds
not-available [MUST] What is reserved for evictions is not available to pods.

# reserve/example 1.8+ Example Scenario
allocatable [MUST] 16 CPUs and 32Gi, less what is reserved and the eviction threshold, are 14.5 CPUs and 28.5Gi
  allocatable.
  untestable: a node tells it to the API server, in its status, not a target

# pod-qos/guaranteed 1.8+ Guaranteed
every-container [MUST] In a Guaranteed pod every container has CPU and memory limits and requests equal to them.

# pod-qos/burstable 1.8+ Burstable
some-request [MUST] A pod that is not Guaranteed, with a CPU or memory request or limit in some container, is Burstable.

# pod-qos/best-effort 1.8+ BestEffort
none [MUST] A pod without any CPU and memory request and limit is BestEffort.
other-resources [MUST] Requests of other resources leave a pod BestEffort.

# init-containers/resources 1.8+ Resource sharing within containers
largest-init [MUST] The effective init request is the largest of the init containers.
effective-request [MUST] The effective request of a pod is the larger of its app containers' sum and the effective init
  request.
qos-covers-init [MUST] The class of a pod is that of init and app containers alike.
run-one-after-another [MUST] Init containers end before the next starts, and before the app containers.
  untestable: a runtime's part; targets are told when a container ends

# sidecars/resources 1.28+ Resource sharing within containers
count-beside-apps [MUST] The effective request counts sidecars with the app containers.
overhead [MUST] Overhead is added to the effective request.
qos-covers-sidecars [MUST] The class of a pod is that of init, sidecar and app containers alike.

# sidecars/kubernetes 1.28+ Sidecar containers in Kubernetes #pod-sidecar-containers
are-init-containers [MUST] Sidecars are init containers that keep running.

# resize/status 1.33+ Pod resize status
pending [MUST] A resize that the kubelet cannot grant at once is pending; a message says why.
infeasible [SHOULD] Infeasible is what the node can never grant, such as more than it has.
deferred [SHOULD] Deferred is what may become possible later, for instance when another pod is gone.

# resize/limits 1.33+ Limitations
static-policies [MUST] Pods managed by static CPU or Memory Manager policies are not resized in place.
class-stays [MUST] The class of a pod is that of its creation; no resize may change it.
  untestable: the API server refuses such a resize before a node is asked
containers [MUST] Ordinary init containers and ephemeral containers are not resized.
  untestable: the API server refuses such a resize before a node is asked
no-removal [MUST] Requests and limits that are set can be changed, not removed.
  untestable: the API server refuses such a resize before a node is asked
"""
