//go:build upstream

package devicemanager

import (
	"reflect"
	"sort"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"github.com/numa-conformance/numa-conformance/go/upstream/reference"
	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

// deviceQuestion is what the Device Manager knows, and a container, or without one a pod as a whole, or some devices of a
// resource. The protocol has no such question: a node there is in the state that its pods brought it to.
type deviceQuestion struct {
	Nodes     []int                                     `json:"nodes"`
	Devices   []numa.Device                             `json:"devices"`
	Healthy   map[string][]string                       `json:"healthy"`
	InUse     map[string][]string                       `json:"in_use"`
	Held      map[string]map[string]map[string][]string `json:"held"`     // by pod, container and resource
	Reusable  map[string]map[string][]string            `json:"reusable"` // by pod and resource
	Pod       *v1.Pod                                   `json:"pod,omitempty"`
	Container *string                                   `json:"container,omitempty"`
	Gates     map[string]bool                           `json:"gates"`
	Resource  string                                    `json:"resource,omitempty"`
	Available []string                                  `json:"available"`
	Count     int                                       `json:"count"`
}

type hintLists = map[string][]topologymanager.TopologyHint

// askContainerHints puts GetTopologyHints.
func askContainerHints(m *ManagerImpl, pod *v1.Pod, container *v1.Container, _ ...any) *hintLists {
	return askHints("devicemanager GetTopologyHints", m, pod, &container.Name)
}

// askPodHints puts GetPodTopologyHints.
func askPodHints(m *ManagerImpl, pod *v1.Pod, _ ...any) *hintLists {
	return askHints("devicemanager GetPodTopologyHints", m, pod, nil)
}

// askGeneratedHints puts generateDeviceTopologyHints, where a test calls that itself.
func askGeneratedHints(m *ManagerImpl, resource string, available, reusable any, count int) *[]topologymanager.TopologyHint {
	question := questionOf(m)
	question.Resource, question.Available, question.Count = resource, idsOf(available), count
	question.Reusable = map[string]map[string][]string{"": {resource: idsOf(reusable)}}
	hints, put := ask("devicemanager generateDeviceTopologyHints", question)
	if !put {
		return nil
	}
	found := (*hints)[resource]
	return &found
}

// askHints lets go of what pods left first, as the function that it stands for does: of that the reference knows nothing.
func askHints(in string, m *ManagerImpl, pod *v1.Pod, container *string) *hintLists {
	update := reflect.ValueOf(m).MethodByName("UpdateAllocatedDevices")
	logger := []reflect.Value{reflect.ValueOf(klog.Background())}
	update.Call(logger[:update.Type().NumIn()])
	m.mutex.Lock()
	question := questionOf(m)
	m.mutex.Unlock()
	question.Pod, question.Container = pod, container
	hints, _ := ask(in, question)
	return hints
}

func ask(in string, question deviceQuestion) (*hintLists, bool) {
	var told numa.OfferedHints
	if !reference.Ask(in, reference.Question{Method: "device.hints", Params: question}, &told) {
		return nil, false
	}
	hints := topologymanager.HintsOfReference(told.Hints)
	return &hints, true
}

func questionOf(m *ManagerImpl) deviceQuestion {
	question := deviceQuestion{
		Nodes: m.numaNodes, Devices: []numa.Device{}, Healthy: idsIn(m.healthyDevices), InUse: idsIn(m.allocatedDevices),
		Held: map[string]map[string]map[string][]string{}, Reusable: map[string]map[string][]string{}, Gates: map[string]bool{},
	}
	for resource, devices := range m.allDevices {
		for id, device := range devices {
			one := numa.Device{ID: id, Resource: resource, NUMA: []int{}}
			if device.Topology != nil {
				for _, node := range device.Topology.Nodes {
					one.NUMA = append(one.NUMA, int(node.ID))
				}
			}
			question.Devices = append(question.Devices, one)
		}
	}
	if m.podDevices != nil {
		question.Held = heldBy(m.podDevices.devs)
	}
	for uid, resources := range m.devicesToReuse {
		question.Reusable[uid] = idsIn(resources)
	}
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if on := utilfeature.DefaultFeatureGate.Enabled(name); on != spec.Default {
			question.Gates[string(name)] = on
		}
	}
	return question
}

func heldBy(pods map[string]containerDevices) map[string]map[string]map[string][]string {
	told := map[string]map[string]map[string][]string{}
	for uid, containers := range pods {
		told[uid] = map[string]map[string][]string{}
		for container, resources := range containers {
			told[uid][container] = map[string][]string{}
			for resource, allocated := range resources {
				told[uid][container][resource] = idsOf(allocated.deviceIds.Devices())
			}
		}
	}
	return told
}

// idsIn returns the ids of each resource; sets of strings have another type up to 1.27.
func idsIn(sets any) map[string][]string {
	told := map[string][]string{}
	for each := reflect.ValueOf(sets).MapRange(); each.Next(); {
		told[each.Key().String()] = idsOf(each.Value().Interface())
	}
	return told
}

func idsOf(set any) []string {
	ids := []string{}
	for _, id := range reflect.ValueOf(set).MapKeys() {
		ids = append(ids, id.String())
	}
	sort.Strings(ids)
	return ids
}
