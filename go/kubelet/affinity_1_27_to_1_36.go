//go:build !k8s1.37

package main

import "k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"

func (a affinity) GetAffinity(string, string) topologymanager.TopologyHint { return a.hint }
