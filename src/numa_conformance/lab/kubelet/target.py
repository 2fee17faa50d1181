"""An unmodified kubelet as a target of the protocol: the surface ``node``."""

import itertools
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import NOT_MET, Fault, StartError, UsageError, require
from ...machine import Machine, machine_from_dict
from ...namespaces import enter_mount_namespace, mount_memory
from ...sources.versions import KubernetesVersion
from ...wire.features import KNOWN
from ...wire.message import Request
from ...wire.messages import node as messages
from ...wire.messages.describe import PROTOCOL, Describe, Description
from .cri_objects import Hears, nobody
from .files import node_started
from .launcher import Launcher
from .node import RealNode
from .process import version_of

_NO_ROOM = re.compile(r"no set of running pods found to reclaim resources: \[\(res: ([^,]+),")
"""What becomes of ``OutOfcpu`` where a pod comes from the kubelet's folder: such pods count as critical, for which
others would be ended."""
_ROOMS = ("cpu-manager/", "memory-manager/", "device-manager/", "topology-manager/", "node/")
CLAIMED = frozenset(name for name in KNOWN if name.startswith(_ROOMS)).difference(
    {
        "cpu-manager/hints",  # they are asked for, not told
        "cpu-manager/reconcile",  # the kubelet makes its passes when it likes
        "node/hints",
        "node/resize",  # asked for by the API server, which is not there
        "node/writes",  # files are seen as they are, not as they were
        "topology-manager/prefer-closest-numa-nodes",  # judged by merges, which a node does not show
    }
)
"""The features of the surface ``node`` that show of a kubelet from outside, at any version."""
_UNTOLD = frozenset(
    {
        "affinity",  # the hint that was merged stays inside
        "memory_state",  # told of starts and admissions; what is removed is let go of when the next pod comes
        "reserved_cpus",  # under policy none no CPUs are told to be allocatable
        "allocatable_cpus",
    }
)
_CLASS_OF_REFUSED_SINCE = KubernetesVersion(1, 32)


class KubeletTarget:
    """Answers the methods of the surface ``node`` by a kubelet's own doing.

    Nothing of it remains, however this process ends.
    """

    def __init__(self, binary: str) -> None:
        """Take the kubelet's path; raises ``UsageError`` and ``StartError``."""
        self._workshop = Workshop(binary)
        self._version = self._workshop.version
        self._node: RealNode | None = None
        self._requests: list[Request[Any]] = []
        self._started: messages.NodeStarted | None = None
        self._reused = False

    def describe(self, request: Describe) -> Description:
        """Say which kubelet this is."""
        return Description(
            name="kubelet",
            version=self._workshop.version_text,
            protocol=PROTOCOL,
            surfaces=["node"],
            features=sorted(CLAIMED),
            kubernetes_version=str(self._version),
            untold=sorted(untold_fields(self._version)),
        )

    def node_start(self, request: messages.StartNode) -> messages.NodeStarted | messages.StartFailed:
        """Bring up a node on a folder of its own, or clear the one that is up where it came up in the same way."""
        before, self._requests = self._requests, [request]
        self._reused = bool(before) and request == before[0] and not request.files and self._is_clear()
        if self._reused and self._started is not None:
            return self._started
        return self._start(request)

    def _is_clear(self) -> bool:
        """Take all pods away, and tell whether the node is then as it was when it came up."""
        node = self._node
        if node is None or node.is_changed or self._started is None:
            return False
        if node.pods:
            node.take(*node.pods)
        return node.files().shared_pool == self._started.default_cpuset

    def _start(self, request: messages.StartNode) -> messages.NodeStarted | messages.StartFailed:
        self.close()
        self._reused = False
        machine = machine_from_dict(request.machine, "machine")
        try:
            self._node = self._workshop.node(machine, request.kubelet, request.files or {})
        except StartError as error:
            return messages.StartFailed(error.stage, error.message, "ended" if error.stage == NOT_MET else None)
        self._started = node_started(machine, self._node.folder, self._node.files())
        return self._started

    def _move_to_a_fresh_node(self) -> None:
        """Ask all questions so far of a new node, where this one has seen others before.

        Its state files then name the pods as they are called outside; they do not when a uid was there before.
        """
        if self._reused:
            start, *others = self._requests
            assert isinstance(start, messages.StartNode)
            self._start(start)
            for question in others:
                getattr(self, question.method.attribute)(question)

    def node_admit(self, request: messages.AdmitPod) -> messages.Admitted | messages.Rejected:
        """Give the kubelet a pod. One that it has is not given again: it keeps what it has."""
        node = self._up
        self._requests.append(request)
        uid = str((request.pod.get("metadata") or {}).get("uid") or "")
        if uid not in node.pods:
            node.put(uid, request.pod)
        inside = node.pods[uid].uid
        refusal, status = node.refusal(inside), node.status(inside)
        if refusal is None:
            files = node.files()
            sent, held = node.sent(), node.holdings(uid)
            return messages.Admitted(files.shared_pool, held, status.get("qosClass"), files.free_memory(), updates=sent)
        node.take(uid)
        reason, message = reason_and_message(refusal)
        pool, phase, sent = node.files().shared_pool, refusal["phase"], node.sent()
        return messages.Rejected(pool, reason, message, status.get("qosClass"), phase=phase, updates=sent)

    def node_run(self, request: messages.RunPod) -> messages.PodStarted | messages.UnknownPod:
        """Let the kubelet's runtime make the pod's containers, and wait until they have started."""
        node = self._up
        self._requests.append(request)
        if request.uid not in node.pods:
            return messages.UnknownPod(node.files().shared_pool)
        node.run(request.uid)
        sent = node.sent()
        return messages.PodStarted(node.files().shared_pool, node.holdings(request.uid), updates=sent)

    def node_remove(self, request: messages.RemovePod) -> messages.Removed | messages.UnknownPod:
        """Take a pod away."""
        node = self._up
        self._requests.append(request)
        if request.uid not in node.pods:
            return messages.UnknownPod(node.files().shared_pool)
        node.take(request.uid)
        return messages.Removed(node.files().shared_pool, updates=node.sent())

    def node_state(self, request: messages.ReadState) -> messages.NodeState:
        """Tell what the pods hold."""
        node = self._up
        return messages.NodeState(node.files().shared_pool, {uid: node.holdings(uid) for uid in node.pods})

    def node_checkpoints(self, request: messages.ReadCheckpoints) -> messages.Checkpoints:
        """Tell the state files."""
        self._move_to_a_fresh_node()
        self._up.let_go()
        return messages.Checkpoints(self._up.files().texts)

    def node_restart(self, request: messages.RestartNode) -> messages.Restarted | messages.StartFailed:
        """Start the kubelet anew on the same folder."""
        if request.files or request.kubelet is not None:
            self._move_to_a_fresh_node()
        self._requests.append(request)
        node = self._up
        try:
            node.restart(request.kubelet, request.files or {})
        except StartError as error:
            return messages.StartFailed(error.stage, error.message)
        pods: list[messages.ReadmittedPod | messages.RejectedPod] = []
        for uid, pod in list(node.pods.items()):
            refusal = node.refusal(pod.uid)
            if refusal is None:
                pods.append(messages.ReadmittedPod(uid, node.holdings(uid)))
            else:
                node.take(uid)
                pods.append(messages.RejectedPod(uid, *reason_and_message(refusal)))
        return messages.Restarted(pods, node.files().shared_pool, updates=node.sent())

    def close(self) -> None:
        """End the node."""
        self._started = None
        if self._node is not None:
            self._node.close()
            self._node = None

    @property
    def _up(self) -> RealNode:
        return require(self._node, "no node is up", "node.start")


def untold_fields(version: KubernetesVersion) -> frozenset[str]:
    """Return the fields of answers that the kubelet of a version does not show, or not always."""
    return _UNTOLD if version >= _CLASS_OF_REFUSED_SINCE else _UNTOLD | {"qos"}


def reason_and_message(refusal: Mapping[str, Any]) -> tuple[str, str]:
    """Return reason and message of a refused pod, as they are for a pod of a cluster."""
    message = str(refusal.get("message") or "").removeprefix("Pod was rejected: ")
    no_room = _NO_ROOM.search(message)
    return (f"OutOf{no_room[1]}" if no_room else str(refusal["reason"])), message


_LAST_THAT_KEEPS_THE_NEWEST = KubernetesVersion(1, 31)
"""Kubelets until then take the pod that was admitted last for active, there or not, until the next one comes."""
_PLACE = "/dev/shm"
_MEBIBYTES = 1024


class Workshop:
    """A file system in memory that this process alone has, and a program to make kubelets of, which end with it.

    ``version_text`` is the version as the program tells it, ``version`` its minor.
    """

    def __init__(self, binary: str) -> None:
        """Take the kubelet's path; this process must have one thread. Raises ``UsageError`` and ``StartError``."""
        if not Path(binary).is_file():
            raise UsageError(Fault(binary, "there is no such file", "the path of a kubelet"))
        self._binary = os.path.abspath(binary)
        self.version_text = version_of(self._binary)
        self.version = KubernetesVersion.supported(".".join(self.version_text.lstrip("v").split(".")[:2]))
        self._numbers = itertools.count()
        enter_mount_namespace(become_root=True, harmless=True)
        mount_memory(_PLACE, _MEBIBYTES)
        self._launcher = Launcher()

    def folder(self) -> Path:
        """Return the place of a folder that is not there yet."""
        return Path(_PLACE, f"n{next(self._numbers)}")

    def node(
        self,
        machine: Machine,
        config: Mapping[str, Any],
        files: Mapping[str, str],
        folder: Path | None = None,
        hears: Hears = nobody,
    ) -> RealNode:
        """Bring up a node, in a folder of its own unless it is told one; raises ``StartError``.

        ``hears`` is what a ``RealNode`` takes.
        """
        folder = folder or self.folder()
        keeps_newest = self.version <= _LAST_THAT_KEEPS_THE_NEWEST
        try:
            return RealNode(
                self._launcher, self._binary, folder, machine, config, files, keeps_newest=keeps_newest, hears=hears
            )
        except StartError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
