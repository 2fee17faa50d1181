//go:build k8s1.28

package main

import "k8s.io/api/core/v1"

// isSidecar tells whether an init container is restartable: one that runs on beside those after it.
func isSidecar(container *v1.Container) bool {
	return container.RestartPolicy != nil && *container.RestartPolicy == v1.ContainerRestartPolicyAlways
}

// dropSidecars makes restartable init containers ordinary ones where the gate is off, as the API server does when it
// stores a pod.
func dropSidecars(pod *v1.Pod) {
	if enabled("SidecarContainers") {
		return
	}
	for index := range pod.Spec.InitContainers {
		pod.Spec.InitContainers[index].RestartPolicy = nil
	}
}
