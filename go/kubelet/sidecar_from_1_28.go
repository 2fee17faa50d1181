//go:build k8s1.28

package main

import "k8s.io/api/core/v1"

// isSidecar tells whether an init container is restartable: one that runs on beside those after it.
func isSidecar(container *v1.Container) bool {
	return container.RestartPolicy != nil && *container.RestartPolicy == v1.ContainerRestartPolicyAlways
}
