"""The Kubernetes objects that users already have."""

from .documents import pods_of, read_kubelet_configuration, read_pods
from .features import FeatureGates, check_version, option_maturity
from .kubelet_config import KubeletConfiguration, ReservedMemory
from .kubelet_validation import validate
from .pod import Container, Pod
from .qos import QosClass, qos_class
from .quantity import Quantity
from .reading import Document, read_documents
from .requests import pod_exclusive_cpus, pod_limits, pod_memory_amounts, pod_requests, pod_total
from .reservation import explicit_reserved_cpus, node_reservation, reserved_cpu_milli

__all__ = [
    "Container",
    "Document",
    "FeatureGates",
    "KubeletConfiguration",
    "Pod",
    "QosClass",
    "Quantity",
    "ReservedMemory",
    "check_version",
    "explicit_reserved_cpus",
    "node_reservation",
    "option_maturity",
    "pod_exclusive_cpus",
    "pod_limits",
    "pod_memory_amounts",
    "pod_requests",
    "pod_total",
    "pods_of",
    "qos_class",
    "read_documents",
    "read_kubelet_configuration",
    "read_pods",
    "reserved_cpu_milli",
    "validate",
]
