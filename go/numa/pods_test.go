package numa

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestQuantities(t *testing.T) {
	for text, want := range map[string]struct {
		milli, value int64
		whole        int
	}{
		"2": {2000, 2, 2}, "2000m": {2000, 2, 2}, "2.0": {2000, 2, 2}, "1500m": {1500, 2, 0}, "+1": {1000, 1, 1},
		".5": {500, 1, 0}, "1e3": {1e6, 1000, 1000}, "1E": {9223372036854775807, 1e18, 0}, "1Ki": {1024000, 1024, 1024},
		"1Gi": {1 << 30 * 1000, 1 << 30, 1 << 30}, "1n": {1, 1, 0}, "0": {0, 0, 0}, "-1500m": {-1500, -1, 0},
		"5e-1": {500, 1, 0}, "1999.9m": {2000, 2, 2},
	} {
		read, err := ParseQuantity(text)
		if err != nil || read.Milli() != want.milli || read.Value() != want.value || read.Whole() != want.whole {
			t.Errorf("%q is %d thousandths, %d, whole %d, %v", text, read.Milli(), read.Value(), read.Whole(), err)
		}
	}
	for _, text := range []string{"", "m", "1 Gi", "1gi", "0x1", "1e", "1/2", "--1", "1e999", "Inf", "1_000"} {
		if read, err := ParseQuantity(text); err == nil {
			t.Errorf("%q is read as %v", text, read)
		}
	}
	var none Quantity
	if none.Whole() != 0 || none.String() != "0" || !none.Equal(Quantity{}) {
		t.Error("no amount is not 0")
	}
}

func TestQuantitiesInJSON(t *testing.T) {
	var read Resources
	if err := json.Unmarshal([]byte(`{"cpu": 1.5, "memory": "1Gi", "gpu": null}`), &read); err != nil {
		t.Fatal(err)
	}
	if read["cpu"].String() != "1.5" || read["memory"].String() != "1073741824" || read["gpu"].Value() != 0 {
		t.Errorf("read as %v", read)
	}
	if err := json.Unmarshal([]byte(`{"cpu": true}`), &read); err == nil {
		t.Error("true is an amount")
	}
}

const full = `"resources":{"limits":{"cpu":"2","memory":"1Gi"}}`

func TestPods(t *testing.T) {
	for spec, want := range map[string]struct {
		qos       string
		exclusive map[string]int
		most      int
	}{
		`{"containers":[{"name":"c"}]}`:                           {BestEffort, map[string]int{"c": 0}, 0},
		`{"containers":[{"name":"c",` + full + `}]}`:              {Guaranteed, map[string]int{"c": 2}, 2},
		`{"containers":[{"name":"c",` + full + `},{"name":"d"}]}`: {Burstable, map[string]int{"c": 0, "d": 0}, 0},
		`{"containers":[{"name":"c","resources":{"limits":{"cpu":"1.5","memory":1}}}]}`: {
			Guaranteed, map[string]int{"c": 0}, 0},
		`{"containers":[{"name":"c","resources":{"limits":{"cpu":2,"memory":1},"requests":{"cpu":"2000m"}}}]}`: {
			Guaranteed, map[string]int{"c": 2}, 2},
		`{"containers":[{"name":"c","resources":{"limits":{"cpu":2,"memory":1},"requests":{"cpu":1}}}]}`: {
			Burstable, map[string]int{"c": 0}, 0},
		`{"containers":[{"name":"c","resources":{"limits":{"cpu":0,"example.com/gpu":1}}}]}`: {
			BestEffort, map[string]int{"c": 0}, 0},
		`{"initContainers":[{"name":"i"}],"containers":[{"name":"c",` + full + `}]}`: {
			Burstable, map[string]int{"i": 0, "c": 0}, 0},
		`{"initContainers":[{"name":"s","restartPolicy":"Always",` + full + `},{"name":"i","resources":{"limits":{"cpu":5,` +
			`"memory":1}}}],"containers":[{"name":"c",` + full + `}]}`: {Guaranteed, map[string]int{"s": 2, "i": 5, "c": 2}, 7},
		`{` + full + `,"containers":[{"name":"c"}]}`: {Guaranteed, map[string]int{"c": 0}, 0},
		`{` + full + `,"containers":[{"name":"c","resources":{"requests":{"cpu":1}}}]}`: {
			Burstable, map[string]int{"c": 0}, 0},
		`{"resources":{},"containers":[{"name":"c",` + full + `}]}`: {Guaranteed, map[string]int{"c": 2}, 2},
	} {
		pod, err := ReadPod(json.RawMessage(`{"metadata":{"uid":"u"},"spec":` + spec + `}`))
		if err != nil || pod.UID != "u" {
			t.Fatalf("%s: %v, %v", spec, pod, err)
		}
		if pod.QoS() != want.qos || !reflect.DeepEqual(pod.ExclusiveCPUs(), want.exclusive) || pod.MostExclusiveCPUs() != want.most {
			t.Errorf("%s is %s, %v, %d", spec, pod.QoS(), pod.ExclusiveCPUs(), pod.MostExclusiveCPUs())
		}
	}
	if _, err := ReadPod(json.RawMessage(`{"spec":{"containers":[{"resources":{"limits":{"cpu":"two"}}}]}}`)); err == nil {
		t.Error("an amount that is none was read")
	}
}
