package main

import (
	"context"
	"runtime"
	"strings"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm/containermap"
)

// running is the container runtime of a node, and what the kubelet knows of its containers: those that were started, in
// that order, and which of them have ended.
type running struct {
	containers []*started
	updates    []numa.Update
}

type started struct {
	uid, name string
	ended     bool
}

// id is how the runtime names a container.
func (s *started) id() string { return s.uid + "_" + s.name }

func (r *running) find(uid, name string) *started {
	for _, one := range r.containers {
		if one.uid == uid && one.name == name {
			return one
		}
	}
	return nil
}

func (r *running) start(uid, name string) *started {
	found := r.find(uid, name)
	if found == nil {
		found = &started{uid: uid, name: name}
		r.containers = append(r.containers, found)
	}
	found.ended = false
	return found
}

func (r *running) forget(uid string) {
	var kept []*started
	for _, one := range r.containers {
		if one.uid != uid {
			kept = append(kept, one)
		}
	}
	r.containers = kept
}

// known returns the containers as a kubelet that starts learns them from its runtime.
func (r *running) known() containermap.ContainerMap {
	found := containermap.NewContainerMap()
	for _, one := range r.containers {
		found.Add(one.uid, one.name, one.id())
	}
	return found
}

// GetPodStatus tells which containers of a pod have an id, and which of those run.
func (r *running) GetPodStatus(uid types.UID) (v1.PodStatus, bool) {
	var status v1.PodStatus
	for _, one := range r.containers {
		if one.uid == string(uid) {
			told := v1.ContainerStatus{Name: one.name, ContainerID: "fake://" + one.id()}
			if one.ended {
				told.State.Terminated = &v1.ContainerStateTerminated{}
			} else {
				told.State.Running = &v1.ContainerStateRunning{}
			}
			status.ContainerStatuses = append(status.ContainerStatuses, told)
		}
	}
	return status, len(status.ContainerStatuses) > 0
}

// UpdateContainerResources is how the CPU Manager sends a cpuset to the runtime.
func (r *running) UpdateContainerResources(_ context.Context, id string, resources *runtimeapi.ContainerResources) error {
	for _, one := range r.containers {
		if one.id() == id {
			r.updates = append(r.updates, numa.Update{UID: one.uid, Container: one.name, CPUs: resources.Linux.CpusetCpus})
		}
	}
	return nil
}

// passes lets the CPU Manager's own loop make one pass at a time. Each pass begins with the question whether all sources
// are ready, asked by the loop's goroutine; there it waits until a pass is wanted, or for ever when the node is gone.
type passes struct {
	wanted, done, gone chan struct{}
	inside             bool
}

func newPasses() *passes {
	return &passes{wanted: make(chan struct{}), done: make(chan struct{}), gone: make(chan struct{})}
}

// AddSource is not asked: all sources are known.
func (p *passes) AddSource(string) {}

// AllReady says that all sources are ready, and keeps the loop waiting.
func (p *passes) AllReady() bool {
	if !calledByLoop() {
		return true
	}
	if p.inside {
		p.inside = false
		p.done <- struct{}{}
	}
	select {
	case <-p.wanted:
		p.inside = true
	case <-p.gone:
		runtime.Goexit()
	}
	return true
}

func calledByLoop() bool {
	callers := make([]uintptr, 16)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, ").reconcileState") {
			return true
		}
		if !more {
			return false
		}
	}
}

// one lets the loop make one pass, and returns when it is over.
func (p *passes) one() {
	p.wanted <- struct{}{}
	<-p.done
}

// end lets the loop end for ever.
func (p *passes) end() { close(p.gone) }
