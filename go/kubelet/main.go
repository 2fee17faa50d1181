// Command kubelet-target lets numa-conformance ask the kubelet's own resource managers, and the scheduler's
// NodeResourcesFit. Against which minor of Kubernetes it is built, its module file says: see README.md.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/go-logr/logr"
	"github.com/numa-conformance/numa-conformance/go/numa"
	"k8s.io/klog/v2"
)

func main() {
	validate := flag.Bool("validate", true, "refuse what the kubelet's own validation of its configuration refuses")
	verbose := flag.Bool("verbose", false, "let the managers log to standard error")
	flag.Parse()
	if !*verbose {
		klog.SetLogger(logr.Discard())
		klog.SetOutput(io.Discard)
	}
	folder, err := os.MkdirTemp("", "numa-kubelet-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	numa.Serve(&target{folder: folder, validate: *validate})
	_ = os.RemoveAll(folder)
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
