"""Profiles: named sets of features, at a Kubernetes version, to which an implementation may say it conforms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..documentation.options import STATIC_OPTIONS, TOPOLOGY_OPTIONS
from ..documentation.versions import KubernetesVersion
from ..errors import Fault, UsageError, closest
from ..protocol.features import FEATURES

__all__ = ["FEATURE_SETS", "Profile"]


def _below(*prefixes: str) -> frozenset[str]:
    return frozenset(name for name in FEATURES if name.startswith(prefixes))


_CPU = frozenset({"cpu-manager/none", "cpu-manager/static", "cpu-manager/init-containers", "node/qos"})
_TOPOLOGY = _below("topology-manager/") | {"cpu-manager/hints"}
_FILES = frozenset(name for name in FEATURES if name.endswith("/state-file"))

FEATURE_SETS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "all": frozenset(FEATURES),
        "node": _below("cpu-manager/", "memory-manager/", "device-manager/", "topology-manager/", "node/"),
        "cpu": _CPU,
        "cpu-options": _CPU
        | _below("cpu-manager/") - _FILES - {"cpu-manager/hints", "cpu-manager/reconcile", "cpu-manager/cfs-quota"},
        "topology": _CPU | _TOPOLOGY,
        "memory": _CPU | _TOPOLOGY | _below("memory-manager/") - _FILES,
        "device": _CPU | _TOPOLOGY | _below("device-manager/") - _FILES,
        "host": _below("host/"),
        "scheduler": _below("scheduler/"),
    }
)
"""The name of a set to its features. Names are permanent; a set may grow with the suite."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A set of features at a Kubernetes version; ``named`` when the user asked for it by name."""

    name: str
    version: KubernetesVersion
    named: bool = True

    @classmethod
    def parse(cls, text: str, version: str | KubernetesVersion) -> Profile:
        """Read ``NAME``, ``NAME@VERSION`` or ``@VERSION``; what is left out is ``all``, and the target's ``version``.

        Raises ``UsageError``.
        """
        name, _, asked = text.partition("@")
        name = name or "all"
        if name not in FEATURE_SETS:
            accepted = f"{', '.join(FEATURE_SETS)}; @ and a Kubernetes version may follow"
            raise UsageError(
                Fault("--numa-profile", f"there is no profile {name!r}", accepted, closest(name, FEATURE_SETS))
            )
        try:
            return cls(name, KubernetesVersion.supported(asked or version), bool(text))
        except UsageError as error:
            raise error.within("--numa-profile") from error

    @property
    def features(self) -> frozenset[str]:
        """The features that the profile asks for."""
        return FEATURE_SETS[self.name]

    @property
    def offered(self) -> frozenset[str]:
        """Its features without those of options that the version does not have, or shows only behind a gate."""
        hidden = set()
        for option in STATIC_OPTIONS.values():
            if option.maturity.at(self.version) is None:
                hidden.add(f"cpu-manager/{option.name}")
        for option in TOPOLOGY_OPTIONS.values():
            if option.maturity.at(self.version) in (None, "alpha"):
                hidden.add(f"topology-manager/{option.name}")
        return self.features - hidden

    def asks(self, features: Iterable[str]) -> bool:
        """Tell whether a case that needs these features belongs to the profile."""
        return self.features.issuperset(features)

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"
