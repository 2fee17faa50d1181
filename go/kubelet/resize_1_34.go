//go:build k8s1.34 && !k8s1.35

package main

import (
	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/allocation"
	"k8s.io/kubernetes/pkg/kubelet/status"
)

func newAllocations(
	n *node, told status.Manager, sync func(*v1.Pod), wanted func(types.UID) (*v1.Pod, bool),
) allocation.Manager {
	return allocation.NewInMemoryManager(facts{node: n}, told, sync, n.active, wanted, n.passes)
}
