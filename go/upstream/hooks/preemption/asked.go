//go:build upstream

package preemption

import (
	"errors"

	"github.com/numa-conformance/numa-conformance/go/upstream/reference"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

type chosenByReference struct {
	pods []*v1.Pod
	err  error
}

// preemptQuestion asks which pods end for another; pods are named by their places.
type preemptQuestion struct {
	Pod     *v1.Pod          `json:"pod"`
	Pods    []*v1.Pod        `json:"pods"`
	Missing map[string]int64 `json:"missing"`
	Gates   map[string]bool  `json:"gates"`
}

// askPodsToPreempt puts getPodsToPreempt.
func askPodsToPreempt(pod *v1.Pod, pods []*v1.Pod, requirements admissionRequirementList) *chosenByReference {
	const in = "getPodsToPreempt"
	if pod == nil {
		reference.Unsaid(in, "no pod for which others end")
		return nil
	}
	question := preemptQuestion{Pod: pod, Pods: pods, Missing: map[string]int64{}, Gates: map[string]bool{}}
	for _, requirement := range requirements {
		question.Missing[string(requirement.resourceName)] = requirement.quantity
	}
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if on := utilfeature.DefaultFeatureGate.Enabled(name); on != spec.Default {
			question.Gates[string(name)] = on
		}
	}
	var told struct {
		Places  []int
		Refused string
	}
	if !reference.Ask(in, reference.Question{Method: "preempt", Params: question}, &told) {
		return nil
	}
	if told.Refused != "" {
		return &chosenByReference{err: errors.New(told.Refused)}
	}
	var chosen []*v1.Pod
	for _, place := range told.Places {
		chosen = append(chosen, pods[place])
	}
	return &chosenByReference{pods: chosen}
}
