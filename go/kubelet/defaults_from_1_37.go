//go:build k8s1.37

package main

import (
	"k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	conversion "k8s.io/kubernetes/pkg/apis/core/v1"
)

// defaultPodLevel fills in the resources of a pod as a whole as the API server does when it stores a pod: no longer with
// the other defaults, but after its admission.
func defaultPodLevel(document *v1.Pod) error {
	stored := &core.Pod{}
	if err := conversion.Convert_v1_Pod_To_core_Pod(document, stored, nil); err != nil {
		return err
	}
	pod.DefaultPodLevelResources(stored)
	return conversion.Convert_core_Pod_To_v1_Pod(stored, document, nil)
}
