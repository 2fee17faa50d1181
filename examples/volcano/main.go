// Volcano's scheduler plugin numa-aware as a target: its CPU provider, which hints and chooses CPUs, and its policies,
// which merge hints. The shim translates and decides nothing.
//
//	go build && pytest --numa-conformance --numa-target-command ./volcano      (from this folder)
package main

import (
	"encoding/json"
	"errors"
	"flag"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/klog/v2"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/topology"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager/bitmask"
	"k8s.io/utils/cpuset"
	nodeinfo "volcano.sh/apis/pkg/apis/nodeinfo/v1alpha1"
	"volcano.sh/volcano/pkg/scheduler/api"
	"volcano.sh/volcano/pkg/scheduler/plugins/numaaware/policy"
	"volcano.sh/volcano/pkg/scheduler/plugins/numaaware/provider/cpumanager"

	"github.com/numa-conformance/numa-conformance/go/numa"
)

var exported = flag.Bool("as-exported", false, "core ids of /sys, a number of reserved CPUs, as its exporter tells")

type volcano struct{ policy.HintProvider }

func (volcano) Describe() numa.Identity {
	return numa.Identity{Name: "Volcano numa-aware", Version: numa.VersionOf("volcano.sh/volcano"), Features: []string{
		numa.FeatureCPUManagerStatic, numa.FeatureTopologyManagerNone, numa.FeatureTopologyManagerBestEffort,
		numa.FeatureTopologyManagerRestricted, numa.FeatureTopologyManagerSingleNUMANode,
	}}
}

// Pick asks for a container, after the hint that was merged, as the plugin's predicate does.
func (v volcano) Pick(asked numa.Pick) (numa.PickReply, error) {
	free, err := cpuset.Parse(asked.Available)
	container := v1.Container{Resources: v1.ResourceRequirements{Requests: cpus(asked.Count)}}
	hint := hintOf(asked.Hint())
	chosen := v.Allocate(&container, &hint, nodeOf(asked.Machine, 0), api.ResNumaSets{"cpu": free})["cpu"]
	if chosen.Size() < asked.Count {
		return numa.PickRefused{Message: "no CPUs are assigned"}, err
	}
	return numa.Picked{CPUs: chosen.String()}, err
}

// Hints asks for one container of a Guaranteed pod: from others the plugin keeps away.
func (v volcano) Hints(asked numa.Hints) (told numa.OfferedHints, err error) {
	var pod v1.Pod
	var kubelet struct{ ReservedSystemCPUs string }
	err = errors.Join(json.Unmarshal(asked.Pod, &pod), json.Unmarshal(asked.Kubelet, &kubelet))
	corev1.SetDefaults_Pod(&pod)
	free, _ := cpuset.Parse(asked.State.Default)
	reserved, _ := cpuset.Parse(kubelet.ReservedSystemCPUs)
	if !*exported {
		free, reserved = free.Difference(reserved), cpuset.New()
	}
	for _, one := range pod.Spec.Containers {
		if asked.Container != nil && one.Name == *asked.Container && qos.GetPodQOS(&pod) == v1.PodQOSGuaranteed {
			hints := v.GetTopologyHints(&one, nodeOf(asked.Machine, reserved.Size()), api.ResNumaSets{"cpu": free})
			told.Hints = numa.MapHints(hints, valueOf)
		}
	}
	return told, err
}

// Merge asks the policy of a node.
func (volcano) Merge(asked numa.Merge) (numa.Merged, error) {
	offered := numa.MapProviders(asked.Providers, hintOf)
	info := api.NumatopoInfo{Policies: map[nodeinfo.PolicyName]string{nodeinfo.TopologyManagerPolicy: asked.Policy}}
	hint, admit := policy.GetPolicy(&api.NodeInfo{NumaSchedulerInfo: &info}, asked.Nodes).Predicate(offered)
	return numa.Merged{Nodes: valueOf(hint).Nodes, Preferred: hint.Preferred, Admit: admit}, nil
}

// nodeOf returns a machine as the scheduler knows it, with so many CPUs reserved.
func nodeOf(machine numa.Machine, reserved int) *api.NumatopoInfo {
	details, cores := topology.CPUDetails{}, machine.CoreIDs()
	for _, one := range machine.CPUs {
		if *exported && one.Core != nil {
			cores[one.ID] = *one.Core
		}
		details[one.ID] = topology.CPUInfo{NUMANodeID: one.NUMA, SocketID: one.Socket, CoreID: cores[one.ID]}
	}
	return &api.NumatopoInfo{CPUDetail: details, ResReserved: cpus(reserved)}
}

func cpus(count int) v1.ResourceList {
	return v1.ResourceList{v1.ResourceCPU: *resource.NewQuantity(int64(count), resource.DecimalSI)}
}

func hintOf(value numa.HintValue) (hint policy.TopologyHint) {
	hint.Preferred = value.Preferred
	if value.Nodes != nil {
		hint.NUMANodeAffinity, _ = bitmask.NewBitMask(value.Nodes...)
	}
	return hint
}

func valueOf(hint policy.TopologyHint) (value numa.HintValue) {
	value.Preferred = hint.Preferred
	if hint.NUMANodeAffinity != nil {
		value.Nodes = hint.NUMANodeAffinity.GetBits()
	}
	return value
}

func main() {
	klog.SetLogger(klog.Logger{})
	flag.Parse()
	numa.Serve(volcano{cpumanager.NewProvider()})
}
