package numa

import (
	"fmt"
	"strconv"
	"strings"
)

func (t *tree) proc(machine Machine, of groups) {
	t.whole("proc/cpuinfo", cpuinfo(machine, of))
	t.whole("proc/interrupts", interrupts(of.online))
	all := memoryOf(machine.Memory)
	t.put("proc/meminfo", strings.Join(all.ofHost(), "\n"))
}

func cpuinfo(machine Machine, of groups) string {
	blocks := []string{}
	for _, cpu := range machine.CPUs {
		own, inPackage := 0, map[int]bool{}
		if cpu.Core != nil {
			own = *cpu.Core
		}
		for _, id := range of.socket[cpu.Socket] {
			inPackage[of.cores[id]] = true
		}
		var block strings.Builder
		for _, line := range []struct {
			name  string
			value any
		}{
			{"processor", cpu.ID}, {"vendor_id", "unknown"}, {"cpu family", 0}, {"model", 0}, {"stepping", 0}, {"flags", "fpu"},
			{"model name", machine.Name + " (a fake machine)"}, {"cpu MHz", fmt.Sprintf("%d.000", kilohertz/1000)},
			{"cache size", fmt.Sprintf("%d KB", lastLevel)}, {"physical id", cpu.Socket}, {"siblings", len(of.socket[cpu.Socket])},
			{"core id", own}, {"cpu cores", len(inPackage)}, {"apicid", cpu.ID}, {"initial apicid", cpu.ID},
		} {
			tabs := "\t\t" // the kernel's own column
			if len(line.name) >= 8 {
				tabs = "\t"
			}
			fmt.Fprintf(&block, "%s%s: %v\n", line.name, tabs, line.value)
		}
		blocks = append(blocks, block.String())
	}
	return strings.Join(blocks, "\n") + "\n"
}

// interrupts has a timer's, and the clocks of the CPUs, none of which has come.
func interrupts(online []int) string {
	names, zeros := "", ""
	for _, id := range online {
		names += fmt.Sprintf("%-11s", fmt.Sprintf("CPU%d", id))
		zeros += fmt.Sprintf("%10d ", 0)
	}
	return fmt.Sprintf("%11s%s\n   0:%s IO-APIC   2-edge      timer\n LOC:%s Local timer interrupts\n", "", names, zeros, zeros)
}

// amounts of memory that nobody uses, in KiB: all of it is free, or lies in pools of huge pages.
type amounts struct {
	total, free, inPools int64
	pools                map[string]int64
}

func memoryOf(nodes []Memory) amounts {
	all := amounts{pools: map[string]int64{}}
	bytes := int64(0)
	for _, node := range nodes {
		if node.Memory != nil {
			bytes += *node.Memory
		}
		for size, pages := range node.Hugepages {
			all.pools[size] += pages
			all.inPools += pageKibibytes(size) * pages
		}
	}
	all.total = bytes / 1024
	if all.free = all.total - all.inPools; all.free < 0 {
		all.free = 0
	}
	return all
}

var unused = []string{
	"Active", "Inactive", "Active(anon)", "Inactive(anon)", "Active(file)", "Inactive(file)", "Unevictable", "Mlocked", "Dirty",
	"Writeback", "AnonPages", "Mapped", "Shmem", "KReclaimable", "Slab", "SReclaimable", "SUnreclaim", "KernelStack",
	"PageTables", "AnonHugePages",
}

func (a amounts) ofHost() []string {
	lines := []string{inKibibytes("MemTotal", a.total), inKibibytes("MemFree", a.free), inKibibytes("MemAvailable", a.free)}
	for _, name := range append([]string{"Buffers", "Cached", "SwapCached", "SwapTotal", "SwapFree"}, unused...) {
		lines = append(lines, inKibibytes(name, 0))
	}
	pages := a.pools["2Mi"]
	lines = append(lines, counted("HugePages_Total", pages), counted("HugePages_Free", pages), counted("HugePages_Rsvd", 0),
		counted("HugePages_Surp", 0))
	return append(lines, inKibibytes("Hugepagesize", 2048), inKibibytes("Hugetlb", a.inPools))
}

func (a amounts) ofNode() []string {
	lines := []string{inKibibytes("MemTotal", a.total), inKibibytes("MemFree", a.free), inKibibytes("MemUsed", a.total-a.free)}
	for _, name := range unused {
		lines = append(lines, inKibibytes(name, 0))
	}
	pages := a.pools["2Mi"]
	return append(lines, counted("HugePages_Total", pages), counted("HugePages_Free", pages), counted("HugePages_Surp", 0))
}

func inKibibytes(name string, amount int64) string {
	return fmt.Sprintf("%-15s %9d kB", name+":", amount)
}

func counted(name string, pages int64) string { return fmt.Sprintf("%-15s %6d", name+":", pages) }

// pageKibibytes returns the KiB of a page size as Kubernetes writes it: 64Ki, 2Mi, 1Gi.
func pageKibibytes(size string) int64 {
	for suffix, factor := range map[string]int64{"Ki": 1, "Mi": 1 << 10, "Gi": 1 << 20} {
		if number, err := strconv.ParseInt(strings.TrimSuffix(size, suffix), 10, 64); err == nil {
			return number * factor
		}
	}
	return 0
}
