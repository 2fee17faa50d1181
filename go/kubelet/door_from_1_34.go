//go:build k8s1.34

package main

import "k8s.io/kubernetes/pkg/kubelet/lifecycle"

// laterHandlers are those behind the predicates that look at pods alone.
func laterHandlers() []any { return []any{lifecycle.NewPodFeaturesAdmitHandler()} }
