package main

import (
	"sort"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

func (n *node) static() bool       { return n.config.CPUManagerPolicy == "static" }
func (n *node) staticMemory() bool { return n.config.MemoryManagerPolicy == "Static" }

// pool returns the shared pool.
func (n *node) pool() string {
	return n.cpu.State().GetDefaultCPUSet().String()
}

// started tells what a node has as it comes up.
func (n *node) started() numa.NodeStarted {
	told := numa.NodeStarted{DefaultCpuset: n.pool()}
	if n.static() {
		allocatable := n.cpu.GetAllocatableCPUs()
		reserved := onlineCPUs(n.info).Difference(allocatable).String()
		text := allocatable.String()
		told.AllocatableCPUs, told.ReservedCPUs = &text, &reserved
	}
	if n.staticMemory() {
		told.MemoryState = n.memoryNodes(func(node *numa.MemoryNode, name string, table *state.MemoryTable) {
			if node.Tables == nil {
				node.Tables = map[string]numa.MemoryTable{}
			}
			node.Tables[name] = numa.MemoryTable{
				Total: table.TotalMemSize, SystemReserved: table.SystemReserved,
				Allocatable: table.Allocatable, Reserved: table.Reserved, Free: table.Free,
			}
		})
	}
	return told
}

// books tells what memory is free; nil unless the Memory Manager is Static.
func (n *node) books() []numa.MemoryNode {
	if !n.staticMemory() {
		return nil
	}
	return n.memoryNodes(func(node *numa.MemoryNode, name string, table *state.MemoryTable) {
		if node.Free == nil {
			node.Free = map[string]uint64{}
		}
		node.Free[name] = table.Free
	})
}

func (n *node) memoryNodes(fill func(*numa.MemoryNode, string, *state.MemoryTable)) []numa.MemoryNode {
	told := []numa.MemoryNode{}
	machine := n.memory.State().GetMachineState()
	for id, held := range machine {
		node := numa.MemoryNode{Node: id, Assignments: held.NumberOfAssignments}
		for _, cell := range held.Cells {
			node.Group = append(node.Group, cell)
		}
		sort.Slice(node.Group, func(one, other int) bool { return node.Group[one] < node.Group[other] })
		for name, table := range held.MemoryMap {
			fill(&node, string(name), table)
		}
		told = append(told, node)
	}
	sort.Slice(told, func(one, other int) bool { return told[one].Node < told[other].Node })
	return told
}

// holdings tells what the containers of a pod hold.
func (n *node) holdings(pod *v1.Pod) map[string]numa.ContainerHolding {
	told := map[string]numa.ContainerHolding{}
	for _, container := range containersOf(pod) {
		uid := string(pod.UID)
		holding := numa.ContainerHolding{CPUs: n.cpu.GetExclusiveCPUs(uid, container.Name).String()}
		if n.config.TopologyManagerPolicy != topologymanager.PolicyNone {
			hint := hintOf(invoke(n.topology.GetAffinity, uid, container.Name)[0].(topologymanager.TopologyHint))
			holding.Affinity = &hint
		}
		if n.staticMemory() {
			holding.Memory = blocksOf(invoke(n.memory.GetMemory, uid, container.Name)[0].([]state.Block))
		}
		if len(n.machine.Devices) > 0 {
			holding.Devices = map[string][]string{}
			for resource, instances := range n.devices.GetDevices(uid, container.Name) {
				ids := []string{}
				for id := range instances {
					ids = append(ids, id)
				}
				sort.Strings(ids)
				holding.Devices[resource] = ids
			}
		}
		told[container.Name] = holding
	}
	return told
}

func blocksOf(blocks []state.Block) []numa.MemoryBlock {
	told := []numa.MemoryBlock{}
	for _, block := range blocks {
		one := numa.MemoryBlock{Type: string(block.Type), Bytes: block.Size}
		for _, id := range block.NUMAAffinity {
			one.Nodes = append(one.Nodes, id)
		}
		told = append(told, one)
	}
	sort.SliceStable(told, func(one, other int) bool { return told[one].Type < told[other].Type })
	return told
}

func hintOf(hint topologymanager.TopologyHint) numa.HintValue {
	told := numa.HintValue{Preferred: hint.Preferred}
	if hint.NUMANodeAffinity != nil {
		told.Nodes = []int{}
		for _, id := range hint.NUMANodeAffinity.GetBits() {
			told.Nodes = append(told.Nodes, id)
		}
	}
	return told
}

// containersOf returns all containers of a pod in the order in which they start.
func containersOf(pod *v1.Pod) []*v1.Container {
	var found []*v1.Container
	for index := range pod.Spec.InitContainers {
		found = append(found, &pod.Spec.InitContainers[index])
	}
	for index := range pod.Spec.Containers {
		found = append(found, &pod.Spec.Containers[index])
	}
	return found
}

// isOrdinaryInit tells whether a container ends before the next one begins.
func isOrdinaryInit(pod *v1.Pod, container *v1.Container) bool {
	for _, init := range pod.Spec.InitContainers {
		if init.Name == container.Name {
			return !isSidecar(container)
		}
	}
	return false
}
