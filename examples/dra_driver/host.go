package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/deviceattribute"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

const (
	capacity = name + "/cpu"
	socket   = name + "/socketID"
)

type cpus map[int]bool

func parsed(list string) (cpus, error) {
	set := cpus{}
	for _, part := range strings.Split(strings.TrimSpace(list), ",") {
		if part == "" {
			continue
		}
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		if err != nil {
			return nil, err
		}
		to, err := strconv.Atoi(last)
		if err != nil {
			return nil, err
		}
		for id := from; id <= to; id++ {
			set[id] = true
		}
	}
	return set, nil
}

func (set cpus) ordered() []int {
	ids := []int{}
	for id := range set {
		ids = append(ids, id)
	}
	sort.Ints(ids)
	return ids
}

func (set cpus) String() string {
	words := []string{}
	for _, id := range set.ordered() {
		words = append(words, strconv.Itoa(id))
	}
	return strings.Join(words, ",")
}

// host is what the driver may give away: the CPUs of each NUMA node, the core and the socket of each CPU.
type host struct {
	nodes  []int
	ofNode map[int]cpus
	core   map[int]string
	socket map[int]int
}

func read(root string, reserved cpus) (*host, error) {
	system := filepath.Join(root, "sys/devices/system")
	text := func(path string) (string, error) {
		content, err := os.ReadFile(filepath.Join(system, path))
		return strings.TrimSpace(string(content)), err
	}
	listed, err := text("node/online")
	if err != nil {
		return nil, err
	}
	nodes, err := parsed(listed)
	if err != nil {
		return nil, err
	}
	found := &host{ofNode: map[int]cpus{}, core: map[int]string{}, socket: map[int]int{}}
	for _, node := range nodes.ordered() {
		listed, err := text(fmt.Sprintf("node/node%d/cpulist", node))
		if err != nil {
			return nil, err
		}
		set, err := parsed(listed)
		if err != nil {
			return nil, err
		}
		for id := range set {
			siblings, err := text(fmt.Sprintf("cpu/cpu%d/topology/thread_siblings_list", id))
			if err != nil || reserved[id] { // no topology: the CPU is offline
				delete(set, id)
				continue
			}
			package_, _ := text(fmt.Sprintf("cpu/cpu%d/topology/physical_package_id", id))
			found.socket[id], _ = strconv.Atoi(package_)
			found.core[id] = siblings
		}
		if len(set) > 0 {
			found.nodes = append(found.nodes, node)
			found.ofNode[node] = set
		}
	}
	return found, nil
}

func deviceName(node int) string { return fmt.Sprintf("numa-%d", node) }

func (h *host) deviceNode(device string) (int, bool) {
	for _, node := range h.nodes {
		if deviceName(node) == device {
			return node, true
		}
	}
	return 0, false
}

// after returns the next NUMA node with CPUs, the first one after the last.
func (h *host) after(node int) int {
	at := sort.SearchInts(h.nodes, node)
	return h.nodes[(at+1)%len(h.nodes)]
}

// wholeCoresFirst takes so many CPUs, those of cores that are all free before others.
func (h *host) wholeCoresFirst(free cpus, count int) cpus {
	threads, freeThreads := map[string]int{}, map[string]int{}
	for id, core := range h.core {
		threads[core]++
		if free[id] {
			freeThreads[core]++
		}
	}
	ids := free.ordered()
	part := func(id int) bool { return freeThreads[h.core[id]] < threads[h.core[id]] }
	sort.SliceStable(ids, func(i, j int) bool {
		if a, b := part(ids[i]), part(ids[j]); a != b {
			return b
		}
		return h.core[ids[i]] < h.core[ids[j]]
	})
	chosen := cpus{}
	for _, id := range ids[:count] {
		chosen[id] = true
	}
	return chosen
}

// published returns a device for each NUMA node.
func (d *driver) published() resourceslice.DriverResources {
	devices := []resourceapi.Device{}
	for index, node := range d.host.nodes {
		set := d.host.ofNode[node]
		number, package_, count := int64(node), int64(d.host.socket[set.ordered()[0]]), int64(len(set))
		several := true
		switch d.wrong {
		case "counts-nodes":
			number = int64(index)
		case "other-socket":
			package_ = 0
		case "too-much":
			count++
		}
		devices = append(devices, resourceapi.Device{
			Name: deviceName(node),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				deviceattribute.StandardDeviceAttributeNUMANode: {IntValue: &number},
				socket: {IntValue: &package_},
			},
			Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
				capacity: {Value: *resource.NewQuantity(count, resource.DecimalSI)},
			},
			AllowMultipleAllocations: &several,
		})
	}
	pool := resourceslice.Pool{Slices: []resourceslice.Slice{{Devices: devices}}}
	return resourceslice.DriverResources{Pools: map[string]resourceslice.Pool{d.node: pool}}
}
