"""The surface ``claims``: a driver of Dynamic Resource Allocation (DRA) that gives CPUs to the containers of claims.

Objects are those of the API group ``resource.k8s.io/v1``.
"""

from msgspec import UNSET, UnsetType

from ..message import Request, TaggedReply
from ..values import Absence, IdList, JsonObject

SURFACE = "a DRA driver that gives CPUs to claims"
FEATURES = {
    "claims/cpus": "CPUs in ResourceSlices, NodePrepareResources and NodeUnprepareResources of a DRA driver",
    "claims/restart": "a DRA driver that restarts while claims are prepared",
    "claims/exclusive-cpus": "CPUs of a claim that no other claim has, as dra-driver-cpu promises them",
    "claims/shared-pool": "containers without a claim, kept off the CPUs of claims as dra-driver-cpu promises it",
    "claims/attributes": "socketID, cacheL3ID and cpuID of devices, as dra-driver-cpu names them",
    "claims/reserved": "CPUs that a DRA driver is told to leave alone",
}


class DriverStarted(TaggedReply, tag="started", frozen=True):
    """The driver has registered: the ``spec`` of each of its ResourceSlices.

    ``restarts``: how often it has ended by itself, and was started again, since the last reply of this kind.
    """

    slices: list[JsonObject]
    restarts: int = 0


class DriverFailed(TaggedReply, tag="failed", frozen=True):
    """The driver has not registered in time, or publishes nothing: what happened; ``absence``: why it was not met."""

    message: str
    absence: Absence | None = None


class StartDriver(Request[DriverStarted | DriverFailed], method="claims.start", surface="claims", frozen=True):
    """Start the driver on a machine where no claim is prepared. ``reserved_cpus``: what it is to leave alone.

    ``host_root``: as of ``pick``.
    """

    machine: JsonObject
    reserved_cpus: IdList = ""
    host_root: str | UnsetType = UNSET


class RestartDriver(Request[DriverStarted | DriverFailed], method="claims.restart", surface="claims", frozen=True):
    """The driver ends, and is started again with the same files. Containers run on, and claims stay prepared."""


class ClaimPrepared(TaggedReply, tag="prepared", frozen=True):
    """The claim is prepared. ``cpus``: those that a container which uses it may run on.

    ``shared``: what containers without a claim may run on by now, where that is known. ``claim``: the ResourceClaim
    with its allocation in its status, where a scheduler of the target's has allocated it, be it to other devices.
    ``mems``: the NUMA nodes to which the driver keeps the memory of that container; null: nothing keeps it.
    """

    cpus: IdList
    shared: dict[str, IdList] | None = None
    claim: JsonObject | None = None
    mems: IdList | None = None


class ClaimRefused(TaggedReply, tag="refused", frozen=True):
    """The driver answered with an error."""

    message: str


class PrepareClaim(Request[ClaimPrepared | ClaimRefused], method="claims.prepare", surface="claims", frozen=True):
    """Prepare a ResourceClaim with an allocation in its status, and start a container that uses it.

    A target with a scheduler of its own has it allocate the claim's requests again, and reports what came of it. One
    that is prepared, and asked for again, keeps what it has.
    """

    claim: JsonObject


class SharedRuns(TaggedReply, tag="runs", frozen=True):
    """What containers without a claim may run on by now, by their names."""

    shared: dict[str, IdList]


class RunShared(Request[SharedRuns | ClaimRefused], method="claims.run", surface="claims", frozen=True):
    """Start a container without a claim, which runs until ``claims.end``. It may be refused: no CPUs are left, say."""

    name: str


class EndShared(Request[SharedRuns | ClaimRefused], method="claims.end", surface="claims", frozen=True):
    """End a container without a claim."""

    name: str


class ClaimUnprepared(TaggedReply, tag="unprepared", frozen=True):
    """The claim is prepared no longer."""


class UnprepareClaim(Request[ClaimUnprepared | ClaimRefused], method="claims.unprepare", surface="claims", frozen=True):
    """The container that uses the claim ends, and the claim with it. It need not be prepared.

    ``uid``, ``namespace`` and ``name`` are the claim's.
    """

    uid: str
    namespace: str
    name: str
