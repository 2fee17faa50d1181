//go:build upstream && !k8s1.28

package cpumanager

import "k8s.io/kubernetes/pkg/kubelet/cm/cpuset"

type cpuSet = cpuset.CPUSet

var parseCPUs = cpuset.Parse

func noCPUs() cpuSet { return cpuset.New() }
