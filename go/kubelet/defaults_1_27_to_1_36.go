//go:build !k8s1.37

package main

import "k8s.io/api/core/v1"

// defaultPodLevel has nothing to do: the resources of a pod as a whole are filled in with the other defaults.
func defaultPodLevel(*v1.Pod) error { return nil }
