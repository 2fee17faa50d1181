"""The configurations that users have in files, also among other documents, or as a node hands them out."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..documents import Document, Source, name_of, read_content, read_documents, read_text
from ..errors import Fault, UsageError, closest
from ..sources.quirks.areas import NodeQuirks
from ..sources.versions import DEFAULT, KubernetesVersion
from .command_lines import MAX_BYTES, is_command_line
from .kubelet_config import KIND, KubeletConfiguration
from .kubelet_flags import fields_of_flags
from .scheduler_config import SchedulerConfiguration
from .vendor_configurations import foreign, kind_of, parts_of


def read_kubelet_configuration(path: Source | None) -> KubeletConfiguration:
    """Read one KubeletConfiguration; None gives the kubelet's defaults. Raises ``UsageError``.

    Fields that no kubelet knows are passed over. It may stand among other documents, and in the files of installers and
    distributions (``vendor_configurations``).
    """
    if path is None:
        return KubeletConfiguration()
    document = kubelet_document(path)
    config = KubeletConfiguration.from_dict(document.value, document.place, lenient=True)
    return replace(config, notes=document.notes)


def kubelet_document(path: Source) -> Document:
    """Return the document of one KubeletConfiguration, its fields not yet looked at; raises ``UsageError``.

    A command line of a kubelet, as people paste it, is one too.
    """
    content = read_content(path)
    text = content if isinstance(content, str) else content[: MAX_BYTES + 1].decode("utf-8", "replace")
    if is_command_line(text):
        of_flags, notes = fields_of_flags(text, NodeQuirks(), name_of(path))
        return Document(name_of(path), {"kind": KIND, **of_flags}, notes)
    documents = read_text(content, name_of(path))
    parts = [part for document in documents for part in parts_of(document)]
    written = [part for part in parts if part.fields is not None]
    if len(written) > 1:
        raise UsageError(Fault(str(path), f"holds {len(written)} documents of kind {KIND}", "one"))
    if not parts:
        raise UsageError(foreign(str(path), [kind_of(document) for document in documents]))
    fields = written[0].fields if written else {"kind": KIND}
    place = (written or parts)[0].place
    for part in parts:
        if part.flags and isinstance(fields, Mapping):
            fields = _with_fields(fields, fields_of_flags(shlex.join(part.flags), NodeQuirks(), part.place)[0])
    return Document(place, fields, tuple(note for part in parts for note in part.notes))


def read_scheduler_configuration(
    path: Path | str | None, version: KubernetesVersion = DEFAULT
) -> SchedulerConfiguration:
    """Read one KubeSchedulerConfiguration as a version does, also among others; None gives the defaults.

    Raises ``UsageError``.
    """
    if path is None:
        return SchedulerConfiguration()
    document = _only_document(path, "KubeSchedulerConfiguration")
    return SchedulerConfiguration.from_dict(document.value, document.place, version)


def _only_document(path: Path | str, kind: str) -> Document:
    """Return the only document of a file, or the only one that says to be of this kind."""
    documents = read_documents(path)
    if len(documents) == 1:
        other = kind_of(documents[0])
        if other not in ("", kind):
            raise UsageError(Fault(documents[0].place, f"is a {other}", f"one {kind}", closest(other, [kind])))
        return documents[0]
    chosen = [document for document in documents if kind_of(document) == kind]
    if len(chosen) == 1:
        return chosen[0]
    if len(chosen) > 1:
        raise UsageError(Fault(str(path), f"holds {len(chosen)} documents of kind {kind}", "one"))
    kinds = [kind_of(document) or "no kind" for document in documents]
    shown = f" ({', '.join(dict.fromkeys(kinds))})" if kinds else ""
    raise UsageError(Fault(str(path), f"holds {len(documents)} documents{shown}", f"one {kind}", closest(kind, kinds)))


def _with_fields(before: Mapping[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    gates = {**(before.get("featureGates") or {}), **changes.get("featureGates", {})}
    return {**before, **changes, **({"featureGates": gates} if gates else {})}
