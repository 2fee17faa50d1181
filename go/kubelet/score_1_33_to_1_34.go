//go:build k8s1.33 && !k8s1.35

package main

import "k8s.io/kubernetes/pkg/scheduler/framework"

// handleOf gives the plugin no scheduler around it: it scores the node that it is handed.
func handleOf(*framework.NodeInfo) any { return nil }
