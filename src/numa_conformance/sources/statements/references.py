"""References of configuration fields, and what was recorded."""

TEXT = """\
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
