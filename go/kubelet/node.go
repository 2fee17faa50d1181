package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/kubelet/cm/cpumanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/devicemanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/memorymanager"
	"k8s.io/kubernetes/pkg/kubelet/cm/topologymanager"
)

const pass = time.Millisecond // between two passes of the loop, if one is wanted

type deviceManager = *devicemanager.ManagerImpl

// node is one node: the managers of the kubelet that runs on it, and what outlives that kubelet.
type node struct {
	folder     string
	machine    numa.Machine
	info       *MachineInfo
	pods       []*v1.Pod
	containers running
	kubelet    json.RawMessage
	config     *configuration
	kept       reserved
	topology   topologymanager.Manager
	cpu        cpumanager.Manager
	memory     memorymanager.Manager
	devices    deviceManager
	passes     *passes
	late       lateFiles
	eager      bool
}

// refusal says at which stage a node does not come up, and why.
type refusal struct {
	stage string
	cause error
}

func (t *target) refused(told *refusal) numa.StartFailed {
	message := strings.ReplaceAll(told.cause.Error(), t.folder, "<state-dir>")
	return numa.StartFailed{Stage: told.stage, Message: message}
}

// NodeStart brings up a node in an empty folder.
func (t *target) NodeStart(asked numa.StartNode) (numa.NodeStartReply, error) {
	t.down()
	t.node = nil
	info, err := machineInfo(asked.Machine)
	if err != nil {
		return nil, &numa.Error{Code: numa.CodeInvalidParams, Message: err.Error()}
	}
	if err := emptied(t.folder); err != nil {
		return nil, err
	}
	started := &node{folder: t.folder, machine: asked.Machine, info: info, kubelet: asked.Kubelet}
	for name, text := range asked.Files {
		if err := started.write(name, &text); err != nil {
			return nil, err
		}
	}
	if told := t.up(started); told != nil {
		return t.refused(told), nil
	}
	t.node = started
	return t.node.started(), nil
}

// up builds the managers in the order of the kubelet's container manager, and starts them.
func (t *target) up(n *node) *refusal {
	config, err := t.configure(n.kubelet)
	if err != nil {
		return &refusal{"kubelet", err}
	}
	kept, err := reservation(config, n.info)
	if err != nil {
		return &refusal{"kubelet", err}
	}
	ofCPU, ofTopology, err := policyOptions(config)
	if err != nil {
		return &refusal{"kubelet", err}
	}
	n.config, n.kept = config, kept
	n.topology, err = result[topologymanager.Manager](invoke(topologymanager.NewManager,
		n.info.Topology, config.TopologyManagerPolicy, config.TopologyManagerScope, ofTopology))
	if err != nil {
		return &refusal{"topologymanager", err}
	}
	n.devices, err = result[deviceManager](invoke(newDeviceManager,
		filepath.Join(n.folder, "device-plugins", "kubelet.sock"), n.info.Topology, n.topology))
	if err != nil {
		return &refusal{"devicemanager", err}
	}
	invoke(n.topology.AddHintProvider, n.devices)
	n.cpu, err = result[cpumanager.Manager](invoke(cpumanager.NewManager,
		config.CPUManagerPolicy, ofCPU, pass, n.info, kept.cpus, kept.amounts, n.folder, n.topology))
	if err != nil {
		return &refusal{"cpumanager", err}
	}
	invoke(n.topology.AddHintProvider, n.cpu)
	n.memory, err = result[memorymanager.Manager](invoke(memorymanager.NewManager,
		config.MemoryManagerPolicy, n.info, kept.amounts, config.ReservedMemory, n.folder, n.topology))
	if err != nil {
		return &refusal{"memorymanager", err}
	}
	invoke(n.topology.AddHintProvider, n.memory)
	return n.start()
}

func (n *node) start() *refusal {
	n.passes = newPasses()
	if err := failure(invoke(n.cpu.Start, n.activeFor(cpuFile), n.passes, &n.containers, &n.containers, n.containers.known())); err != nil {
		return &refusal{"cpumanager-start", err}
	}
	if err := failure(invoke(n.memory.Start, n.activeFor(memoryFile), n.passes, &n.containers, &n.containers, n.containers.known())); err != nil {
		return &refusal{"memorymanager-start", err}
	}
	if len(n.machine.Devices) == 0 {
		return nil
	}
	run := sets.New[string]()
	for _, one := range n.containers.containers {
		if !one.ended {
			run.Insert(one.id())
		}
	}
	if err := failure(invoke(n.devices.Start, n.active, n.passes, n.containers.known(), run)); err != nil {
		return &refusal{"devicemanager-start", err}
	}
	if err := connectPlugins(n.machine, n.devices); err != nil {
		return &refusal{"devicemanager-start", err}
	}
	return nil
}

// down ends the kubelet of a node; files, pods and containers stay.
func (t *target) down() {
	n := t.node
	if n == nil {
		return
	}
	if n.passes != nil {
		n.passes.end()
		n.passes = nil
	}
	if n.devices != nil && len(n.machine.Devices) > 0 {
		invoke(n.devices.Stop)
	}
	n.topology, n.cpu, n.memory, n.devices = nil, nil, nil, nil
}

func (n *node) active() []*v1.Pod { return append([]*v1.Pod{}, n.pods...) }

// activeFor returns what a manager asks for the active pods when it lets go of what others had: its file is then no longer
// late, unless the adapter made it let go.
func (n *node) activeFor(file string) func() []*v1.Pod {
	return func() []*v1.Pod {
		if !n.eager {
			delete(n.late, file)
		}
		return n.active()
	}
}

// upNode returns the node, or an error if none is up.
func (t *target) upNode() (*node, error) {
	if t.node == nil || t.node.memory == nil {
		return nil, fmt.Errorf("no node is up: node.start first")
	}
	return t.node, nil
}

func emptied(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Join(folder, "device-plugins"), 0o755)
}
