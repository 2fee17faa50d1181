"""The pods of a cluster as the API server tells of them, kept by a watch."""

import contextlib
import threading
from collections.abc import Callable, Mapping
from typing import Any

from .api import Api

_PODS = "/api/v1/pods"
_AGAIN_SECONDS = 0.5
_KNOWN_SECONDS = 10.0
"""In which the watch tells of a pod that a kubelet has been told of."""

Pod = Mapping[str, Any]


class PodWatch:
    """Every pod that is there, by uid. ``heard``: called with each event's type and pod, in their order."""

    def __init__(self, api: Api, heard: Callable[[str, Pod], None]) -> None:
        """Watch, until the process ends or ``close``."""
        self._api = api
        self._heard = heard
        self._pods: dict[str, Pod] = {}
        self._changed = threading.Condition()
        self._ended = False
        threading.Thread(target=self._run, daemon=True).start()

    def close(self) -> None:
        """Tell of nothing more."""
        self._ended = True

    def pod(self, uid: str) -> Pod | None:
        """Return a pod, which may be on its way to us; None where it does not come."""
        with self._changed:
            self._changed.wait_for(lambda: uid in self._pods, _KNOWN_SECONDS)
            return self._pods.get(uid)

    def wait_until(self, holds: Callable[[Mapping[str, Pod]], bool], seconds: float) -> bool:
        """Wait until something holds of all pods by uid; tell whether it does."""
        with self._changed:
            return self._changed.wait_for(lambda: holds(self._pods), seconds)

    def pods(self) -> list[Pod]:
        """Return all pods that are there."""
        with self._changed:
            return list(self._pods.values())

    def _run(self) -> None:
        while not self._ended:
            with contextlib.suppress(OSError, ValueError):
                listed = self._api.ask(_PODS)
                there = {pod["metadata"]["uid"]: pod for pod in listed["items"]}
                for uid in [uid for uid in self._pods if uid not in there]:
                    self._take("DELETED", self._pods[uid])
                for pod in there.values():
                    self._take("MODIFIED", pod)
                version = listed["metadata"]["resourceVersion"]
                for event in self._api.watch(f"{_PODS}?watch=1&resourceVersion={version}"):
                    if self._ended or event["type"] == "ERROR":
                        break
                    self._take(event["type"], event["object"])
            threading.Event().wait(_AGAIN_SECONDS)

    def _take(self, kind: str, pod: Pod) -> None:
        self._heard(kind, pod)
        with self._changed:
            if kind == "DELETED":
                self._pods.pop(pod["metadata"]["uid"], None)
            else:
                self._pods[pod["metadata"]["uid"]] = pod
            self._changed.notify_all()


def refusal_of(pod: Pod) -> tuple[str, str] | None:
    """Return reason and message where the pod's kubelet has refused it; None where not."""
    status = pod.get("status") or {}
    if status.get("phase") != "Failed" or not status.get("reason") or status.get("containerStatuses"):
        return None
    return str(status["reason"]), str(status.get("message") or "").removeprefix("Pod was rejected: ")


def scheduling_of(pod: Pod) -> Mapping[str, Any]:
    """Return what a scheduler has said of a pod; nothing where none has looked at it."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return next((condition for condition in conditions if condition["type"] == "PodScheduled"), {})


def is_decided(pod: Pod) -> bool:
    """Tell whether the scheduler found no node for a pod, or its kubelet has started or refused it."""
    if not (pod.get("spec") or {}).get("nodeName"):
        scheduled = scheduling_of(pod)
        return scheduled.get("status") == "False" and scheduled.get("reason") == "Unschedulable"
    return has_started(pod) or has_ended(pod)


def has_started(pod: Pod) -> bool:
    """Tell whether all containers of a pod have been started."""
    status = pod.get("status") or {}
    statuses = status.get("containerStatuses") or ()
    started = [container for container in statuses if "waiting" not in (container.get("state") or {"waiting": None})]
    return status.get("phase") == "Running" and len(started) == len(pod["spec"]["containers"])


def has_ended(pod: Pod) -> bool:
    """Tell whether a pod has ended, or was refused."""
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
