package main

import (
	"fmt"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

// Merge lets a policy of the Topology Manager merge hints.
func (t *target) Merge(asked numa.Merge) (numa.Merged, error) {
	if err := t.setGates(nil); err != nil {
		return numa.Merged{}, err
	}
	options, err := result[topologymanager.PolicyOptions](invoke(topologymanager.NewPolicyOptions, asked.Options))
	if err != nil {
		return numa.Merged{}, err
	}
	var nodes []Node
	for row, id := range asked.Nodes {
		node := Node{Id: int(id)}
		if asked.Distances != nil {
			for _, distance := range asked.Distances[row] {
				node.Distances = append(node.Distances, uint64(distance))
			}
		}
		nodes = append(nodes, node)
	}
	info, err := result[*topologymanager.NUMAInfo](invoke(topologymanager.NewNUMAInfo, nodes, options))
	if err != nil {
		return numa.Merged{}, err
	}
	policy, err := policyNamed(asked.Policy, info, options)
	if err != nil {
		return numa.Merged{}, err
	}
	var providers []map[string][]topologymanager.TopologyHint
	for _, lists := range asked.Providers {
		hints, err := providerOf(lists)
		if err != nil {
			return numa.Merged{}, err
		}
		providers = append(providers, hints)
	}
	out := invoke(policy.Merge, providers)
	hint := hintOf(out[0].(topologymanager.TopologyHint))
	return numa.Merged{Nodes: hint.Nodes, Preferred: hint.Preferred, Admit: out[1].(bool)}, nil
}

func providerOf(lists map[string][]numa.HintValue) (map[string][]topologymanager.TopologyHint, error) {
	if lists == nil {
		return nil, nil
	}
	found := map[string][]topologymanager.TopologyHint{}
	for resource, hints := range lists {
		found[resource] = nil
		if hints != nil {
			found[resource] = []topologymanager.TopologyHint{}
		}
		for index := range hints {
			mask, err := maskOf(&hints[index])
			if err != nil {
				return nil, err
			}
			hint := topologymanager.TopologyHint{NUMANodeAffinity: mask, Preferred: hints[index].Preferred}
			found[resource] = append(found[resource], hint)
		}
	}
	return found, nil
}

// policyNamed makes a policy of the Topology Manager, as its constructor does.
func policyNamed(name string, info *topologymanager.NUMAInfo, options topologymanager.PolicyOptions) (topologymanager.Policy, error) {
	switch name {
	case topologymanager.PolicyNone:
		return topologymanager.NewNonePolicy(), nil
	case topologymanager.PolicyBestEffort:
		return topologymanager.NewBestEffortPolicy(info, options), nil
	case topologymanager.PolicyRestricted:
		return topologymanager.NewRestrictedPolicy(info, options), nil
	case topologymanager.PolicySingleNumaNode:
		return topologymanager.NewSingleNumaNodePolicy(info, options), nil
	}
	return nil, fmt.Errorf("unknown policy: %q", name)
}
