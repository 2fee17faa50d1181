// Command kubelet-target lets numa-conformance ask the kubelet's own resource managers, and the scheduler's
// NodeResourcesFit. Against which minor of Kubernetes it is built, its module file says: see README.md.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/klog/v2"
)

func main() {
	validate := flag.Bool("validate", true, "refuse what the kubelet's own validation of its configuration refuses")
	verbose := flag.Bool("verbose", false, "let the managers log to standard error")
	door := flag.Bool("door", false, "answer questions about what a kubelet does around its managers, a JSON object a line")
	flag.Parse()
	if !*verbose {
		klog.SetLogger(logr.Discard())
		klog.SetOutput(io.Discard)
	}
	folder, waiting, err := ownFolder()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	asked := &target{folder: folder, validate: *validate}
	if *door {
		asked.serveDoor()
	} else {
		numa.Serve(asked)
	}
	_ = os.RemoveAll(folder)
	_ = waiting.Process.Kill()
	_ = waiting.Wait()
}

// ownFolder makes a folder that goes with this process, however it ends: a shell waits for the end of a pipe of which
// this process has the other end, and removes it then. What kills the session of this process, or all that have its
// environment, does not end the shell.
func ownFolder() (string, *exec.Cmd, error) {
	folder, err := os.MkdirTemp("", "numa-kubelet-")
	if err != nil {
		return "", nil, err
	}
	waiting := exec.Command("/bin/sh", "-c", `read -r _; rm -rf -- "$1"`, "sh", folder)
	waiting.Env = []string{"PATH=/usr/bin:/bin"}
	waiting.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if _, err := waiting.StdinPipe(); err != nil { // closed by Wait, or with this process
		return "", nil, err
	}
	return folder, waiting, waiting.Start()
}

// target answers for one kubelet: its node, if one is up, and what needs none.
type target struct {
	folder   string
	validate bool
	node     *node
}

// Describe says which release this was built from.
func (t *target) Describe() numa.Identity {
	release := kubernetesRelease()
	return numa.Identity{
		Name:              "kubelet",
		Version:           release,
		KubernetesVersion: release,
		Features:          features(minorOf(release)),
	}
}

// kubernetesRelease returns the version of k8s.io/kubernetes in this program ("1.34.10").
func kubernetesRelease() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "k8s.io/kubernetes" {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return ""
}

func minorOf(release string) string {
	parts := strings.SplitN(release, ".", 3)
	return parts[0] + "." + parts[1]
}
