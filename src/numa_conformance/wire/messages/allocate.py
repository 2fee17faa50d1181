"""The surface ``allocate``: one allocation of the static policy in a state that the question brings along."""

from msgspec import UNSET, UnsetType

from ..message import Request, TaggedReply
from ..values import CpuCount, HintLists, HintValue, IdList, JsonObject, PriorState

SURFACE = "one allocation of the static policy in a given state"


class AllocationDetails(TaggedReply, frozen=True, kw_only=True):
    """What an allocation may report too: reserved CPUs, exclusive CPUs asked for, hints before the allocation."""

    reserved_cpus: IdList | None = None
    guaranteed_cpus: CpuCount | None = None
    pod_guaranteed_cpus: CpuCount | None = None
    hints: HintLists | None = None
    pod_hints: HintLists | None = None


class Allocated(AllocationDetails, tag="allocated", frozen=True):
    """CPUs given, the shared pool afterwards, and what later containers of the pod may reuse."""

    cpus: IdList
    default_cpuset: IdList
    reusable: IdList | None = None


class AllocationRefused(AllocationDetails, tag="refused", frozen=True):
    """No CPUs: a message for people and, where there is one, the reason as in the pod's status."""

    message: str
    reason: str | None = None


class PolicyRefused(TaggedReply, tag="policy_refused", frozen=True):
    """No policy can be made of this machine and configuration."""

    message: str


class Allocate(
    Request[Allocated | AllocationRefused | PolicyRefused],
    method="allocate",
    surface="allocate",
    frozen=True,
    omit_defaults=False,
):
    """One allocation of the static policy for one container, in a given state.

    ``host_root``: as of ``pick``.
    """

    machine: JsonObject
    kubelet: JsonObject
    state: PriorState
    pod: JsonObject
    container: str
    affinity: HintValue | None = None
    host_root: str | UnsetType = UNSET
