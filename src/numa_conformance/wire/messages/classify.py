"""The surface ``classify``: what a pod asks for."""

from collections.abc import Mapping

from ..message import Message, Request
from ..values import CpuCount, JsonObject

SURFACE = "QoS class and exclusive CPUs of a pod"
FEATURES = {
    "node/qos": "QoS classes and effective requests of pods",
    "node/pod-level-resources": "resources of pods as a whole (spec.resources): QoS classes, what the scheduler counts",
}


class Classified(Message, frozen=True, omit_defaults=False):
    """The class; container to exclusive CPUs; the same for the pod as a whole."""

    qos: str
    container_cpus: Mapping[str, CpuCount]
    pod_cpus: CpuCount


class Classify(Request[Classified], method="classify", surface="classify", frozen=True):
    """Ask for a pod's QoS class and the exclusive CPUs of its containers."""

    pod: JsonObject
