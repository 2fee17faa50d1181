"""Where the kubelet departs from its documentation outside its managers."""

from dataclasses import dataclass
from typing import ClassVar

from .quirk import QuirkFlags

_RECORDS = """\
empty-pod-resources-are-best-effort; 1.32-1.36; ADM-QOS-09
  with the gate PodLevelResources a pod whose spec.resources is there and empty is BestEffort, whatever its containers
    ask for, and gets no CPUs or memory of its own
  documented: the class of a pod without resources of its own is that of its containers
  issue: kubernetes/kubernetes#135082
  mended by: kubernetes/kubernetes#137150
sidecars-leave-their-resources; 1.8-1.28; CPU-REUSE-02
  a sidecar is an init container that ends, to the managers also where the gate SidecarContainers lets it run on: what
    it has is given to later containers too, and pods are counted without it
  documented: a sidecar keeps running, and keeps its resources, beside the other containers
  issue: kubernetes/kubernetes#119442
  mended by: kubernetes/kubernetes#119447, kubernetes/kubernetes#120461, kubernetes/kubernetes#120715
pod-level-pods-are-pinned-by-container; 1.32-1.33; CPU-ELIG-10
  with the gate PodLevelResources the containers of a Guaranteed pod with spec.resources get exclusive CPUs and memory
    by their own requests, be they equal to their limits or not
  documented: the static policies leave pods with spec.resources in the shared pools
  mended by: kubernetes/kubernetes#133279
switched-off-pod-resources-unpin; 1.36+; CPU-ELIG-10
  without the gate PodLevelResources a pod with spec.resources has the class of its containers, and still no CPUs or
    memory of its own
  documented: without the gate spec.resources has no effect
quota-on-exclusive-cpus; 1.8-1.32; CPU-CFS-01, CPU-CFS-02
  CFS quota is applied to containers with exclusive CPUs
  documented: CFS quota is not used for containers with exclusive CPUs
  issue: kubernetes/kubernetes#70585
  mended by: kubernetes/kubernetes#127525
reconcile-trusts-last-write; 1.22+; CPU-REC-07
  the reconcile loop compares with what it wrote last and never reads cgroupfs
  documented: the in-memory state is reconciled with cgroupfs: what drifted is written again
restart-may-refuse-running-pods; 1.8+; MEM-REUSE-07
  after a restart every pod passes admission anew; what its containers hold may offer hints that no longer agree, and a
    pod that runs is refused
  documented: a pod that runs keeps what it holds when the kubelet restarts
options-flag-takes-one-pair; 1.22+; CPU-OPT-01
  --cpu-manager-policy-options takes one name=value each time it is given: what follows a comma belongs to the value,
    which is then refused
  documented: options of policy static are a list of names and values, separated by commas
reconcile-period-is-fixed; 1.8+; CPU-OPT-02
  without cpuManagerReconcilePeriod cpusets are written every 10 seconds, whatever nodeStatusUpdateFrequency is
  documented: the period is that of nodeStatusUpdateFrequency where the configuration does not say
resize-beyond-the-node-waits; 1.36+; ADM-RESIZE-01
  a resize to more CPUs or memory than the node has is Deferred, and tried again for ever
  documented: what the node can never grant is Infeasible
resizes-are-aligned-anew; 1.33+; ADM-RESIZE-02
  a resize goes through the Topology Manager as a new pod does: what the pod holds may offer hints that no longer agree,
    and the resize is Deferred
  documented: a resize depends on what is free, and the pod stays aligned as it is
removed-pods-stay-in-state-files; 1.27+; CPU-REC-10, MEM-GC-01
  what a removed or refused pod had leaves a state file when the next admission asks its manager, CPUs also with the
    next pass of the reconcile loop: a kubelet that is restarted before finds it there, and may not come up
  documented: what a removed or refused pod had is free
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeQuirks(QuirkFlags):
    """Where the kubelet departs from its documentation outside its managers. True: as Kubernetes does."""

    records: ClassVar[str] = _RECORDS
    empty_pod_resources_are_best_effort: bool = False
    sidecars_leave_their_resources: bool = False
    pod_level_pods_are_pinned_by_container: bool = False
    switched_off_pod_resources_unpin: bool = False
    quota_on_exclusive_cpus: bool = False
    reconcile_trusts_last_write: bool = False
    restart_may_refuse_running_pods: bool = False
    options_flag_takes_one_pair: bool = False
    reconcile_period_is_fixed: bool = False
    resize_beyond_the_node_waits: bool = False
    resizes_are_aligned_anew: bool = False
    removed_pods_stay_in_state_files: bool = False
