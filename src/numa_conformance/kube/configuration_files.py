"""The configurations that users have in files, also among other documents, or as a node hands them out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..documentation.versions import DEFAULT, KubernetesVersion
from ..errors import Fault, UsageError, closest
from ..reading import Document, read_documents
from .kubelet_config import KubeletConfiguration
from .scheduler_config import SchedulerConfiguration

__all__ = ["kubelet_document", "read_kubelet_configuration", "read_scheduler_configuration"]


def read_kubelet_configuration(path: Path | str | None) -> KubeletConfiguration:
    """Read one KubeletConfiguration; None gives the kubelet's defaults. Raises ``UsageError``.

    It may stand among other documents, as in a file for kubeadm, and be what a node hands out under ``/configz``.
    """
    if path is None:
        return KubeletConfiguration()
    document = kubelet_document(path)
    return KubeletConfiguration.from_dict(document.value, document.place)


def kubelet_document(path: Path | str) -> Document:
    """Return the document of one KubeletConfiguration, its fields not yet looked at; raises ``UsageError``."""
    document = _the_one(path, "KubeletConfiguration")
    return Document(document.place, _unwrapped(document.value))


def read_scheduler_configuration(
    path: Path | str | None, version: KubernetesVersion = DEFAULT
) -> SchedulerConfiguration:
    """Read one KubeSchedulerConfiguration as a version does, also among others; None gives the defaults.

    Raises ``UsageError``.
    """
    if path is None:
        return SchedulerConfiguration()
    document = _the_one(path, "KubeSchedulerConfiguration")
    return SchedulerConfiguration.from_dict(document.value, document.place, version)


def _the_one(path: Path | str, kind: str) -> Document:
    """Return the only document of a file, or the only one that says to be of this kind."""
    documents = read_documents(path)
    if len(documents) == 1:
        return documents[0]
    chosen = [document for document in documents if _kind(document) == kind]
    if len(chosen) == 1:
        return chosen[0]
    if len(chosen) > 1:
        raise UsageError(Fault(str(path), f"holds {len(chosen)} documents of kind {kind}", "one"))
    kinds = [_kind(document) or "no kind" for document in documents]
    shown = f" ({', '.join(dict.fromkeys(kinds))})" if kinds else ""
    raise UsageError(Fault(str(path), f"holds {len(documents)} documents{shown}", f"one {kind}", closest(kind, kinds)))


def _kind(document: Document) -> str:
    return str(document.value.get("kind") or "") if isinstance(document.value, Mapping) else ""


def _unwrapped(value: Any) -> Any:
    """Take a configuration out of what ``/configz`` of a node answers."""
    return value["kubeletconfig"] if isinstance(value, Mapping) and list(value) == ["kubeletconfig"] else value
