"""The surface ``hints``: which NUMA nodes the CPU Manager would like."""

from msgspec import UNSET, UnsetType

from ..message import Message, Request
from ..values import HintLists, JsonObject, PriorState

SURFACE = "CPU hints in a given state"
FEATURES = {"cpu-manager/hints": "NUMA hints for exclusive CPUs"}


class OfferedHints(Message, frozen=True):
    """Resource to hints; null: no opinion; an empty list: impossible."""

    hints: HintLists | None = None


class Hints(Request[OfferedHints], method="hints", surface="hints", frozen=True, omit_defaults=False):
    """Ask for the CPU hints of one container (null: of the pod as a whole) in a given state.

    Of pods as a whole nobody is asked who does not claim ``topology-manager/scope/pod``. ``host_root``: as of ``pick``.
    """

    machine: JsonObject
    kubelet: JsonObject
    state: PriorState
    pod: JsonObject
    container: str | None = None
    host_root: str | UnsetType = UNSET
