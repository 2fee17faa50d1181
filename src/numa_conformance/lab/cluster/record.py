"""What happened on each node as a history: the lines that ``numa-conformance judge`` reads."""

import contextlib
import json
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from ...cpuset import CpuSet
from ...wire.history.history import Head, History, Step, histories_text
from ...wire.history.sightings import LIVE_NODE
from ...wire.message import Message
from ...wire.messages.node import Admitted, PodStarted, Rejected, Removed
from ..kubelet.files import StateFiles, node_started
from .node import ClusterNode
from .pods import MALFORMED, Pod, PodWatch, has_ended, has_started, refusal_of

_LET_GO_SECONDS = 20.0
_LOOK_SECONDS = 0.02


class NodeRecord:
    """The conversation with one node: its start, and each pod that it admitted, refused or let go of, in order.

    It tells of a pod what the state files say before its first container is made. Where another pod came meanwhile they
    say what both made of it: the conversation ends there, and what follows is told as it is seen (``is_broken``).
    """

    def __init__(self, node: ClusterNode, version: str, watch: PodWatch) -> None:
        """Begin with the node as it came up."""
        self._node = node
        self._version = version
        self._watch = watch
        self._steps: list[Step] = []
        self._admitted: dict[str, Pod] = {}
        self._decided: set[str] = set()
        self._started: set[str] = set()
        self._leaving: dict[str, CpuSet] = {}
        self._lock = threading.RLock()
        self.is_broken = False
        self._configured = {"kubelet": dict(node.plan.kubelet), "kubernetes_version": _minor(version)}
        self._step("node.start", self._configured, node_started(node.plan.machine, node.folder, node.files()))
        node.admitted = self._admit

    def hear(self, kind: str, pod: Pod) -> None:
        """Take one event of a pod that is on this node."""
        with self._whole_or_broken():
            uid = pod["metadata"]["uid"]
            if uid in self._admitted and (kind == "DELETED" or has_ended(pod)):
                self._remove(uid)
            elif uid not in self._decided and (refusal := refusal_of(pod)) is not None:
                self._refuse(uid, pod, *refusal)
            elif uid in self._admitted and uid not in self._started and has_started(pod):
                self._started.add(uid)
                self._tell(
                    "node.run", {"uid": uid}, lambda files: PodStarted(files.shared_pool, self._holdings(uid, files))
                )

    def histories(self) -> Iterator[History]:
        """Yield the history, and where the conversation was broken that of what is seen now."""
        yield History(self._head("life"), tuple(self._steps))
        if self.is_broken:
            yield History(self._head("seen"), (self._sight(),))

    def _admit(self, uid: str) -> None:
        with self._lock, self._whole_or_broken():
            pod = None if uid in self._decided else self._watch.pod(uid)
            if pod is None:
                return
            self._decided.add(uid)
            self._admitted[uid] = pod
            self._tell(
                "node.admit",
                _admission(pod),
                lambda files: Admitted(files.shared_pool, self._holdings(uid, files), _qos(pod), files.free_memory()),
            )

    def _refuse(self, uid: str, pod: Pod, reason: str, message: str) -> None:
        self._decided.add(uid)
        self._let_go(uid)  # a container before the one that was refused may have got something
        phase = pod["status"]["phase"]
        self._tell(
            "node.admit",
            _admission(pod),
            lambda files: Rejected(files.shared_pool, reason, message, _qos(pod), phase=phase),
        )

    @contextlib.contextmanager
    def _whole_or_broken(self) -> Iterator[None]:
        """Break the conversation where state files cannot be read, as those of a kubelet that ends just now."""
        try:
            yield
        except Exception:  # a file may have any form, and who waits for the record is to be answered
            self.is_broken = True

    def _remove(self, uid: str) -> None:
        with self._lock:
            del self._admitted[uid]
        self._let_go(uid)
        self._tell("node.remove", {"uid": uid}, lambda files: Removed(files.shared_pool))

    def _let_go(self, uid: str) -> None:
        """Wait for the kubelet to let go of what a pod held; where it does not, what is told is as it is.

        The file is written once for the pod and once for the pool. Memory is let go of when the next pod comes: what is
        free of it is told of admissions alone.
        """
        self._leaving[uid] = self._node.files().held({uid})
        end = time.monotonic() + _LET_GO_SECONDS
        while time.monotonic() < end:
            files = self._node.files()
            known = CpuSet.parse(files.shared_pool) | files.held(files.holders())
            if uid not in files.holders() and self._leaving[uid] <= known:
                break
            time.sleep(_LOOK_SECONDS)
        del self._leaving[uid]

    def _tell(self, method: str, params: Mapping[str, Any], answer: Callable[[StateFiles], Message]) -> None:
        """Write a step, where the state files tell of the pods decided so far and of none that is leaving."""
        with self._lock:
            files = self._node.files()
            self.is_broken |= bool(self._leaving) or not files.holders() | files.memory_holders() <= self._decided
            if not self.is_broken:
                self._step(method, params, answer(files))

    def _holdings(self, uid: str, files: StateFiles) -> dict[str, Any]:
        return self._node.holdings(self._admitted[uid], files)

    def _sight(self) -> Step:
        files = self._node.files()
        pods = {
            uid: {"containers": msgspec.to_builtins(self._holdings(uid, files)), "qos": pod["status"].get("qosClass")}
            for uid, pod in self._admitted.items()
            if uid in files.holders()
        }
        answer: dict[str, Any] = {
            "files": {name: {"policy": json.loads(text).get("policyName", "")} for name, text in files.texts.items()},
            "pods": pods,
        }
        if files.shared_pool:
            answer["default_cpuset"] = files.shared_pool
        return Step(LIVE_NODE, {**self._configured, "settled": False}, answer)

    def _head(self, cell: str) -> Head:
        plan, version = self._node.plan, self._version
        return Head("real-cluster", f"{plan.name}/{cell}", 0, plan.machine, _minor(version), f"kubelet {version}")

    def _step(self, method: str, params: Mapping[str, Any], answer: Message) -> None:
        self._steps.append(Step(method, params, msgspec.to_builtins(answer)))


class Recorder:
    """The records of all nodes, written by a thread of its own: what hears of pods does not wait."""

    def __init__(self, records: Mapping[str, NodeRecord]) -> None:
        self._records = records
        self._heard: queue.SimpleQueue[tuple[str, Pod] | threading.Event] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def hear(self, kind: str, pod: Pod) -> None:
        """Take an event of any pod."""
        self._heard.put((kind, pod))

    def settle(self) -> None:
        """Wait until all that was heard so far is written."""
        written = threading.Event()
        self._heard.put(written)
        written.wait()

    def text(self) -> str:
        """Return the histories of all nodes, as JSON lines."""
        self.settle()
        return histories_text(history for record in self._records.values() for history in record.histories())

    def broken(self) -> list[str]:
        """Return the nodes to which several pods came at once."""
        return [name for name, record in self._records.items() if record.is_broken]

    def _run(self) -> None:
        while True:
            heard = self._heard.get()
            if isinstance(heard, threading.Event):
                heard.set()
                continue
            kind, pod = heard
            with contextlib.suppress(*MALFORMED):
                if (record := self._records.get(pod["spec"].get("nodeName") or "")) is not None:
                    record.hear(kind, pod)


def _admission(pod: Pod) -> dict[str, Any]:
    names = ("name", "namespace", "uid", "annotations", "labels")
    metadata = {name: pod["metadata"][name] for name in names if name in pod["metadata"]}
    return {"pod": {"metadata": metadata, "spec": pod["spec"]}}


def _qos(pod: Pod) -> str | None:
    return (pod.get("status") or {}).get("qosClass")


def _minor(version: str) -> str:
    return ".".join(version.removeprefix("v").split(".")[:2])
