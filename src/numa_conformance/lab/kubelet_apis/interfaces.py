"""What is used of the interfaces that Kubernetes publishes, field numbers as published.

CRI v1 (``k8s.io/cri-api/pkg/apis/runtime/v1``); device plugins v1beta1, PodResources v1, registration of plugins
and DRA (``k8s.io/kubelet/pkg/apis``); ResourceSlices (``k8s.io/api/resource``). ``interfaces.txt`` has a message a
line, with its fields: ``name=number:type``, text where no type is given. On the wire a map is a list of messages with
a key and a value. A request of ``GetPreferredAllocation`` is published as ``PreferredAllocationRequest``; names are not
on the wire.
"""

from __future__ import annotations

from ...files import parts_of, text_of
from .wire import Package

_PACKAGES = {
    package: {message: fields for message, _, fields in (line.partition(" ") for line in lines)}
    for package, lines in parts_of(text_of(__package__, "interfaces.txt"))
}
"""Package to its messages: name to fields."""
CRI, DEVICE_PLUGINS, POD_RESOURCES, REGISTRATION = (
    Package(name, _PACKAGES[name]) for name in ("runtime.v1", "v1beta1", "v1", "pluginregistration")
)
_VERSIONS, _DRA, _RESOURCE = ("v1", "v1beta1"), "k8s.io.kubelet.pkg.apis.dra", "k8s.io.api.resource"
DRA, DRA_V1BETA1 = (Package(f"{_DRA}.{version}", _PACKAGES[_DRA]) for version in _VERSIONS)
RESOURCE_API, RESOURCE_API_V1BETA1 = (
    Package(f"{_RESOURCE}.{version}", {**_PACKAGES[_RESOURCE], **_PACKAGES[f"{_RESOURCE}.{version}"]}, "proto2")
    for version in _VERSIONS
)
