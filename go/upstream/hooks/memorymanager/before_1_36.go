//go:build upstream && !k8s1.36

package memorymanager

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
)

// podBlocks returns what pods have as a whole: nothing yet.
func podBlocks(state.State) map[string][]state.Block { return nil }

func setPodBlocks(state.State, map[string][]state.Block) {}

// count does nothing: no pod is allocated as a whole.
func count(*staticPolicy, state.State, *v1.Pod) {}
