//go:build upstream && !k8s1.37

package memorymanager

import "k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"

func affinityOf(p *staticPolicy, uid, container string) topologymanager.TopologyHint {
	return p.affinity.GetAffinity(uid, container)
}
