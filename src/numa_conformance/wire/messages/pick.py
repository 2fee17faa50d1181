"""The surface ``pick``, the narrow waist: choose so many of these CPUs."""

import msgspec
from msgspec import UNSET, UnsetType

from ..message import Request, TaggedReply
from ..values import HintValue, IdList, JsonObject, QuestionCount

SURFACE = "one allocation from a set of free CPUs; stateless"


class Picked(TaggedReply, tag="picked", frozen=True):
    """The CPUs chosen, in kernel list format."""

    cpus: IdList


class PickRefused(TaggedReply, tag="refused", frozen=True):
    """No CPUs: a message for people and, where there is one, the reason as in the pod's status."""

    message: str
    reason: str | None = None


class Pick(Request[Picked | PickRefused], method="pick", surface="pick", frozen=True, omit_defaults=False):
    """Choose ``count`` of the ``available`` CPUs, near ``affinity`` if one is given. Nothing is remembered.

    ``host_root``: the machine as a tree of ``/sys`` and ``/proc`` below this folder, for targets that want it.
    """

    machine: JsonObject
    available: IdList
    count: QuestionCount
    options: dict[str, bool] = msgspec.field(default_factory=dict)
    affinity: HintValue | None = None
    host_root: str | UnsetType = UNSET
