"""Device Plugins."""

TEXT = """\
# device-plugins/registration 1.8+ Device plugin registration
advertises-healthy-devices [MUST] Devices that a plugin reports are advertised on the node.
  untestable: a node tells it to the API server, in its status, not a target
extended-resource-name [MUST] A plugin's resource is named as extended ones are, vendor-domain/resourcetype.
whole-numbers [MUST] Extended resources are whole numbers and cannot be overcommitted.
not-shared [MUST] Devices cannot be shared between containers.

# device-plugins/example 1.8+ Example #example-pod
gets-what-it-asks-for [MUST] A pod that asks for two devices runs only where they can be had.
remainder-is-free [MUST] Devices beyond these remain available to other pods.

# device-plugins/implementation 1.8+ Device plugin implementation
registers [MUST] A plugin registers itself with the kubelet through its socket.
lists-devices [MUST] ListAndWatch returns the list of devices, and a new one when it changes.
serves-first [MUST 1.10+] A plugin must serve before it registers, for a successful registration.
serves-allocate [MUST] A plugin serves Allocate, of which a container's devices become available to it.
prefers-among-available [MUST 1.19+] GetPreferredAllocation returns a preferred set of devices from a list of available
  ones.
preference-is-a-help [MAY 1.19+] The allocation that a plugin prefers need not be the one performed; it only helps.

# device-plugins/restarts 1.8+ Handling kubelet restarts
plugins-register-again [MUST] Plugins register again when the kubelet restarts.

# device-plugins/unhealthy 1.8+ Device plugin and unhealthy devices
lower-allocatable [MUST] Unhealthy devices lower what is allocatable, not the capacity.
pods-keep-failed-devices [MUST] Pods keep devices that became unhealthy.
  untestable: no message tells that a device fails while a node is up

# device-plugins/podresources 1.13+ List gRPC endpoint #grpc-endpoint-list
lists-exclusive-cpus [MUST] List tells the exclusive CPUs, devices with NUMA nodes, and memory of running pods.
  untestable: it is a service of the kubelet beside its decisions; what it lists is asked through node.state

# device-plugins/podresources-allocatable 1.21+ GetAllocatableResources gRPC endpoint
  #grpc-endpoint-getallocatableresources
initially-available [MUST] GetAllocatableResources tells what is initially available on the node.
  untestable: it is a service of the kubelet beside its decisions; what it lists is asked through node.state

# device-plugins/topology 1.18+ Device plugin integration with the Topology Manager
numa-nodes-are-used [MUST] The NUMA nodes that a plugin tells are used for hints and assignments.
several-nodes [MUST] A device may span several NUMA nodes.
no-nodes-no-preference [MUST] No topology, or an empty list of NUMA nodes, is no preference.

# device-plugin-api/device 1.10+ Device #
unique-id [SHOULD] A device has a unique id, by which the kubelet and the plugin name it.
health [SHOULD] A device is healthy or unhealthy, in the words of the interface's constants.

# device-plugin-api/preferred-allocation 1.19+ ContainerPreferredAllocationRequest #
must-include [SHOULD] Some devices must be included in the preferred allocation.
size [SHOULD] The number of devices to include in the preferred allocation is told.
"""
