"""Objects of any kind, read from a file and made in a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...documents import read_documents
from ...errors import Fault, UsageError
from .api import Api


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
