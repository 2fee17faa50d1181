"""Deprecated: the old names of ``numa_conformance.protocol``, for targets written for version 1 of the protocol.

Such targets are judged as ever. New ones take their messages from ``numa_conformance.protocol.messages``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .documentation.versions import DEFAULT, KubernetesVersion
from .kube import Pod
from .managers.eligibility import exclusive_cpus
from .protocol import (
    FEATURES,
    SURFACES,
    BadReply,
    Client,
    Connection,
    Crashed,
    Exchange,
    InProcess,
    Level,
    NotClaimed,
    Stdio,
    TargetFault,
    TimedOut,
    connection,
    faults,
    features,
    in_process,
    load_factory,
    stdio,
    version_1,
)
from .protocol import ReferenceTarget as _ReferenceOfToday
from .protocol import serve as _serve
from .protocol.__main__ import main
from .protocol.message import Message, Method

__all__ = [
    "FEATURES",
    "PROTOCOL",
    "SURFACES",
    "BadReply",
    "Client",
    "Connection",
    "Crashed",
    "Exchange",
    "InProcess",
    "Level",
    "NotClaimed",
    "ReferenceTarget",
    "Stdio",
    "TargetFault",
    "TimedOut",
    "load_factory",
    "serve",
    "wire",
]

PROTOCOL = version_1.PROTOCOL


def serve(target: object) -> None:
    """Serve a target over the standard streams, in the version of the protocol that it was written for."""
    _serve(target, version_1.methods_of(target))


class ReferenceTarget:
    """The reference, asked and answering in version 1."""

    def __init__(self, level: Level = "exact", kubernetes_version: str | KubernetesVersion = DEFAULT) -> None:
        self._today = _ReferenceOfToday(level, kubernetes_version)


def _answering(method: Method) -> Callable[[ReferenceTarget, Message], Message]:
    def answer(self: ReferenceTarget, request: Message) -> Message:
        reply = getattr(self._today, method.attribute)(version_1.question_of_today(request))
        return version_1.reply_of_then(method.name, reply)

    answer.__name__ = method.attribute
    return answer


for _method in version_1.METHODS.values():
    setattr(ReferenceTarget, _method.attribute, _answering(_method))


# What the starter of version 1 asked of a pod.
setattr(Pod, "exclusive_cpus", exclusive_cpus)  # noqa: B010  (mypy knows no such method)


def _module(name: str, **names: Any) -> ModuleType:
    module = ModuleType(f"{__name__}.{name}", __doc__)
    vars(module).update({key: value for key, value in names.items() if not key.startswith("__")})
    return module


wire = _module("wire", **vars(version_1))
_WIRE = ("messages", "node", "stateless", "values")
vars(wire).update(dict.fromkeys(_WIRE, wire))

_MODULES: dict[str, ModuleType] = {
    "wire": wire,
    **{f"wire.{name}": wire for name in _WIRE},
    "connection": connection,
    "faults": faults,
    "features": _module("features", **{**vars(features), "PROTOCOL": PROTOCOL, "SURFACES": SURFACES}),
    "in_process": in_process,
    "reference": _module("reference", Level=Level, ReferenceTarget=ReferenceTarget),
    "serve": _module("serve", serve=serve),
    "stdio": stdio,
}
for _name, _found in _MODULES.items():
    sys.modules[f"numa_conformance.target.{_name}"] = _found

if __name__ == "__main__":
    sys.exit(main(ReferenceTarget))
