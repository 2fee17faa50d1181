// The CPU allocator of CRI Resource Manager as a target: what its policies (topology-aware, balloons, static) call to
// choose CPUs of a pool, and where that of nri-plugins came from. The shim translates and decides nothing.
//
//	go build && pytest --numa-conformance --numa-target-command ./cri-resource-manager      (from this folder)
package main

import (
	"sort"

	"github.com/intel/cri-resource-manager/pkg/cpuallocator"
	logger "github.com/intel/cri-resource-manager/pkg/log"
	"github.com/intel/cri-resource-manager/pkg/sysfs"
	"github.com/intel/cri-resource-manager/pkg/utils/cpuset"
	"github.com/intel/goresctrl/pkg/sst"

	"github.com/numa-conformance/numa-conformance/go/numa"
)

type manager struct{}

func (manager) Describe() numa.Identity {
	version := numa.VersionOf("github.com/intel/cri-resource-manager")
	return numa.Identity{Name: "CRI Resource Manager", Version: version, Features: []string{numa.FeatureCPUManagerStatic}}
}

// Pick asks for CPUs of normal priority; without frequencies all are.
func (manager) Pick(asked numa.Pick) (numa.PickReply, error) {
	from, err := cpuset.Parse(asked.Available)
	if err != nil {
		return nil, err
	}
	allocator := cpuallocator.NewCPUAllocator(systemOf(asked.Machine))
	chosen, err := allocator.AllocateCpus(&from, asked.Count, cpuallocator.PriorityNormal)
	if err != nil {
		return numa.PickRefused{Message: err.Error()}, nil
	}
	return numa.Picked{CPUs: chosen.String()}, nil
}

// system is a machine as the manager finds it in /sys. What the allocator does not ask for is not there.
type system struct {
	sysfs.System
	packages, nodes, threads map[int]cpuset.CPUSet
	sockets                  map[int]int
}

type onePackage struct {
	sysfs.CPUPackage
	cpus cpuset.CPUSet
}

type oneNode struct {
	sysfs.Node
	cpus cpuset.CPUSet
}

type oneCPU struct {
	sysfs.CPU
	socket  int
	threads cpuset.CPUSet
}

func (s system) PackageIDs() []int                { return ids(s.packages) }
func (s system) NodeIDs() []int                   { return ids(s.nodes) }
func (s system) CPUIDs() []int                    { return ids(s.threads) }
func (s system) Offlined() cpuset.CPUSet          { return cpuset.New() }
func (s system) Package(id int) sysfs.CPUPackage  { return onePackage{cpus: s.packages[id]} }
func (s system) Node(id int) sysfs.Node           { return oneNode{cpus: s.nodes[id]} }
func (s system) CPU(id int) sysfs.CPU             { return oneCPU{socket: s.sockets[id], threads: s.threads[id]} }
func (p onePackage) CPUSet() cpuset.CPUSet        { return p.cpus }
func (p onePackage) SstInfo() *sst.SstPackageInfo { return nil }
func (n oneNode) CPUSet() cpuset.CPUSet           { return n.cpus }
func (c oneCPU) PackageID() int                   { return c.socket }
func (c oneCPU) ThreadCPUSet() cpuset.CPUSet      { return c.threads }
func (c oneCPU) BaseFrequency() uint64            { return 0 }
func (c oneCPU) EPP() sysfs.EPP                   { return sysfs.EPPUnknown }

func ids(of map[int]cpuset.CPUSet) []int {
	found := []int{}
	for id := range of {
		found = append(found, id)
	}
	sort.Ints(found)
	return found
}

func systemOf(machine numa.Machine) system {
	made := system{nil, map[int]cpuset.CPUSet{}, map[int]cpuset.CPUSet{}, map[int]cpuset.CPUSet{}, map[int]int{}}
	cores, inCore := machine.CoreIDs(), map[int]cpuset.CPUSet{}
	for _, one := range machine.CPUs {
		alone, core := cpuset.New(one.ID), cores[one.ID]
		inCore[core] = inCore[core].Union(alone)
		made.packages[one.Socket] = made.packages[one.Socket].Union(alone)
		made.nodes[one.NUMA] = made.nodes[one.NUMA].Union(alone)
		made.sockets[one.ID] = one.Socket
	}
	for id, core := range cores {
		made.threads[id] = inCore[core]
	}
	return made
}

func main() {
	logger.SetLevel(logger.LevelPanic)
	numa.Serve(manager{})
}
