"""``KubeSchedulerConfiguration``: per profile, how NodeResourcesFit scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError
from ..fields import Fields
from ..sources.versions import DEFAULT, KubernetesVersion
from .scheduler_args import NodeResourcesFitArgs

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
    def from_dict(cls, obj: object, place: str = "", version: KubernetesVersion = DEFAULT) -> SchedulerConfiguration:
        """Read a KubeSchedulerConfiguration as a version does; v1beta3 is read as v1, with a notice (SCH-CFG-10).

        Raises ``UsageError`` with every fault and its field path.
        """
        fields = Fields(place)
        config = fields.mapping(obj, "")
        notices = _check_version(config, fields)
        fields.known(config, "", ("profiles", *_OTHER_FIELDS))
        profiles = tuple(_profiles(config.get("profiles"), fields, version))
        fields.raise_if_any()
        return cls(profiles or (SchedulerProfile(),), notices)

    def profile(self, scheduler_name: str = "default-scheduler") -> SchedulerProfile | None:
        """Return the profile of a scheduler's name, None where there is none."""
        return next((profile for profile in self.profiles if profile.scheduler_name == scheduler_name), None)


def _check_version(config: Mapping[str, Any], fields: Fields) -> tuple[str, ...]:
    if config.get("kind") not in (None, KIND):
        fields.fault("kind", f"is {config['kind']!r}", KIND)
    version = config.get("apiVersion")
    if version == OLD_API_VERSION:
        return (f"{OLD_API_VERSION} is gone since Kubernetes 1.29; read as {API_VERSION}, whose fields are the same",)
    if version not in (None, API_VERSION):
        fields.fault("apiVersion", f"is {version!r}", f"{API_VERSION}, {OLD_API_VERSION}")
    return ()


def _profiles(value: object, fields: Fields, version: KubernetesVersion) -> list[SchedulerProfile]:
    profiles: list[SchedulerProfile] = []
    names: set[str] = set()
    for path, item in fields.entries(value, "profiles"):
        obj = fields.mapping(item, path)
        fields.known(obj, path, _PROFILE_FIELDS)
        name = fields.text(obj.get("schedulerName"), f"{path}.schedulerName") or "default-scheduler"
        if name in names:
            fields.fault(f"{path}.schedulerName", f'Duplicate value: "{name}"')
        names.add(name)
        weight = _weight(fields.mapping(obj.get("plugins"), f"{path}.plugins"), f"{path}.plugins", fields)
        fit = _fit(obj.get("pluginConfig"), f"{path}.pluginConfig", fields, version)
        profiles.append(SchedulerProfile(name, fit, weight))
    return profiles


def _fit(value: object, path: str, fields: Fields, version: KubernetesVersion) -> NodeResourcesFitArgs:
    """Return the plugin's arguments; those of other plugins are not looked at."""
    args = NodeResourcesFitArgs()
    is_configured = False
    for place, item in fields.entries(value, path):
        obj = fields.mapping(item, place)
        if fields.text(obj.get("name"), f"{place}.name") != PLUGIN:
            continue
        if is_configured:
            fields.fault(f"{place}.name", f'Duplicate value: "{PLUGIN}"')
        is_configured = True
        try:
            args = NodeResourcesFitArgs.from_dict(obj.get("args"), version=version)
        except UsageError as error:
            fields.take_below(f"{place}.args", error)
    return args


def _weight(plugins: Mapping[str, Any], path: str, fields: Fields) -> int:
    """Return the weight of the plugin's score: of its own extension point first, then of all points at once."""
    for point in ("score", "multiPoint"):
        enabled = fields.mapping(plugins.get(point), f"{path}.{point}").get("enabled")
        for place, item in fields.entries(enabled, f"{path}.{point}.enabled"):
            plugin = fields.mapping(item, place)
            if plugin.get("name") == PLUGIN and plugin.get("weight"):
                return fields.whole(plugin["weight"], f"{place}.weight", 1)
    return 1
