//go:build k8s1.34

package main

import (
	"k8s.io/api/core/v1"
	resources "k8s.io/component-helpers/resource"
)

// servedAsAWhole tells whether the managers pass over the containers of a pod, as it has resources as a whole: they look
// before they count.
func servedAsAWhole(pod *v1.Pod) bool {
	return enabled("PodLevelResources") && resources.IsPodLevelResourcesSet(pod)
}
