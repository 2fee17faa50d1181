"""The Kubernetes objects that users already have."""

from ..documents import Document, read_documents
from .cluster_objects import ClusterObjects, NodeObject, read_cluster
from .configuration_files import read_kubelet_configuration, read_scheduler_configuration
from .container import Container, QosClass, qos_class
from .features import FeatureGates, gate_faults, option_maturity
from .kubelet_config import KubeletConfiguration, ReservedMemory
from .kubelet_flags import with_flags
from .kubelet_validation import validate, validation_faults
from .manifests import files_of
from .pod import Pod
from .quantity import Quantity
from .requests import pod_limits, pod_requests, pod_total
from .reservation import explicit_reserved_cpus, node_reservation, reserved_cpu_milli
from .scheduler_config import (
    NodeResourcesFitArgs,
    ResourceWeight,
    SchedulerConfiguration,
    SchedulerProfile,
    ScoringStrategy,
    ShapePoint,
)
from .steps import LifeStep, StartForm, pod_named

__all__ = ["ClusterObjects", "Container", "Document", "FeatureGates", "KubeletConfiguration", "LifeStep", "NodeObject"]
__all__ += ["NodeResourcesFitArgs", "Pod", "QosClass", "Quantity", "ReservedMemory", "ResourceWeight"]
__all__ += ["SchedulerConfiguration", "SchedulerProfile", "ScoringStrategy", "ShapePoint", "StartForm"]
__all__ += ["explicit_reserved_cpus", "files_of", "gate_faults", "node_reservation", "option_maturity", "pod_limits"]
__all__ += ["pod_named", "pod_requests", "pod_total", "qos_class", "read_cluster", "read_documents"]
__all__ += ["read_kubelet_configuration", "read_scheduler_configuration", "reserved_cpu_milli", "validate"]
__all__ += ["validation_faults", "with_flags"]
