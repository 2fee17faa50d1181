//go:build upstream

package noderesources

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"github.com/numa-conformance/numa-conformance/go/upstream/reference"
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

type filteredByReference struct{ status *nodeStatus }

type scoredByReference struct{ score int64 }

// made are the arguments of every plugin of this run: a plugin keeps no more than their resources.
var made []*config.NodeResourcesFitArgs

// rememberArguments keeps the arguments of a plugin that is being made. It answers nothing.
func rememberArguments(arguments any, _ ...any) *bool {
	if fit, is := arguments.(*config.NodeResourcesFitArgs); is && fit.ScoringStrategy != nil {
		made = append(made, fit)
	}
	return nil
}

// argumentsOf returns the arguments with which a plugin was made: those that its list of resources belongs to.
func argumentsOf(f *Fit) *config.NodeResourcesFitArgs {
	for index := len(made) - 1; index >= 0 && len(f.resources) > 0; index-- {
		strategy := made[index].ScoringStrategy
		if len(strategy.Resources) > 0 && &strategy.Resources[0] == &f.resources[0] && string(strategy.Type) == f.resourceAllocationScorer.Name {
			return made[index]
		}
	}
	return nil
}

// fitQuestion is the protocol's question score, with the resources that are ignored and the gates that a plugin was made
// with: of these the protocol has nothing.
type fitQuestion struct {
	Score         numa.Score      `json:"score"`
	Ignored       []string        `json:"ignored"`
	IgnoredGroups []string        `json:"ignored_groups"`
	Gates         map[string]bool `json:"gates"`
}

// askScore puts Score. A score needs arguments, and a node that is there.
func askScore(f *Fit, node nodeAsked, pod *v1.Pod) *scoredByReference {
	told := ask(f, "Score", node, pod)
	if told == nil || told.Score == nil {
		return nil
	}
	return &scoredByReference{int64(*told.Score)}
}

// askFilter puts Filter. Whether a pod that does not fit would fit the empty node is asked too, where the minor tells it.
func askFilter(f *Fit, node nodeAsked, pod *v1.Pod) *filteredByReference {
	told := ask(f, "Filter", node, pod)
	if told == nil {
		return nil
	}
	if len(told.Insufficient) == 0 {
		return &filteredByReference{}
	}
	node.pods = nil
	alone := false
	if _, tells := reflect.TypeOf(InsufficientResource{}).FieldByName("Unresolvable"); tells { // from 1.34 on
		empty := ask(f, "Filter of the empty node", node, pod)
		if empty == nil {
			return nil
		}
		for _, reason := range empty.Insufficient {
			alone = alone || reason != tooManyPods
		}
	}
	sort.SliceStable(told.Insufficient, func(one, other int) bool {
		return rank(told.Insufficient[one]) < rank(told.Insufficient[other])
	})
	return &filteredByReference{statusOf(alone, told.Insufficient)}
}

const tooManyPods = "Too many pods"

// rank returns the place of a reason in the scheduler's list; the protocol's list is sorted.
func rank(reason string) int {
	for place, first := range []string{tooManyPods, "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"} {
		if reason == first {
			return place
		}
	}
	return 4
}

type scored struct {
	Result, Message string
	Score           *float64
	Insufficient    []string
}

func ask(f *Fit, in string, node nodeAsked, pod *v1.Pod) *scored {
	arguments := argumentsOf(f)
	if arguments == nil {
		reference.Unsaid(in, "a plugin made of no arguments")
		return nil
	}
	for field, feature := range map[string]string{
		"enableDRAExtendedResource":                          "extended resources backed by DRA",
		"enableInPlacePodVerticalScalingSchedulerPreemption": "pods that preempt others to be resized",
	} {
		if on := reflect.ValueOf(*f).FieldByName(field); on.IsValid() && on.Bool() {
			reference.Unsaid(in, feature)
			return nil
		}
	}
	question := fitQuestion{
		Score:   numa.Score{Strategy: strategyOf(arguments), Allocatable: node.allocatable, Pods: []json.RawMessage{}, Pod: document(named(pod))},
		Ignored: arguments.IgnoredResources, IgnoredGroups: arguments.IgnoredResourceGroups, Gates: map[string]bool{},
	}
	for _, there := range node.pods {
		question.Score.Pods = append(question.Score.Pods, document(named(there)))
	}
	for field, gate := range map[string]string{
		"enablePodLevelResources": "PodLevelResources", "enableSidecarContainers": "SidecarContainers",
		"enableInPlacePodVerticalScaling": "InPlacePodVerticalScaling",
	} {
		if on := reflect.ValueOf(*f).FieldByName(field); on.IsValid() {
			question.Gates[gate] = on.Bool()
		}
	}
	var told scored
	if !reference.Ask(in, reference.Question{Method: "fit", Params: question}, &told) {
		return nil
	}
	return &told
}

// named returns a pod with names, which unit tests leave out and the API server demands.
func named(pod *v1.Pod) *v1.Pod {
	pod = pod.DeepCopy()
	if pod.Name == "" {
		pod.Name = "pod"
	}
	for kind, list := range map[string][]v1.Container{"init": pod.Spec.InitContainers, "app": pod.Spec.Containers} {
		for index := range list {
			if list[index].Name == "" {
				list[index].Name = fmt.Sprintf("%s%d", kind, index)
			}
		}
	}
	return pod
}

func strategyOf(arguments *config.NodeResourcesFitArgs) json.RawMessage {
	strategy := arguments.ScoringStrategy
	resources, shape := []map[string]any{}, []map[string]any{}
	for _, one := range strategy.Resources {
		resources = append(resources, map[string]any{"name": one.Name, "weight": one.Weight})
	}
	told := map[string]any{"type": strategy.Type, "resources": resources}
	if strategy.RequestedToCapacityRatio != nil {
		for _, point := range strategy.RequestedToCapacityRatio.Shape {
			shape = append(shape, map[string]any{"utilization": point.Utilization, "score": point.Score})
		}
		told["requestedToCapacityRatio"] = map[string]any{"shape": shape}
	}
	return document(told)
}

func document(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// nodeAsked is a node as a question tells it.
type nodeAsked struct {
	allocatable map[string]string
	pods        []*v1.Pod
}

func nodeOf(node *v1.Node, pods []*v1.Pod) nodeAsked {
	asked := nodeAsked{allocatable: map[string]string{}, pods: pods}
	for name, amount := range node.Status.Allocatable {
		asked.allocatable[string(name)] = amount.String()
	}
	return asked
}
