//go:build k8s1.36

package main

import (
	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet/allocation"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/status"
)

// allocations returns an allocation manager, and the handler that refuses what is Infeasible.
func (n *node) allocations(
	told status.Manager, wanted func(types.UID) (*v1.Pod, bool),
) (allocation.Manager, lifecycle.PodAdmitHandlers) {
	made := invoke(allocation.NewInMemoryManager,
		told, always{}, n.active, wanted, n.passes, &record.FakeRecorder{})[0].(allocation.Manager)
	handler := invoke(allocation.NewPodResizesAdmitHandler, facts{node: n}, noSwap{}, made)[0]
	return made, lifecycle.PodAdmitHandlers{handler.(lifecycle.PodAdmitHandler)}
}
