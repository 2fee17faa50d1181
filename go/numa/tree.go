package numa

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
)

// WriteTree writes what the kernel would show of a machine below /sys and /proc into the folder root, which must be empty
// or absent: for allocators that read the host below a root of their own. Dies, clusters, speeds and the kinds of cores,
// of which a machine says nothing, are written so that the files agree with each other. Devices are no part of it.
//
// A target with Identity.WantsHostRoot is sent such a tree with each machine, and does not need this.
func WriteTree(root string, machine Machine) error {
	if there, err := os.ReadDir(root); err == nil && len(there) > 0 {
		return fmt.Errorf("%s is not empty", root)
	}
	offline, err := machine.offline()
	if err != nil {
		return err
	}
	t := &tree{root: root, made: map[string]bool{}}
	of := grouped(machine)
	t.cpus(machine, of, offline)
	t.nodes(machine, of)
	t.speeds(machine, of, offline)
	t.proc(machine, of)
	return t.err
}

// groups are the CPUs that belong together, by the id of what they have in common.
type groups struct {
	online                      []int
	cores                       map[int]int
	core, socket, cache, node   map[int][]int
	nodeIDs, withCPUs, withSome []int
}

func grouped(machine Machine) groups {
	of := groups{
		cores: machine.CoreIDs(), core: map[int][]int{}, socket: map[int][]int{}, cache: map[int][]int{}, node: map[int][]int{},
	}
	for _, cpu := range machine.CPUs {
		of.online = append(of.online, cpu.ID)
		of.core[of.cores[cpu.ID]] = append(of.core[of.cores[cpu.ID]], cpu.ID)
		of.socket[cpu.Socket] = append(of.socket[cpu.Socket], cpu.ID)
		of.node[cpu.NUMA] = append(of.node[cpu.NUMA], cpu.ID)
		if cpu.Uncore != nil {
			of.cache[*cpu.Uncore] = append(of.cache[*cpu.Uncore], cpu.ID)
		}
	}
	for _, node := range machine.Memory {
		of.nodeIDs = append(of.nodeIDs, node.Node)
		if len(of.node[node.Node]) > 0 {
			of.withCPUs = append(of.withCPUs, node.Node)
		}
		if node.Memory != nil && *node.Memory > 0 {
			of.withSome = append(of.withSome, node.Node)
		}
	}
	return of
}

// offline returns the CPUs that exist and are offline.
func (m Machine) offline() ([]int, error) {
	var list string
	if json.Unmarshal(m.Offline, &list) == nil {
		return ParseCPUs(list)
	}
	ids := []int{}
	if len(m.Offline) == 0 {
		return ids, nil
	}
	return ids, json.Unmarshal(m.Offline, &ids)
}

// tree writes files below a root; the first error stays.
type tree struct {
	root string
	made map[string]bool
	err  error
}

func (t *tree) place(path string) string {
	where := filepath.Join(t.root, path)
	t.folder(filepath.Dir(where))
	return where
}

func (t *tree) folder(where string) {
	if t.err == nil && !t.made[where] {
		t.err = os.MkdirAll(where, 0o755)
		t.made[where] = true
	}
}

// put writes a value and the end of its last line.
func (t *tree) put(path string, value any) { t.whole(path, fmt.Sprintln(value)) }

func (t *tree) whole(path, text string) {
	where := t.place(path)
	if t.err == nil {
		t.err = os.WriteFile(where, []byte(text), 0o644)
	}
}

func (t *tree) link(path, goal string) {
	where := t.place(path)
	if t.err == nil {
		t.err = os.Symlink(goal, where)
	}
}

const (
	cpuFolder  = "sys/devices/system/cpu"
	nodeFolder = "sys/devices/system/node"
	kilohertz  = 2000000
	lastLevel  = 32768
)

func (t *tree) cpus(machine Machine, of groups, offline []int) {
	every := ascending(append(append([]int{}, of.online...), offline...))
	threads, highest := false, 8192
	for _, core := range of.core {
		threads = threads || len(core) > 1
	}
	if len(every) > 0 && every[len(every)-1] >= highest {
		highest = every[len(every)-1] + 1
	}
	for name, value := range map[string]any{
		"online": FormatCPUs(of.online), "offline": FormatCPUs(offline), "possible": FormatCPUs(every),
		"present": FormatCPUs(every), "isolated": "", "kernel_max": highest - 1,
		"smt/active": map[bool]int{true: 1}[threads], "smt/control": map[bool]string{true: "on", false: "notsupported"}[threads],
	} {
		t.put(cpuFolder+"/"+name, value)
	}
	isOnline := map[int]int{}
	for _, id := range of.online {
		isOnline[id] = 1
	}
	for _, id := range every {
		folder := fmt.Sprintf("%s/cpu%d", cpuFolder, id)
		t.put(folder+"/online", isOnline[id])
		t.whole(folder+"/uevent", "")
		t.link(folder+"/subsystem", "../../../../bus/cpu")
		t.link(fmt.Sprintf("sys/bus/cpu/devices/cpu%d", id), fmt.Sprintf("../../../devices/system/cpu/cpu%d", id))
	}
	for _, cpu := range machine.CPUs {
		t.topology(cpu, of)
		t.caches(cpu, of)
	}
}

func (t *tree) topology(cpu CPU, of groups) {
	folder := fmt.Sprintf("%s/cpu%d/topology", cpuFolder, cpu.ID)
	t.put(folder+"/physical_package_id", cpu.Socket)
	t.put(folder+"/die_id", 0)
	for _, name := range []string{"package_cpus", "core_siblings", "die_cpus"} {
		t.set(folder, name, name+"_list", of.socket[cpu.Socket])
	}
	if cpu.Core == nil {
		return
	}
	core := of.cores[cpu.ID]
	t.put(folder+"/core_id", *cpu.Core)
	t.put(folder+"/cluster_id", core)
	for _, name := range []string{"core_cpus", "thread_siblings", "cluster_cpus"} {
		t.set(folder, name, name+"_list", of.core[core])
	}
}

// set writes CPUs as the kernel's hex words and as a list.
func (t *tree) set(folder, words, list string, cpus []int) {
	t.put(folder+"/"+words, hexWords(cpus))
	t.put(folder+"/"+list, FormatCPUs(cpus))
}

func hexWords(cpus []int) string {
	bits := new(big.Int)
	for _, cpu := range cpus {
		bits.SetBit(bits, cpu, 1)
	}
	text := bits.Text(16)
	text = strings.Repeat("0", (8-len(text)%8)%8) + text
	words := []string{}
	for at := 0; at < len(text); at += 8 {
		words = append(words, text[at:at+8])
	}
	return strings.Join(words, ",")
}

func (t *tree) caches(cpu CPU, of groups) {
	core := of.cores[cpu.ID]
	for index, cache := range []struct {
		level, kibibytes, ways int
		kind                   string
	}{{1, 32, 8, "Data"}, {1, 32, 8, "Instruction"}, {2, 1024, 16, "Unified"}, {3, lastLevel, 16, "Unified"}} {
		id, sharers := core, of.core[core]
		if cache.level == 3 {
			if cpu.Uncore == nil {
				return
			}
			id, sharers = *cpu.Uncore, of.cache[*cpu.Uncore]
		}
		folder := fmt.Sprintf("%s/cpu%d/cache/index%d", cpuFolder, cpu.ID, index)
		for name, value := range map[string]any{
			"id": id, "level": cache.level, "type": cache.kind, "size": fmt.Sprintf("%dK", cache.kibibytes),
			"coherency_line_size": 64, "number_of_sets": cache.kibibytes * 1024 / (cache.ways * 64),
			"physical_line_partition": 1, "ways_of_associativity": cache.ways,
		} {
			t.put(folder+"/"+name, value)
		}
		t.set(folder, "shared_cpu_map", "shared_cpu_list", sharers)
	}
}

func (t *tree) speeds(machine Machine, of groups, offline []int) {
	for _, id := range of.online {
		for name, speed := range map[string]int{
			"cpuinfo_max_freq": kilohertz, "cpuinfo_min_freq": 800000, "scaling_max_freq": kilohertz, "scaling_min_freq": 800000,
		} {
			t.put(fmt.Sprintf("%s/cpu%d/cpufreq/%s", cpuFolder, id, name), speed)
		}
	}
	single, several := []int{}, []int{}
	for _, core := range of.core {
		if len(core) == 1 {
			single = append(single, core...)
		} else {
			several = append(several, core...)
		}
	}
	if len(single) > 0 && len(several) > 0 && len(offline) == 0 {
		t.put("sys/devices/cpu_core/cpus", FormatCPUs(several))
		t.put("sys/devices/cpu_atom/cpus", FormatCPUs(single))
	}
}

func (t *tree) nodes(machine Machine, of groups) {
	for name, nodes := range map[string][]int{
		"online": of.nodeIDs, "possible": of.nodeIDs, "has_cpu": of.withCPUs, "has_memory": of.withSome,
		"has_normal_memory": of.withSome,
	} {
		t.put(nodeFolder+"/"+name, FormatCPUs(nodes))
	}
	for at, node := range machine.Memory {
		folder := fmt.Sprintf("%s/node%d", nodeFolder, node.Node)
		cpus := of.node[node.Node]
		t.set(folder, "cpumap", "cpulist", cpus)
		t.whole(folder+"/uevent", "")
		t.link(folder+"/subsystem", "../../../../bus/node")
		t.link(fmt.Sprintf("sys/bus/node/devices/node%d", node.Node), fmt.Sprintf("../../../devices/system/node/node%d", node.Node))
		zeros := []string{}
		for _, name := range []string{"numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node"} {
			zeros = append(zeros, name+" 0")
		}
		t.put(folder+"/numastat", strings.Join(zeros, "\n"))
		if machine.Distances != nil {
			t.put(folder+"/distance", strings.Trim(fmt.Sprint(machine.Distances[at]), "[]"))
		}
		if node.Memory != nil {
			lines := memoryOf([]Memory{node}).ofNode()
			for index, line := range lines {
				lines[index] = fmt.Sprintf("Node %d %s", node.Node, line)
			}
			t.put(folder+"/meminfo", strings.Join(lines, "\n"))
		}
		t.folder(filepath.Join(t.root, folder, "hugepages"))
		for size, pages := range node.Hugepages {
			pool := fmt.Sprintf("%s/hugepages/hugepages-%dkB", folder, pageKibibytes(size))
			t.put(pool+"/nr_hugepages", pages)
			t.put(pool+"/free_hugepages", pages)
			t.put(pool+"/surplus_hugepages", 0)
		}
		for _, cpu := range cpus {
			t.link(fmt.Sprintf("%s/cpu%d", folder, cpu), fmt.Sprintf("../../cpu/cpu%d", cpu))
			t.link(fmt.Sprintf("%s/cpu%d/node%d", cpuFolder, cpu, node.Node), fmt.Sprintf("../../node/node%d", node.Node))
		}
	}
	t.folder(filepath.Join(t.root, "sys/kernel/mm/hugepages"))
	for size, pages := range memoryOf(machine.Memory).pools {
		folder := fmt.Sprintf("sys/kernel/mm/hugepages/hugepages-%dkB", pageKibibytes(size))
		for _, name := range []string{"nr_hugepages", "nr_hugepages_mempolicy", "free_hugepages"} {
			t.put(folder+"/"+name, pages)
		}
		for _, name := range []string{"nr_overcommit_hugepages", "resv_hugepages", "surplus_hugepages"} {
			t.put(folder+"/"+name, 0)
		}
	}
}
