//go:build upstream && k8s1.37

package memorymanager

import (
	"os"

	"github.com/numa-conformance/numa-conformance/go/upstream/reference"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
)

func affinityOf(p *staticPolicy, uid, container string) topologymanager.TopologyHint {
	return p.affinity.GetAffinity(klog.Background(), uid, container)
}

// podBlocks returns what pods have as a whole.
func podBlocks(s state.State) map[string][]state.Block {
	told := map[string][]state.Block{}
	for uid, entry := range s.GetPodMemoryAssignments() {
		told[uid] = entry.MemoryBlocks
	}
	return told
}

func setPodBlocks(s state.State, told map[string][]state.Block) {
	for uid, blocks := range told {
		s.SetPodMemoryBlocks(uid, blocks)
	}
}

// count lets Kubernetes' own code allocate for a pod on a copy of the state, so that its metrics count.
func count(p *staticPolicy, s state.State, pod *v1.Pod) {
	if os.Getenv(reference.Command) == "" {
		return
	}
	counting = true
	defer func() { counting = false }()
	logger := klog.Background()
	beside := state.NewMemoryState(logger)
	beside.SetMachineState(s.GetMachineState())
	beside.SetMemoryAssignments(s.GetMemoryAssignments())
	beside.SetPodMemoryAssignments(s.GetPodMemoryAssignments())
	own := *p
	_ = own.AllocatePod(logger, beside, pod, lifecycle.AddOperation)
}
