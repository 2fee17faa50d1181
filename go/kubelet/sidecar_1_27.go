//go:build !k8s1.28

package main

import "k8s.io/api/core/v1"

// isSidecar is false: the API of 1.27 knows no restartable init containers.
func isSidecar(*v1.Container) bool { return false }

// dropSidecars has nothing to drop.
func dropSidecars(*v1.Pod) {}
