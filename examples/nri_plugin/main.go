// An NRI plugin that gives whole CPUs to Guaranteed containers, made with the stub library of containerd/nri.
//
//	nri-cpus [-socket PATH] [-root DIR] [-reserved LIST] [-reserved-amount MILLI] [-wrong WAY]
//
// It gives whole cores of as few NUMA nodes as it can, keeps all other containers to the rest, and learns what containers
// have when it starts anew. With -wrong it is wrong in one way: no-updates, gives-reserved, one-too-few, keeps-removed, forgets,
// overlaps.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/containerd/nri/pkg/api"
	"github.com/containerd/nri/pkg/stub"
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

type plugin struct {
	wrong            string
	online, reserved cpus
	core, node       map[int]int
	exclusive        map[string]cpus
	shared           map[string]bool
}

// free returns the CPUs that are exclusive to nobody, without the reserved ones where they are to be given away.
func (p *plugin) free(toGive bool) cpus {
	left := cpus{}
	for id := range p.online {
		left[id] = !toGive || !p.reserved[id] || p.wrong == "gives-reserved"
	}
	for _, held := range p.exclusive {
		for id := range held {
			left[id] = left[id] && p.wrong == "overlaps"
		}
	}
	for id, isFree := range left {
		if !isFree {
			delete(left, id)
		}
	}
	return left
}

// wanted returns how many CPUs of its own a container is to have: what its quota says, where its pod is Guaranteed.
func wanted(pod *api.PodSandbox, container *api.Container) int {
	parent := pod.GetLinux().GetCgroupParent()
	if strings.Contains(parent, "burstable") || strings.Contains(parent, "besteffort") {
		return 0
	}
	cpu := container.GetLinux().GetResources().GetCpu()
	quota, period := cpu.GetQuota().GetValue(), int64(cpu.GetPeriod().GetValue())
	if quota <= 0 || period == 0 || quota%period != 0 {
		return 0
	}
	return int(quota / period)
}

// packed returns the free CPUs, the best to give first: those of the fullest NUMA node that has enough cores free as a
// whole, else the freest cores of all, of the emptiest nodes first.
func (p *plugin) packed(count int) []int {
	free := p.free(true)
	ofNode, ofCore, ofWholeCore, inWholeCores := map[int]int{}, map[int]int{}, map[int]int{}, map[int]int{}
	threads := 1
	for id := range p.online {
		ofWholeCore[p.core[id]]++
		threads = max(threads, ofWholeCore[p.core[id]])
	}
	for id := range free {
		ofNode[p.node[id]]++
		ofCore[p.core[id]]++
	}
	for id := range free {
		if ofCore[p.core[id]] == ofWholeCore[p.core[id]] {
			inWholeCores[p.node[id]]++
		}
	}
	suffices := func(node int) bool { return ofNode[node] >= count && inWholeCores[node] >= count-count%threads }
	ids := free.ordered()
	sort.SliceStable(ids, func(i, j int) bool {
		one, other := ids[i], ids[j]
		node, core := p.node[one]-p.node[other], ofCore[p.core[other]]-ofCore[p.core[one]]
		emptier := ofNode[p.node[other]] - ofNode[p.node[one]]
		order := []int{core, emptier, node}
		if a, b := suffices(p.node[one]), suffices(p.node[other]); a != b {
			return a
		} else if a {
			order = []int{-emptier, node, core}
		}
		for _, difference := range order {
			if difference != 0 {
				return difference < 0
			}
		}
		return p.core[one] < p.core[other]
	})
	return ids
}

func (p *plugin) give(id string, count int) error {
	if p.wrong == "one-too-few" && count > 1 {
		count--
	}
	ids := p.packed(count)
	if len(ids) < count {
		return fmt.Errorf("%d CPUs are asked for, %d are free", count, len(ids))
	}
	p.exclusive[id] = cpus{}
	for _, cpu := range ids[:count] {
		p.exclusive[id][cpu] = true
	}
	return nil
}

// others returns the cpusets of all shared containers but one, which follow what is exclusive.
func (p *plugin) others(but string) []*api.ContainerUpdate {
	updates := []*api.ContainerUpdate{}
	for id := range p.shared {
		if id != but && p.wrong != "no-updates" {
			update := &api.ContainerUpdate{ContainerId: id}
			update.SetLinuxCPUSetCPUs(p.free(false).String())
			updates = append(updates, update)
		}
	}
	return updates
}

// Synchronize takes up what containers have.
func (p *plugin) Synchronize(_ context.Context, pods []*api.PodSandbox, containers []*api.Container) ([]*api.ContainerUpdate, error) {
	byID := map[string]*api.PodSandbox{}
	for _, pod := range pods {
		byID[pod.Id] = pod
	}
	for _, container := range containers {
		pod := byID[container.PodSandboxId]
		if p.wrong == "forgets" {
			continue
		}
		if wanted(pod, container) == 0 {
			p.shared[container.Id] = true
			continue
		}
		held, err := parsed(container.GetLinux().GetResources().GetCpu().GetCpus())
		if err != nil {
			return nil, err
		}
		p.exclusive[container.Id] = held
	}
	return p.others(""), nil
}

// CreateContainer gives a container its CPUs.
func (p *plugin) CreateContainer(_ context.Context, pod *api.PodSandbox, container *api.Container) (*api.ContainerAdjustment, []*api.ContainerUpdate, error) {
	adjust := &api.ContainerAdjustment{}
	count := wanted(pod, container)
	if count == 0 {
		p.shared[container.Id] = true
		adjust.SetLinuxCPUSetCPUs(p.free(false).String())
		return adjust, nil, nil
	}
	if err := p.give(container.Id, count); err != nil {
		return nil, nil, err
	}
	adjust.SetLinuxCPUSetCPUs(p.exclusive[container.Id].String())
	return adjust, p.others(container.Id), nil
}

// StopContainer takes its CPUs back.
func (p *plugin) StopContainer(_ context.Context, _ *api.PodSandbox, container *api.Container) ([]*api.ContainerUpdate, error) {
	delete(p.shared, container.Id)
	if p.wrong == "keeps-removed" || p.exclusive[container.Id] == nil {
		return nil, nil
	}
	delete(p.exclusive, container.Id)
	return p.others(container.Id), nil
}

// read learns the CPUs of a host, and which are reserved: those listed, else as many as the amount, the first ones.
func (p *plugin) read(root, reserved string, milli int) error {
	text, err := os.ReadFile(filepath.Join(root, "sys/devices/system/cpu/online"))
	if err != nil {
		return err
	}
	if p.online, err = parsed(string(text)); err != nil {
		return err
	}
	p.core, p.node = map[int]int{}, map[int]int{}
	for id := range p.online {
		cpu := filepath.Join(root, "sys/devices/system/cpu", fmt.Sprintf("cpu%d", id))
		siblings, err := os.ReadFile(filepath.Join(cpu, "topology/thread_siblings_list"))
		if err != nil {
			return err
		}
		threads, err := parsed(string(siblings))
		if err != nil {
			return err
		}
		p.core[id] = threads.ordered()[0]
		nodes, _ := filepath.Glob(filepath.Join(cpu, "node[0-9]*"))
		for _, node := range nodes {
			p.node[id], _ = strconv.Atoi(strings.TrimPrefix(filepath.Base(node), "node"))
		}
	}
	if p.reserved, err = parsed(reserved); err != nil || len(p.reserved) > 0 {
		return err
	}
	for _, id := range p.packed(0) {
		if 1000*len(p.reserved) < milli {
			p.reserved[id] = true
		}
	}
	return nil
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	socket := flag.String("socket", "", "the runtime's socket")
	root := flag.String("root", "/", "where the host's /sys lies")
	reserved := flag.String("reserved", "", "CPUs that are exclusive to nobody")
	amount := flag.String("reserved-amount", "0m", "or how much CPU time, in thousandths of a CPU, like 500m")
	wrong := flag.String("wrong", "", "the way in which it is wrong")
	flag.Parse()
	milli, err := strconv.Atoi(strings.TrimSuffix(*amount, "m"))
	fail(err)
	p := &plugin{wrong: *wrong, exclusive: map[string]cpus{}, shared: map[string]bool{}}
	fail(p.read(*root, *reserved, milli))
	options := []stub.Option{stub.WithPluginName("cpus"), stub.WithPluginIdx("10")}
	if *socket != "" {
		options = append(options, stub.WithSocketPath(*socket))
	}
	connection, err := stub.New(p, options...)
	fail(err)
	fail(connection.Run(context.Background()))
}
