package main

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	evictionapi "k8s.io/kubernetes/pkg/kubelet/eviction/api"
)

type configuration = kubeletconfig.KubeletConfiguration

// released are the gates of this release with their defaults.
var released = utilfeature.DefaultMutableFeatureGate.DeepCopy()

// setGates makes the defaults of this release, and what a configuration changes of them, those of the process.
func (t *target) setGates(changed map[string]bool) error {
	fresh := released.DeepCopy()
	utilfeature.DefaultMutableFeatureGate, utilfeature.DefaultFeatureGate = fresh, fresh
	return fresh.SetFromMap(changed)
}

// configure reads a configuration strictly, with defaults, gates and validation.
func (t *target) configure(document json.RawMessage) (*configuration, error) {
	return t.configured(document, func(text []byte) (*configuration, error) {
		_, codecs, err := scheme.NewSchemeAndCodecs()
		if err != nil {
			return nil, err
		}
		return decoded(codecs.UniversalDecoder(), text)
	})
}

// configured reads a configuration with a decoder, as `kubelet --config` does, and goes on with gates and validation.
func (t *target) configured(document json.RawMessage, decode func([]byte) (*configuration, error)) (*configuration, error) {
	written := map[string]any{}
	if err := json.Unmarshal(document, &written); err != nil {
		return nil, err
	}
	written["apiVersion"], written["kind"] = "kubelet.config.k8s.io/v1beta1", "KubeletConfiguration"
	text, err := json.Marshal(written)
	if err != nil {
		return nil, err
	}
	if err := t.setGates(nil); err != nil {
		return nil, err
	}
	config, err := decode(text)
	if err != nil {
		return nil, err
	}
	fields := reflect.ValueOf(config).Elem()
	if refused := fields.FieldByName("FailCgroupV1"); refused.IsValid() {
		refused.SetBool(false) // says something of this machine, not of the node that is asked about
	}
	merged := fields.FieldByName("MergeDefaultEvictionSettings")
	if config.EvictionHard == nil || merged.IsValid() && merged.Bool() {
		config.EvictionHard = withDefaults(config.EvictionHard, eviction.DefaultEvictionHard)
	}
	if err := t.setGates(config.FeatureGates); err != nil {
		return nil, fmt.Errorf("failed to set feature gates from initial flags-based config: %w", err)
	}
	if t.validate {
		if err := validation.ValidateKubeletConfiguration(config, utilfeature.DefaultFeatureGate); err != nil {
			return nil, fmt.Errorf("failed to validate kubelet configuration, error: %w", err)
		}
	}
	return config, nil
}

// withDefaults returns the eviction thresholds given, and those of the kubelet's start for signals not named.
func withDefaults(given, defaults map[string]string) map[string]string {
	found := map[string]string{}
	for _, thresholds := range []map[string]string{defaults, given} {
		for signal, threshold := range thresholds {
			found[signal] = threshold
		}
	}
	return found
}

// decoded reads a configuration; what the defaults end a kubelet with, a panic over its gates, is an error here.
func decoded(decoder runtime.Decoder, text []byte) (_ *configuration, err error) {
	defer panicked(&err)
	object, _, err := decoder.Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	return object.(*configuration), nil
}

func panicked(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("%v", cause)
	}
}

// reserved is what a node keeps back from pods: CPUs by id if the configuration names them, and amounts, also those that
// leave out what eviction keeps free.
type reserved struct {
	cpus                     cpuSet
	amounts, withoutEviction v1.ResourceList
}

// reservation adds up what a configuration keeps back, as the kubelet's start does.
func reservation(config *configuration, info *MachineInfo) (reserved, error) {
	var kept reserved
	online := onlineCPUs(info)
	named, err := parseCPUSet(config.ReservedSystemCPUs)
	if err != nil {
		return kept, fmt.Errorf("unable to parse reserved-cpus list: %s", err)
	}
	if !named.IsSubsetOf(online) {
		return kept, fmt.Errorf("reserved-cpus: %s is not a subset of online-cpus: %s", config.ReservedSystemCPUs, online)
	}
	kept.cpus = named
	if named.Size() > 0 {
		config.KubeReserved = withCPU(config.KubeReserved, "")
		config.SystemReserved = withCPU(config.SystemReserved, fmt.Sprint(named.Size()))
	}
	forKube, err := amounts(config.KubeReserved)
	if err != nil {
		return kept, fmt.Errorf("--kube-reserved value failed to parse: %w", err)
	}
	forSystem, err := amounts(config.SystemReserved)
	if err != nil {
		return kept, fmt.Errorf("--system-reserved value failed to parse: %w", err)
	}
	thresholds, err := eviction.ParseThresholdConfig([]string{}, config.EvictionHard, nil, nil, nil)
	if err != nil {
		return kept, err
	}
	capacity := resource.NewQuantity(int64(info.MemoryCapacity), resource.BinarySI)
	kept.withoutEviction = sum(forSystem, forKube)
	kept.amounts = sum(kept.withoutEviction, forEviction(thresholds, capacity))
	return kept, nil
}

// sum adds up amounts by name, and leaves out what comes to nothing.
func sum(lists ...v1.ResourceList) v1.ResourceList {
	found := v1.ResourceList{}
	for _, list := range lists {
		for name, amount := range list {
			total := found[name]
			total.Add(amount)
			found[name] = total
		}
	}
	for name, amount := range found {
		if amount.IsZero() {
			delete(found, name)
		}
	}
	return found
}

func withCPU(amounts map[string]string, number string) map[string]string {
	changed := map[string]string{}
	for name, amount := range amounts {
		changed[name] = amount
	}
	delete(changed, "cpu")
	if number != "" {
		changed["cpu"] = number
	}
	return changed
}

func amounts(texts map[string]string) (v1.ResourceList, error) {
	found := v1.ResourceList{}
	for name, text := range texts {
		switch name {
		case "cpu", "memory", "ephemeral-storage", "pid":
		default:
			return nil, fmt.Errorf("cannot reserve %q resource", name)
		}
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, fmt.Errorf("failed to parse quantity %q for %q resource: %w", text, name, err)
		}
		if quantity.Sign() < 0 {
			return nil, fmt.Errorf("resource quantity for %q cannot be negative: %v", name, text)
		}
		found[v1.ResourceName(name)] = quantity
	}
	return found, nil
}

func forEviction(thresholds []evictionapi.Threshold, capacity *resource.Quantity) v1.ResourceList {
	found := v1.ResourceList{}
	for _, one := range thresholds {
		if one.Signal == evictionapi.SignalMemoryAvailable && one.Operator == evictionapi.OpLessThan {
			found[v1.ResourceMemory] = *evictionapi.GetThresholdQuantity(one.Value, capacity)
		}
	}
	return found
}

func onlineCPUs(info *MachineInfo) cpuSet {
	var ids []int
	for _, node := range info.Topology {
		for _, core := range node.Cores {
			ids = append(ids, core.Threads...)
		}
	}
	return newCPUSet(ids...)
}

// policyOptions returns the options of the CPU and Topology Managers that the gates let through.
func policyOptions(config *configuration) (ofCPU, ofTopology map[string]string, err error) {
	if enabled("CPUManagerPolicyOptions") {
		ofCPU = config.CPUManagerPolicyOptions
	} else if config.CPUManagerPolicyOptions != nil {
		return nil, nil, fmt.Errorf("CPU Manager policy options %v require feature gates %q, %q enabled",
			config.CPUManagerPolicyOptions, "CPUManager", "CPUManagerPolicyOptions")
	}
	if enabled("TopologyManagerPolicyOptions") {
		ofTopology = config.TopologyManagerPolicyOptions
	} else if config.TopologyManagerPolicyOptions != nil {
		return nil, nil, fmt.Errorf("topology manager policy options %v require feature gates %q enabled",
			config.TopologyManagerPolicyOptions, "TopologyManagerPolicyOptions")
	}
	return ofCPU, ofTopology, nil
}

// enabled tells whether a gate is on; one that this release no longer has is.
func enabled(name featuregate.Feature) bool {
	if _, known := utilfeature.DefaultMutableFeatureGate.GetAll()[name]; !known {
		return true
	}
	return utilfeature.DefaultFeatureGate.Enabled(name)
}
