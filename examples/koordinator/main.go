// Koordinator's scheduler plugin NodeNUMAResource as a target: its resource manager, which chooses CPUs, and its
// policies, which merge hints. The shim translates and decides nothing.
//
//	go build && pytest --numa-conformance --numa-target-command ./koordinator      (from this folder)
package main

import (
	"reflect"

	"github.com/go-logr/logr"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/apis/config"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/frameworkext/topologymanager"
	plugin "github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/nodenumaresource"
	"github.com/koordinator-sh/koordinator/pkg/util/bitmask"
	"github.com/koordinator-sh/koordinator/pkg/util/cpuset"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/numa-conformance/numa-conformance/go/numa"
)

type koordinator struct{}

func (koordinator) Describe() numa.Identity {
	return numa.Identity{Name: "Koordinator", Version: numa.VersionOf("github.com/koordinator-sh/koordinator"), Features: []string{
		numa.FeatureCPUManagerFullPcpusOnly, numa.FeatureCPUManagerDistributeCPUsAcrossCores,
		numa.FeatureCPUManagerStatic, numa.FeatureTopologyManagerBestEffort,
		numa.FeatureTopologyManagerRestricted, numa.FeatureTopologyManagerSingleNUMANode,
	}}
}

// Pick asks for a pod that is bound to CPUs, under default arguments: its CPU bind policy is FullPCPUs if that can be.
// full-pcpus-only requires it, distribute-cpus-across-cores is SpreadByPCPUs.
func (koordinator) Pick(asked numa.Pick) (numa.PickReply, error) {
	free, err := cpuset.Parse(asked.Available)
	nodes, node, full := plugin.NewTopologyOptionsManager(), nodeOf(asked.Machine, free), asked.Options["full-pcpus-only"]
	if full && asked.Count%node.CPUTopology.CPUsPerCore() != 0 { // the plugin's Filter, which comes first
		return numa.PickRefused{Message: plugin.ErrSMTAlignmentError}, err
	}
	nodes.UpdateTopologyOptions("", func(options *plugin.TopologyOptions) { *options = node })
	options := &plugin.ResourceOptions{}
	set(options, "topologyOptions", nodes.GetTopologyOptions(""))
	set(options, "numCPUsNeeded", asked.Count)
	set(options, "originalRequests", cpus(asked.Count))
	set(options, "requestCPUBind", true)
	set(options, "requiredCPUBindPolicy", full)
	set(options, "cpuBindPolicy", config.CPUBindPolicyFullPCPUs)
	if asked.Options["distribute-cpus-across-cores"] {
		set(options, "cpuBindPolicy", config.CPUBindPolicySpreadByPCPUs)
	}
	set(options, "hint", hintOf(asked.Hint()))
	manager := plugin.NewResourceManager(handle{}, config.NUMALeastAllocated, nodes)
	chosen, status := manager.Allocate(&v1.Node{}, &v1.Pod{}, options)
	if !status.IsSuccess() {
		return numa.PickRefused{Message: status.Message()}, err
	}
	return numa.Picked{CPUs: chosen.CPUSet.String()}, err
}

func (koordinator) Merge(asked numa.Merge) (merged numa.Merged, err error) {
	policy := map[string]func([]int) topologymanager.Policy{
		"best-effort": topologymanager.NewBestEffortPolicy, "restricted": topologymanager.NewRestrictedPolicy,
		"single-numa-node": topologymanager.NewSingleNumaNodePolicy,
	}[asked.Policy]
	hint, admit, _ := policy(asked.Nodes).Merge(numa.MapProviders(asked.Providers, hintOf), "", nil)
	if hint.NUMANodeAffinity != nil {
		merged.Nodes = hint.NUMANodeAffinity.GetBits()
	}
	merged.Preferred, merged.Admit = hint.Preferred, admit
	return merged, nil
}

// nodeOf returns a machine as its NodeResourceTopology tells it: what is not free belongs to others.
func nodeOf(machine numa.Machine, free cpuset.CPUSet) plugin.TopologyOptions {
	builder, cores := plugin.NewCPUTopologyBuilder(), machine.CoreIDs()
	for _, cpu := range machine.CPUs {
		builder.AddCPUInfo(cpu.Socket, cpu.NUMA, cores[cpu.ID], cpu.ID)
	}
	all := builder.Result().CPUDetails
	node := plugin.TopologyOptions{CPUTopology: builder.Result(), ReservedCPUs: all.CPUs().Difference(free)}
	for _, one := range machine.Memory {
		zone := plugin.NUMANodeResource{Node: one.Node, Resources: cpus(all.CPUsInNUMANodes(one.Node).Intersection(free).Size())}
		node.NUMANodeResources = append(node.NUMANodeResources, zone)
	}
	return node
}

func cpus(count int) v1.ResourceList {
	return v1.ResourceList{v1.ResourceCPU: *resource.NewQuantity(int64(count), "")}
}

func hintOf(value numa.HintValue) (hint topologymanager.NUMATopologyHint) {
	hint.Preferred = value.Preferred
	if value.Nodes != nil {
		hint.NUMANodeAffinity, _ = bitmask.NewBitMask(value.Nodes...)
	}
	return hint
}

// set writes a field that only the plugin writes: nothing exported makes such options but a whole scheduler.
func set(options *plugin.ResourceOptions, name string, value any) {
	field := reflect.ValueOf(options).Elem().FieldByName(name)
	reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Set(reflect.ValueOf(value))
}

// handle is what the resource manager needs of a scheduler: informers, to be told of nodes that are gone.
type handle struct{ framework.Handle }

func (handle) SharedInformerFactory() informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0)
}

func main() {
	klog.SetLogger(logr.Discard())
	numa.Serve(koordinator{})
}
