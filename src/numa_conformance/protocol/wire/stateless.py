"""Messages of the surfaces that keep no state: describe, pick, allocate, hints, merge, classify, host, score."""

from __future__ import annotations

import msgspec

from .values import AllocationFault, CpuChoice, HintValue, JsonObject, Message, PriorState

__all__ = [
    "Allocate",
    "AllocateReply",
    "Classify",
    "ClassifyReply",
    "Describe",
    "Description",
    "Discover",
    "DiscoverReply",
    "Hints",
    "HintsReply",
    "HostReconcile",
    "Merge",
    "MergeReply",
    "Pick",
    "PickReply",
    "Score",
    "ScoreReply",
]


class Describe(Message, frozen=True, omit_defaults=False):
    """Who are you? The first message of every conversation."""

    protocol: str = "1"


class Description(Message, frozen=True, omit_defaults=False):
    """Who a target is, and what it claims."""

    name: str
    version: str
    protocol: str
    surfaces: list[str]
    features: list[str]
    kubernetesVersion: str = "1.32"  # noqa: N815  (the name on the wire)


class Pick(Message, frozen=True, omit_defaults=False):
    """Choose ``count`` of the ``available`` CPUs, near ``affinity`` if one is given. Nothing is remembered."""

    machine: JsonObject
    available: str
    count: int
    options: dict[str, bool] = msgspec.field(default_factory=dict)
    affinity: HintValue | None = None


class PickReply(Message, frozen=True):
    """The CPUs in kernel list format, or an error."""

    cpus: str | None = None
    error: AllocationFault | None = None


class Allocate(Message, frozen=True, omit_defaults=False):
    """One allocation of the static policy for one container, in a given state."""

    machine: JsonObject
    kubelet: JsonObject
    state: PriorState
    pod: JsonObject
    container: str
    affinity: HintValue | None = None


class AllocateReply(Message, frozen=True):
    """Reserved CPUs, exclusive CPUs asked for, hints before the allocation, and the allocation."""

    reserved_cpus: str | None = None
    guaranteed_cpus: int | None = None
    pod_guaranteed_cpus: int | None = None
    hints: dict[str, list[HintValue] | None] | None = None
    pod_hints: dict[str, list[HintValue] | None] | None = None
    allocate: CpuChoice | None = None
    construction_error: str | None = None


class Hints(Message, frozen=True, omit_defaults=False):
    """Ask for the CPU hints of one container (null: of the pod as a whole) in a given state."""

    machine: JsonObject
    kubelet: JsonObject
    state: PriorState
    pod: JsonObject
    container: str | None = None


class HintsReply(Message, frozen=True):
    """Resource to hints; null: no opinion; an empty list: impossible."""

    hints: dict[str, list[HintValue] | None] | None = None


class Merge(Message, frozen=True, omit_defaults=False):
    """Merge the hints of providers (each null, or resource to hints) under a Topology Manager policy."""

    policy: str
    options: dict[str, str]
    nodes: list[int]
    distances: list[list[int]] | None
    providers: list[dict[str, list[HintValue] | None] | None]


class MergeReply(Message, frozen=True, omit_defaults=False):
    """The merged hint and whether the policy admits the pod."""

    nodes: list[int] | None
    preferred: bool
    admit: bool


class Classify(Message, frozen=True):
    """Ask for a pod's QoS class and the exclusive CPUs of its containers."""

    pod: JsonObject


class ClassifyReply(Message, frozen=True, omit_defaults=False):
    """The class; container to exclusive CPUs; the same for the pod as a whole."""

    qos: str
    container_cpus: dict[str, int]
    pod_cpus: int


class Discover(Message, frozen=True):
    """Read the host tree below ``root``."""

    root: str


class DiscoverReply(Message, frozen=True):
    """The machine that was found."""

    machine: JsonObject


class HostReconcile(Message, frozen=True):
    """Write the cpusets of the containers that run now into the cgroup tree below ``root``.

    A container's folder is ``kubepods/pod<uid>/<container>`` or, where the driver is systemd,
    ``kubepods.slice/kubepods-pod<uid>.slice/cri-<container>.scope``; all of it below ``cpuset`` for cgroup v1.
    """

    root: str


class Score(Message, frozen=True, omit_defaults=False):
    """Score one node for a pod with NodeResourcesFit. ``pods`` are on the node already."""

    strategy: JsonObject
    allocatable: dict[str, str]
    pods: list[JsonObject]
    pod: JsonObject


class ScoreReply(Message, frozen=True):
    """The score from 0 to 100, and why the pod would not fit; or why the arguments are refused."""

    score: int | None = None
    insufficient: list[str] | None = None
    resources: list[JsonObject] | None = None
    construction_error: str | None = None
