"""Profiles: what an implementation may say it conforms to: a named set of features, at a Kubernetes version.

A profile of one surface is for implementations that have no other. What it leaves open is asked where it is claimed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..errors import Fault, UsageError, closest
from ..sources.options import CHOOSING, STATIC_OPTIONS, TOPOLOGY_OPTIONS
from ..sources.versions import SUPPORTED_RANGE, KubernetesVersion
from ..wire.features import KNOWN, PROMISES


def _below(*prefixes: str) -> frozenset[str]:
    return frozenset(name for name in KNOWN if name.startswith(prefixes))


_CPU = frozenset({"cpu-manager/none", "cpu-manager/static", "cpu-manager/init-containers", "node/qos"})
_TOPOLOGY = _below("topology-manager/") | {"cpu-manager/hints"}
_FILES = frozenset(name for name in KNOWN if name.endswith("/state-file"))
_PICKED = frozenset(f"cpu-manager/{option}" for option in CHOOSING) | {
    "topology-manager/best-effort",
    "topology-manager/restricted",
}
"""Of a choice of CPUs: the options, and whether it keeps to the affinity of a question."""

FEATURE_SETS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "all": frozenset(KNOWN),
        "node": _below("cpu-manager/", "memory-manager/", "device-manager/", "topology-manager/", "node/", "pinning/"),
        "cpu": _CPU,
        "cpu-options": _CPU
        | _below("cpu-manager/") - _FILES - {"cpu-manager/hints", "cpu-manager/reconcile", "cpu-manager/cfs-quota"},
        "topology": _CPU | _TOPOLOGY,
        "memory": _CPU | _TOPOLOGY | _below("memory-manager/") - _FILES,
        "device": _CPU | _TOPOLOGY | _below("device-manager/") - _FILES,
        "host": _below("host/") | {"node/restart"},
        "scheduler": _below("scheduler/"),
        "pick": frozenset({"cpu-manager/static"}) | _PICKED,
        "score": _below("scheduler/"),
        "plugin": _below("device-plugin/"),
        "claims": _below("claims/"),
    }
)
"""The name of a set to its features. Names are permanent; a set may grow with the suite."""

OF_ONE_SURFACE = frozenset({"pick", "score", "plugin", "claims"})
"""The profiles that ask what shows on the surface of their name, and nothing else."""

OPTIONAL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "all": frozenset(PROMISES),
        "node": frozenset(PROMISES),
        "host": frozenset({"node/restart"}),
        "pick": _PICKED,
        "score": _below("scheduler/"),
        "plugin": frozenset({"device-plugin/preferred-allocation", "device-plugin/restart"}),
        "claims": _below("claims/") - {"claims/cpus"},
    }
)
"""The name of a profile to the features of it that one need not have to conform to it."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A set of features at a Kubernetes version."""

    name: str
    version: KubernetesVersion

    @classmethod
    def parse(cls, text: str, version: str | KubernetesVersion, surfaces: Collection[str] = ()) -> Profile:
        """Read ``NAME``, ``NAME@VERSION`` or ``@VERSION``.

        What is left out is the target's: its ``version``, and the profile of its surface where its ``surfaces`` are one
        that has a profile; else ``all``. Raises ``UsageError``.
        """
        name, _, options = text.partition("@")
        name = name or next(iter(OF_ONE_SURFACE.intersection(surfaces) if len(surfaces) == 1 else ()), "all")
        if name not in FEATURE_SETS:
            accepted = f"{', '.join(FEATURE_SETS)}; @ and a Kubernetes version may follow"
            raise UsageError(
                Fault("--numa-profile", f"there is no profile {name!r}", accepted, closest(name, FEATURE_SETS))
            )
        if not options and KubernetesVersion.known(version) is None:
            message = f"the target follows {str(version)!r}, no Kubernetes version whose behaviour is known"
            raise UsageError(Fault("--numa-profile", message, f"{name}@VERSION, {SUPPORTED_RANGE}"))
        try:
            return cls(name, KubernetesVersion.supported(options or version))
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

    @property
    def surface(self) -> str | None:
        """The surface that alone is asked; None for all."""
        return self.name if self.name in OF_ONE_SURFACE else None

    @property
    def optional(self) -> frozenset[str]:
        """Its features that are asked where they are claimed, and not missed where they are not."""
        return OPTIONAL.get(self.name, frozenset())

    def asks(self, features: Iterable[str]) -> bool:
        """Tell whether a case that needs these features belongs to the profile."""
        return self.features.issuperset(features)

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"
