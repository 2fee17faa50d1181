package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/api/core/v1"
)

// doorQuestion asks what a kubelet does around its managers: whether it starts, and whether it admits a pod.
type doorQuestion struct {
	Machine       numa.Machine      `json:"machine"`
	Configuration json.RawMessage   `json:"configuration"`
	Storage       *int64            `json:"storage"` // bytes of ephemeral storage that pods may use, where that is known
	Node          *v1.Node          `json:"node"`    // labels, taints, conditions and features
	Pods          []json.RawMessage `json:"pods"`    // those on the node
	Pod           json.RawMessage   `json:"pod"`
}

// doorAnswer is what the kubelet's code says.
type doorAnswer struct {
	Fails       string           `json:"fails,omitempty"`       // why it does not start
	Strict      string           `json:"strict,omitempty"`      // what strict decoding says of fields that are passed over
	Allocatable map[string]int64 `json:"allocatable,omitempty"` // millicores, bytes, or a number
	Invalid     string           `json:"invalid,omitempty"`     // why the API server refuses the pod
	Reason      string           `json:"reason,omitempty"`      // of the refusal
	Message     string           `json:"message,omitempty"`
	Ended       []string         `json:"ended,omitempty"` // the pods that end for it, by uid, in order
	Panic       string           `json:"panic,omitempty"`
}

// serveDoor answers questions until there are no more.
func (t *target) serveDoor() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		if err := out.Encode(t.throughDoor(line)); err != nil {
			return
		}
	}
}

func (t *target) throughDoor(line []byte) (told doorAnswer) {
	defer func() {
		if cause := recover(); cause != nil {
			told.Panic = fmt.Sprint(cause)
		}
	}()
	var asked doorQuestion
	if err := json.Unmarshal(line, &asked); err != nil {
		return doorAnswer{Panic: err.Error()}
	}
	config, strict, err := t.leniently(asked.Configuration)
	told.Strict = strict
	if err != nil {
		told.Fails = err.Error()
		return told
	}
	node, err := startedNode(&asked, config)
	if err != nil {
		told.Fails = err.Error()
		return told
	}
	told.Allocatable = numbers(node.Status.Allocatable)
	if asked.Pod != nil {
		t.admitAtDoor(&asked, config, node, &told)
	}
	return told
}

func numbers(amounts v1.ResourceList) map[string]int64 {
	found := map[string]int64{}
	for name, amount := range amounts {
		found[string(name)] = amount.Value()
		if name == v1.ResourceCPU {
			found[string(name)] = amount.MilliValue()
		}
	}
	return found
}
