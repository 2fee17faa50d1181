package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"k8s.io/kubernetes/pkg/kubelet/cm/admission"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/topology"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager/bitmask"
)

// affinity is a Topology Manager that has decided already. Its policy is asked for by options that do not go with every
// policy.
type affinity struct {
	hint   topologymanager.TopologyHint
	policy topologymanager.Policy
}

func (a affinity) GetPolicy() topologymanager.Policy { return a.policy }

// Name is asked from 1.36 on: how the state of a pod is kept depends on the scope.
func (a affinity) Name() string { return "container" }

// policy is the policy that decides, in a state. It is the static one, or beside it stands a static one that counts.
type policy struct {
	decides, static cpumanager.Policy
	state           state.State
	all             cpuSet
}

// staticPolicy makes the policy as the CPU Manager does; an error says why none can be made.
func staticPolicy(info *MachineInfo, kept reserved, options map[string]string, near affinity) (*policy, error) {
	found, err := result[*topology.CPUTopology](invoke(topology.Discover, info))
	if err != nil {
		return nil, err
	}
	amount := kept.amounts[v1.ResourceCPU]
	count := int((amount.MilliValue() + 999) / 1000)
	static, err := result[cpumanager.Policy](invoke(cpumanager.NewStaticPolicy, found, count, kept.cpus, near, options))
	if err != nil {
		return nil, err
	}
	memory := invoke(state.NewMemoryState)[0].(state.State)
	memory.SetDefaultCPUSet(found.CPUDetails.CPUs())
	return &policy{static, static, memory, found.CPUDetails.CPUs()}, nil
}

// pointer returns where the policy is, for its methods that are not exported.
func (p *policy) pointer() unsafe.Pointer { return reflect.ValueOf(p.static).UnsafePointer() }

// reusable returns the policy's own record of what later containers of a pod may use again.
func (p *policy) reusable() map[string]cpuSet {
	field := reflect.ValueOf(p.static).Elem().FieldByName("cpusToReuse")
	return *(*map[string]cpuSet)(unsafe.Pointer(field.UnsafeAddr()))
}

// Pick lets the static policy choose CPUs, past the check of whole cores that stands before it.
func (t *target) Pick(asked numa.Pick) (numa.PickReply, error) {
	info, err := machineInfo(asked.Machine)
	if err != nil {
		return nil, err
	}
	changed := map[string]bool{"CPUManagerPolicyAlphaOptions": true, "CPUManagerPolicyBetaOptions": true}
	if err := t.setGates(changed); err != nil {
		return nil, err
	}
	options := map[string]string{}
	for name, on := range asked.Options {
		options[name] = fmt.Sprint(on)
	}
	one, err := staticPolicy(info, reserved{}, options, affinity{policy: topologymanager.NewBestEffortPolicy(nil, topologymanager.PolicyOptions{})})
	if err != nil {
		return nil, &numa.Error{Code: numa.CodeInvalidParams, Message: "options: " + err.Error()}
	}
	available, err := parseCPUSet(asked.Available)
	if err != nil {
		return nil, &numa.Error{Code: numa.CodeInvalidParams, Message: "available: " + err.Error()}
	}
	one.state.SetDefaultCPUSet(available)
	near, err := maskOf(asked.Affinity)
	if err != nil {
		return nil, err
	}
	out := invoke(allocateCPUs, one.pointer(), one.state, int(asked.Count), near, newCPUSet())
	if err := failure(out); err != nil {
		return numa.PickRefused{Message: err.Error()}, nil
	}
	return numa.Picked{CPUs: chosen(out[0]).String()}, nil
}

// chosen returns the CPUs of an allocation: a set, and from 1.33 on one that says beside it whether it is aligned. CPUs that
// were not free may be among them: the default set afterwards does not tell.
func chosen(allocation any) cpuSet {
	if cpus, is := allocation.(cpuSet); is {
		return cpus
	}
	return reflect.ValueOf(allocation).FieldByName("CPUs").Interface().(cpuSet)
}

func maskOf(hint *numa.HintValue) (bitmask.BitMask, error) {
	if hint == nil || hint.Nodes == nil {
		return nil, nil
	}
	var ids []int
	for _, id := range hint.Nodes {
		ids = append(ids, int(id))
	}
	mask, err := bitmask.NewBitMask(ids...)
	if err != nil {
		return nil, &numa.Error{Code: numa.CodeInvalidParams, Message: err.Error()}
	}
	return mask, nil
}

// inState makes the static policy of a configuration, in the state that a question brings along.
func (t *target) inState(machine numa.Machine, kubelet json.RawMessage, told numa.PriorState, near affinity) (*policy, error) {
	info, err := machineInfo(machine)
	if err != nil {
		return nil, err
	}
	config, err := t.configure(kubelet)
	if err != nil {
		return nil, err
	}
	kept, err := reservation(config, info)
	if err != nil {
		return nil, err
	}
	options, _, err := policyOptions(config)
	if err != nil {
		return nil, err
	}
	if amount := kept.amounts[v1.ResourceCPU]; amount.IsZero() || config.CPUManagerPolicy != "static" {
		// the CPU Manager looks before it makes a policy: let it say what is wrong
		_, err := result[cpumanager.Manager](invoke(cpumanager.NewManager,
			config.CPUManagerPolicy, options, pass, info, kept.cpus, kept.amounts, t.folder, near))
		if err != nil {
			return nil, err
		}
		return without(options, told)
	}
	near.policy, err = policyNamed(config.TopologyManagerPolicy, nil, topologymanager.PolicyOptions{})
	if err != nil {
		return nil, err
	}
	one, err := staticPolicy(info, kept, options, near)
	if err != nil {
		return nil, err
	}
	return one, one.remember(told)
}

// without makes policy none, in a state.
func without(options map[string]string, told numa.PriorState) (*policy, error) {
	none, err := result[cpumanager.Policy](invoke(cpumanager.NewNonePolicy, options))
	if err != nil {
		return nil, err
	}
	one, err := staticPolicy(smallest, reserved{}, nil, affinity{})
	if err != nil {
		return nil, err
	}
	one.decides, one.all = none, newCPUSet()
	return one, one.remember(told)
}

func (p *policy) remember(told numa.PriorState) error {
	shared, err := parseCPUSet(told.Default)
	if err != nil {
		return err
	}
	p.state.SetDefaultCPUSet(shared)
	for uid, containers := range told.Assignments {
		for name, text := range containers {
			cpus, err := parseCPUSet(text)
			if err != nil {
				return err
			}
			p.state.SetCPUSet(uid, name, cpus)
		}
	}
	for uid, text := range told.Reusable {
		cpus, err := parseCPUSet(text)
		if err != nil {
			return err
		}
		p.reusable()[uid] = cpus
	}
	return nil
}

// Allocate makes one allocation of the static policy in a given state.
func (t *target) Allocate(asked numa.Allocate) (numa.AllocateReply, error) {
	mask, err := maskOf(asked.Affinity)
	if err != nil {
		return nil, err
	}
	near := affinity{hint: topologymanager.TopologyHint{NUMANodeAffinity: mask}}
	if asked.Affinity != nil {
		near.hint.Preferred = asked.Affinity.Preferred
	}
	one, err := t.inState(asked.Machine, asked.Kubelet, asked.State, near)
	if err != nil {
		return numa.PolicyRefused{Message: err.Error()}, nil
	}
	pod, container, err := containerOf(asked.Pod, asked.Container)
	if err != nil {
		return nil, err
	}
	allocatable := invoke(one.decides.GetAllocatableCPUs, one.state)[0].(cpuSet)
	reserved := one.all.Difference(allocatable).String()
	count, podCount := one.exclusive(pod, container), one.podExclusive(pod)
	hints, podHints := one.hints(pod, container), one.hints(pod, nil)
	if err := failure(invoke(one.decides.Allocate, one.state, pod, container)); err != nil {
		told := admission.GetPodAdmitResult(err)
		return numa.AllocationRefused{
			Message: told.Message, Reason: &told.Reason,
			ReservedCPUs: &reserved, GuaranteedCPUs: &count, PodGuaranteedCPUs: &podCount, Hints: hints, PodHints: podHints,
		}, nil
	}
	cpus, _ := one.state.GetCPUSet(string(pod.UID), container.Name)
	reply := numa.Allocated{
		CPUs: cpus.String(), DefaultCpuset: one.state.GetDefaultCPUSet().String(),
		ReservedCPUs: &reserved, GuaranteedCPUs: &count, PodGuaranteedCPUs: &podCount, Hints: hints, PodHints: podHints,
	}
	if left, kept := one.reusable()[string(pod.UID)]; kept {
		text := left.String()
		reply.Reusable = &text
	}
	return reply, nil
}

// Hints offers the CPU hints of a container, or of a pod as a whole, in a given state.
func (t *target) Hints(asked numa.Hints) (numa.OfferedHints, error) {
	one, err := t.inState(asked.Machine, asked.Kubelet, asked.State, affinity{})
	if err != nil {
		return numa.OfferedHints{}, err
	}
	if asked.Container == nil {
		pod, err := podOf(asked.Pod)
		return numa.OfferedHints{Hints: one.hints(pod, nil)}, err
	}
	pod, container, err := containerOf(asked.Pod, *asked.Container)
	if err != nil {
		return numa.OfferedHints{}, err
	}
	return numa.OfferedHints{Hints: one.hints(pod, container)}, nil
}

func containerOf(document json.RawMessage, name string) (*v1.Pod, *v1.Container, error) {
	pod, err := podOf(document)
	if err != nil {
		return nil, nil, err
	}
	for _, container := range containersOf(pod) {
		if container.Name == name {
			return pod, container, nil
		}
	}
	return nil, nil, &numa.Error{Code: numa.CodeInvalidParams, Message: "container: the pod has no container " + name}
}

func (p *policy) exclusive(pod *v1.Pod, container *v1.Container) int {
	return invoke(guaranteedCPUs, p.pointer(), pod, container)[0].(int)
}

func (p *policy) podExclusive(pod *v1.Pod) int {
	return invoke(podGuaranteedCPUs, p.pointer(), pod)[0].(int)
}

func (p *policy) hints(pod *v1.Pod, container *v1.Container) map[string][]numa.HintValue {
	var offered any
	if container == nil {
		offered = invoke(p.decides.GetPodTopologyHints, p.state, pod)[0]
	} else {
		offered = invoke(p.decides.GetTopologyHints, p.state, pod, container)[0]
	}
	return hintLists(offered.(map[string][]topologymanager.TopologyHint))
}

func hintLists(lists map[string][]topologymanager.TopologyHint) map[string][]numa.HintValue {
	if lists == nil {
		return nil
	}
	told := map[string][]numa.HintValue{}
	for resource, hints := range lists {
		told[resource] = nil
		if hints != nil {
			told[resource] = []numa.HintValue{}
		}
		for _, hint := range hints {
			told[resource] = append(told[resource], hintOf(hint))
		}
	}
	return told
}

// Classify tells a pod's class and how many exclusive CPUs its containers ask for.
func (t *target) Classify(asked numa.Classify) (numa.Classified, error) {
	if err := t.setGates(nil); err != nil {
		return numa.Classified{}, err
	}
	pod, err := podOf(asked.Pod)
	if err != nil {
		return numa.Classified{}, err
	}
	if pod.UID == "" {
		pod.UID = types.UID("pod")
	}
	one, err := staticPolicy(smallest, reserved{}, nil, affinity{})
	if err != nil {
		return numa.Classified{}, err
	}
	told := numa.Classified{QoS: string(qos.GetPodQOS(pod)), ContainerCPUs: map[string]int{}}
	for _, container := range containersOf(pod) {
		told.ContainerCPUs[container.Name] = 0
		if !servedAsAWhole(pod) {
			told.ContainerCPUs[container.Name] = one.exclusive(pod, container)
			told.PodCPUs = one.podExclusive(pod)
		}
	}
	return told, nil
}

// smallest is a machine of one CPU: what a pod asks for does not depend on the machine.
var smallest = &MachineInfo{
	NumCores: 1, NumSockets: 1, Topology: []Node{{Cores: []Core{{Threads: []int{0}}}}},
}
