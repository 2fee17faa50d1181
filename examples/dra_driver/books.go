package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	vendor = name
	class  = "cpuset"
)

// books are the CPUs of each claim, kept in a file that outlives the driver, and the CDI devices that tell containers.
type books struct {
	file, cdi string
	held      map[string]cpus
}

func open(file, cdi string, forgets bool) (*books, error) {
	for _, folder := range []string{filepath.Dir(file), cdi} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
	}
	kept := &books{file, cdi, map[string]cpus{}}
	content, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || forgets {
		return kept, nil
	}
	if err != nil {
		return nil, err
	}
	lists := map[string]string{}
	if err := json.Unmarshal(content, &lists); err != nil {
		return nil, err
	}
	for uid, list := range lists {
		if kept.held[uid], err = parsed(list); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

func (b *books) isTaken(id int) bool {
	for _, set := range b.held {
		if set[id] {
			return true
		}
	}
	return false
}

func (b *books) device(uid string) string { return "claim-" + uid }

func (b *books) place(uid string) string {
	return filepath.Join(b.cdi, fmt.Sprintf("%s-%s-%s.json", vendor, class, b.device(uid)))
}

// hold notes a claim's CPUs and returns the name of the CDI device that tells them.
func (b *books) hold(uid string, set cpus) (string, error) {
	b.held[uid] = set
	spec := map[string]any{
		"cdiVersion": "0.6.0", "kind": vendor + "/" + class,
		"devices": []any{map[string]any{
			"name":           b.device(uid),
			"containerEdits": map[string]any{"env": []string{fmt.Sprintf("CPUSET_%s=%s", uid, set)}},
		}},
	}
	content, err := json.Marshal(spec)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(b.place(uid), content, 0o644); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s/%s=%s", vendor, class, b.device(uid)), b.write()
}

func (b *books) release(uid string) error {
	delete(b.held, uid)
	if err := os.Remove(b.place(uid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return b.write()
}

func (b *books) write() error {
	lists := map[string]string{}
	for uid, set := range b.held {
		lists[uid] = set.String()
	}
	content, err := json.Marshal(lists)
	if err != nil {
		return err
	}
	fresh := b.file + ".new"
	if err := os.WriteFile(fresh, content, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, b.file)
}
