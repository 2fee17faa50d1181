//go:build upstream && k8s1.34

package noderesources

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

type nodeStatus = fwk.Status

func statusOf(alone bool, reasons []string) *nodeStatus {
	if alone {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reasons...)
	}
	return fwk.NewStatus(fwk.Unschedulable, reasons...)
}

func nodeTold(info fwk.NodeInfo) nodeAsked {
	var pods []*v1.Pod
	for _, one := range info.GetPods() {
		pods = append(pods, one.GetPod())
	}
	return nodeOf(info.Node(), pods)
}

// askNodeFilter puts Filter; what PreFilter leaves is computed anew from the pod.
func askNodeFilter(f *Fit, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *filteredByReference {
	if _, err := getPreFilterState(state); err != nil {
		return nil
	}
	return askFilter(f, nodeTold(info), pod)
}

// askNodeScore puts Score.
func askNodeScore(f *Fit, _ fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *scoredByReference {
	return askScore(f, nodeTold(info), pod)
}
