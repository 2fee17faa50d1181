//go:build upstream

package memorymanager

import (
	"fmt"
	"reflect"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"github.com/numa-conformance/numa-conformance/go/upstream/reference"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager/bitmask"
)

// memoryQuestion is a state of the Memory Manager and a container, or without one a pod as a whole. The protocol has no
// such question: a node there is in the state that its pods brought it to.
type memoryQuestion struct {
	Machine     state.NUMANodeMap                `json:"machine"`
	Assignments state.ContainerMemoryAssignments `json:"assignments"`
	Pods        map[string][]state.Block         `json:"pods"`
	Reusable    map[string][]reusableOnNodes     `json:"reusable"`
	Pod         *v1.Pod                          `json:"pod"`
	Container   *string                          `json:"container"`
	Affinity    numa.HintValue                   `json:"affinity"`
	Gates       map[string]bool                  `json:"gates"`
}

// reusableOnNodes is what init containers leave on NUMA nodes together.
type reusableOnNodes struct {
	Nodes   []int                      `json:"nodes"`
	Amounts map[v1.ResourceName]uint64 `json:"amounts"`
}

type memoryAnswer struct {
	Refused     string                           `json:"refused"`
	Reason      string                           `json:"reason"`
	Machine     state.NUMANodeMap                `json:"machine"`
	Assignments state.ContainerMemoryAssignments `json:"assignments"`
	Pods        map[string][]state.Block         `json:"pods"`
	Reusable    map[string][]reusableOnNodes     `json:"reusable"`
}

// counting is set while Kubernetes' own code allocates on a copy of the state, for its metrics alone.
var counting bool

type allocatedByReference struct{ err error }

func questionOf(p *staticPolicy, s state.State, pod *v1.Pod, container *string) memoryQuestion {
	question := memoryQuestion{
		Machine: s.GetMachineState(), Assignments: s.GetMemoryAssignments(), Pods: podBlocks(s), Pod: pod,
		Container: container, Reusable: map[string][]reusableOnNodes{}, Gates: map[string]bool{},
	}
	for uid, masks := range p.initContainersReusableMemory {
		for mask, amounts := range masks {
			question.Reusable[uid] = append(question.Reusable[uid], reusableOnNodes{bitsOf(mask), amounts})
		}
	}
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if on := utilfeature.DefaultFeatureGate.Enabled(name); on != spec.Default {
			question.Gates[string(name)] = on
		}
	}
	return question
}

// canBePut tells whether the question is one of Linux, and of adding a pod.
func canBePut(in string, p *staticPolicy, more []any) bool {
	if len(more) > 0 && fmt.Sprint(more[0]) != "add" {
		reference.Unsaid(in, "another operation than that of adding a pod")
		return false
	}
	if skips := reflect.ValueOf(*p).FieldByName("skipExtend"); skips.IsValid() && skips.Bool() {
		reference.Unsaid(in, "the policy BestEffort of Windows")
		return false
	}
	return true
}

// bitsOf reads a mask as its String writes it: node 0 is the last digit.
func bitsOf(mask string) []int {
	nodes := []int{}
	for place := range mask {
		if mask[len(mask)-1-place] == '1' {
			nodes = append(nodes, place)
		}
	}
	return nodes
}

// askAllocate puts the allocation for a container. The affinity is the one that the Topology Manager has stored.
func askAllocate(p *staticPolicy, s state.State, pod *v1.Pod, container *v1.Container, more ...any) *allocatedByReference {
	if !canBePut("memorymanager Allocate", p, more) {
		return nil
	}
	question := questionOf(p, s, pod, &container.Name)
	question.Affinity = topologymanager.HintForReference(affinityOf(p, string(pod.UID), container.Name))
	return allocate("memorymanager Allocate", question, p, s)
}

// askAllocatePod puts the allocation for a pod as a whole. Metrics are counted beside, which some tests read.
func askAllocatePod(p *staticPolicy, s state.State, pod *v1.Pod, more ...any) *allocatedByReference {
	if counting || !canBePut("memorymanager AllocatePod", p, more) {
		return nil
	}
	count(p, s, pod)
	containers := append(append([]v1.Container{}, pod.Spec.InitContainers...), pod.Spec.Containers...)
	question := questionOf(p, s, pod, nil)
	question.Affinity = topologymanager.HintForReference(affinityOf(p, string(pod.UID), containers[0].Name))
	return allocate("memorymanager AllocatePod", question, p, s)
}

func allocate(in string, question memoryQuestion, p *staticPolicy, s state.State) *allocatedByReference {
	var told memoryAnswer
	if !reference.Ask(in, reference.Question{Method: "memory.allocate", Params: question}, &told) {
		return nil
	}
	if told.Refused != "" {
		return &allocatedByReference{refusalOf(told)}
	}
	s.SetMachineState(told.Machine)
	s.SetMemoryAssignments(told.Assignments)
	setPodBlocks(s, told.Pods)
	p.initContainersReusableMemory = reusableMemory{}
	for uid, left := range told.Reusable {
		p.initContainersReusableMemory[uid] = map[string]map[v1.ResourceName]uint64{}
		for _, one := range left {
			mask, err := bitmask.NewBitMask(one.Nodes...)
			if err != nil {
				panic(err)
			}
			p.initContainersReusableMemory[uid][mask.String()] = one.Amounts
		}
	}
	return &allocatedByReference{}
}

// askContainerHints puts GetTopologyHints.
func askContainerHints(p *staticPolicy, s state.State, pod *v1.Pod, container *v1.Container, more ...any) *map[string][]topologymanager.TopologyHint {
	return askHints("memorymanager GetTopologyHints", p, questionOf(p, s, pod, &container.Name), more)
}

// askPodHints puts GetPodTopologyHints.
func askPodHints(p *staticPolicy, s state.State, pod *v1.Pod, more ...any) *map[string][]topologymanager.TopologyHint {
	return askHints("memorymanager GetPodTopologyHints", p, questionOf(p, s, pod, nil), more)
}

func askHints(in string, p *staticPolicy, question memoryQuestion, more []any) *map[string][]topologymanager.TopologyHint {
	if !canBePut(in, p, more) {
		return nil
	}
	var told numa.OfferedHints
	if !reference.Ask(in, reference.Question{Method: "memory.hints", Params: question}, &told) {
		return nil
	}
	hints := topologymanager.HintsOfReference(told.Hints)
	return &hints
}
