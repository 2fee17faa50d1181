package main

import (
	"fmt"
	"slices"
	"sort"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/apimachinery/pkg/api/resource"
)

type coreKey struct{ numa, socket, core int }

// machineInfo returns a machine as cAdvisor reports it to the kubelet.
func machineInfo(machine numa.Machine) (*MachineInfo, error) {
	info := &MachineInfo{}
	threads, sockets := map[coreKey][]numa.CPU{}, map[int]bool{}
	var order []coreKey
	coresIn, sharing := map[int]int{}, map[int]int{}
	for _, cpu := range machine.CPUs {
		if cpu.Uncore != nil {
			sharing[*cpu.Uncore]++
		}
		if cpu.Core == nil {
			continue // discovery skips a CPU whose core the kernel does not name
		}
		key := coreKey{cpu.NUMA, cpu.Socket, *cpu.Core}
		if len(threads[key]) == 0 {
			order = append(order, key)
			coresIn[cpu.NUMA]++
		}
		threads[key] = append(threads[key], cpu)
		sockets[cpu.Socket] = true
		info.NumCores++
	}
	info.NumSockets = len(sockets)
	info.NumPhysicalCores = len(order)
	for row, memory := range machine.Memory {
		node := Node{Id: int(memory.Node)}
		if memory.Memory != nil {
			node.Memory = uint64(*memory.Memory)
		}
		pages, err := hugePages(memory)
		if err != nil {
			return nil, err
		}
		node.HugePages = pages
		info.HugePages = withPages(info.HugePages, pages)
		if machine.Distances != nil {
			for _, distance := range machine.Distances[row] {
				node.Distances = append(node.Distances, uint64(distance))
			}
		}
		for _, key := range order {
			if key.numa == memory.Node {
				nodeWide := coresIn[key.numa] * len(threads[key])
				trusted := machine.UncoreSource == "reported"
				node.Cores = append(node.Cores, coreOf(key, threads[key], sharing, nodeWide, trusted))
			}
		}
		info.MemoryCapacity += node.Memory
		info.Topology = append(info.Topology, node)
	}
	return info, nil
}

// coreOf returns a core. cAdvisor names an uncore cache only where the cache is smaller than the NUMA node.
func coreOf(key coreKey, threads []numa.CPU, sharing map[int]int, nodeWide int, trusted bool) Core {
	core := Core{Id: int(key.core), SocketID: int(key.socket)}
	for _, cpu := range threads {
		core.Threads = append(core.Threads, cpu.ID)
	}
	if uncore := threads[0].Uncore; uncore != nil && (trusted || sharing[*uncore] != nodeWide) {
		core.UncoreCaches = []Cache{{Id: *uncore, Level: 3}}
	}
	return core
}

func hugePages(memory numa.Memory) ([]HugePagesInfo, error) {
	var found []HugePagesInfo
	for size, number := range memory.Hugepages {
		quantity, err := resource.ParseQuantity(size)
		if err != nil {
			return nil, fmt.Errorf("machine: huge pages of %q: %w", size, err)
		}
		found = append(found, HugePagesInfo{PageSize: uint64(quantity.Value() / 1024), NumPages: uint64(number)})
	}
	sort.Slice(found, func(one, other int) bool { return found[one].PageSize < found[other].PageSize })
	return found, nil
}

// withPages adds huge pages to those of the same size.
func withPages(all, more []HugePagesInfo) []HugePagesInfo {
	for _, one := range more {
		known := slices.IndexFunc(all, func(other HugePagesInfo) bool { return other.PageSize == one.PageSize })
		if known < 0 {
			all = append(all, one)
		} else {
			all[known].NumPages += one.NumPages
		}
	}
	return all
}
