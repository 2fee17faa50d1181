"""``KubeSchedulerConfiguration``: per profile, how NodeResourcesFit scores (SCH-CFG-01..09, SCH-SHAPE-01..04)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ..errors import UsageError, closest
from ..fields import Fields
from ..sources.changes import Changes
from ..sources.policies import SCORING_STRATEGIES
from ..sources.versions import DEFAULT, KubernetesVersion

_RATIO = "RequestedToCapacityRatio"
_FIELDS = ("ignoredResources", "ignoredResourceGroups", "scoringStrategy", "apiVersion", "kind")
_MAX_WEIGHT, _MAX_UTILIZATION, _MAX_SCORE = 100, 100, 10
_LABEL_NAME = re.compile(
    r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class ResourceWeight:
    """A resource and how much it counts, 1 to 100."""

    name: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class ShapePoint:
    """A point of the scoring function: utilization in percent, score from 0 to 10."""

    utilization: int
    score: int


_DEFAULT_RESOURCES = (ResourceWeight("cpu"), ResourceWeight("memory"))


@dataclass(frozen=True, slots=True)
class ScoringStrategy:
    """How nodes are scored. ``shape`` is there for RequestedToCapacityRatio alone."""

    type: str = "LeastAllocated"
    resources: tuple[ResourceWeight, ...] = _DEFAULT_RESOURCES
    shape: tuple[ShapePoint, ...] = ()

    @classmethod
    def from_dict(
        cls, obj: object, place: str = "", version: KubernetesVersion = DEFAULT, changes: Changes | None = None
    ) -> "ScoringStrategy":
        """Read a ``scoringStrategy``, defaults applied; raises as ``NodeResourcesFitArgs.from_dict`` does."""
        return NodeResourcesFitArgs.from_dict({"scoringStrategy": obj}, place, version, changes).strategy


@dataclass(frozen=True, slots=True)
class NodeResourcesFitArgs:
    """Arguments of NodeResourcesFit. What is ignored is ignored in filtering only, never in scoring (SCH-CFG-09)."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    strategy: ScoringStrategy = ScoringStrategy()

    @classmethod
    def from_dict(
        cls, obj: object, place: str = "", version: KubernetesVersion = DEFAULT, changes: Changes | None = None
    ) -> "NodeResourcesFitArgs":
        """Read the arguments, apply defaults, then validate. ``changes``: in place of those of the version.

        Raises ``UsageError`` with every fault; a fault reads as the scheduler of the version words it.
        """
        fields = Fields(place)
        args = fields.mapping(obj, "")
        fields.known(args, "", _FIELDS)
        made = cls(
            tuple(_ignored(args, "ignoredResources", fields)),
            tuple(_ignored(args, "ignoredResourceGroups", fields)),
            _strategy(args.get("scoringStrategy"), "scoringStrategy", fields, changes or Changes.of(version)),
        )
        fields.raise_if_any()
        return made


def _ignored(args: Mapping[str, Any], key: str, fields: Fields) -> list[str]:
    names = []
    for path, item in fields.entries(args.get(key), key):
        name = fields.text(item, path)
        if key == "ignoredResourceGroups" and "/" in name:
            fields.fault(path, f"Invalid value: \"{name}\": resource group name can't contain '/'")
        elif isinstance(item, str) and not _LABEL_NAME.fullmatch(name):
            fields.fault(path, f'Invalid value: "{name}": must be a valid label name')
        names.append(name)
    return names


def _strategy(value: object, path: str, fields: Fields, changes: Changes) -> ScoringStrategy:
    if value is None:
        return ScoringStrategy()
    obj = fields.mapping(value, path)
    fields.known(obj, path, ("type", "resources", "requestedToCapacityRatio"))
    kind = fields.text(obj.get("type"), f"{path}.type")
    if kind not in SCORING_STRATEGIES:
        supported = ", ".join(f'"{name}"' for name in SCORING_STRATEGIES)
        text, near = f'Unsupported value: "{kind}": supported values: {supported}', closest(kind, SCORING_STRATEGIES)
        fields.fault(f"{path}.type", text, suggestion=near)
    resources = tuple(_resources(obj, f"{path}.resources", fields))
    ratio = obj.get("requestedToCapacityRatio")
    shape: tuple[ShapePoint, ...] = ()
    if ratio is not None:
        ratio = fields.mapping(ratio, f"{path}.requestedToCapacityRatio")
        fields.known(ratio, f"{path}.requestedToCapacityRatio", ("shape",))
        place = f"{path}.requestedToCapacityRatio" if changes.ratio_faults_name_their_field else path
        if kind != _RATIO and changes.ratio_faults_name_their_field:
            fields.fault(place, f"Forbidden: must be nil when type is not {_RATIO}")
        else:
            shape = tuple(_shape(ratio.get("shape"), f"{place}.shape", fields, changes))
    elif kind == _RATIO:
        fields.fault(f"{path}.requestedToCapacityRatio", f"Required value: must be specified when type is {_RATIO}")
    return ScoringStrategy(kind, resources or _DEFAULT_RESOURCES, shape)


def _resources(strategy: Mapping[str, Any], path: str, fields: Fields) -> list[ResourceWeight]:
    weights = []
    for place, item in fields.entries(strategy.get("resources"), path):
        obj = fields.mapping(item, place)
        fields.known(obj, place, ("name", "weight"))
        name = fields.name(obj.get("name"), f"{place}.name")
        weight = fields.whole(obj.get("weight"), f"{place}.weight") or 1
        if not 0 < weight <= _MAX_WEIGHT:
            message = f"Invalid value: {weight}: resource weight of {name} not in valid range (0, {_MAX_WEIGHT}]"
            fields.fault(f"{place}.weight", message)
        weights.append(ResourceWeight(name, weight))
    return weights


def _shape(value: object, path: str, fields: Fields, changes: Changes) -> list[ShapePoint]:
    points = []
    for place, item in fields.entries(value, path):
        obj = fields.mapping(item, place)
        fields.known(obj, place, ("utilization", "score"))
        utilization, score = (fields.whole(obj.get(name), f"{place}.{name}") for name in ("utilization", "score"))
        points.append(ShapePoint(utilization, score))
    if not points:
        fields.fault(path, "Required value: at least one point must be specified")
    for index, (point, following) in enumerate(pairwise(points), 1):
        if point.utilization >= following.utilization:
            values = "values" if changes.utilization_is_not_named_in_its_fault else "utilization values"
            message = f"Invalid value: {following.utilization}: {values} must be sorted in increasing order"
            fields.fault(f"{path}[{index}].utilization", message)
            break
    for index, point in enumerate(points):
        limits = (("utilization", point.utilization, _MAX_UTILIZATION), ("score", point.score, _MAX_SCORE))
        for name, value, most in limits:
            if not 0 <= value <= most:
                fields.fault(f"{path}[{index}].{name}", f"Invalid value: {value}: not in valid range [0, {most}]")
    return points


API_VERSION = "kubescheduler.config.k8s.io/v1"
_ENDS = {f"{API_VERSION}beta3": KubernetesVersion(1, 29), f"{API_VERSION}beta2": KubernetesVersion(1, 28)}
"""The versions of the API that are gone, each since when; their fields are those of v1."""
KIND = "KubeSchedulerConfiguration"
PLUGIN = "NodeResourcesFit"
_OTHERS = """
apiVersion kind clientConnection delayCacheUntilActive enableContentionProfiling enableProfiling extenders
healthzBindAddress leaderElection metricsBindAddress parallelism percentageOfNodesToScore podInitialBackoffSeconds
podMaxBackoffSeconds
"""


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
    def from_dict(cls, obj: object, place: str = "", version: KubernetesVersion = DEFAULT) -> "SchedulerConfiguration":
        """Read a KubeSchedulerConfiguration as a version does, also of a version of the API that is gone (SCH-CFG-10).

        Raises ``UsageError`` with every fault and its field path.
        """
        fields = Fields(place)
        config = fields.mapping(obj, "")
        notices = _check_version(config, fields, version)
        fields.known(config, "", ("profiles", *_OTHERS.split()))
        profiles = tuple(_profiles(config.get("profiles"), fields, version))
        fields.raise_if_any()
        return cls(profiles or (SchedulerProfile(),), notices)

    def profile(self, scheduler_name: str = "default-scheduler") -> SchedulerProfile | None:
        """Return the profile of a scheduler's name, None where there is none."""
        return next((profile for profile in self.profiles if profile.scheduler_name == scheduler_name), None)


def _check_version(config: Mapping[str, Any], fields: Fields, followed: KubernetesVersion) -> tuple[str, ...]:
    fields.same(config, kind=KIND)
    version = config.get("apiVersion")
    end = _ENDS.get(version) if isinstance(version, str) else None
    if end and followed < end:
        return (f"{version} is gone since Kubernetes {end}; read as {API_VERSION}, whose fields are the same",)
    if version not in (None, API_VERSION):
        gone = f", which is gone since Kubernetes {end}: no scheduler starts" if end else ""
        fields.fault("apiVersion", f"is {version!r}{gone}", API_VERSION)
    return ()


def _profiles(value: object, fields: Fields, version: KubernetesVersion) -> list[SchedulerProfile]:
    profiles: list[SchedulerProfile] = []
    names: set[str] = set()
    for path, item in fields.entries(value, "profiles"):
        obj = fields.mapping(item, path)
        fields.known(obj, path, ("schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"))
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
