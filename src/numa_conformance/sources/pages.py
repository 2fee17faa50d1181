"""Pages: where Kubernetes says what is made executable here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_SITE = "https://kubernetes.io/docs"
_LIBRARY = "https://github.com/kubernetes/dynamic-resource-allocation/blob/master"
_ENHANCEMENTS = "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node"


def anchor_of(heading: str) -> str:
    """Return the anchor that the site gives a heading: lower case, letters, digits and dashes."""
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"), flags=re.ASCII)


@dataclass(frozen=True, slots=True)
class Page:
    """One page: ``id`` is a short key, ``read`` the version whose text was read.

    ``checked`` tells whether the headings, and with them the anchors, were seen in a copy of that text.
    """

    id: str
    title: str
    address: str
    read: str
    checked: bool = True

    def section(self, title: str, anchor: str | None = None, *, checked: bool = True) -> Section:
        """Return a section by its heading; ``anchor`` where the page gives one of its own."""
        return Section(self, title, anchor_of(title) if anchor is None else anchor, checked and self.checked)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a page. An empty ``anchor`` stands for the head of the page."""

    page: Page
    title: str
    anchor: str
    checked: bool = True

    @property
    def address(self) -> str:
        """The address with the anchor."""
        return f"{self.page.address}#{self.anchor}" if self.anchor else self.page.address

    def __str__(self) -> str:
        return f"{self.page.title}, {self.title}"


NODE_RESOURCE_MANAGERS = Page(
    "nrm",
    "Node Resource Managers",
    "https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/",
    "1.32, sections as in 1.35",
)
CPU_TASK = Page(
    "cpu-task",
    "Control CPU Management Policies on the Node",
    f"{_SITE}/tasks/administer-cluster/cpu-management-policies/",
    "1.32",
)
CPU_1_8 = Page(
    "cpu-1.8",
    "Control CPU Management Policies on the Node (1.8)",
    "https://v1-8.docs.kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/",
    "1.8",
    checked=False,
)
TOPOLOGY_TASK = Page(
    "topology",
    "Control Topology Management Policies on a node",
    f"{_SITE}/tasks/administer-cluster/topology-manager/",
    "1.31",
)
TOPOLOGY_KEP = Page("kep-693", "KEP-693: Node Topology Manager", f"{_ENHANCEMENTS}/693-topology-manager", "as of 1.27")
TOPOLOGY_SOURCE = Page(
    "topology-source",
    "Topology Manager: a walk through its source",
    "https://github.com/kubernetes/kubernetes/tree/release-1.22/pkg/kubelet/cm/topologymanager",
    "1.22",
    checked=False,
)
MEMORY_TASK = Page(
    "memory",
    "Control Memory Management Policies on a Node",
    f"{_SITE}/tasks/administer-cluster/memory-manager/",
    "1.32",
)
TROUBLESHOOTING = Page(
    "troubleshooting", "Troubleshooting Topology Management", f"{_SITE}/tasks/debug/debug-cluster/topology/", "1.32"
)
MEMORY_KEP = Page("kep-1769", "KEP-1769: Memory Manager", f"{_ENHANCEMENTS}/1769-memory-manager", "as of 1.32")
DEVICE_PLUGINS = Page(
    "device-plugins",
    "Device Plugins",
    f"{_SITE}/concepts/extend-kubernetes/compute-storage-net/device-plugins/",
    "1.34",
)
DEVICE_PLUGIN_API = Page(
    "device-plugin-api",
    "Device plugin interface v1beta1, its messages",
    "https://github.com/kubernetes/kubelet/blob/master/pkg/apis/deviceplugin/v1beta1/api.proto",
    "1.34",
    checked=False,
)
DRA = Page(
    "dra",
    "Dynamic Resource Allocation",
    f"{_SITE}/concepts/scheduling-eviction/dynamic-resource-allocation/",
    "1.34",
    checked=False,
)
DRA_API = Page(
    "dra-api",
    "API resource.k8s.io/v1, its comments",
    "https://github.com/kubernetes/api/blob/master/resource/v1/types.go",
    "1.37",
    checked=False,
)
DRA_PLUGIN = Page(
    "dra-plugin",
    "Library kubeletplugin, the interface DRAPlugin",
    f"{_LIBRARY}/kubeletplugin/draplugin.go",
    "1.37",
    checked=False,
)
DRA_ATTRIBUTES = Page(
    "dra-attributes",
    "Library deviceattribute, standard attributes",
    f"{_LIBRARY}/deviceattribute/attribute.go",
    "1.37",
    checked=False,
)
DRA_DRIVER_CPU = Page(
    "dra-driver-cpu",
    "dra-driver-cpu, its pages for users",
    "https://github.com/kubernetes-sigs/dra-driver-cpu/tree/main/docs/user",
    "1.37",
    checked=False,
)
NRI_TOPOLOGY_AWARE = Page(
    "nri-topology-aware",
    "nri-plugins, policy topology-aware",
    "https://github.com/containers/nri-plugins/blob/main/docs/resource-policy/policy/topology-aware.md",
    "main of August 2026",
    checked=False,
)
NRI_BALLOONS = Page(
    "nri-balloons",
    "nri-plugins, policy balloons",
    "https://github.com/containers/nri-plugins/blob/main/docs/resource-policy/policy/balloons.md",
    "main of August 2026",
    checked=False,
)
NRT_API = Page(
    "nrt-api",
    "API topology.node.k8s.io/v1alpha2, its comments",
    "https://github.com/k8stopologyawareschedwg/noderesourcetopology-api/blob/v0.1.2/pkg/apis/topology/v1alpha2/types.go",
    "v0.1.2",
    checked=False,
)
NFD_UPDATER = Page(
    "nfd-updater",
    "Node Feature Discovery, NFD-Topology-Updater",
    "https://nfd.sigs.k8s.io/usage/nfd-topology-updater",
    "0.18",
    checked=False,
)
NFD_OBJECTS = Page(
    "nfd-objects",
    "Node Feature Discovery, CRDs",
    "https://nfd.sigs.k8s.io/usage/custom-resources",
    "0.18",
    checked=False,
)
RESERVE = Page(
    "reserve",
    "Reserve Compute Resources for System Daemons",
    f"{_SITE}/tasks/administer-cluster/reserve-compute-resources/",
    "1.22",
)
BIN_PACKING = Page(
    "bin-packing",
    "Resource Bin Packing",
    f"{_SITE}/concepts/scheduling-eviction/resource-bin-packing/",
    "1.25, sections as in 1.36",
)
POD_QOS = Page("pod-qos", "Pod Quality of Service Classes", f"{_SITE}/concepts/workloads/pods/pod-qos/", "1.27")
INIT_CONTAINERS = Page(
    "init-containers",
    "Init Containers",
    f"{_SITE}/concepts/workloads/pods/init-containers/",
    "1.20, sections as in 1.32",
)
SIDECARS = Page("sidecars", "Sidecar Containers", f"{_SITE}/concepts/workloads/pods/sidecar-containers/", "1.32")
RESIZE = Page(
    "resize",
    "Resize CPU and Memory Resources assigned to Containers",
    f"{_SITE}/tasks/configure-pod-container/resize-container-resources/",
    "1.35",
)
SCHEDULER_CONFIGURATION = Page(
    "scheduler-configuration", "Scheduler Configuration", f"{_SITE}/reference/scheduling/config/", "1.35"
)
SCHEDULER_REFERENCE = Page(
    "scheduler-reference",
    "kube-scheduler Configuration (v1)",
    f"{_SITE}/reference/config-api/kube-scheduler-config.v1/",
    "1.32",
)
KUBELET_REFERENCE = Page(
    "kubelet-reference",
    "Kubelet Configuration (v1beta1)",
    f"{_SITE}/reference/config-api/kubelet-config.v1beta1/",
    "1.32",
)
FEATURE_GATES = Page(
    "feature-gates", "Feature Gates", f"{_SITE}/reference/command-line-tools-reference/feature-gates/", "1.32"
)
FEATURE_GATES_REMOVED = Page(
    "feature-gates-removed",
    "Feature Gates (removed)",
    f"{_SITE}/reference/command-line-tools-reference/feature-gates-removed/",
    "1.32",
    checked=False,
)
RECORDED = Page(
    "recorded", "kubelet and kube-scheduler of the version", "https://github.com/kubernetes/kubernetes", "1.32 to 1.36"
)
"""Not a page: the programs whose decisions were recorded."""

PAGES: Mapping[str, Page] = MappingProxyType(
    {
        page.id: page
        for page in (
            NODE_RESOURCE_MANAGERS,
            CPU_TASK,
            CPU_1_8,
            TOPOLOGY_TASK,
            TOPOLOGY_KEP,
            TOPOLOGY_SOURCE,
            MEMORY_TASK,
            TROUBLESHOOTING,
            MEMORY_KEP,
            DEVICE_PLUGINS,
            DEVICE_PLUGIN_API,
            DRA,
            DRA_API,
            DRA_PLUGIN,
            DRA_ATTRIBUTES,
            DRA_DRIVER_CPU,
            NRI_TOPOLOGY_AWARE,
            NRI_BALLOONS,
            NFD_OBJECTS,
            NFD_UPDATER,
            NRT_API,
            RESERVE,
            BIN_PACKING,
            POD_QOS,
            INIT_CONTAINERS,
            SIDECARS,
            RESIZE,
            SCHEDULER_CONFIGURATION,
            SCHEDULER_REFERENCE,
            KUBELET_REFERENCE,
            FEATURE_GATES,
            FEATURE_GATES_REMOVED,
            RECORDED,
        )
    }
)
"""Every page, by key."""
