"""What is used of the interfaces that Kubernetes publishes, field numbers as published.

CRI v1 (``k8s.io/cri-api/pkg/apis/runtime/v1``); device plugins v1beta1, PodResources v1, registration of plugins
and DRA (``k8s.io/kubelet/pkg/apis``); ResourceSlices (``k8s.io/api/resource``).
"""

from __future__ import annotations

from .wire import Package

CRI = Package(
    "runtime.v1",
    {
        "Empty": "",
        "VersionResponse": "version=1 runtime_name=2 runtime_version=3 runtime_api_version=4",
        "StatusResponse": "status=1:RuntimeStatus",
        "RuntimeStatus": "conditions=1:RuntimeCondition[]",
        "RuntimeCondition": "type=1 status=2:bool",
        "RuntimeConfigResponse": "linux=1:LinuxRuntimeConfiguration",
        "LinuxRuntimeConfiguration": "cgroup_driver=1:int32",
        "NamespaceOption": "network=1:int32 pid=2:int32 ipc=3:int32 target_id=4",
        "LinuxSandboxSecurityContext": "namespace_options=1:NamespaceOption",
        "LinuxPodSandboxConfig": "cgroup_parent=1 security_context=2:LinuxSandboxSecurityContext",
        "PodSandboxMetadata": "name=1 uid=2 namespace=3 attempt=4:uint32",
        "PodSandboxConfig": "metadata=1:PodSandboxMetadata log_directory=3 labels=6:map annotations=7:map "
        "linux=8:LinuxPodSandboxConfig",
        "RunPodSandboxRequest": "config=1:PodSandboxConfig",
        "RunPodSandboxResponse": "pod_sandbox_id=1",
        "StopPodSandboxRequest": "pod_sandbox_id=1",
        "RemovePodSandboxRequest": "pod_sandbox_id=1",
        "PodSandboxStatusRequest": "pod_sandbox_id=1",
        "PodSandboxStatusResponse": "status=1:PodSandboxStatus",
        "PodSandboxStatus": "id=1 metadata=2:PodSandboxMetadata state=3:int32 created_at=4:int64 "
        "network=5:PodSandboxNetworkStatus linux=6:LinuxPodSandboxStatus labels=7:map annotations=8:map",
        "PodSandboxNetworkStatus": "ip=1",
        "LinuxPodSandboxStatus": "namespaces=1:Namespace",
        "Namespace": "options=2:NamespaceOption",
        "PodSandboxFilter": "id=1 state=2:StateValue label_selector=3:map",
        "StateValue": "state=1:int32",
        "ListPodSandboxRequest": "filter=1:PodSandboxFilter",
        "ListPodSandboxResponse": "items=1:PodSandbox[]",
        "PodSandbox": "id=1 metadata=2:PodSandboxMetadata state=3:int32 created_at=4:int64 labels=5:map "
        "annotations=6:map",
        "ImageSpec": "image=1",
        "ContainerMetadata": "name=1 attempt=2:uint32",
        "LinuxContainerResources": "cpu_period=1:int64 cpu_quota=2:int64 cpu_shares=3:int64 "
        "memory_limit_in_bytes=4:int64 oom_score_adj=5:int64 cpuset_cpus=6 cpuset_mems=7",
        "LinuxContainerConfig": "resources=1:LinuxContainerResources",
        "ContainerConfig": "metadata=1:ContainerMetadata image=2:ImageSpec envs=6:KeyValue[] labels=9:map "
        "annotations=10:map log_path=11 linux=15:LinuxContainerConfig CDI_devices=17:CDIDevice[]",
        "KeyValue": "key=1 value=2",
        "CDIDevice": "name=1",
        "CreateContainerRequest": "pod_sandbox_id=1 config=2:ContainerConfig",
        "CreateContainerResponse": "container_id=1",
        "StartContainerRequest": "container_id=1",
        "StopContainerRequest": "container_id=1",
        "RemoveContainerRequest": "container_id=1",
        "ContainerFilter": "id=1 state=2:StateValue pod_sandbox_id=3 label_selector=4:map",
        "ListContainersRequest": "filter=1:ContainerFilter",
        "ListContainersResponse": "containers=1:Container[]",
        "Container": "id=1 pod_sandbox_id=2 metadata=3:ContainerMetadata image=4:ImageSpec image_ref=5 state=6:int32 "
        "created_at=7:int64 labels=8:map annotations=9:map",
        "ContainerStatusRequest": "container_id=1",
        "ContainerStatusResponse": "status=1:ContainerStatus",
        "ContainerStatus": "id=1 metadata=2:ContainerMetadata state=3:int32 created_at=4:int64 started_at=5:int64 "
        "finished_at=6:int64 exit_code=7:int32 image=8:ImageSpec image_ref=9 reason=10 labels=12:map "
        "annotations=13:map log_path=15",
        "UpdateContainerResourcesRequest": "container_id=1 linux=2:LinuxContainerResources",
        "Image": "id=1 repo_tags=2:string[] size=4:uint64 spec=7:ImageSpec",
        "ImageStatusRequest": "image=1:ImageSpec",
        "ImageStatusResponse": "image=1:Image",
        "PullImageRequest": "image=1:ImageSpec",
        "PullImageResponse": "image_ref=1",
    },
)

DEVICE_PLUGINS = Package(
    "v1beta1",
    {
        "Empty": "",
        "DevicePluginOptions": "pre_start_required=1:bool get_preferred_allocation_available=2:bool",
        "RegisterRequest": "version=1 endpoint=2 resource_name=3 options=4:DevicePluginOptions",
        "NUMANode": "ID=1:int64",
        "TopologyInfo": "nodes=1:NUMANode[]",
        "Device": "ID=1 health=2 topology=3:TopologyInfo",
        "ListAndWatchResponse": "devices=1:Device[]",
        "ContainerPreferredAllocationRequest": "available_deviceIDs=1:string[] must_include_deviceIDs=2:string[] "
        "allocation_size=3:int32",
        "GetPreferredAllocationRequest": "container_requests=1:ContainerPreferredAllocationRequest[]",
        "ContainerPreferredAllocationResponse": "deviceIDs=1:string[]",
        "PreferredAllocationResponse": "container_responses=1:ContainerPreferredAllocationResponse[]",
        "ContainerAllocateRequest": "devices_ids=1:string[]",
        "AllocateRequest": "container_requests=1:ContainerAllocateRequest[]",
        "ContainerAllocateResponse": "envs=1:map",
        "AllocateResponse": "container_responses=1:ContainerAllocateResponse[]",
        "PreStartContainerRequest": "devices_ids=1:string[]",
    },
)
"""A request of ``GetPreferredAllocation`` is published as ``PreferredAllocationRequest``; names are not on the wire."""

POD_RESOURCES = Package(
    "v1",
    {
        "Empty": "",
        "NUMANode": "ID=1:int64",
        "TopologyInfo": "nodes=1:NUMANode[]",
        "ContainerDevices": "resource_name=1 device_ids=2:string[] topology=3:TopologyInfo",
        "ContainerMemory": "memory_type=1 size=2:uint64 topology=3:TopologyInfo",
        "ContainerResources": "name=1 devices=2:ContainerDevices[] cpu_ids=3:int64[] memory=4:ContainerMemory[]",
        "PodResources": "name=1 namespace=2 containers=3:ContainerResources[]",
        "GetPodResourcesRequest": "pod_name=1 pod_namespace=2",
        "GetPodResourcesResponse": "pod_resources=1:PodResources",
        "ListPodResourcesResponse": "pod_resources=1:PodResources[]",
        "AllocatableResourcesResponse": "devices=1:ContainerDevices[] cpu_ids=2:int64[] memory=3:ContainerMemory[]",
    },
)

REGISTRATION = Package(
    "pluginregistration",
    {
        "Empty": "",
        "PluginInfo": "type=1 name=2 endpoint=3 supported_versions=4:string[]",
        "RegistrationStatus": "plugin_registered=1:bool error=2",
    },
)

_DRA = {
    "Empty": "",
    "Claim": "namespace=1 uid=2 name=3",
    "NodePrepareResourcesRequest": "claims=1:Claim[]",
    "NodePrepareResourcesResponse": "claims=1:PreparedEntry[]",
    "PreparedEntry": "key=1 value=2:NodePrepareResourceResponse",
    "NodePrepareResourceResponse": "devices=1:Device[] error=2",
    "Device": "request_names=1:string[] pool_name=2 device_name=3 cdi_device_ids=4:string[]",
    "NodeUnprepareResourcesRequest": "claims=1:Claim[]",
    "NodeUnprepareResourcesResponse": "claims=1:UnpreparedEntry[]",
    "UnpreparedEntry": "key=1 value=2:NodeUnprepareResourceResponse",
    "NodeUnprepareResourceResponse": "error=1",
}
"""On the wire a map is a list of messages with a key and a value."""
DRA, DRA_V1BETA1 = (Package(f"k8s.io.kubelet.pkg.apis.dra.{version}", _DRA) for version in ("v1", "v1beta1"))

_DEVICE = (
    "attributes={0}:AttributeEntry[] capacity={1}:CapacityEntry[] consumesCounters={2}:DeviceCounterConsumption[] "
    "nodeName={3} allNodes={4}:bool taints={5}:DeviceTaint[] bindsToNode={6}:bool bindingConditions={7}:string[] "
    "bindingFailureConditions={8}:string[] allowMultipleAllocations={9}:bool"
)
_RESOURCE = {
    "Empty": "",
    "Unknown": "raw=2:bytes",
    "ResourceSlice": "metadata=1:ObjectMeta spec=2:ResourceSliceSpec",
    "ObjectMeta": "name=1 generateName=2 uid=5 resourceVersion=6 labels=11:TextEntry[] annotations=12:TextEntry[] "
    "ownerReferences=13:OwnerReference[]",
    "TextEntry": "key=1 value=2",
    "OwnerReference": "kind=1 name=3 uid=4 apiVersion=5 controller=6:bool blockOwnerDeletion=7:bool",
    "ResourceSliceSpec": "driver=1 pool=2:ResourcePool nodeName=3 allNodes=5:bool devices=6:Device[] "
    "perDeviceNodeSelection=7:bool sharedCounters=8:CounterSet[]",
    "ResourcePool": "name=1 generation=2:int64 resourceSliceCount=3:int64",
    "AttributeEntry": "key=1 value=2:DeviceAttribute",
    "DeviceAttribute": "int=2:int64 bool=3:bool string=4 version=5 ints=6:int64[] bools=7:bool[] strings=8:string[] "
    "versions=9:string[]",
    "CapacityEntry": "key=1 value=2:DeviceCapacity",
    "DeviceCapacity": "value=1:Quantity requestPolicy=2:CapacityRequestPolicy",
    "CapacityRequestPolicy": "default=1:Quantity validValues=3:Quantity[] validRange=4:CapacityRequestPolicyRange",
    "CapacityRequestPolicyRange": "min=1:Quantity max=2:Quantity step=3:Quantity",
    "Quantity": "string=1",
    "DeviceCounterConsumption": "counterSet=1 counters=2:CounterEntry[]",
    "CounterSet": "name=1 counters=2:CounterEntry[]",
    "CounterEntry": "key=1 value=2:Counter",
    "Counter": "value=1:Quantity",
    "DeviceTaint": "key=1 value=2 effect=3",
    "NodeAllocatableEntry": "key=1 value=2:NodeAllocatableResource",
    "NodeAllocatableResource": "mapping=3:NodeAllocatableMapping",
    "NodeAllocatableMapping": "capacityKey=1 capacityMultiplier=2:Quantity deviceMultiplier=3:Quantity",
}
RESOURCE_API = Package(
    "k8s.io.api.resource.v1",
    {
        **_RESOURCE,
        "Device": f"name=1 {_DEVICE.format(2, 3, 4, 5, 7, 8, 9, 10, 11, 12)} "
        "nodeAllocatableResources=14:NodeAllocatableEntry[]",
    },
    "proto2",
)
RESOURCE_API_V1BETA1 = Package(
    "k8s.io.api.resource.v1beta1",
    {
        **_RESOURCE,
        "Device": "name=1 basic=2:BasicDevice",
        "BasicDevice": _DEVICE.format(1, 2, 3, 4, 6, 7, 8, 9, 10, 11),
    },
    "proto2",
)
