"""Pages: where Kubernetes says what is made executable here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_PAGE = re.compile(r"(\S+) \[([^;\]]+)(; unchecked)?\] (.+) (https://\S+)")


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


TEXT = """\
nrm [1.32, sections as in 1.35] Node Resource Managers
  https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/
cpu-task [1.32] Control CPU Management Policies on the Node
  https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/
cpu-1.8 [1.8; unchecked] Control CPU Management Policies on the Node (1.8)
  https://v1-8.docs.kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/
topology [1.31] Control Topology Management Policies on a node
  https://kubernetes.io/docs/tasks/administer-cluster/topology-manager/
kep-693 [as of 1.27] KEP-693: Node Topology Manager
  https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/693-topology-manager
topology-source [1.22; unchecked] Topology Manager: a walk through its source
  https://github.com/kubernetes/kubernetes/tree/release-1.22/pkg/kubelet/cm/topologymanager
memory [1.32] Control Memory Management Policies on a Node
  https://kubernetes.io/docs/tasks/administer-cluster/memory-manager/
troubleshooting [1.32] Troubleshooting Topology Management
  https://kubernetes.io/docs/tasks/debug/debug-cluster/topology/
kep-1769 [as of 1.32] KEP-1769: Memory Manager
  https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/1769-memory-manager
device-plugins [1.34] Device Plugins
  https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/
device-plugin-api [1.34; unchecked] Device plugin interface v1beta1, its messages
  https://github.com/kubernetes/kubelet/blob/master/pkg/apis/deviceplugin/v1beta1/api.proto
dra [1.34; unchecked] Dynamic Resource Allocation
  https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
dra-api [1.37; unchecked] API resource.k8s.io/v1, its comments
  https://github.com/kubernetes/api/blob/master/resource/v1/types.go
dra-plugin [1.37; unchecked] Library kubeletplugin, the interface DRAPlugin
  https://github.com/kubernetes/dynamic-resource-allocation/blob/master/kubeletplugin/draplugin.go
dra-attributes [1.37; unchecked] Library deviceattribute, standard attributes
  https://github.com/kubernetes/dynamic-resource-allocation/blob/master/deviceattribute/attribute.go
dra-driver-cpu [1.37; unchecked] dra-driver-cpu, its pages for users
  https://github.com/kubernetes-sigs/dra-driver-cpu/tree/main/docs/user
nri-topology-aware [main of August 2026; unchecked] nri-plugins, policy topology-aware
  https://github.com/containers/nri-plugins/blob/main/docs/resource-policy/policy/topology-aware.md
nri-balloons [main of August 2026; unchecked] nri-plugins, policy balloons
  https://github.com/containers/nri-plugins/blob/main/docs/resource-policy/policy/balloons.md
nfd-objects [0.18; unchecked] Node Feature Discovery, CRDs
  https://nfd.sigs.k8s.io/usage/custom-resources
nfd-updater [0.18; unchecked] Node Feature Discovery, NFD-Topology-Updater
  https://nfd.sigs.k8s.io/usage/nfd-topology-updater
nrt-api [v0.1.2; unchecked] API topology.node.k8s.io/v1alpha2, its comments
  https://github.com/k8stopologyawareschedwg/noderesourcetopology-api/blob/v0.1.2/pkg/apis/topology/v1alpha2/types.go
reserve [1.22] Reserve Compute Resources for System Daemons
  https://kubernetes.io/docs/tasks/administer-cluster/reserve-compute-resources/
bin-packing [1.25, sections as in 1.36] Resource Bin Packing
  https://kubernetes.io/docs/concepts/scheduling-eviction/resource-bin-packing/
pod-qos [1.27] Pod Quality of Service Classes
  https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
init-containers [1.20, sections as in 1.32] Init Containers
  https://kubernetes.io/docs/concepts/workloads/pods/init-containers/
sidecars [1.32] Sidecar Containers
  https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
resize [1.35] Resize CPU and Memory Resources assigned to Containers
  https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/
scheduler-configuration [1.35] Scheduler Configuration
  https://kubernetes.io/docs/reference/scheduling/config/
scheduler-reference [1.32] kube-scheduler Configuration (v1)
  https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/
kubelet-reference [1.32] Kubelet Configuration (v1beta1)
  https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/
feature-gates [1.32] Feature Gates
  https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
feature-gates-removed [1.32; unchecked] Feature Gates (removed)
  https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates-removed/
recorded [1.32 to 1.36] kubelet and kube-scheduler of the version
  https://github.com/kubernetes/kubernetes
"""
"""A page each: ``ID [READ] TITLE`` and the address below; ``unchecked`` where its headings were not seen. The last one
is no page: the programs whose decisions were recorded."""


def _read_page(line: str) -> Page:
    match = _PAGE.fullmatch(line)
    if match is None:
        raise ValueError(f"not a page: {line!r}")
    id, read, unchecked, title, address = match.groups()
    return Page(id, title, address, read, checked=unchecked is None)


PAGES: Mapping[str, Page] = MappingProxyType(
    {page.id: page for page in map(_read_page, TEXT.replace("\n  ", " ").splitlines())}
)
"""Every page, by key."""
NODE_RESOURCE_MANAGERS = PAGES["nrm"]
CPU_TASK = PAGES["cpu-task"]
TOPOLOGY_TASK = PAGES["topology"]
MEMORY_TASK = PAGES["memory"]
BIN_PACKING = PAGES["bin-packing"]
SCHEDULER_REFERENCE = PAGES["scheduler-reference"]
KUBELET_REFERENCE = PAGES["kubelet-reference"]
FEATURE_GATES = PAGES["feature-gates"]
FEATURE_GATES_REMOVED = PAGES["feature-gates-removed"]
