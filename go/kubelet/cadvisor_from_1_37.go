//go:build k8s1.37

package main

import cadvisorapi "github.com/google/cadvisor/lib/model"

// What cAdvisor reports of a machine.
type (
	MachineInfo   = cadvisorapi.MachineInfo
	Node          = cadvisorapi.Node
	Core          = cadvisorapi.Core
	Cache         = cadvisorapi.Cache
	HugePagesInfo = cadvisorapi.HugePagesInfo
)
