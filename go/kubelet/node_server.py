"""An API server that has one node and its pods, at a port of the loopback address.

It lets whoever asks list and watch what a kubelet needs, keeps what the kubelet says of its node and pods, and refuses
nothing.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from copy import deepcopy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlparse

Json = dict[str, Any]
SOURCE, FILES = "kubernetes.io/config.source", ("file", "http")
"""The annotation of a pod that did not come from the API server, and its values."""
LISTS = {
    "pods": "Pod",
    "nodes": "Node",
    "services": "Service",
    "configmaps": "ConfigMap",
    "secrets": "Secret",
    "csidrivers": "CSIDriver",
    "runtimeclasses": "RuntimeClass",
    "resourceclaims": "ResourceClaim",
    "podcertificaterequests": "PodCertificateRequest",
    "clustertrustbundles": "ClusterTrustBundle",
}
"""What kubelets watch, and the kind of one."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of connections that a kubelet which ends leaves open."""


class ApiServer:
    """Serves one node and its pods at a port of the loopback address.

    ``changed`` is notified of what is written; ``warnings`` are the first events of objects: uid to reason and message.
    """

    def __init__(self, node: Mapping[str, Any]) -> None:
        """Take what a node has when it registers: labels and taints."""
        self._wanted = node
        self._objects: dict[str, dict[str, Json]] = {"nodes": {}, "pods": {}}
        self._events: list[tuple[str, Json]] = []
        self._version = 1
        self.changed = threading.Condition()
        self.warnings: dict[str, tuple[str, str]] = {}
        self._closed = False
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                owner._get(self)

            def _write(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length) or b"{}")
                status, answer = owner._written(self.command, urlparse(self.path).path, body)
                owner._send(self, status, answer)

            do_POST = do_PUT = do_PATCH = do_DELETE = _write  # noqa: N815

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """Serve no more."""
        with self.changed:
            self._closed = True
            self.changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    @property
    def node(self) -> Json:
        """The node as it stands; empty before it has registered."""
        return self._objects["nodes"].get("node", {})

    @property
    def pods(self) -> dict[str, Json]:
        """The pods as they stand, by name."""
        return dict(self._objects["pods"])

    def pod(self, name: str) -> Json:
        """Return a pod as it stands; empty where there is none."""
        return self._objects["pods"].get(name, {})

    def put(self, kind: str, obj: Json, event: str = "ADDED") -> None:
        """Keep an object, and tell those who watch."""
        with self.changed:
            self._version += 1
            obj["metadata"]["resourceVersion"] = str(self._version)
            name = obj["metadata"]["name"]
            if event == "DELETED":
                self._objects[kind].pop(name, None)
            else:
                self._objects[kind][name] = obj
            self._events.append((kind, {"type": event, "object": deepcopy(obj)}))
            self.changed.notify_all()

    def _get(self, handler: BaseHTTPRequestHandler) -> None:
        url = urlparse(handler.path)
        words = parse_qs(url.query)
        *_, kind = parts = url.path.strip("/").split("/")
        if kind in LISTS:
            if "watch" in words:
                self._watch(handler, kind, words, _version_in(url.path))
            else:
                self._send(handler, 200, self._list(kind, _version_in(url.path)))
        elif len(parts) > 1 and parts[-2] in self._objects and kind in self._objects[parts[-2]]:
            self._send(handler, 200, self._objects[parts[-2]][kind])
        else:
            self._send(handler, 404, _failure(404, "NotFound"))

    def _list(self, kind: str, version: str) -> Json:
        with self.changed:
            items = list(self._objects.get(kind, {}).values())
            metadata = {"resourceVersion": str(self._version)}
        return {"kind": f"{LISTS[kind]}List", "apiVersion": version, "metadata": metadata, "items": deepcopy(items)}

    def _watch(
        self, handler: BaseHTTPRequestHandler, kind: str, words: Mapping[str, Sequence[str]], version: str
    ) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        since = int(words.get("resourceVersion", ["0"])[0] or 0)
        with self.changed:
            place = len(self._events)
            if words.get("sendInitialEvents") == ["true"]:
                first = [{"type": "ADDED", "object": each} for each in self._list(kind, version)["items"]]
                notes = {"k8s.io/initial-events-end": "true"}
                metadata = {"resourceVersion": str(self._version), "annotations": notes}
                mark = {"kind": LISTS[kind], "apiVersion": version, "metadata": metadata}
                first.append({"type": "BOOKMARK", "object": mark})
            else:
                newer = (event for of, event in self._events if of == kind)
                first = [each for each in newer if int(each["object"]["metadata"]["resourceVersion"]) > since]
        try:
            while True:
                for event in first:
                    line = json.dumps(event).encode() + b"\n"
                    handler.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
                handler.wfile.flush()
                with self.changed:
                    while len(self._events) == place and not self._closed:
                        self.changed.wait(1)
                    if self._closed:
                        break
                    first = [event for of, event in self._events[place:] if of == kind]
                    place = len(self._events)
            handler.wfile.write(b"0\r\n\r\n")
        except OSError:
            pass
        handler.close_connection = True

    def _written(self, verb: str, path: str, body: Json) -> tuple[int, Json]:
        parts = path.strip("/").split("/")
        if verb == "POST" and parts[-1] == "nodes":
            for key in ("labels", "annotations"):
                body["metadata"][key] = {**body["metadata"].get(key, {}), **self._wanted["metadata"].get(key, {})}
            body["metadata"]["uid"] = "node"
            body.setdefault("spec", {})["taints"] = self._wanted.get("spec", {}).get("taints") or []
            self.put("nodes", {**body, "kind": "Node", "apiVersion": "v1"})
            return 201, self.node
        if verb == "POST" and parts[-1] == "events" and body.get("type") == "Warning":
            with self.changed:
                self.warnings.setdefault(body["involvedObject"].get("uid", ""), (body["reason"], body["message"]))
        if verb == "PATCH":
            kind, name = next(
                ((kind, parts[parts.index(kind) + 1]) for kind in ("nodes", "pods") if kind in parts), ("", "")
            )
            if kind and name in self._objects[kind]:
                with self.changed:
                    known = deepcopy(self._objects[kind][name])
                    _merge(known, body)
                    self.put(kind, known, "MODIFIED")
                return 200, known
            return 404, _failure(404, "NotFound")
        if verb == "DELETE":
            if parts[-2] == "pods" and parts[-1] in self._objects["pods"]:
                self.put("pods", self._objects["pods"][parts[-1]], "DELETED")
            return 200, {"kind": "Status", "apiVersion": "v1", "status": "Success"}
        return (201 if verb == "POST" else 200), body

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, status: int, answer: Json) -> None:
        text = json.dumps(answer).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)


def completed(pod: Json) -> Json:
    """Return a pod with what an API server adds when it stores it."""
    made = deepcopy(pod)
    made.update(apiVersion="v1", kind="Pod")
    metadata, spec = made["metadata"], made["spec"]
    metadata["creationTimestamp"] = "2026-01-01T00:00:00Z"
    is_static = metadata.get("annotations", {}).get(SOURCE) in FILES
    usual = {"restartPolicy": "Always", "dnsPolicy": "Default", "schedulerName": "default-scheduler"}
    usual |= {"terminationGracePeriodSeconds": 1, "enableServiceLinks": False, "securityContext": {}}
    spec |= {name: value for name, value in usual.items() if name not in spec}
    if not is_static:
        spec |= {"nodeName": "node", "priority": spec.get("priority", 0)}
        made["status"] = {"phase": "Pending"}
    for container in (*spec.get("initContainers", ()), *spec["containers"]):
        resources = container.get("resources", {})
        for name, amount in resources.get("limits", {}).items():
            resources.setdefault("requests", {}).setdefault(name, amount)
        container["imagePullPolicy"] = "IfNotPresent"
        for port in container.get("ports", ()):
            port.setdefault("protocol", "TCP")
            if spec.get("hostNetwork"):
                port.setdefault("hostPort", port["containerPort"])
    return made


def _version_in(path: str) -> str:
    """Return the version of the objects at a path: ``v1``, ``node.k8s.io/v1``."""
    root, *parts = path.strip("/").split("/")
    return "/".join(parts[:2]) if root == "apis" else parts[0]


def _failure(code: int, reason: str) -> Json:
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code}


def _merge(known: Json, patch: Mapping[str, Any]) -> None:
    """Merge a strategic patch: of lists those of conditions and addresses by type, the others whole."""
    for name, value in patch.items():
        if name.startswith("$"):
            continue
        if value is None:
            known.pop(name, None)
        elif isinstance(value, dict):
            there = known.setdefault(name, {})
            _merge(there, value) if isinstance(there, dict) else known.update({name: value})
        elif name in ("conditions", "addresses"):
            listed = {each["type"]: each for each in known.get(name) or ()}
            for each in value:
                listed.setdefault(each["type"], {}).update(each)
            known[name] = list(listed.values())
        else:
            known[name] = value
