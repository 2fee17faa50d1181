package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/numa-conformance/numa-conformance/go/numa"
)

// stateFiles are the files that the managers keep, and where below the kubelet's folder they do.
var stateFiles = map[string]string{
	"cpu_manager_state":           "cpu_manager_state",
	"memory_manager_state":        "memory_manager_state",
	"kubelet_internal_checkpoint": "device-plugins/kubelet_internal_checkpoint",
}

// write puts a state file in place while the kubelet is down; nil deletes it.
func (n *node) write(name string, text *string) error {
	place, known := stateFiles[name]
	if !known {
		return &numa.Error{Code: numa.CodeInvalidParams, Message: "files: the kubelet keeps no file " + name}
	}
	path := filepath.Join(n.folder, place)
	if text == nil {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return os.WriteFile(path, []byte(*text), 0o600)
}

// NodeCheckpoints tells the state files as they are.
func (t *target) NodeCheckpoints(numa.ReadCheckpoints) (numa.Checkpoints, error) {
	found := map[string]string{}
	for name, place := range stateFiles {
		text, err := os.ReadFile(filepath.Join(t.folder, place))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return numa.Checkpoints{}, err
		}
		found[name] = string(text)
	}
	return numa.Checkpoints{Checkpoints: found}, nil
}

// lateFiles are state files with what a pod had that is gone: nil where there was none. The managers here let go of it at
// once, those of a kubelet do so when the next admission or pass of its loop asks them; one that ends before leaves these.
type lateFiles map[string]*string

const cpuFile, memoryFile = "cpu_manager_state", "memory_manager_state"

func (n *node) read(name string) (*string, error) {
	text, err := os.ReadFile(filepath.Join(n.folder, stateFiles[name]))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	told := string(text)
	return &told, err
}

// keepLate takes down the files before something is released, unless an earlier release is still due.
func (n *node) keepLate() error {
	for _, name := range []string{cpuFile, memoryFile} {
		if _, kept := n.late[name]; kept {
			continue
		}
		text, err := n.read(name)
		if err != nil {
			return err
		}
		if n.late == nil {
			n.late = lateFiles{}
		}
		n.late[name] = text
	}
	return nil
}

func (n *node) putLate() error {
	for name, text := range n.late {
		if err := n.write(name, text); err != nil {
			return err
		}
	}
	return nil
}
