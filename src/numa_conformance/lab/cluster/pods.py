"""The API server, asked over HTTPS, and the pods of a cluster as it tells of them, kept by a watch."""

import contextlib
import http.client
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ...documents import MAX_JSON_BYTES, read_documents
from ...errors import Fault, UsageError

MALFORMED = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""The errors of reading an object of any other form than the API's."""
_SECONDS = 30
_LONGEST = 500


class ApiError(OSError):
    """The API server refused; ``code`` is the HTTP status."""

    def __init__(self, code: int, text: str) -> None:
        self.code = code
        super().__init__(f"the API server answers {code}: {text}")


class Api:
    """An API server, asked with a client's certificate. May be used from several threads."""

    def __init__(self, server: str, authority: str, certificate: str, key: str) -> None:
        """Take its address, and the files of the authority's certificate and of the client's certificate and key."""
        self._host = urlsplit(server).netloc
        self._context = ssl.create_default_context(cafile=authority)
        self._context.load_cert_chain(certificate, key)

    def ask(self, path: str, body: Any = None, method: str = "", kind: str = "application/json") -> Any:
        """Return what is answered, as JSON where it is; raises ``ApiError`` and ``OSError``."""
        with self._answer(path, body, method, kind) as answer:
            text = answer.read(MAX_JSON_BYTES)  # what is cut is no JSON
        return msgspec.json.decode(text) if text[:1] in (b"{", b"[") else text.decode(errors="replace")

    def watch(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the events of a watch until the server ends it; raises ``ApiError`` and ``OSError``."""
        with self._answer(path, lasts=True) as answer:
            yield from map(msgspec.json.decode, iter(lambda: answer.readline(MAX_JSON_BYTES), b""))

    @contextlib.contextmanager
    def _answer(
        self, path: str, body: Any = None, method: str = "", kind: str = "application/json", *, lasts: bool = False
    ) -> Iterator[http.client.HTTPResponse]:
        """Open what is answered; ``lasts``: it may come at any time."""
        content = None if body is None else json.dumps(body).encode()
        method = method or ("GET" if body is None else "POST")
        connection = http.client.HTTPSConnection(self._host, context=self._context, timeout=_SECONDS)
        try:
            connection.request(method, path, content, {"Content-Type": kind, "Accept": "application/json"})
            answer = connection.getresponse()
            if answer.status >= 300:
                raise ApiError(answer.status, answer.read(_LONGEST).decode(errors="replace"))
            if lasts and connection.sock is not None:
                connection.sock.settimeout(None)
            yield answer
        except http.client.HTTPException as error:
            raise OSError(f"the API server: {error!r}") from error
        finally:
            connection.close()


def read_manifests(path: Path) -> list[dict[str, Any]]:
    """Read a file of objects; raises ``UsageError`` for what has no apiVersion, kind or name."""
    manifests = []
    for document in read_documents(path):
        value = document.value
        named = isinstance(value, dict) and isinstance(value.get("metadata"), dict) and value["metadata"].get("name")
        if not (named and value.get("apiVersion") and value.get("kind")):
            raise UsageError(Fault(str(path), "has a document that is no object", "apiVersion, kind, metadata.name"))
        manifests.append(dict(value))
    return manifests


def make(api: Api, manifest: Mapping[str, Any]) -> bool:
    """Make an object; tell whether its kind is known, which one that was defined just now soon is.

    Raises ``ApiError`` where the server refuses it.
    """
    version, kind = str(manifest["apiVersion"]), manifest["kind"]
    base = f"/apis/{version}" if "/" in version else f"/api/{version}"
    known = [each for each in api.ask(base)["resources"] if each["kind"] == kind and "/" not in each["name"]]
    if not known:
        return False
    space = manifest["metadata"].get("namespace", "default")
    inside = f"/namespaces/{space}" if known[0]["namespaced"] else ""
    api.ask(f"{base}{inside}/{known[0]['name']}", dict(manifest))
    return True


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
            with contextlib.suppress(OSError):
                self.follow()
            threading.Event().wait(_AGAIN_SECONDS)

    def follow(self) -> None:
        """Take a list, and events until the server ends the watch or sends what is none; raises ``OSError``."""
        with contextlib.suppress(*MALFORMED):
            listed = self._api.ask(_PODS)
            version = listed["metadata"]["resourceVersion"]
            there = {pod["metadata"]["uid"]: pod for pod in listed["items"]}
            for uid in [uid for uid in self._pods if uid not in there]:
                self._take("DELETED", self._pods[uid])
            for pod in there.values():
                self._take("MODIFIED", pod)
            for event in self._api.watch(f"{_PODS}?watch=1&resourceVersion={version}"):
                if self._ended or event["type"] == "ERROR":
                    break
                self._take(event["type"], event["object"])

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
