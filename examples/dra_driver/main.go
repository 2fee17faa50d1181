// A DRA driver that gives whole CPUs to claims, made with the published library kubeletplugin. Containers are told their CPUs by
// CDI: in the variable CPUSET_ and the claim's uid.
//
//	dra-cpus -kubeconfig FILE -node NAME [-kubelet DIR] [-cdi DIR] [-root DIR] [-reserved LIST] [-wrong WAY]
//
// It publishes a device for each NUMA node, whose CPUs are a capacity that claims consume. With -wrong it is wrong in one way:
// counts-nodes, other-node, other-socket, one-too-few, too-much, keeps, refuses-again, anew, forgets, overlaps, gives-reserved.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

const name = "cpu.example.com"

type driver struct {
	wrong string
	node  string
	host  *host
	books *books
}

// PrepareResourceClaims chooses CPUs for each claim, once, and writes the CDI device that tells them.
func (d *driver) PrepareResourceClaims(_ context.Context, claims []*resourceapi.ResourceClaim) (map[types.UID]kubeletplugin.PrepareResult, error) {
	results := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		results[claim.UID] = d.prepare(claim)
	}
	return results, nil
}

func (d *driver) prepare(claim *resourceapi.ResourceClaim) kubeletplugin.PrepareResult {
	uid := string(claim.UID)
	given, known := d.books.held[uid]
	if !known || d.wrong == "anew" {
		given = cpus{}
		for _, result := range claim.Status.Allocation.Devices.Results {
			consumed := result.ConsumedCapacity[capacity]
			chosen, err := d.choose(result.Device, int(consumed.Value()), given)
			if err != nil {
				return kubeletplugin.PrepareResult{Err: err}
			}
			for id := range chosen {
				given[id] = true
			}
		}
	}
	device, err := d.books.hold(uid, given)
	if err != nil {
		return kubeletplugin.PrepareResult{Err: err}
	}
	prepared := kubeletplugin.PrepareResult{}
	for _, result := range claim.Status.Allocation.Devices.Results {
		prepared.Devices = append(prepared.Devices, kubeletplugin.Device{
			Requests: []string{result.Request}, PoolName: result.Pool, DeviceName: result.Device, CDIDeviceIDs: []string{device},
		})
	}
	return prepared
}

// choose takes free CPUs of a device, whole cores first.
func (d *driver) choose(device string, count int, taken cpus) (cpus, error) {
	node, known := d.host.deviceNode(device)
	if !known {
		return nil, fmt.Errorf("there is no device %s", device)
	}
	if d.wrong == "other-node" {
		node = d.host.after(node)
	}
	free := cpus{}
	for id := range d.host.ofNode[node] {
		if !taken[id] && (d.wrong == "overlaps" || !d.books.isTaken(id)) {
			free[id] = true
		}
	}
	if d.wrong == "one-too-few" && count > 1 {
		count--
	}
	if len(free) < count {
		return nil, fmt.Errorf("%d CPUs of %s are free, not %d", len(free), device, count)
	}
	return d.host.wholeCoresFirst(free, count), nil
}

// UnprepareResourceClaims lets go of what claims have; one that has nothing is no error.
func (d *driver) UnprepareResourceClaims(_ context.Context, claims []kubeletplugin.NamespacedObject) (map[types.UID]error, error) {
	results := map[types.UID]error{}
	for _, claim := range claims {
		_, known := d.books.held[string(claim.UID)]
		switch {
		case !known && d.wrong == "refuses-again":
			results[claim.UID] = fmt.Errorf("claim %s has no CPUs", claim.Name)
		case d.wrong == "keeps":
			results[claim.UID] = nil
		default:
			results[claim.UID] = d.books.release(string(claim.UID))
		}
	}
	return results, nil
}

// HandleError tells what went wrong behind the calls, such as publishing.
func (d *driver) HandleError(_ context.Context, err error, message string) {
	fmt.Fprintf(os.Stderr, "%s: %v\n", message, err)
}

// WatchHealthStatus has nothing to tell: CPUs do not become unhealthy.
func (d *driver) WatchHealthStatus(ctx context.Context, _ chan<- kubeletplugin.DeviceHealthReport) error {
	<-ctx.Done()
	return nil
}

func run() error {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "how the API server is reached")
	node := flag.String("node", os.Getenv("NODE_NAME"), "the name of this node")
	kubelet := flag.String("kubelet", "/var/lib/kubelet", "the kubelet's folder")
	cdi := flag.String("cdi", "/var/run/cdi", "where a container runtime finds CDI devices")
	root := flag.String("root", "/", "the folder with sys of the host")
	reserved := flag.String("reserved", "", "CPUs to leave alone, as a list like 0-1,8")
	wrong := flag.String("wrong", "", "the way in which to be wrong")
	flag.Parse()

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	left, err := parsed(*reserved)
	if err != nil {
		return err
	}
	if *wrong == "gives-reserved" {
		left = cpus{}
	}
	machine, err := read(*root, left)
	if err != nil {
		return err
	}
	data := filepath.Join(*kubelet, "plugins", name)
	known, err := open(filepath.Join(data, "claims.json"), *cdi, *wrong == "forgets")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	d := &driver{*wrong, *node, machine, known}
	helper, err := kubeletplugin.Start(ctx, d, kubeletplugin.DriverName(name), kubeletplugin.NodeName(*node),
		kubeletplugin.KubeClient(client), kubeletplugin.PluginDataDirectoryPath(data),
		kubeletplugin.RegistrarDirectoryPath(filepath.Join(*kubelet, "plugins_registry")))
	if err != nil {
		return err
	}
	defer helper.Stop()
	if err := helper.PublishResources(ctx, d.published()); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
