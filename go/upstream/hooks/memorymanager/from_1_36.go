//go:build upstream && k8s1.36

package memorymanager

import (
	"os"

	"github.com/numa-conformance/numa-conformance/go/upstream/reference"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
)

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
	beside := state.NewMemoryState(klog.Background())
	beside.SetMachineState(s.GetMachineState())
	beside.SetMemoryAssignments(s.GetMemoryAssignments())
	beside.SetPodMemoryAssignments(s.GetPodMemoryAssignments())
	own := *p
	_ = allocateItself(&own, beside, pod)
}
