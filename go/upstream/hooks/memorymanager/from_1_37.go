//go:build upstream && k8s1.37

package memorymanager

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
)

func affinityOf(p *staticPolicy, uid, container string) topologymanager.TopologyHint {
	return p.affinity.GetAffinity(klog.Background(), uid, container)
}

func allocateItself(p *staticPolicy, s state.State, pod *v1.Pod) error {
	return p.AllocatePod(klog.Background(), s, pod, lifecycle.AddOperation)
}
