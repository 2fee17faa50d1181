"""The API server, asked over HTTPS: as little of a client as bringing up a cluster needs."""

import contextlib
import http.client
import json
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...documents import read_documents
from ...errors import Fault, UsageError

_SECONDS = 30


class ApiError(OSError):
    """The API server refused; ``code`` is the HTTP status."""

    def __init__(self, code: int, text: str) -> None:
        """Take the status and what it said."""
        self.code = code
        super().__init__(f"the API server answers {code}: {text[:500]}")


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
            text = answer.read()
        return json.loads(text) if text[:1] in (b"{", b"[") else text.decode()

    def watch(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the events of a watch until the server ends it; raises ``ApiError`` and ``OSError``."""
        with self._answer(path, lasts=True) as answer:
            yield from map(json.loads, answer)

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
                raise ApiError(answer.status, answer.read().decode(errors="replace"))
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
