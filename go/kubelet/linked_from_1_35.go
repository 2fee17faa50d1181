//go:build k8s1.35

package main

import (
	"unsafe"

	"k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/topology"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager/bitmask"
)

//go:linkname newDeviceManager k8s.io/kubernetes/pkg/kubelet/cm/devicemanager.newManagerImpl
func newDeviceManager(logger klog.Logger, socket string, topology []Node, affinity topologymanager.Store) (*devicemanager.ManagerImpl, error)

//go:linkname allocateCPUs k8s.io/kubernetes/pkg/kubelet/cm/cpumanager.(*staticPolicy).allocateCPUs
func allocateCPUs(policy unsafe.Pointer, logger klog.Logger, s state.State, count int, affinity bitmask.BitMask, reusable cpuSet) (topology.Allocation, error)

//go:linkname guaranteedCPUs k8s.io/kubernetes/pkg/kubelet/cm/cpumanager.(*staticPolicy).guaranteedCPUs
func guaranteedCPUs(policy unsafe.Pointer, logger klog.Logger, pod *v1.Pod, container *v1.Container) int

//go:linkname podGuaranteedCPUs k8s.io/kubernetes/pkg/kubelet/cm/cpumanager.(*staticPolicy).podGuaranteedCPUs
func podGuaranteedCPUs(policy unsafe.Pointer, logger klog.Logger, pod *v1.Pod) int
