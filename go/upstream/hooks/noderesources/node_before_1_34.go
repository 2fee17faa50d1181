//go:build upstream && !k8s1.34

package noderesources

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

type nodeStatus = framework.Status

func statusOf(_ bool, reasons []string) *nodeStatus {
	return framework.NewStatus(framework.Unschedulable, reasons...)
}

func nodeTold(info *framework.NodeInfo) nodeAsked {
	var pods []*v1.Pod
	for _, one := range info.Pods {
		pods = append(pods, one.Pod)
	}
	return nodeOf(info.Node(), pods)
}

// askNodeFilter puts Filter; what PreFilter leaves is computed anew from the pod.
func askNodeFilter(f *Fit, state *framework.CycleState, pod *v1.Pod, info *framework.NodeInfo) *filteredByReference {
	if _, err := getPreFilterState(state); err != nil {
		return nil
	}
	return askFilter(f, nodeTold(info), pod)
}

// askNodeScore puts Score of a node by its name.
func askNodeScore(f *Fit, _ *framework.CycleState, pod *v1.Pod, name string) *scoredByReference {
	info, err := f.handle.SnapshotSharedLister().NodeInfos().Get(name)
	if err != nil {
		return nil
	}
	return askScore(f, nodeTold(info), pod)
}
