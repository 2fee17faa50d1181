//go:build k8s1.35 && !k8s1.36

package main

import (
	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet/allocation"
	"k8s.io/kubernetes/pkg/kubelet/status"
)

func newAllocations(
	n *node, told status.Manager, sync func(*v1.Pod), wanted func(types.UID) (*v1.Pod, bool),
) allocation.Manager {
	known := facts{node: n}
	return allocation.NewInMemoryManager(known.GetNodeConfig(), known.GetNodeAllocatableAbsolute(),
		told, sync, n.active, wanted, n.passes, &record.FakeRecorder{})
}
