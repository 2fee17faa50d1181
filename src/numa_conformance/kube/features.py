"""Feature gates and the maturity of options, by Kubernetes version.

The tables are facts of the releases' own gate tables (admission-and-qos section 7, cpu-manager sections 5.2 and 5.3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..errors import Fault, StartError, UsageError, closest

__all__ = ["OLDEST", "NEWEST", "FeatureGates", "Maturity", "check_version", "option_maturity"]

OLDEST, NEWEST = (1, 27), (1, 36)
"""First and last Kubernetes minor version whose behaviour can be asked for."""

Maturity = Literal["alpha", "beta", "ga"]
Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Stage:
    """From this version on: on or off by default, and whether that can be changed."""

    since: Version
    on: bool
    locked: bool = False


_ON, _OFF = True, False

_GATES: Mapping[str, tuple[_Stage, ...]] = {
    "CPUManager": (_Stage((1, 26), _ON, locked=True),),
    "CPUManagerPolicyOptions": (_Stage((1, 23), _ON), _Stage((1, 33), _ON, locked=True)),
    "CPUManagerPolicyBetaOptions": (_Stage((1, 23), _ON),),
    "CPUManagerPolicyAlphaOptions": (_Stage((1, 23), _OFF),),
    "MemoryManager": (_Stage((1, 22), _ON), _Stage((1, 32), _ON, locked=True)),
    "TopologyManagerPolicyOptions": (_Stage((1, 26), _OFF), _Stage((1, 28), _ON)),
    "TopologyManagerPolicyBetaOptions": (_Stage((1, 26), _OFF), _Stage((1, 28), _ON)),
    "TopologyManagerPolicyAlphaOptions": (_Stage((1, 26), _OFF),),
    "SidecarContainers": (_Stage((1, 28), _OFF), _Stage((1, 29), _ON), _Stage((1, 33), _ON, locked=True)),
    "InPlacePodVerticalScaling": (_Stage((1, 27), _OFF), _Stage((1, 33), _ON), _Stage((1, 35), _ON, locked=True)),
    "InPlacePodVerticalScalingExclusiveCPUs": (_Stage((1, 32), _OFF),),
    "InPlacePodVerticalScalingExclusiveMemory": (_Stage((1, 34), _OFF),),
    "PodLevelResources": (_Stage((1, 32), _OFF), _Stage((1, 34), _ON)),
    "PodLevelResourceManagers": (_Stage((1, 36), _OFF),),
    "DisableCPUQuotaWithExclusiveCPUs": (_Stage((1, 33), _ON),),
    "ResourceHealthStatus": (_Stage((1, 31), _OFF),),
    "KubeletPodResourcesGet": (_Stage((1, 27), _OFF), _Stage((1, 34), _ON)),
    "KubeletPodResourcesDynamicResources": (_Stage((1, 27), _OFF), _Stage((1, 34), _ON)),
    "KubeletPodResourcesListUseActivePods": (_Stage((1, 34), _ON),),
    "DynamicResourceAllocation": (_Stage((1, 26), _OFF), _Stage((1, 34), _ON), _Stage((1, 35), _ON, locked=True)),
    "WindowsCPUAndMemoryAffinity": (_Stage((1, 32), _OFF),),
}

_OPTIONS: Mapping[str, tuple[tuple[Version, Maturity], ...]] = {
    "full-pcpus-only": (((1, 22), "alpha"), ((1, 23), "beta"), ((1, 33), "ga")),
    "distribute-cpus-across-numa": (((1, 23), "alpha"), ((1, 33), "beta")),
    "align-by-socket": (((1, 25), "alpha"),),
    "distribute-cpus-across-cores": (((1, 31), "alpha"),),
    "strict-cpu-reservation": (((1, 32), "alpha"), ((1, 33), "beta"), ((1, 35), "ga")),
    "prefer-align-cpus-by-uncorecache": (((1, 32), "alpha"), ((1, 34), "beta"), ((1, 36), "ga")),
    "prefer-closest-numa-nodes": (((1, 26), "alpha"), ((1, 28), "beta"), ((1, 32), "ga")),
    "max-allowable-numa-nodes": (((1, 31), "beta"), ((1, 35), "ga")),
}

_VERSION = re.compile(r"v?([0-9]{1,3})\.([0-9]{1,3})(?:\.[0-9]+)?", re.ASCII)


def check_version(text: str) -> Version:
    """Return ``(major, minor)``; raises ``UsageError`` outside the documented range."""
    found = _VERSION.fullmatch(text)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if not OLDEST <= version <= NEWEST:
        accepted = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
        raise UsageError(Fault("", f"{text!r} is not a Kubernetes version whose behaviour is known", accepted))
    return version


def option_maturity(option: str, version: str) -> Maturity | None:
    """Return how mature a policy option is in a version; None where it does not exist."""
    asked = check_version(version)
    reached: Maturity | None = None
    for since, maturity in _OPTIONS.get(option, ()):
        if asked >= since:
            reached = maturity
    return reached


class FeatureGates:
    """The feature gates of one node."""

    def __init__(self, version: str, enabled: Mapping[str, bool]) -> None:
        """Take the version and the state of every gate; ``build`` is how callers make one."""
        self.version = version
        self._enabled = enabled

    @classmethod
    def build(cls, kubernetes_version: str, overrides: Mapping[str, bool]) -> FeatureGates:
        """Apply a configuration's overrides to the defaults of a version.

        Raises ``UsageError`` for an unknown gate, with a suggestion, and ``StartError`` for one that is locked.
        """
        version = check_version(kubernetes_version)
        stages = {name: stage for name, history in _GATES.items() if (stage := _stage(history, version))}
        faults = [
            Fault(f"featureGates.{name}", "unknown feature gate", suggestion=closest(name, stages))
            for name in overrides
            if name not in stages and closest(name, stages)
        ]
        if faults:
            raise UsageError(faults)
        for name, on in overrides.items():
            if name in stages and stages[name].locked and on is not stages[name].on:
                locked = str(stages[name].on).lower()
                raise StartError(
                    "kubelet",
                    f"cannot set feature gate {name} to {str(on).lower()}, feature is locked to {locked}",
                )
        known = {name: bool(overrides.get(name, stage.on)) for name, stage in stages.items()}
        return cls(kubernetes_version, known)

    def enabled(self, name: str) -> bool:
        """Tell whether a gate is on; a gate the version does not have is off."""
        return self._enabled.get(name, False)

    def maturity(self, option: str) -> Maturity | None:
        """Return how mature a policy option is in this node's version."""
        return option_maturity(option, self.version)


def _stage(history: tuple[_Stage, ...], version: Version) -> _Stage | None:
    reached = None
    for stage in history:
        if version >= stage.since:
            reached = stage
    return reached
