//go:build upstream

package topologymanager

import (
	"fmt"
	"strconv"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"github.com/numa-conformance/numa-conformance/go/upstream/reference"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager/bitmask"
)

type mergedByReference struct {
	hint  TopologyHint
	admit bool
}

// askMerge puts the merge of a policy as the protocol's question merge.
func askMerge(policy Policy, hints []map[string][]TopologyHint) *mergedByReference {
	question := numa.Merge{Policy: policy.Name(), Options: map[string]string{}, Nodes: []int{0}}
	var info *NUMAInfo
	var options PolicyOptions
	switch one := policy.(type) {
	case *bestEffortPolicy:
		info, options = one.numaInfo, one.opts
	case *restrictedPolicy:
		info, options = one.numaInfo, one.opts
	case *singleNumaNodePolicy:
		info, options = one.numaInfo, one.opts
	}
	if info != nil {
		question.Nodes = info.Nodes
	}
	if options.PreferClosestNUMA {
		question.Options[PreferClosestNUMANodes] = "true"
		for _, node := range info.Nodes {
			row := []int{}
			for _, distance := range info.NUMADistances[node] {
				row = append(row, int(distance))
			}
			question.Distances = append(question.Distances, row)
		}
	}
	if len(question.Nodes) > 8 {
		question.Options["max-allowable-numa-nodes"] = strconv.Itoa(len(question.Nodes))
	}
	for _, lists := range hints {
		question.Providers = append(question.Providers, HintsForReference(lists))
	}
	if question.Providers == nil {
		question.Providers = []map[string][]numa.HintValue{}
	}
	var told numa.Merged
	if !reference.Ask("Merge", reference.Question{Method: "merge", Params: question}, &told) {
		return nil
	}
	return &mergedByReference{hintOfReference(numa.HintValue{Nodes: told.Nodes, Preferred: told.Preferred}), told.Admit}
}

// HintsForReference returns lists of hints as they are on the wire.
func HintsForReference(lists map[string][]TopologyHint) map[string][]numa.HintValue {
	if lists == nil {
		return nil
	}
	told := map[string][]numa.HintValue{}
	for resource, hints := range lists {
		told[resource] = nil
		if hints != nil {
			told[resource] = []numa.HintValue{}
		}
		for _, hint := range hints {
			told[resource] = append(told[resource], HintForReference(hint))
		}
	}
	return told
}

// HintForReference returns a hint as it is on the wire.
func HintForReference(hint TopologyHint) numa.HintValue {
	value := numa.HintValue{Preferred: hint.Preferred}
	if hint.NUMANodeAffinity != nil {
		value.Nodes = append([]int{}, hint.NUMANodeAffinity.GetBits()...)
	}
	return value
}

// HintsOfReference returns lists of hints from the wire.
func HintsOfReference(told map[string][]numa.HintValue) map[string][]TopologyHint {
	if told == nil {
		return nil
	}
	lists := map[string][]TopologyHint{}
	for resource, hints := range told {
		lists[resource] = nil
		if hints != nil {
			lists[resource] = []TopologyHint{}
		}
		for _, hint := range hints {
			lists[resource] = append(lists[resource], hintOfReference(hint))
		}
	}
	return lists
}

func hintOfReference(value numa.HintValue) TopologyHint {
	hint := TopologyHint{Preferred: value.Preferred}
	if value.Nodes != nil {
		mask, err := bitmask.NewBitMask(value.Nodes...)
		if err != nil {
			panic(fmt.Sprintf("the reference's hint: %v", err))
		}
		hint.NUMANodeAffinity = mask
	}
	return hint
}
