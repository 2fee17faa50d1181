package numa

import (
	"encoding/json"
	"fmt"
	"math/big"
)

// The classes of pods (page Pod Quality of Service Classes).
const (
	Guaranteed = "Guaranteed"
	Burstable  = "Burstable"
	BestEffort = "BestEffort"
)

// Resources has amounts by resource: "cpu", "memory", "hugepages-1Gi", "example.com/gpu".
type Resources map[string]Quantity

// ContainerSpec is a container with the API server's defaults: a limit without a request is also the request.
type ContainerSpec struct {
	Name             string
	Requests, Limits Resources
	// Init: an init container; Sidecar: one with restartPolicy Always, which runs beside the app containers.
	Init, Sidecar bool
}

// PodSpec is what an allocator reads of a pod.
type PodSpec struct {
	UID, Namespace, Name string
	// Containers are in the order in which they start: init containers and sidecars first.
	Containers []ContainerSpec
	// Whole has the resources of the pod as a whole (spec.resources, which kubelets read since 1.34); nil where it has
	// none. A request that is not given is the containers'; limits that an API server adds since 1.37 are not added.
	Whole *ContainerSpec
}

// ReadPod reads a v1 Pod, as AdmitPod, Allocate, GetHints and others have it.
func ReadPod(object json.RawMessage) (PodSpec, error) {
	type container struct {
		Name          string
		RestartPolicy string
		Resources     struct{ Requests, Limits Resources }
	}
	var pod struct {
		Metadata struct{ UID, Namespace, Name string }
		Spec     struct {
			InitContainers, Containers []container
			Resources                  *struct{ Requests, Limits Resources }
		}
	}
	if err := json.Unmarshal(object, &pod); err != nil {
		return PodSpec{}, &Error{CodeInvalidParams, fmt.Sprintf("pod: %v", err)}
	}
	read := PodSpec{UID: pod.Metadata.UID, Namespace: pod.Metadata.Namespace, Name: pod.Metadata.Name}
	for at, each := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
		init := at < len(pod.Spec.InitContainers)
		read.Containers = append(read.Containers, ContainerSpec{
			Name: each.Name, Requests: joined(each.Resources.Limits, each.Resources.Requests), Limits: each.Resources.Limits,
			Init: init, Sidecar: init && each.RestartPolicy == "Always",
		})
	}
	if whole := pod.Spec.Resources; whole != nil && len(whole.Requests)+len(whole.Limits) > 0 {
		inherited := Resources{}
		for _, resource := range deciding {
			if most := read.most(func(c ContainerSpec) Quantity { return c.Requests[resource] }); most.Value() > 0 {
				inherited[resource] = most
			}
		}
		read.Whole = &ContainerSpec{Requests: joined(whole.Limits, inherited, whole.Requests), Limits: whole.Limits}
	}
	return read, nil
}

// deciding are the resources that decide the class of a pod.
var deciding = []string{"cpu", "memory"}

// joined returns the amounts of all; of one resource, the last.
func joined(all ...Resources) Resources {
	one := Resources{}
	for _, amounts := range all {
		for resource, amount := range amounts {
			one[resource] = amount
		}
	}
	return one
}

// most returns the largest amount that containers have at once: sidecars and app containers together, or an init
// container beside the sidecars before it.
func (p PodSpec) most(of func(ContainerSpec) Quantity) Quantity {
	running, most := new(big.Rat), new(big.Rat)
	for _, container := range p.Containers {
		together := new(big.Rat).Add(running, of(container).rat())
		if together.Cmp(most) > 0 {
			most = together
		}
		if !container.Init || container.Sidecar {
			running = together
		}
	}
	return Quantity{most}
}

// QoS returns the class of the pod. CPU and memory count, of init containers too; an amount of 0 counts as none. Where the
// pod as a whole has resources, they alone count.
func (p PodSpec) QoS() string {
	some, equal, counted := false, true, p.Containers
	if p.Whole != nil {
		counted = []ContainerSpec{*p.Whole}
	}
	for _, container := range counted {
		for _, resource := range deciding {
			request, limit := container.Requests[resource], container.Limits[resource]
			some = some || request.Value() > 0 || limit.Value() > 0
			equal = equal && limit.Value() > 0 && request.Equal(limit)
		}
	}
	switch {
	case !some:
		return BestEffort
	case equal:
		return Guaranteed
	}
	return Burstable
}

// ExclusiveCPUs returns by container how many CPUs of its own it asks the static policy for: its CPU request, where the
// pod is Guaranteed and the request is a whole number. The others share; they are 0. So are all of a pod that has
// resources as a whole: by default kubelets give it no exclusive CPUs.
func (p PodSpec) ExclusiveCPUs() map[string]int {
	exclusive, guaranteed := map[string]int{}, p.QoS() == Guaranteed && p.Whole == nil
	for _, container := range p.Containers {
		exclusive[container.Name] = 0
		if guaranteed {
			exclusive[container.Name] = container.Requests["cpu"].Whole()
		}
	}
	return exclusive
}

// MostExclusiveCPUs returns how many exclusive CPUs the pod needs at once: the larger of what its sidecars and app
// containers have together, and what each init container has beside the sidecars before it.
func (p PodSpec) MostExclusiveCPUs() int {
	exclusive := p.ExclusiveCPUs()
	most := p.most(func(c ContainerSpec) Quantity { return Quantity{big.NewRat(int64(exclusive[c.Name]), 1)} })
	return most.Whole()
}
