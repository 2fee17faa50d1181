"""The configurations that users have in files, also among other documents, or as a node hands them out.

Read are OpenShift's KubeletConfig, kubeadm's ConfigMap and documents, EKS' NodeConfig, Talos' machine configuration,
the ``kubelet-arg`` of k3s and RKE2, the ``services`` of RKE1, the node settings of GKE and AKS in their own words, and
what ``/configz`` of a node answers. Of others the way to the part that matters is told.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..documents import Document, Source, name_of, read_content, read_documents, read_text
from ..errors import Fault, UsageError, closest
from ..fields import object_at
from ..pasted import decoded
from ..sources.configuration_fields import FIELDS
from ..sources.quirks.areas import NodeQuirks
from ..sources.versions import DEFAULT, KubernetesVersion
from .kubelet_config import API_VERSION, KIND, MANAGER_FIELDS, KubeletConfiguration
from .kubelet_flags import MAX_BYTES, fields_of_flags, is_command_line
from .scheduler_config import SchedulerConfiguration

_CONFIGZ = "kubectl get --raw /api/v1/nodes/NODE/proxy/configz"
_REMEDIES = {
    "PerformanceProfile": "the KubeletConfig that is made of it: oc get kubeletconfig performance-NAME -o yaml",
    "MachineConfig": "its file /etc/kubernetes/kubelet.conf, as it lies on the node",
    "Tuned": "the KubeletConfig of the pool: oc get kubeletconfig -o yaml",
}
_OF_MACHINES = {"cpus", "numaPerSocket", "coresPerNuma"}
"""Fields that machines have, in either form, and nothing else that is read here."""

_WORDS = {
    "cpuCfsQuota": "cpuCFSQuota",
    "cpuCfsQuotaPeriod": "cpuCFSQuotaPeriod",
    "topologyManager.policy": "topologyManagerPolicy",
    "topologyManager.scope": "topologyManagerScope",
    "memoryManager.policy": "memoryManagerPolicy",
}
"""The words of GKE and AKS for fields of the managers."""
_OF_PROVIDERS = {"containerLogMaxSizeMB", "imageGcHighThreshold", "imageGcLowThreshold", "podMaxPids"} | {
    word.partition(".")[0] for word in _WORDS
}
"""Fields that GKE or AKS have and a kubelet has not."""
_NEAR = 0.8

HEAD: Mapping[str, str] = {"apiVersion": API_VERSION, "kind": KIND}
"""What a kubelet needs in a file of its own, and other forms do not have."""

Keys = tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """What a document says of the kubelet: the fields of a configuration, if any, and flags as they are typed.

    ``notes``: what stands elsewhere.
    """

    place: str
    fields: Mapping[str, Any] | None = None
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Form:
    """Where in a document the configuration and the flags stand; an empty path: there are none.

    ``reserves``: the provider reserves by itself where nothing is said of it.
    """

    fields: Keys = ()
    flags: Keys = ()
    reserves: bool = False


_BY_KIND = {
    "KubeletConfig": _Form(("spec", "kubeletConfig"), reserves=True),
    "NodeConfig": _Form(("spec", "kubelet", "config"), ("spec", "kubelet", "flags"), reserves=True),
    "InitConfiguration": _Form(flags=("nodeRegistration", "kubeletExtraArgs")),
    "JoinConfiguration": _Form(flags=("nodeRegistration", "kubeletExtraArgs")),
}
_RANCHER = ("services", "kubelet", "extra_args")
_BY_KEY = {
    "kubelet-arg": _Form(flags=("kubelet-arg",)),
    "kubelet-arg+": _Form(flags=("kubelet-arg+",)),
    "machine": _Form(("machine", "kubelet", "extraConfig"), ("machine", "kubelet", "extraArgs"), reserves=True),
    "kubeletExtraArgs": _Form(flags=("kubeletExtraArgs",)),
    "nodeRegistration": _Form(flags=("nodeRegistration", "kubeletExtraArgs")),
    "rancher_kubernetes_engine_config": _Form(flags=("rancher_kubernetes_engine_config", *_RANCHER)),
    "services": _Form(flags=_RANCHER),
}
"""Forms without a kind."""


def parts_of(document: Document) -> Iterator[Part]:
    """Yield what a document says of the kubelet; raises ``UsageError`` where it says so in no way that is accepted."""
    value = document.value
    kind = kind_of(document)
    if not isinstance(value, Mapping):
        return
    if kind == KIND:
        yield Part(document.place, value)
    elif kind in ("List", "KubeletConfigList") and isinstance(value.get("items"), list):
        for index, item in enumerate(value["items"]):
            yield from parts_of(Document(f"{document.place}: items[{index}]", item))
    elif list(value) == ["kubeletconfig"]:
        yield Part(f"{document.place}: kubeletconfig", value["kubeletconfig"])
    elif not kind and (settings := _of_provider(value)):
        path, fields = settings
        yield Part(f"{document.place}{path}", fields, notes=(_added(document),))
    elif kind == "ConfigMap":
        yield from (Part(inner.place, inner.value) for inner in _opened(document, KIND) if kind_of(inner) == KIND)
    elif (
        forms := [_BY_KIND[kind]]
        if kind in _BY_KIND
        else [_BY_KEY[key] for key in value if key in _BY_KEY and not kind]
    ):
        for form in forms:
            yield from _in_form(document, form)
    elif not kind and (not value or value.keys() & FIELDS.keys()):
        yield Part(document.place, value)


def _opened(document: Document, kind: str) -> list[Document]:
    """Return the documents of a ConfigMap that may be of a kind, another one as it is."""
    if kind_of(document) != "ConfigMap":
        return [document]
    texts = {f"{document.place}: data.{key}": text for key, text in object_at(document.value, "data").items()}
    return [inner for key, text in texts.items() if kind in str(text) for inner in read_text(str(text), key)]


def kind_of(document: Document) -> str:
    """Return the kind that a document says to be of, ``machine`` for one of ours, empty where it says none."""
    value = object_at(document.value)
    return str(value.get("kind") or ("machine" if _OF_MACHINES & value.keys() else ""))


def foreign(place: str, kinds: list[str]) -> Fault:
    """Say of a file of other kinds how to come to a KubeletConfiguration."""
    remedy = next((_REMEDIES[kind] for kind in kinds if kind in _REMEDIES), f"what the kubelet runs with: {_CONFIGZ}")
    shown = ", ".join(dict.fromkeys(kind or "no kind" for kind in kinds)) or "nothing"
    return Fault(place, f"holds no {KIND}, but {shown}", f"one {KIND}; give {remedy}")


def _in_form(document: Document, form: _Form) -> Iterator[Part]:
    place = f"{document.place}: {'.'.join(form.fields or form.flags)}"
    fields = _at(document.value, form.fields)
    flags = tuple(_typed(_at(document.value, form.flags), f"{document.place}: {'.'.join(form.flags)}"))
    if fields is not None or flags:
        adds = form.reserves and not _RESERVED.search(f"{fields} {flags}")
        yield Part(place, fields, flags, (_added(document),) if adds else ())


_RESERVED = re.compile("reservedSystemCPUs|(?:kube|system)Reserved|--(?:reserved-cpus|(?:kube|system)-reserved)")


def _added(document: Document) -> str:
    return f"{document.place}: the provider adds what is reserved, which is not here: {_CONFIGZ} has all"


def _of_provider(document: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Return where GKE's or AKS' settings are, and what they say of the managers in the words of a kubelet."""
    for path in ((), ("kubeletConfig",), ("config", "kubeletConfig")):
        settings = object_at(document, *path)
        if settings if path else _OF_PROVIDERS & settings.keys():
            break
    else:
        return None
    fields: dict[str, Any] = {}
    for name, setting in settings.items():
        inner = setting if isinstance(setting, Mapping) and name in _OF_PROVIDERS else {"": setting}
        words = {f"{name}.{key}".rstrip("."): value for key, value in inner.items()}
        fields |= {_WORDS.get(word, word): value for word, value in words.items() if value is not None}
    near: dict[str, Any] = {name: value for name, value in fields.items() if closest(name, MANAGER_FIELDS, _NEAR)}
    return "".join(f": {key}" for key in path[-1:]), {**HEAD, **near}


def _at(value: Any, path: Keys) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if path else None


def _typed(flags: Any, place: str) -> Iterator[str]:
    """Yield flags as they are typed: from ``name=value`` texts, from a mapping, or from entries of name and value."""
    if isinstance(flags, Mapping):
        pairs = [f"{name}={value}" for name, value in flags.items()]
    elif isinstance(flags, list):
        pairs = [
            f"{item.get('name')}={item.get('value')}" if isinstance(item, Mapping) else str(item) for item in flags
        ]
    else:
        pairs = [] if flags is None else [str(flags)]
    for pair in pairs:
        name, _, value = pair.lstrip("-").partition("=")
        if name == "config":
            instead = f"that file, and the rest by --flags; or {_CONFIGZ}"
            raise UsageError(Fault(place, f"the kubelet reads {value}, which is not here", instead))
        yield f"--{name}={value}"


def read_kubelet_configuration(path: Source | None) -> KubeletConfiguration:
    """Read one KubeletConfiguration; None gives the kubelet's defaults. Raises ``UsageError``.

    Fields that no kubelet knows are passed over. It may stand among other documents, and in the files of installers and
    distributions (``vendor_configurations``).
    """
    if path is None:
        return KubeletConfiguration()
    document = kubelet_document(path)
    value, is_file = document.value, re.fullmatch(r"(: document \d+)?", document.place.removeprefix(name_of(path)))
    if isinstance(value, Mapping) and not is_file:
        value = {**HEAD, **value}
    return replace(KubeletConfiguration.from_dict(value, document.place, lenient=True), notes=document.notes)


def kubelet_document(path: Source) -> Document:
    """Return the document of one KubeletConfiguration, its fields not yet looked at; raises ``UsageError``.

    A command line of a kubelet, as people paste it, is one too.
    """
    content = read_content(path)
    text = decoded(content[: MAX_BYTES + 1])
    if is_command_line(text):
        of_flags, notes = fields_of_flags(text, NodeQuirks(), name_of(path))
        return Document(name_of(path), {**HEAD, **of_flags}, notes)
    repeated: list[str] = []  # strict decoding fails, and the kubelet decodes once more without
    documents = read_text(content, name_of(path), repeated)
    parts = [part for document in documents for part in parts_of(document)]
    written = [part for part in parts if part.fields is not None]
    if len(written) > 1:
        raise UsageError(Fault(f"{part.place}: kind", f"is another {KIND}", "one in a file") for part in written[1:])
    if not parts:
        raise UsageError(foreign(str(path), [kind_of(document) for document in documents]))
    fields = written[0].fields if written else HEAD
    place = (written or parts)[0].place
    for part in parts:
        if part.flags and isinstance(fields, Mapping):
            before: Mapping[str, Any] = fields
            changes = fields_of_flags(shlex.join(part.flags), NodeQuirks(), part.place)[0]
            gates = {**(before.get("featureGates") or {}), **changes.get("featureGates", {})}
            fields = {**before, **changes, **({"featureGates": gates} if gates else {})}
    notes = (*(note for part in parts for note in part.notes), *(f"{name_of(path)}{note}" for note in repeated))
    return Document(place, fields, notes)


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
    documents = [inner for document in read_documents(path) for inner in _opened(document, kind)]
    if len(documents) == 1:
        if (other := kind_of(documents[0])) not in ("", kind):
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
