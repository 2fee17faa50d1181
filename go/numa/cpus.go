package numa

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// ParseCPUs returns the ids of a set of CPUs, ascending. A set is a text in the kernel's list format: "0-3,8", "" for none.
func ParseCPUs(list string) ([]int, error) {
	ids := []int{}
	if strings.TrimSpace(list) == "" {
		return ids, nil
	}
	for _, part := range strings.Split(list, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("%q is not a list of CPUs such as 0-3,8: %q", list, part)
		}
		last, err := strconv.ParseUint(to, 10, 16)
		if err != nil || last < first {
			return nil, fmt.Errorf("%q is not a list of CPUs such as 0-3,8: %q", list, part)
		}
		for id := first; id <= last; id++ {
			ids = append(ids, int(id))
		}
	}
	return ascending(ids), nil
}

// FormatCPUs writes a set of CPUs in the kernel's list format; ids may come in any order and more than once.
func FormatCPUs(ids []int) string {
	sorted := ascending(append([]int{}, ids...))
	parts := []string{}
	for at := 0; at < len(sorted); {
		end := at
		for end+1 < len(sorted) && sorted[end+1] == sorted[end]+1 {
			end++
		}
		if end == at {
			parts = append(parts, strconv.Itoa(sorted[at]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", sorted[at], sorted[end]))
		}
		at = end + 1
	}
	return strings.Join(parts, ",")
}

// ascending sorts ids in place and drops those that come again.
func ascending(ids []int) []int {
	sort.Ints(ids)
	kept := ids[:0]
	for at, id := range ids {
		if at == 0 || id != kept[len(kept)-1] {
			kept = append(kept, id)
		}
	}
	return kept
}

// CoreIDs returns for each CPU an id of its core that is unique on the machine, from 0 in the order of the CPUs. A CPU's
// own field Core counts within NUMA node and socket, as the kernel does; where it is nil, the CPU is a core by itself.
func (m Machine) CoreIDs() map[int]int {
	type place struct{ socket, numa, core, alone int }
	ids, cores := map[int]int{}, map[place]int{}
	for _, cpu := range m.CPUs {
		where := place{cpu.Socket, cpu.NUMA, -1, cpu.ID}
		if cpu.Core != nil {
			where = place{cpu.Socket, cpu.NUMA, *cpu.Core, -1}
		}
		if _, known := cores[where]; !known {
			cores[where] = len(cores)
		}
		ids[cpu.ID] = cores[where]
	}
	return ids
}
