// A shim between your allocator and numa-conformance. It claims policy none, which gives no exclusive CPUs. Next: ask your
// allocator in NodeAdmit, add numa.FeatureCPUManagerStatic to the features, and read what the suite says.
package main

import "github.com/numa-conformance/numa-conformance/go/numa"

type containers = map[string]numa.ContainerHolding

type target struct{ pods map[string]containers }

// Describe says who this is, and what no method shows; only what is claimed is tested.
func (t *target) Describe() numa.Identity {
	return numa.Identity{Name: "my-allocator", Version: "0.1.0", Features: []string{numa.FeatureCPUManagerNone}}
}

// NodeStart comes up on asked.Machine, under the KubeletConfiguration asked.Kubelet. Sets are texts: "0-3,8".
func (t *target) NodeStart(asked numa.StartNode) (numa.NodeStartReply, error) {
	t.pods = map[string]containers{}
	return numa.NodeStarted{}, nil
}

// NodeAdmit places asked.Pod, a v1 Pod, or refuses it: numa.Rejected{Reason: ..., Message: ...}.
func (t *target) NodeAdmit(asked numa.AdmitPod) (numa.NodeAdmitReply, error) {
	pod, err := numa.ReadPod(asked.Pod)
	if err != nil {
		return nil, err
	}
	held := containers{}
	for container := range pod.ExclusiveCPUs() { // the value: how many CPUs of its own it asks for
		held[container] = numa.ContainerHolding{}
	}
	t.pods[pod.UID] = held
	return numa.Admitted{Containers: held}, nil
}

// NodeRun starts the containers of a pod; one that was refused is not here.
func (t *target) NodeRun(asked numa.RunPod) (numa.NodeRunReply, error) {
	held, here := t.pods[asked.UID]
	if !here {
		return numa.UnknownPod{}, nil
	}
	return numa.PodStarted{Containers: held}, nil
}

// NodeRemove forgets a pod; what it held is free again.
func (t *target) NodeRemove(asked numa.RemovePod) (numa.NodeRemoveReply, error) {
	delete(t.pods, asked.UID)
	return numa.Removed{}, nil
}

// NodeState tells what everybody holds.
func (t *target) NodeState(numa.ReadState) (numa.NodeState, error) {
	return numa.NodeState{Containers: t.pods}, nil
}

func main() { numa.Serve(&target{}) }
