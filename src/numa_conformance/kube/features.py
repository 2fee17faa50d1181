"""Feature gates and the maturity of options, by Kubernetes version.

The tables are facts of the releases' own gate tables (admission-and-qos section 7, cpu-manager sections 5.2 and 5.3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..errors import Fault, StartError, UsageError, closest

__all__ = [
    "DEFAULT_VERSION",
    "KNOWN_VERSIONS",
    "NEWEST",
    "OLDEST",
    "SUPPORTED_VERSIONS",
    "FeatureGates",
    "Maturity",
    "check_version",
    "gate_faults",
    "is_known_version",
    "option_maturity",
]

OLDEST, NEWEST = (1, 27), (1, 36)
"""First and last Kubernetes minor version whose behaviour can be asked for."""

KNOWN_VERSIONS = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
"""The same, as messages name it."""
DEFAULT_VERSION = "1.32"
"""The version whose decisions were recorded; its behaviour is followed where no other is asked for."""
SUPPORTED_VERSIONS: tuple[str, ...] = tuple(f"1.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1))

Maturity = Literal["alpha", "beta", "ga"]
Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Stage:
    """From this version on: how mature, on or off by default, and whether that can be changed."""

    since: Version
    stage: Literal["alpha", "beta", "ga", "deprecated", "gone"]
    on: bool
    locked: bool = False


def _alpha(minor: int) -> _Stage:
    return _Stage((1, minor), "alpha", on=False)


def _beta(minor: int, *, on: bool = True) -> _Stage:
    return _Stage((1, minor), "beta", on=on)


def _ga(minor: int, *, locked: bool) -> _Stage:
    return _Stage((1, minor), "ga", on=True, locked=locked)


def _deprecated(minor: int, *, on: bool) -> _Stage:
    return _Stage((1, minor), "deprecated", on=on)


def _gone(minor: int) -> _Stage:
    return _Stage((1, minor), "gone", on=True)


_GATES: Mapping[str, tuple[_Stage, ...]] = {
    "CPUManager": (_ga(26, locked=True),),
    "CPUManagerPolicyOptions": (_beta(23), _ga(33, locked=True)),
    "CPUManagerPolicyBetaOptions": (_beta(23),),
    "CPUManagerPolicyAlphaOptions": (_alpha(23),),
    "MemoryManager": (_beta(22), _ga(32, locked=True)),
    "TopologyManager": (_ga(27, locked=True), _gone(32)),
    "TopologyManagerPolicyOptions": (_alpha(26), _beta(28), _ga(32, locked=False)),
    "TopologyManagerPolicyBetaOptions": (_beta(26, on=False), _beta(28)),
    "TopologyManagerPolicyAlphaOptions": (_alpha(26),),
    "SidecarContainers": (_alpha(28), _beta(29), _ga(33, locked=True)),
    "InPlacePodVerticalScaling": (_alpha(27), _beta(33), _ga(35, locked=True)),
    "InPlacePodVerticalScalingAllocatedStatus": (_alpha(32), _deprecated(33, on=False)),
    "InPlacePodVerticalScalingExclusiveCPUs": (_alpha(32),),
    "InPlacePodVerticalScalingExclusiveMemory": (_alpha(34),),
    "PodLevelResources": (_alpha(32), _beta(34)),
    "PodLevelResourceManagers": (_alpha(36),),
    "DisableCPUQuotaWithExclusiveCPUs": (_beta(33),),
    "ResourceHealthStatus": (_alpha(31),),
    "KubeletPodResourcesGet": (_alpha(27), _beta(34)),
    "KubeletPodResourcesDynamicResources": (_alpha(27), _beta(34)),
    "KubeletPodResourcesListUseActivePods": (_deprecated(34, on=True),),
    "DevicePluginCDIDevices": (_beta(29), _ga(31, locked=False)),
    "DynamicResourceAllocation": (_alpha(26), _beta(32, on=False), _ga(34, locked=False), _ga(35, locked=True)),
    "WindowsCPUAndMemoryAffinity": (_alpha(32),),
    "SchedulerQueueingHints": (_beta(28, on=False), _beta(32), _ga(34, locked=True)),
}
"""Gates of the resource managers and their neighbours. A gate of other parts of Kubernetes is not listed."""

_GROUPS = {"AllAlpha": "alpha", "AllBeta": "beta"}

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

_VERSION = re.compile(r"v?([0-9]{1,3})\.([0-9]{1,3})(?:\.[0-9]+(?:[-+][0-9A-Za-z.+-]{1,60})?)?", re.ASCII)
"""As kubelets tell it: vendors append something of their own."""


def check_version(text: str) -> Version:
    """Return ``(major, minor)``; raises ``UsageError`` outside the documented range."""
    version = _version(text)
    if not OLDEST <= version <= NEWEST:
        raise UsageError(Fault("", f"{text!r} is not a Kubernetes version whose behaviour is known", KNOWN_VERSIONS))
    return version


def is_known_version(text: str) -> bool:
    """Tell whether the behaviour of a version is documented here."""
    return OLDEST <= _version(text) <= NEWEST


def _version(text: str) -> Version:
    found = _VERSION.fullmatch(text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


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
    def build(
        cls, kubernetes_version: str = DEFAULT_VERSION, overrides: Mapping[str, bool] | None = None
    ) -> FeatureGates:
        """Apply a configuration's overrides to the defaults of a version.

        Raises ``UsageError`` for a version that is not known and ``StartError`` for gates that the kubelet refuses.
        """
        wanted = overrides or {}
        faults = gate_faults(kubernetes_version, wanted)
        if faults:
            raise StartError("kubelet", faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]")
        groups = {_GROUPS[name]: on for name, on in wanted.items() if name in _GROUPS}
        stages = _stages(check_version(kubernetes_version))
        known = {name: wanted.get(name, groups.get(stage.stage, stage.on)) for name, stage in stages.items()}
        return cls(kubernetes_version, {**wanted, **known})

    def enabled(self, name: str) -> bool:
        """Tell whether a gate is on; one the version does not have yet is off, one it no longer has is on."""
        return self._enabled.get(name, False)

    def maturity(self, option: str) -> Maturity | None:
        """Return how mature a policy option is in this node's version."""
        return option_maturity(option, self.version)


def gate_faults(kubernetes_version: str, overrides: Mapping[str, bool]) -> list[str]:
    """Return what the kubelet of a version refuses in ``featureGates``, in its words.

    A gate of other parts of Kubernetes is accepted unseen, unless its name is a slip away from a listed one.
    """
    stages = _stages(check_version(kubernetes_version))
    faults = []
    for name, on in overrides.items():
        stage = stages.get(name)
        if name in _GATES:
            if stage is None or stage.stage == "gone":
                faults.append(f"unrecognized feature gate: {name}")
            elif stage.locked and on != stage.on:
                state, locked = str(on).lower(), str(stage.on).lower()
                faults.append(f"cannot set feature gate {name} to {state}, feature is locked to {locked}")
        elif name not in _GROUPS:
            near = closest(name, _GATES)
            if near and _is_slip(name.lower(), near.lower()):
                faults.append(f"unrecognized feature gate: {name}; did you mean {near!r}?")
    return faults


def _is_slip(one: str, other: str) -> bool:
    """Tell whether two names are equal but for two letters next to each other, given, missing or changed."""
    shared = _shared_start(one, other)
    one, other = one[shared:][::-1], other[shared:][::-1]
    return max(len(one), len(other)) - _shared_start(one, other) <= 2


def _shared_start(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _stages(version: Version) -> dict[str, _Stage]:
    """Return the stage that every gate has reached; gates that do not exist yet are left out."""
    reached = {}
    for name, history in _GATES.items():
        for stage in history:
            if version >= stage.since:
                reached[name] = stage
    return reached
