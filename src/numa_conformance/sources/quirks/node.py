"""Where the kubelet departs from its documentation outside its managers."""

from __future__ import annotations

from dataclasses import dataclass

from .quirk import QuirkFlags, quirk


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeQuirks(QuirkFlags):
    """Where the kubelet departs from its documentation outside its managers. True: as Kubernetes does."""

    empty_pod_resources_are_best_effort: bool = quirk(
        rule="ADM-QOS-09",
        summary="with the gate PodLevelResources a pod whose spec.resources is there and empty is BestEffort, whatever "
        "its containers ask for, and gets no CPUs or memory of its own",
        documented="the class of a pod without resources of its own is that of its containers",
        versions="1.32-1.36",
        issue="kubernetes/kubernetes#135082",
        pull=("kubernetes/kubernetes#137150",),
    )

    sidecars_leave_their_resources: bool = quirk(
        rule="CPU-REUSE-02",
        summary="a sidecar is an init container that ends, to the managers also where the gate SidecarContainers lets "
        "it run on: what it has is given to later containers too, and pods are counted without it",
        documented="a sidecar keeps running, and keeps its resources, beside the other containers",
        versions="1.8-1.28",
        issue="kubernetes/kubernetes#119442",
        pull=("kubernetes/kubernetes#119447", "kubernetes/kubernetes#120461", "kubernetes/kubernetes#120715"),
    )

    pod_level_pods_are_pinned_by_container: bool = quirk(
        rule="CPU-ELIG-10",
        summary="with the gate PodLevelResources the containers of a Guaranteed pod with spec.resources get exclusive "
        "CPUs and memory by their own requests, be they equal to their limits or not",
        documented="the static policies leave pods with spec.resources in the shared pools",
        versions="1.32-1.33",
        pull=("kubernetes/kubernetes#133279",),
    )

    switched_off_pod_resources_unpin: bool = quirk(
        rule="CPU-ELIG-10",
        summary="without the gate PodLevelResources a pod with spec.resources has the class of its containers, and "
        "still no CPUs or memory of its own",
        documented="without the gate spec.resources has no effect",
        versions="1.36+",
    )

    quota_on_exclusive_cpus: bool = quirk(
        rule="CPU-CFS-01, CPU-CFS-02",
        summary="CFS quota is applied to containers with exclusive CPUs",
        documented="CFS quota is not used for containers with exclusive CPUs",
        versions="1.8-1.32",
        issue="kubernetes/kubernetes#70585",
        pull=("kubernetes/kubernetes#127525",),
    )

    reconcile_trusts_last_write: bool = quirk(
        rule="CPU-REC-07",
        summary="the reconcile loop compares with what it wrote last and never reads cgroupfs",
        documented="the in-memory state is reconciled with cgroupfs: what drifted is written again",
        versions="1.22+",
    )

    restart_may_refuse_running_pods: bool = quirk(
        rule="MEM-REUSE-07",
        summary="after a restart every pod passes admission anew; what its containers hold may offer hints that no "
        "longer agree, and a pod that runs is refused",
        documented="a pod that runs keeps what it holds when the kubelet restarts",
        versions="1.8+",
    )

    options_flag_takes_one_pair: bool = quirk(
        rule="CPU-OPT-01",
        summary="--cpu-manager-policy-options takes one name=value each time it is given: what follows a comma belongs "
        "to the value, which is then refused",
        documented="options of policy static are a list of names and values, separated by commas",
        versions="1.22+",
    )

    reconcile_period_is_fixed: bool = quirk(
        rule="CPU-OPT-02",
        summary="without cpuManagerReconcilePeriod cpusets are written every 10 seconds, whatever "
        "nodeStatusUpdateFrequency is",
        documented="the period is that of nodeStatusUpdateFrequency where the configuration does not say",
        versions="1.8+",
    )

    resize_beyond_the_node_waits: bool = quirk(
        rule="ADM-RESIZE-01",
        summary="a resize to more CPUs or memory than the node has is Deferred, and tried again for ever",
        documented="what the node can never grant is Infeasible",
        versions="1.36+",
    )

    resizes_are_aligned_anew: bool = quirk(
        rule="ADM-RESIZE-02",
        summary="a resize goes through the Topology Manager as a new pod does: what the pod holds may offer hints that "
        "no longer agree, and the resize is Deferred",
        documented="a resize depends on what is free, and the pod stays aligned as it is",
        versions="1.33+",
    )

    removed_pods_stay_in_state_files: bool = quirk(
        rule="CPU-REC-10, MEM-GC-01",
        summary="what a removed or refused pod had leaves a state file when the next admission asks its manager, CPUs "
        "also with the next pass of the reconcile loop: a kubelet that is restarted before finds it there, and may not "
        "come up",
        documented="what a removed or refused pod had is free",
        versions="1.27+",
    )
