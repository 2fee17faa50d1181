"""``NodeAgent``: a node whose pods come and go, asked by several threads, of which one at a time is served."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from ..errors import KubeletFails, UsageError
from ..kube.pod import Pod
from ..kube.requests import pod_requests
from ..kube.resource_names import is_extended
from ..managers.device import DeviceManager
from ..node import Node

__all__ = ["NodeAgent", "Tell", "line"]

Tell = Callable[[str], None]
"""Takes one line for the person who runs the agent."""
_LONGEST = 400


def line(text: str) -> str:
    """Return a text of others as one line of bounded length."""
    words = " ".join(text[: 2 * _LONGEST].split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."


class NodeAgent:
    """Keeps a node at the pods that are wanted.

    ``lock`` is held by whoever reads or changes ``node``. ``refused``: the pods that the node refused, by uid; as with
    a kubelet they are asked for again only when they are other ones.
    """

    def __init__(self, node: Node, tell: Tell) -> None:
        """Take a node without pods."""
        self.node = node
        self.lock = threading.RLock()
        self.refused: dict[str, Pod] = {}
        self._tell = tell
        self._wanted: list[Pod] = []
        self._given: dict[str, Pod] = {}
        self._waiting: dict[str, str] = {}

    def want(self, pods: Sequence[Pod]) -> None:
        """Take off the node what is not among these pods, or has changed, and admit what is new, in order."""
        with self.lock:
            self._wanted = list(pods)
            by_uid = {pod.uid: pod for pod in pods}
            for uid, pod in list(self._given.items()):
                if by_uid.get(uid) != pod:
                    self._remove(pod)
            self.admit_waiting()

    def admit_waiting(self) -> None:
        """Admit what is wanted and not yet asked for: a pod waits until someone offers the devices that it asks for.

        A scheduler sends no pod to a node that lacks them, and a kubelet would not look at them (DEV-MODEL-05).
        """
        with self.lock:
            for pod in self._wanted:
                if pod.uid in self._given:
                    continue
                missing = ", ".join(sorted(self._missing(pod)))
                if not missing:
                    self._admit(pod)
                elif self._waiting.get(pod.uid) != missing:
                    self._tell(f"{_name(pod)} waits: nobody offers {line(missing)}")
                    self._waiting[pod.uid] = missing
            self._waiting = {pod.uid: self._waiting[pod.uid] for pod in self._wanted if pod.uid in self._waiting}

    @property
    def devices(self) -> DeviceManager:
        """The node's Device Manager."""
        manager = self.node.providers["devices"]
        assert isinstance(manager, DeviceManager)
        return manager

    def _missing(self, pod: Pod) -> Iterable[str]:
        known = self.devices.inventory.resources
        return (name for name in pod_requests(pod) if is_extended(name) and name not in known)

    def _admit(self, pod: Pod) -> None:
        self._waiting.pop(pod.uid, None)
        self._given[pod.uid] = pod
        try:
            outcome = self.node.admit(pod)
        except (KubeletFails, UsageError) as error:
            self._refuse(pod, str(error))
            return
        if outcome.admitted:
            self.node.run(pod.uid)
            self._tell(f"{_name(pod)} admitted")
        else:
            self._refuse(pod, f"{outcome.reason}: {outcome.message}")

    def _refuse(self, pod: Pod, why: str) -> None:
        self.refused[pod.uid] = pod
        self._tell(f"{_name(pod)} refused, {line(why)}")

    def _remove(self, pod: Pod) -> None:
        del self._given[pod.uid]
        if self.refused.pop(pod.uid, None) is None:
            self.node.remove(pod.uid)
            self._tell(f"{_name(pod)} removed")


def _name(pod: Pod) -> str:
    return line(f"{pod.namespace}/{pod.name}")
