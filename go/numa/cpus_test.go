package numa

import (
	"reflect"
	"testing"
)

func TestSetsOfCPUs(t *testing.T) {
	for list, ids := range map[string][]int{"": {}, " ": {}, "3": {3}, "8,0-2,2": {0, 1, 2, 8}, "0-1, 4": {0, 1, 4}} {
		read, err := ParseCPUs(list)
		if err != nil || !reflect.DeepEqual(read, ids) {
			t.Errorf("%q is read as %v, %v", list, read, err)
		}
	}
	for _, list := range []string{"a", "1-", "3-1", "0,,1", "-1", "1-2-3", "99999"} {
		if read, err := ParseCPUs(list); err == nil {
			t.Errorf("%q is read as %v", list, read)
		}
	}
	ids := []int{8, 2, 0, 1, 2}
	if list := FormatCPUs(ids); list != "0-2,8" || FormatCPUs(nil) != "" {
		t.Errorf("written as %q", list)
	}
	if ids[0] != 8 {
		t.Error("the ids of the caller were sorted")
	}
}

func TestCoresOfAMachine(t *testing.T) {
	one := func(id, socket, numa int, core *int) CPU { return CPU{ID: id, Socket: socket, NUMA: numa, Core: core} }
	zero := new(int)
	machine := Machine{CPUs: []CPU{
		one(0, 0, 0, zero), one(1, 1, 1, zero), one(2, 0, 0, zero), one(3, 1, 1, nil), one(4, 1, 1, nil),
	}}
	if got := machine.CoreIDs(); !reflect.DeepEqual(got, map[int]int{0: 0, 1: 1, 2: 0, 3: 2, 4: 3}) {
		t.Errorf("cores %v", got)
	}
}
