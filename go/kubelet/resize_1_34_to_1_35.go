//go:build k8s1.34 && !k8s1.36

package main

import (
	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/allocation"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/status"
)

// allocations returns an allocation manager, which itself refuses what is Infeasible.
func (n *node) allocations(
	told status.Manager, wanted func(types.UID) (*v1.Pod, bool),
) (allocation.Manager, lifecycle.PodAdmitHandlers) {
	made := newAllocations(n, told, func(*v1.Pod) {}, wanted)
	made.SetContainerRuntime(noSwap{})
	return made, nil
}

// GetNodeAllocatableAbsolute returns what the node has but for what is reserved, as the container manager computes it.
func (f facts) GetNodeAllocatableAbsolute() v1.ResourceList {
	found := v1.ResourceList{}
	for name, amount := range cadvisor.CapacityFromMachineInfo(f.node.info) {
		amount.Sub(f.node.kept.withoutEviction[name])
		if amount.Sign() < 0 {
			amount.Set(0)
		}
		found[name] = amount
	}
	return found
}
