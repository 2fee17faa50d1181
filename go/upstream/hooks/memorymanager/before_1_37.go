//go:build upstream && !k8s1.37

package memorymanager

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

func affinityOf(p *staticPolicy, uid, container string) topologymanager.TopologyHint {
	return p.affinity.GetAffinity(uid, container)
}

// podBlocks returns what pods have as a whole: nothing before 1.36.
func podBlocks(state.State) map[string][]state.Block { return nil }

func setPodBlocks(state.State, map[string][]state.Block) {}

// count does nothing: no pod is allocated as a whole.
func count(*staticPolicy, state.State, *v1.Pod) {}
