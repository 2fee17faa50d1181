"""A stand-in of the API server for one node: its Node, the ResourceClaims there, and ResourceSlices, on loopback.

It serves what a driver made with ``k8s.io/dynamic-resource-allocation/kubeletplugin`` asks for. It knows no users,
validates nothing but the number of a slice's devices, and takes all slices to be of its node.
"""

import itertools
import json
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ...cpuset import checked
from ...wire.history import quantities
from .objects import VERSIONS, claim_for, read_slice, spec_of

_GROUP = "resource.k8s.io"
_INITIAL_END = {"k8s.io/initial-events-end": "true"}
_LOOK_SECONDS = 0.5
MOST_BYTES = 16 * 1024 * 1024
"""Of what a driver writes at once; etcd takes a tenth of it."""
Object = dict[str, Any]


class ApiServer:
    """Serves until ``close``; ``url`` is where."""

    def __init__(self, node: str) -> None:
        self.node: Object = {
            "metadata": {"name": node, "uid": f"uid-of-{node}", "labels": {"kubernetes.io/hostname": node}}
        }
        self.claims: dict[tuple[str, str], Object] = {}
        self.slices = _Slices()
        self._servers: list[_Server] = []
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.serve(listening)

    def serve(self, listening: socket.socket) -> None:
        """Serve at a socket that listens."""
        server = _Server(self, listening)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        self._servers.append(server)

    def published(self) -> list[Object]:
        """Return the specs of the slices, of each pool those of its highest generation, in order of their names."""
        return newest([spec_of(written) for _, written in sorted(self.slices.objects.items())])

    def is_complete(self) -> bool:
        """Tell whether there are slices, and as many of each pool as they say."""
        specs = self.published()
        counts = [
            sum(_pool(each) == _pool(spec) for each in specs) == (spec.get("pool") or {}).get("resourceSliceCount")
            for spec in specs
        ]
        return bool(specs) and all(counts)

    def close(self) -> None:
        """End, and all who watch."""
        self.slices.end()
        for server in self._servers:
            server.shutdown()
            server.server_close()


def _pool(spec: Mapping[str, Any]) -> tuple[object, object]:
    return spec.get("driver"), (spec.get("pool") or {}).get("name")


def newest(specs: Sequence[Object]) -> list[Object]:
    """Return those specs of slices that are of the highest generation of their pool."""
    return quantities.newest(specs, _pool, lambda spec: int((spec.get("pool") or {}).get("generation") or 0))


class _Slices:
    """The ResourceSlices, and what has happened to them in order."""

    def __init__(self) -> None:
        self.objects: dict[str, Object] = {}
        self._events: list[tuple[str, Object]] = []
        self._changed = threading.Condition()
        self._names = itertools.count(1)
        self._ended = False

    @property
    def version(self) -> str:
        return str(len(self._events))

    def create(self, written: Object) -> Object:
        metadata = written["metadata"] = written.get("metadata") or {}
        if not metadata.get("name"):  # in protobuf it is there, and empty
            metadata["name"] = f"{metadata.get('generateName', 'slice-')}{next(self._names):05}"
        metadata["uid"] = f"uid-of-{metadata['name']}"
        return self._put("ADDED", written)

    def update(self, name: str, written: Object) -> Object:
        """Keep it anew; raises ``KeyError`` where there is none."""
        written["metadata"] = {**self.objects[name]["metadata"], **(written.get("metadata") or {})}
        return self._put("MODIFIED", written)

    def delete(self, name: str) -> Object:
        with self._changed:
            gone = self.objects.pop(name)
            self._happened("DELETED", gone)
        return gone

    def _put(self, kind: str, written: Object) -> Object:
        with self._changed:
            self.objects[written["metadata"]["name"]] = written
            return self._happened(kind, written)

    def _happened(self, kind: str, written: Object) -> Object:
        written["metadata"] = {**written["metadata"], "resourceVersion": str(len(self._events) + 1)}
        self._events.append((kind, written))
        self._changed.notify_all()
        return written

    def forget(self) -> None:
        """Drop all, as a kubelet does that starts: drivers publish anew."""
        for name in list(self.objects):
            self.delete(name)

    def events(self, since: int) -> Iterator[tuple[str, Object] | None]:
        """Yield what happens after a version, until all ends; None now and then, where nothing does."""
        while not self._ended:
            with self._changed:
                if len(self._events) <= since:
                    self._changed.wait(_LOOK_SECONDS)
                new = self._events[since:]
            yield from new
            if not new:
                yield None
            since += len(new)

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, api: ApiServer, listening: socket.socket) -> None:
        super().__init__(listening.getsockname(), _Handler, bind_and_activate=False)
        self.socket.close()
        self.api, self.socket = api, listening

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a driver that has ended; of all else what the library says."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # passed on


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _answer(self) -> None:
        try:
            address = urlsplit(self.path)
            length = checked(int(self.headers.get("Content-Length") or 0), 0, MOST_BYTES)
            body = self.rfile.read(length) if length else b""
            self._route(address.path.strip("/").split("/"), parse_qs(address.query), body)
        except KeyError:
            self._fail(HTTPStatus.NOT_FOUND, "NotFound", f"{self.command} {self.path}: there is none")
        except (ValueError, TypeError, AttributeError, RecursionError) as error:  # of an object of any other form
            self.close_connection = True  # its body may be left unread
            self._fail(HTTPStatus.BAD_REQUEST, "BadRequest", str(error))

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _answer  # noqa: N815  (named by the library)

    def _route(self, path: list[str], query: Mapping[str, list[str]], body: bytes) -> None:
        match path:
            case ["api", "v1", "nodes", name] if self.command == "GET" and name == self._api.node["metadata"]["name"]:
                self._send({**self._api.node, "kind": "Node", "apiVersion": "v1"})
            case ["apis", group, version, "resourceslices", *names] if group == _GROUP and version in VERSIONS:
                self._slices(version, names, query, body)
            case ["apis", group, version, "namespaces", space, "resourceclaims", name, *below] if (
                group == _GROUP and version in VERSIONS
            ):
                self._claim(version, (space, name), below, body)
            case ["version"]:
                self._send({"major": "1", "minor": "37", "gitVersion": "v1.37.0"})
            case _:
                raise KeyError(self.path)

    def _claim(self, version: str, key: tuple[str, str], below: list[str], body: bytes) -> None:
        claim = self._api.claims[key]
        if self.command == "PUT" and below == ["status"]:
            devices = (json.loads(body).get("status") or {}).get("devices")
            claim["status"] = {**claim.get("status", {}), "devices": devices}
        elif self.command != "GET":
            raise ValueError(f"{self.command} of a ResourceClaim is not served: PUT its status as JSON, or GET it")
        self._send(claim_for(version, claim))

    def _slices(self, version: str, names: list[str], query: Mapping[str, list[str]], body: bytes) -> None:
        slices = self._api.slices
        match self.command, names:
            case "GET", []:
                if query.get("watch", [""])[0] in ("true", "1"):
                    self._watch(version, query)
                else:
                    items = [_in(version, written) for written in slices.objects.values()]
                    head = {"kind": "ResourceSliceList", "apiVersion": f"{_GROUP}/{version}"}
                    self._send({**head, "metadata": {"resourceVersion": slices.version}, "items": items})
            case "GET", [name]:
                self._send(_in(version, slices.objects[name]))
            case "POST", []:
                self._send(_in(version, slices.create(read_slice(body, version))), HTTPStatus.CREATED)
            case "PUT", [name]:
                self._send(_in(version, slices.update(name, read_slice(body, version))))
            case "DELETE", [name]:
                self._send(_in(version, slices.delete(name)))
            case _:
                raise ValueError(f"{self.command} is not served: POST, PUT, DELETE or GET a ResourceSlice")

    def _watch(self, version: str, query: Mapping[str, list[str]]) -> None:
        slices = self._api.slices
        since = int(query.get("resourceVersion", ["0"])[0] or 0)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        if query.get("sendInitialEvents") == ["true"]:
            since = int(slices.version)
            for written in list(slices.objects.values()):
                self._tell("ADDED", _in(version, written))
            bookmark = {"metadata": {"resourceVersion": str(since), "annotations": _INITIAL_END}}
            self._tell("BOOKMARK", _in(version, bookmark))
        for event in slices.events(since):
            if event is not None:
                self._tell(event[0], _in(version, event[1]))

    def _tell(self, kind: str, written: Object) -> None:
        self.wfile.write(json.dumps({"type": kind, "object": written}).encode() + b"\n")
        self.wfile.flush()

    def _send(self, document: Object, code: HTTPStatus = HTTPStatus.OK) -> None:
        text = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _fail(self, code: HTTPStatus, reason: str, message: str) -> None:
        status = {"status": "Failure", "reason": reason, "message": message, "code": code.value}
        self._send({"kind": "Status", "apiVersion": "v1", **status}, code)

    @property
    def _api(self) -> ApiServer:
        return self.server.api

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing: what a driver asks for is its own."""


def _in(version: str, written: Object) -> Object:
    return {**written, "kind": "ResourceSlice", "apiVersion": f"{_GROUP}/{version}"}
