package main

import (
	"encoding/json"
	"reflect"
	"unsafe"

	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/util/codec"
	"k8s.io/kubernetes/pkg/kubelet/nodestatus"
)

//go:linkname typelinks reflect.typelinks
func typelinks() (sections []unsafe.Pointer, offsets [][]int32)

//go:linkname validateNodeAllocatable k8s.io/kubernetes/pkg/kubelet/cm.(*containerManagerImpl).validateNodeAllocatable
func validateNodeAllocatable(manager unsafe.Pointer) error

// containerManagerType is the container manager's, of which nothing exported makes one without a computer to manage.
var containerManagerType = typeNamed("*cm.containerManagerImpl", cm.NewContainerManager)

// typeNamed returns a type of the program; a function that uses it keeps it there.
func typeNamed(name string, user any) reflect.Type {
	if reflect.ValueOf(user).IsNil() {
		return nil
	}
	sections, offsets := typelinks()
	for index, section := range sections {
		for _, offset := range offsets[index] {
			var some any
			(*[2]unsafe.Pointer)(unsafe.Pointer(&some))[0] = unsafe.Add(section, offset)
			if found := reflect.TypeOf(some); found.String() == name {
				return found
			}
		}
	}
	panic("no type " + name)
}

// leniently reads a configuration as a kubelet does: where strict decoding fails, it passes over what it does not know.
func (t *target) leniently(document json.RawMessage) (config *configuration, strict string, err error) {
	config, err = t.configured(document, func(text []byte) (found *configuration, err error) {
		_, codecs, err := scheme.NewSchemeAndCodecs(serializer.EnableStrict)
		if err != nil {
			return nil, err
		}
		if _, err := decoded(codecs.UniversalDecoder(), text); err != nil {
			strict = err.Error()
		}
		defer panicked(&err)
		return result[*configuration](invoke(codec.DecodeKubeletConfiguration, codecs, text))
	})
	return config, strict, err
}

// startedNode returns the node that a kubelet registers, or why its start ends before.
func startedNode(asked *doorQuestion, config *configuration) (*v1.Node, error) {
	info, err := machineInfo(asked.Machine)
	if err != nil {
		return nil, err
	}
	manager, capacity, err := containerManager(config, info)
	if err != nil {
		return nil, err
	}
	if err := validateNodeAllocatable(manager.UnsafePointer()); err != nil {
		return nil, err
	}
	registered := asked.Node
	if registered == nil {
		registered = &v1.Node{}
	}
	registered.Status.Capacity, registered.Status.Allocatable = nil, nil
	devices, healthy := v1.ResourceList{}, v1.ResourceList{}
	for _, device := range asked.Machine.Devices {
		count(devices, device.Resource, 1)
		if device.Healthy == nil || *device.Healthy {
			count(healthy, device.Resource, 1)
		} else {
			count(healthy, device.Resource, 0)
		}
	}
	reservation := manager.Interface().(cm.ContainerManager).GetNodeAllocatableReservation()
	args := []any{"node", int(config.MaxPods), int(config.PodsPerCore), always{info}, always{capacity},
		always{devices, healthy}, always{reservation}, always{}}
	setter := reflect.ValueOf(nodestatus.MachineInfo)
	if setter.Type().NumIn() > len(args)+1 {
		args = append(args, always{}) // whether the kubelet runs in a user namespace
	}
	set := invoke(nodestatus.MachineInfo, append(args, true)...)[0]
	if err := failure(invoke(set, registered)); err != nil {
		return nil, err
	}
	if asked.Storage != nil {
		registered.Status.Allocatable[v1.ResourceEphemeralStorage] = *resource.NewQuantity(*asked.Storage, resource.BinarySI)
	}
	return registered, nil
}

func count(amounts v1.ResourceList, name string, more int64) {
	total := amounts[v1.ResourceName(name)]
	total.Add(*resource.NewQuantity(more, resource.DecimalSI))
	amounts[v1.ResourceName(name)] = total
}

// containerManager returns one that knows what there is and what is kept back, and nothing else.
func containerManager(config *configuration, info *MachineInfo) (reflect.Value, v1.ResourceList, error) {
	var none reflect.Value
	if _, err := reservation(config, info); err != nil {
		return none, nil, err
	}
	forKube, err := amounts(config.KubeReserved)
	if err != nil {
		return none, nil, err
	}
	forSystem, err := amounts(config.SystemReserved)
	if err != nil {
		return none, nil, err
	}
	thresholds, err := eviction.ParseThresholdConfig([]string{}, config.EvictionHard, nil, nil, nil)
	if err != nil {
		return none, nil, err
	}
	if _, err := eviction.ParseThresholdConfig(config.EnforceNodeAllocatable, config.EvictionHard, config.EvictionSoft,
		config.EvictionSoftGracePeriod, config.EvictionMinimumReclaim); err != nil {
		return none, nil, err // what the kubelet reads for its eviction manager, after the container manager is made
	}
	if _, err := allowedSysctls(config); err != nil {
		return none, nil, err
	}
	capacity := cadvisor.CapacityFromMachineInfo(info)
	made := reflect.New(containerManagerType.Elem())
	put(made, "capacity", capacity)
	limits := made.Elem().FieldByName("NodeConfig").FieldByName("NodeAllocatableConfig")
	limits.FieldByName("KubeReserved").Set(reflect.ValueOf(forKube))
	limits.FieldByName("SystemReserved").Set(reflect.ValueOf(forSystem))
	limits.FieldByName("HardEvictionThresholds").Set(reflect.ValueOf(thresholds))
	return made, capacity, nil
}

// put sets a field that is not exported.
func put(owner reflect.Value, name string, value any) {
	field := owner.Elem().FieldByName(name)
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(value))
}
