"""``KubeSchedulerConfiguration``: per profile, how NodeResourcesFit scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError, closest
from .fields import Faults, as_integer, as_list, as_mapping, as_text
from .scheduler_args import NodeResourcesFitArgs

__all__ = ["SchedulerConfiguration", "SchedulerProfile"]

API_VERSION, OLD_API_VERSION = "kubescheduler.config.k8s.io/v1", "kubescheduler.config.k8s.io/v1beta3"
KIND = "KubeSchedulerConfiguration"
PLUGIN = "NodeResourcesFit"
_OTHER_FIELDS = (
    "apiVersion",
    "kind",
    "clientConnection",
    "delayCacheUntilActive",
    "enableContentionProfiling",
    "enableProfiling",
    "extenders",
    "healthzBindAddress",
    "leaderElection",
    "metricsBindAddress",
    "parallelism",
    "percentageOfNodesToScore",
    "podInitialBackoffSeconds",
    "podMaxBackoffSeconds",
)
_PROFILE_FIELDS = ("schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig")


@dataclass(frozen=True, slots=True)
class SchedulerProfile:
    """One profile. ``weight`` multiplies the plugin's score."""

    scheduler_name: str = "default-scheduler"
    fit: NodeResourcesFitArgs = field(default_factory=NodeResourcesFitArgs)
    weight: int = 1


@dataclass(frozen=True, slots=True)
class SchedulerConfiguration:
    """The profiles of a scheduler. ``notices`` are remarks to show to the user, none of them an error."""

    profiles: tuple[SchedulerProfile, ...] = (SchedulerProfile(),)
    notices: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, obj: object, place: str = "") -> SchedulerConfiguration:
        """Read a KubeSchedulerConfiguration; v1beta3 is read as v1, with a notice (SCH-CFG-10).

        Raises ``UsageError`` with every fault and its field path.
        """
        faults = Faults(place)
        config = as_mapping(obj, "", faults)
        notices = _check_version(config, faults)
        for key in config:
            if key != "profiles" and key not in _OTHER_FIELDS:
                suggestion = closest(str(key), ("profiles", *_OTHER_FIELDS))
                faults.add(str(key), "unknown field", suggestion=suggestion)
        profiles = tuple(_profiles(config.get("profiles"), faults))
        faults.raise_if_any()
        return cls(profiles or (SchedulerProfile(),), notices)

    def profile(self, scheduler_name: str = "default-scheduler") -> SchedulerProfile | None:
        """Return the profile of a scheduler's name, None where there is none."""
        return next((one for one in self.profiles if one.scheduler_name == scheduler_name), None)


def _check_version(config: Mapping[str, Any], faults: Faults) -> tuple[str, ...]:
    if config.get("kind") not in (None, KIND):
        faults.add("kind", f"is {config['kind']!r}", KIND)
    version = config.get("apiVersion")
    if version == OLD_API_VERSION:
        return (f"{OLD_API_VERSION} is gone since Kubernetes 1.29; read as {API_VERSION}, whose fields are the same",)
    if version not in (None, API_VERSION):
        faults.add("apiVersion", f"is {version!r}", f"{API_VERSION}, {OLD_API_VERSION}")
    return ()


def _profiles(value: object, faults: Faults) -> list[SchedulerProfile]:
    found: list[SchedulerProfile] = []
    names: set[str] = set()
    for index, item in enumerate(as_list(value, "profiles", faults)):
        path = f"profiles[{index}]"
        obj = as_mapping(item, path, faults)
        for key in obj:
            if key not in _PROFILE_FIELDS:
                faults.add(f"{path}.{key}", "unknown field", suggestion=closest(str(key), _PROFILE_FIELDS))
        name = as_text(obj.get("schedulerName"), f"{path}.schedulerName", faults) or "default-scheduler"
        if name in names:
            faults.add(f"{path}.schedulerName", f'Duplicate value: "{name}"')
        names.add(name)
        weight = _weight(as_mapping(obj.get("plugins"), f"{path}.plugins", faults), f"{path}.plugins", faults)
        found.append(SchedulerProfile(name, _fit(obj.get("pluginConfig"), f"{path}.pluginConfig", faults), weight))
    return found


def _fit(value: object, path: str, faults: Faults) -> NodeResourcesFitArgs:
    """Return the plugin's arguments; those of other plugins are not looked at."""
    args = NodeResourcesFitArgs()
    given = False
    for index, item in enumerate(as_list(value, path, faults)):
        place = f"{path}[{index}]"
        obj = as_mapping(item, place, faults)
        if as_text(obj.get("name"), f"{place}.name", faults) != PLUGIN:
            continue
        if given:
            faults.add(f"{place}.name", f'Duplicate value: "{PLUGIN}"')
        given = True
        try:
            args = NodeResourcesFitArgs.from_dict(obj.get("args"))
        except UsageError as error:
            faults.take_below(f"{place}.args", error)
    return args


def _weight(plugins: Mapping[str, Any], path: str, faults: Faults) -> int:
    """Return the weight of the plugin's score: of its own extension point first, then of all points at once."""
    for point in ("score", "multiPoint"):
        enabled = as_mapping(plugins.get(point), f"{path}.{point}", faults).get("enabled")
        for index, item in enumerate(as_list(enabled, f"{path}.{point}.enabled", faults)):
            place = f"{path}.{point}.enabled[{index}]"
            plugin = as_mapping(item, place, faults)
            if plugin.get("name") == PLUGIN and plugin.get("weight"):
                return as_integer(plugin["weight"], f"{place}.weight", faults, 1)
    return 1
