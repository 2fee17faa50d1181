package main

import (
	"context"
	"sort"

	"github.com/numa-conformance/numa-conformance/go/numa"
	"google.golang.org/grpc"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// plugin is the device plugin of one resource, connected to the Device Manager without a socket between them.
type plugin struct {
	pluginapi.DevicePluginClient // nothing else is asked
	resource                     string
	lowestIDs                    bool
}

func (p *plugin) API() pluginapi.DevicePluginClient { return p }
func (p *plugin) Resource() string                  { return p.resource }
func (p *plugin) SocketPath() string                { return p.resource }

func (p *plugin) GetDevicePluginOptions(
	context.Context, *pluginapi.Empty, ...grpc.CallOption,
) (*pluginapi.DevicePluginOptions, error) {
	return &pluginapi.DevicePluginOptions{GetPreferredAllocationAvailable: p.lowestIDs}, nil
}

// GetPreferredAllocation prefers what must be included, then the lowest ids in string order.
func (p *plugin) GetPreferredAllocation(
	_ context.Context, asked *pluginapi.PreferredAllocationRequest, _ ...grpc.CallOption,
) (*pluginapi.PreferredAllocationResponse, error) {
	reply := &pluginapi.PreferredAllocationResponse{}
	for _, one := range asked.ContainerRequests {
		included := append([]string{}, one.MustIncludeDeviceIDs...)
		available := append([]string{}, one.AvailableDeviceIDs...)
		sort.Strings(included)
		sort.Strings(available)
		taken := map[string]bool{}
		var ids []string
		for _, id := range append(included, available...) {
			if len(ids) < int(one.AllocationSize) && !taken[id] {
				taken[id] = true
				ids = append(ids, id)
			}
		}
		one := &pluginapi.ContainerPreferredAllocationResponse{DeviceIDs: ids}
		reply.ContainerResponses = append(reply.ContainerResponses, one)
	}
	return reply, nil
}

func (p *plugin) Allocate(
	_ context.Context, asked *pluginapi.AllocateRequest, _ ...grpc.CallOption,
) (*pluginapi.AllocateResponse, error) {
	reply := &pluginapi.AllocateResponse{}
	for range asked.ContainerRequests {
		reply.ContainerResponses = append(reply.ContainerResponses, &pluginapi.ContainerAllocateResponse{})
	}
	return reply, nil
}

// connectPlugins registers the plugins of a machine, and tells their devices.
func connectPlugins(machine numa.Machine, manager deviceManager) error {
	devices := map[string][]*pluginapi.Device{}
	var resources []string
	for _, one := range machine.Devices {
		if _, met := devices[one.Resource]; !met {
			resources = append(resources, one.Resource)
		}
		device := &pluginapi.Device{ID: one.ID, Health: pluginapi.Healthy}
		if one.Healthy != nil && !*one.Healthy {
			device.Health = pluginapi.Unhealthy
		}
		if len(one.NUMA) > 0 {
			device.Topology = &pluginapi.TopologyInfo{}
			for _, id := range one.NUMA {
				device.Topology.Nodes = append(device.Topology.Nodes, &pluginapi.NUMANode{ID: int64(id)})
			}
		}
		devices[one.Resource] = append(devices[one.Resource], device)
	}
	for _, resource := range resources {
		offered := machine.DevicePlugins[resource]
		connected := &plugin{
			resource:  resource,
			lowestIDs: offered != nil && offered.PreferredAllocation != nil && *offered.PreferredAllocation == "lowest-id",
		}
		if err := failure(invoke(manager.PluginConnected, resource, connected)); err != nil {
			return err
		}
		invoke(manager.PluginListAndWatchReceiver, resource, &pluginapi.ListAndWatchResponse{Devices: devices[resource]})
	}
	return nil
}
