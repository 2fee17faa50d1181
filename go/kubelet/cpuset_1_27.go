//go:build !k8s1.28

package main

import "k8s.io/kubernetes/pkg/kubelet/cm/cpuset"

type cpuSet = cpuset.CPUSet

func newCPUSet(ids ...int) cpuSet { return cpuset.New(ids...) }

func parseCPUSet(text string) (cpuSet, error) { return cpuset.Parse(text) }
