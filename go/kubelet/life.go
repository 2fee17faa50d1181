package main

import (
	"encoding/json"
	"reflect"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/api/core/v1"
	defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
)

// podOf reads a pod as the API server hands it on: strictly typed, with defaults.
func podOf(document json.RawMessage) (*v1.Pod, error) {
	pod := &v1.Pod{}
	if err := json.Unmarshal(document, pod); err != nil {
		return nil, &numa.Error{Code: numa.CodeInvalidParams, Message: "pod: " + err.Error()}
	}
	dropSidecars(pod)
	defaults.SetObjectDefaults_Pod(pod)
	return pod, defaultPodLevel(pod)
}

// NodeAdmit asks the managers to admit a pod. What a refused one was given is released before this returns.
func (t *target) NodeAdmit(asked numa.AdmitPod) (numa.NodeAdmitReply, error) {
	n, err := t.upNode()
	if err != nil {
		return nil, err
	}
	pod, err := podOf(asked.Pod)
	if err != nil {
		return nil, err
	}
	class := string(qos.GetPodQOS(pod))
	n.put(pod)
	told := n.admit(pod)
	if !told.Admit {
		if err := n.gone(string(pod.UID)); err != nil {
			return nil, err
		}
		return numa.Rejected{
			DefaultCpuset: n.pool(), Reason: told.Reason, Message: told.Message, QoS: &class, MemoryState: n.books(),
		}, nil
	}
	return numa.Admitted{
		DefaultCpuset: n.pool(), Containers: n.holdings(pod), QoS: &class, MemoryState: n.books(),
	}, nil
}

func (n *node) admit(pod *v1.Pod) lifecycle.PodAdmitResult {
	attributes := &lifecycle.PodAdmitAttributes{Pod: pod, OtherPods: n.active()}
	if operation := reflect.ValueOf(attributes).Elem().FieldByName("Operation"); operation.IsValid() {
		operation.SetString(operationAdd)
	}
	told := invoke(n.topology.Admit, attributes)[0]
	return told.(lifecycle.PodAdmitResult)
}

// NodeRun starts the containers of a pod in order; an ordinary init container ends before the next begins.
func (t *target) NodeRun(asked numa.RunPod) (numa.NodeRunReply, error) {
	n, err := t.upNode()
	if err != nil {
		return nil, err
	}
	pod := n.find(asked.UID)
	if pod == nil {
		return numa.UnknownPod{DefaultCpuset: n.pool(), MemoryState: n.books()}, nil
	}
	before, err := n.read(memoryFile)
	if err != nil {
		return nil, err
	}
	for _, container := range containersOf(pod) {
		begun := n.containers.start(asked.UID, container.Name)
		invoke(n.cpu.AddContainer, pod, container, begun.id())
		invoke(n.memory.AddContainer, pod, container, begun.id())
		invoke(n.topology.AddContainer, pod, container, begun.id())
		begun.ended = isOrdinaryInit(pod, container)
	}
	if after, err := n.read(memoryFile); err != nil {
		return nil, err
	} else if before != nil && after != nil && *before != *after {
		delete(n.late, memoryFile)
	}
	return numa.PodStarted{DefaultCpuset: n.pool(), Containers: n.holdings(pod), MemoryState: n.books()}, nil
}

// NodeRemove takes a pod off the node.
func (t *target) NodeRemove(asked numa.RemovePod) (numa.NodeRemoveReply, error) {
	n, err := t.upNode()
	if err != nil {
		return nil, err
	}
	if n.find(asked.UID) == nil {
		return numa.UnknownPod{DefaultCpuset: n.pool(), MemoryState: n.books()}, nil
	}
	if err := n.gone(asked.UID); err != nil {
		return nil, err
	}
	return numa.Removed{DefaultCpuset: n.pool(), MemoryState: n.books()}, nil
}

// NodeState tells what everybody holds.
func (t *target) NodeState(numa.ReadState) (numa.NodeState, error) {
	n, err := t.upNode()
	if err != nil {
		return numa.NodeState{}, err
	}
	holdings := map[string]map[string]numa.ContainerHolding{}
	for _, pod := range n.pods {
		holdings[string(pod.UID)] = n.holdings(pod)
	}
	return numa.NodeState{DefaultCpuset: n.pool(), Containers: holdings, MemoryState: n.books()}, nil
}

// NodeReconcile makes one pass of the CPU Manager's loop. The pass tells nobody which containers it skipped: they are
// those that do not run, and those whose cpuset is empty.
func (t *target) NodeReconcile(numa.Reconcile) (numa.Reconciled, error) {
	n, err := t.upNode()
	if err != nil {
		return numa.Reconciled{}, err
	}
	n.containers.updates = nil
	if n.static() { // policy none has no loop, and no cpusets to send
		n.passes.one()
	}
	told := numa.Reconciled{Updates: n.containers.updates}
	for _, pod := range n.pods {
		for _, container := range containersOf(pod) {
			begun := n.containers.find(string(pod.UID), container.Name)
			switch {
			case begun != nil && begun.ended:
			case begun == nil || n.cpu.GetCPUAffinity(string(pod.UID), container.Name).IsEmpty():
				told.Skipped = append(told.Skipped, numa.SkippedContainer{UID: string(pod.UID), Container: container.Name})
			default:
				told.Handled++
			}
		}
	}
	return told, nil
}

// NodeRestart ends the kubelet, replaces files, and admits every pod anew to the next one.
func (t *target) NodeRestart(asked numa.RestartNode) (numa.NodeRestartReply, error) {
	if t.node == nil {
		return nil, &numa.Error{Code: numa.CodeInvalidRequest, Message: "no node was up: node.start first"}
	}
	n := t.node
	t.down()
	if asked.AtOnce {
		if err := n.putLate(); err != nil {
			return nil, err
		}
	}
	n.late = nil
	for name, text := range asked.Files {
		if err := n.write(name, text); err != nil {
			return nil, err
		}
	}
	if asked.Kubelet != nil && string(asked.Kubelet) != "null" {
		n.kubelet = asked.Kubelet
	}
	if told := t.up(n); told != nil {
		t.down()
		return t.refused(told), nil
	}
	var pods []numa.PodAfterRestart
	for _, pod := range n.active() {
		told := n.admit(pod)
		if told.Admit {
			pods = append(pods, numa.ReadmittedPod{UID: string(pod.UID), Containers: n.holdings(pod)})
		} else {
			if err := n.gone(string(pod.UID)); err != nil {
				return nil, err
			}
			pods = append(pods, numa.RejectedPod{UID: string(pod.UID), Reason: told.Reason, Message: told.Message})
		}
	}
	return numa.Restarted{Pods: pods, DefaultCpuset: n.pool(), MemoryState: n.books()}, nil
}

func (n *node) find(uid string) *v1.Pod {
	for _, pod := range n.pods {
		if string(pod.UID) == uid {
			return pod
		}
	}
	return nil
}

// put adds a pod to those that are active, in the place of one with its uid.
func (n *node) put(pod *v1.Pod) {
	for index, other := range n.pods {
		if other.UID == pod.UID {
			n.pods[index] = pod
			return
		}
	}
	n.pods = append(n.pods, pod)
}

// gone takes a pod from those that are active, and lets the managers release what is stale, as they do whenever they are
// asked something: here for a pod without containers.
func (n *node) gone(uid string) error {
	var kept []*v1.Pod
	for _, pod := range n.pods {
		if string(pod.UID) != uid {
			kept = append(kept, pod)
		}
	}
	n.pods = kept
	n.containers.forget(uid)
	if err := n.keepLate(); err != nil {
		return err
	}
	n.eager = true
	defer func() { n.eager = false }()
	nobody := &v1.Pod{}
	invoke(n.cpu.GetPodTopologyHints, nobody)
	invoke(n.memory.GetPodTopologyHints, nobody)
	invoke(n.devices.UpdateAllocatedDevices)
	return nil
}
