"""``Provider``: what a node needs of a manager, whatever it manages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...kube.container import Container
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.pod import Pod
from ...machine.model import KubeletView, Machine
from ...sources.quirks import Quirks
from .compressed_hints import CompressedHints
from .hint import Hint
from .state_file import ManagerStateFile

Hints = Sequence[Hint] | CompressedHints

Answer = Mapping[str, Hints | None] | None
"""A provider's answer: resource to hints; None or empty is no opinion, no hints are impossible (TOPO-PROV-01..05)."""

Answers = Mapping[str, Answer]
"""Each manager's answer by the manager's name, in the order in which they are asked."""

Active = Callable[[str, str], bool]
"""Tells whether a container (pod uid, name) belongs to a pod on the node."""


class Cpusets(Protocol):
    """A manager that says on which CPUs containers run. Sets of CPUs are bits of an int."""

    def cpus_of(self, uid: str, container: str) -> int:
        """Return the CPUs a container is to run on, 0 where nothing is said."""

    def exclusive_cpus_of(self, uid: str, container: str) -> int:
        """Return the CPUs that a container shares with no other, 0 for none."""


class Holding(Protocol):
    """What one container holds of a manager: a value that later decisions do not change."""

    def to_answer(self) -> object:
        """Return it as plain JSON values, in which answers and reports tell it."""

    @property
    def devices(self) -> Mapping[str, tuple[str, ...]]:
        """Resource to ids of devices, which PodResources tells; empty where it is of another kind."""
        return {}


class Provider(Protocol):
    """One manager of a node: it offers hints, gives and takes back, and keeps its state in a file of its own.

    A class that derives from it begins with no opinion and nothing held, and says only what is different.
    """

    @property
    def name(self) -> str:
        """What the manager gives, in one word: the key of its answers (``cpus``)."""

    @property
    def state_file(self) -> ManagerStateFile | None:
        """The file in which its state survives a restart; None when it has none."""
        return None

    runs_at_start: Active | None = None
    """While a whole kubelet starts, and no plugin has registered with it: whether it takes a container for running."""

    has_ended: Active | None = None
    """While pods are admitted again: whether a container had ended before."""

    @property
    def cpusets(self) -> Cpusets | None:
        """The manager itself when it says on which CPUs containers run, else None."""
        return None

    @property
    def serves_claims(self) -> bool:
        """Whether it gives containers what their resource claims name."""
        return False

    @property
    def hints_resizes(self) -> bool:
        """Whether it has hints for a pod that is resized too, where managers are told that it is."""
        return False

    def machine_changed(self, machine: Machine) -> None:
        """Take what device plugins offer by now."""
        return

    def hints(self, pod: Pod, container: Container) -> Answer:
        """Offer hints for one container."""
        return None

    def pod_hints(self, pod: Pod) -> Answer:
        """Offer hints for the pod as a whole."""
        return None

    def allocate(self, pod: Pod, container: Container, affinity: Hint, trace: list[str] | None = None) -> None:
        """Give a container its resources near ``affinity`` and tell ``trace`` what was taken, in order.

        Gives nothing anew to a container that has them already. Raises ``Refusal``.
        """
        return

    def allocate_pod(self, pod: Pod, affinity: Hint, trace: list[str] | None = None) -> None:
        """Give a pod that is served as a whole its resources, and its containers their parts. Raises ``Refusal``."""
        return

    def container_starts(self, pod: Pod, container: Container) -> bool:
        """Take back what need not be held once a container starts; tell whether there was any."""
        return False

    def remove_stale(self, active: Active, uids: Iterable[str] | None = None) -> bool:
        """Take back what belongs to containers that are not active, of some pods or of all; tell if there was any."""
        return False

    def holding(self, uid: str, container: str) -> Holding | None:
        """Return what a container holds, as a value of the manager's own type.

        Equal values tell that nothing has changed. None: the manager says nothing about containers.
        """
        return None

    def pools(self) -> object:
        """Return what the node has left and kept back, as a value of the manager's own type; None: nothing to say."""
        return None


def release_inactive(
    held: Mapping[str, Mapping[str, object]],
    active: Active,
    release: Callable[[str, str], object],
    uids: Iterable[str] | None = None,
) -> bool:
    """Release what containers hold that are not active, sorted; tell whether there were any.

    ``held``: pod uid to container to what it holds. ``uids``: the only pods to look at.
    """
    pods = held if uids is None else held.keys() & uids
    stale = sorted((uid, name) for uid in pods for name in held[uid] if not active(uid, name))
    for uid, name in stale:
        release(uid, name)
    return bool(stale)


@dataclass(frozen=True)
class NodeSetup:
    """A machine and how its node is configured.

    ``view`` is the machine as the kubelet sees it, where it is at hand: nodes of one kind can share it.
    """

    machine: Machine
    config: KubeletConfiguration
    gates: FeatureGates
    quirks: Quirks
    view: KubeletView | None = None


MakeProvider = Callable[[NodeSetup], Provider]
"""Makes a node's manager at each start of the node agent; raises ``StartError`` where the kubelet would not come up."""
