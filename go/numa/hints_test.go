package numa

import (
	"reflect"
	"testing"
)

func TestHintsKeepWhetherThereAreAny(t *testing.T) {
	double := func(one int) int { return 2 * one }
	if MapHints(nil, double) != nil {
		t.Error("no opinion became one")
	}
	hints := map[string][]int{"cpu": {1, 2}, "memory": nil, "gpu": {}}
	if got := MapHints(hints, double); !reflect.DeepEqual(got, map[string][]int{"cpu": {2, 4}, "memory": nil, "gpu": {}}) {
		t.Errorf("%v became %v", hints, got)
	}
	several := MapProviders([]map[string][]int{nil, {"cpu": {1}}}, double)
	if !reflect.DeepEqual(several, []map[string][]int{nil, {"cpu": {2}}}) {
		t.Errorf("providers became %v", several)
	}
}

func TestAffinityOfAChoice(t *testing.T) {
	if none := (Pick{}).Hint(); none.Nodes != nil || !none.Preferred {
		t.Errorf("none became %v", none)
	}
	one := HintValue{Nodes: []int{1}}
	if got := (Pick{Affinity: &one}).Hint(); !reflect.DeepEqual(got, one) {
		t.Errorf("%v became %v", one, got)
	}
}
