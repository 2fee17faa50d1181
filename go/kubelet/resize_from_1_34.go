//go:build k8s1.34

package main

import (
	"context"
	"reflect"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/allocation"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
	"k8s.io/kubernetes/pkg/kubelet/preemption"
	"k8s.io/kubernetes/pkg/kubelet/status"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

// NodeResize lets the kubelet's allocation manager decide whether a pod gets other amounts.
func (t *target) NodeResize(asked numa.ResizePod) (numa.NodeResizeReply, error) {
	n, err := t.upNode()
	if err != nil {
		return nil, err
	}
	pod, err := podOf(asked.Pod)
	if err != nil {
		return nil, err
	}
	if n.find(string(pod.UID)) == nil {
		return numa.UnknownPod{DefaultCpuset: n.pool(), MemoryState: n.books()}, nil
	}
	pending, err := n.resize(pod)
	if err != nil {
		return nil, err
	}
	if pending != nil {
		return numa.ResizePending{
			DefaultCpuset: n.pool(), Reason: pending.Reason, Message: pending.Message, MemoryState: n.books(),
		}, nil
	}
	n.put(pod)
	return numa.Resized{DefaultCpuset: n.pool(), Containers: n.holdings(pod), MemoryState: n.books()}, nil
}

// resize asks an allocation manager that knows what every pod has been granted, with those handlers of the kubelet's start,
// in its order, that look at resources. It returns why the resize is pending, or nil where it is granted.
func (n *node) resize(pod *v1.Pod) (*v1.PodCondition, error) {
	told := status.NewManager(nil, resized{pod: pod}, nil, nil)
	known, err := n.asReported()
	if err != nil {
		return nil, err
	}
	allocations, handlers := n.allocations(told, resized{pod: pod}.GetPodByUID)
	for _, other := range n.pods {
		if err := failure(invoke(allocations.SetAllocatedResources, other)); err != nil {
			return nil, err
		}
	}
	fit := invoke(lifecycle.NewPredicateAdmitHandler,
		always{known}, preemption.NewCriticalPodAdmissionHandler(n.active, nil, nil), n.devices.UpdatePluginResources)[0]
	allocations.AddPodAdmitHandlers(append(handlers, n.topology, fit.(lifecycle.PodAdmitHandler)))
	invoke(allocations.PushPendingResize, pod.UID)
	invoke(allocations.RetryPendingResizes, allocation.TriggerReasonPodUpdated)
	for _, condition := range told.GetPodResizeConditions(pod.UID) {
		if condition.Type == v1.PodResizePending {
			return condition, nil
		}
	}
	return nil, nil
}

// asReported returns the node with the amounts that the kubelet reports of it.
func (n *node) asReported() (*v1.Node, error) {
	args := []any{"", int(n.config.MaxPods), int(n.config.PodsPerCore), always{n.info}, always{},
		always(invoke(n.devices.GetCapacity)), always{n.kept.amounts}, always{}}
	if reflect.TypeOf(nodestatus.MachineInfo).NumIn() > len(args)+1 { // from 1.37 on: is this a user namespace
		args = append(args, always{})
	}
	setter := invoke(nodestatus.MachineInfo, append(args, false)...)[0].(nodestatus.Setter)
	known := &v1.Node{}
	return known, setter(context.Background(), known)
}

// resized knows one pod, as it is to be.
type resized struct {
	status.PodManager
	pod *v1.Pod
}

func (r resized) GetPodByUID(types.UID) (*v1.Pod, bool) { return r.pod, true }

// facts is what the allocation manager asks of the kubelet's container manager.
type facts struct {
	cm.ContainerManager
	node *node
}

func (f facts) GetNodeConfig() cm.NodeConfig {
	config := f.node.config
	return cm.NodeConfig{
		CPUManagerPolicy: config.CPUManagerPolicy, MemoryManagerPolicy: config.MemoryManagerPolicy, CgroupVersion: 2,
	}
}

// noSwap is a runtime without swap.
type noSwap struct{ kubecontainer.Runtime }

func (noSwap) GetContainerSwapBehavior(*v1.Pod, *v1.Container) kubetypes.SwapBehavior {
	return kubetypes.NoSwap
}
