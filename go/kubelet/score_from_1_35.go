//go:build k8s1.35

package main

import (
	"k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// A scheduler around the plugin that knows of no devices by dynamic resource allocation.
type (
	handle   struct{ fwk.Handle }
	manager  struct{ fwk.SharedDRAManager }
	resolver struct{ fwk.DeviceClassResolver }
)

func (handle) SharedDRAManager() fwk.SharedDRAManager                    { return manager{} }
func (manager) DeviceClassResolver() fwk.DeviceClassResolver             { return resolver{} }
func (resolver) GetDeviceClass(v1.ResourceName) *resourceapi.DeviceClass { return nil }

func handleOf(*framework.NodeInfo) fwk.Handle { return handle{} }
