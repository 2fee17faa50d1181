"""State files of managers: what the node needs of one, and why one cannot be used."""

from collections.abc import Callable
from dataclasses import dataclass

from ...errors import StartError
from ...kube.features import FeatureGates

CORRUPTED = "checkpoint is corrupted"
"""What the kubelet says of a checksum that does not fit."""


@dataclass(frozen=True, slots=True)
class FileStyle:
    """How a node's version and gates have the state files of CPU and memory written and read.

    ``newest_first``: formats are tried from the newest to the oldest, and the last fault is told. ``envelope``: what is
    kept is a text of its own with a checksum beside what older kubelets read. ``pods``: pods have entries too.
    ``baselines``: so have the CPUs that containers were admitted with, from which no resize takes any.
    """

    newest_first: bool = False
    envelope: bool = False
    pods: bool = False
    baselines: bool = False

    @classmethod
    def of(cls, gates: FeatureGates) -> "FileStyle":
        """Return the style of a node."""
        changes = gates.changes
        return cls(
            changes.state_files_newest_format_first,
            changes.state_files_in_an_envelope,
            gates.enabled("PodLevelResourceManagers"),
            changes.state_files_in_an_envelope and gates.enabled("InPlacePodVerticalScalingExclusiveCPUs"),
        )


PLAIN = FileStyle()
"""As kubelets up to 1.35 have them."""


@dataclass(frozen=True, eq=False)
class ManagerStateFile:
    """A manager's own file: what it holds survives a restart of the node agent in it.

    ``name``: in the kubelet's root directory. ``content`` returns what makes the file's text for the manager as it is
    now, whatever becomes of the manager since. ``restore`` takes over a file's content, None where there is no file,
    and tells whether it is to be written anew; with it goes the file's path as messages name it, and it raises
    ``StartError`` as the kubelet exits.

    ``lags``: the file is written only when something is given out, and not when it is taken back (DEV-CKPT-06). Then
    it holds what containers were given, each all that it asks for, of a pod that was refused in the end, and it is
    first written when all managers have started. Any other file follows every change.
    """

    name: str
    content: Callable[[], Callable[[], str]]
    restore: Callable[[str | None, str], bool]
    lags: bool = False


class CheckpointError(Exception):
    """The cause why a file cannot be used, in the kubelet's words."""

    def __init__(self, cause: str) -> None:
        self.cause = cause
        super().__init__(cause)

    def start_error(self, manager: str, where: str) -> StartError:
        """Return the error with which the kubelet exits; ``manager`` is ``CPU`` or ``memory`` (CPU-CKPT-09)."""
        return StartError(
            f"{manager.lower()}manager-start",
            f"could not restore state from checkpoint: {self.cause}, please drain this node and delete the {manager} "
            f'manager checkpoint file "{where}" before restarting Kubelet',
        )
