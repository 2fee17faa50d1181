// A shim between your allocator and numa-conformance, for one that only chooses CPUs. It takes the lowest ids, and the
// suite says why that is not enough. Next: ask your allocator in Pick, and add the options that it knows to the features.
package main

import (
	"fmt"

	"github.com/numa-conformance/numa-conformance/go/numa"
)

type target struct{}

// Describe says who this is, and what no method shows; only what is claimed is tested. With WantsHostRoot: true the machine
// comes as a tree of /sys and /proc too, below asked.HostRoot.
func (target) Describe() numa.Identity {
	return numa.Identity{Name: "my-allocator", Version: "0.1.0", Features: []string{numa.FeatureCPUManagerStatic}}
}

// Pick chooses asked.Count of the CPUs asked.Available of asked.Machine. Sets are texts: "0-3,8". A machine that your
// allocator does not support: return nil, numa.Unsupported("why").
func (target) Pick(asked numa.Pick) (numa.PickReply, error) {
	available, err := numa.ParseCPUs(asked.Available)
	if err != nil {
		return nil, err
	}
	if asked.Count > len(available) {
		return numa.PickRefused{Message: fmt.Sprintf("%d CPUs are free", len(available))}, nil
	}
	return numa.Picked{CPUs: numa.FormatCPUs(available[:asked.Count])}, nil
}

func main() { numa.Serve(target{}) }
