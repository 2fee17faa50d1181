//go:build upstream

package cpumanager

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"github.com/numa-conformance/numa-conformance/go/upstream/reference"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/topology"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

type takenByReference struct {
	cpus cpuSet
	err  error
}

// askPacked puts takeByTopologyNUMAPacked as the protocol's question pick. More: the order among CPUs, and whether uncore
// caches are kept together, where the minor has them.
func askPacked(topo *topology.CPUTopology, available cpuSet, count int, more ...any) *takenByReference {
	options := sorting(more)
	if len(more) > 1 {
		options["prefer-align-cpus-by-uncorecache"] = more[1].(bool)
	}
	return askPick("takeByTopologyNUMAPacked", topo, available, count, options)
}

// askDistributed puts takeByTopologyNUMADistributed likewise. CPUs are handed out in groups of one, or in whole cores.
func askDistributed(topo *topology.CPUTopology, available cpuSet, count, group int, more ...any) *takenByReference {
	options := sorting(more)
	options["distribute-cpus-across-numa"] = true
	if len(more) > 1 {
		options["align-by-socket"] = more[1].(bool)
	}
	if group != 1 && group != topo.CPUsPerCore() {
		reference.Unsaid("takeByTopologyNUMADistributed", "groups of CPUs that are no cores")
		return nil
	}
	options["full-pcpus-only"] = group > 1
	return askPick("takeByTopologyNUMADistributed", topo, available, count, options)
}

func sorting(more []any) map[string]bool {
	return map[string]bool{"distribute-cpus-across-cores": len(more) > 0 && fmt.Sprint(more[0]) == "spread"}
}

func askPick(in string, topo *topology.CPUTopology, available cpuSet, count int, options map[string]bool) *takenByReference {
	for name, on := range options {
		if !on {
			delete(options, name)
		}
	}
	question := numa.Pick{Machine: machineForReference(topo), Available: available.String(), Count: count, Options: options}
	var told struct{ Result, CPUs, Message string }
	if !reference.Ask(in, reference.Question{Method: "pick", Params: question}, &told) {
		return nil
	}
	if told.Result == "refused" {
		return &takenByReference{noCPUs(), errors.New(told.Message)}
	}
	return &takenByReference{cpusOfReference(told.CPUs), nil}
}

func cpusOfReference(text string) cpuSet {
	cpus, err := parseCPUs(text)
	if err != nil {
		panic(fmt.Sprintf("the reference's CPUs: %v", err))
	}
	return cpus
}

// machineForReference returns the machine that the kubelet has discovered as topo.
func machineForReference(topo *topology.CPUTopology) numa.Machine {
	machine := numa.Machine{Name: "upstream", UncoreSource: "reported"}
	nodes := map[int]bool{}
	for id, cpu := range topo.CPUDetails {
		core := cpu.CoreID
		one := numa.CPU{ID: id, Socket: cpu.SocketID, NUMA: cpu.NUMANodeID, Core: &core}
		if uncore := reflect.ValueOf(cpu).FieldByName("UncoreCacheID"); uncore.IsValid() { // from 1.32 on
			cache := int(uncore.Int())
			one.Uncore = &cache
		}
		machine.CPUs = append(machine.CPUs, one)
		nodes[cpu.NUMANodeID] = true
	}
	sort.Slice(machine.CPUs, func(one, other int) bool { return machine.CPUs[one].ID < machine.CPUs[other].ID })
	for id := range nodes {
		machine.Memory = append(machine.Memory, numa.Memory{Node: id})
	}
	sort.Slice(machine.Memory, func(one, other int) bool { return machine.Memory[one].Node < machine.Memory[other].Node })
	return machine
}

// askContainerHints puts GetTopologyHints as the protocol's question hints.
func askContainerHints(p *staticPolicy, s state.State, pod *v1.Pod, container *v1.Container, more ...any) *map[string][]topologymanager.TopologyHint {
	return askHints("cpumanager GetTopologyHints", p, s, pod, &container.Name, more)
}

// askPodHints puts GetPodTopologyHints likewise.
func askPodHints(p *staticPolicy, s state.State, pod *v1.Pod, more ...any) *map[string][]topologymanager.TopologyHint {
	return askHints("cpumanager GetPodTopologyHints", p, s, pod, nil, more)
}

func askHints(in string, p *staticPolicy, s state.State, pod *v1.Pod, container *string, more []any) *map[string][]topologymanager.TopologyHint {
	if len(more) > 0 && fmt.Sprint(more[0]) != "add" {
		reference.Unsaid(in, "another operation than that of adding a pod")
		return nil
	}
	told := numa.OfferedHints{}
	question := reference.Question{Method: "hints", Params: hintsQuestion(p, s, pod, container)}
	if p.reservedCPUs.IsEmpty() { // such a policy is made by unit tests alone
		question.Method = "cpu.hints"
	}
	if !reference.Ask(in, question, &told) {
		return nil
	}
	hints := topologymanager.HintsOfReference(told.Hints)
	return &hints
}

func hintsQuestion(p *staticPolicy, s state.State, pod *v1.Pod, container *string) numa.Hints {
	question := numa.Hints{
		Machine: machineForReference(p.topology), Kubelet: configurationOf(p), Container: container,
		State: numa.PriorState{
			Default: s.GetDefaultCPUSet().String(), Assignments: map[string]map[string]string{}, Reusable: map[string]string{},
		},
	}
	for uid, containers := range s.GetCPUAssignments() {
		question.State.Assignments[uid] = map[string]string{}
		for name, entry := range containers {
			question.State.Assignments[uid][name] = entry.String()
		}
	}
	for uid, cpus := range p.cpusToReuse {
		question.State.Reusable[uid] = cpus.String()
	}
	var err error
	if question.Pod, err = json.Marshal(pod); err != nil {
		panic(err)
	}
	return question
}

// configurationOf returns the KubeletConfiguration with which the kubelet makes such a policy.
func configurationOf(p *staticPolicy) json.RawMessage {
	options := map[string]string{}
	fields := reflect.ValueOf(p.options)
	for field, name := range optionNames {
		if value := fields.FieldByName(field); value.IsValid() && value.Bool() {
			options[name] = "true"
		}
	}
	text, err := json.Marshal(map[string]any{
		"cpuManagerPolicy": "static", "cpuManagerPolicyOptions": options, "reservedSystemCPUs": p.reservedCPUs.String(),
		"featureGates": changedGates(),
	})
	if err != nil {
		panic(err)
	}
	return text
}

// optionNames has the option of each field of StaticPolicyOptions, those of later minors included.
var optionNames = map[string]string{
	"FullPhysicalCPUsOnly":           "full-pcpus-only",
	"DistributeCPUsAcrossNUMA":       "distribute-cpus-across-numa",
	"AlignBySocket":                  "align-by-socket",
	"DistributeCPUsAcrossCores":      "distribute-cpus-across-cores",
	"StrictCPUReservation":           "strict-cpu-reservation",
	"PreferAlignByUncoreCacheOption": "prefer-align-cpus-by-uncorecache",
}

// changedGates returns the gates that a test has switched.
func changedGates() map[string]bool {
	changed := map[string]bool{"CPUManagerPolicyAlphaOptions": true, "CPUManagerPolicyBetaOptions": true}
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if on := utilfeature.DefaultFeatureGate.Enabled(name); on != spec.Default {
			changed[string(name)] = on
		}
	}
	return changed
}
