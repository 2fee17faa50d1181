"""What Kubernetes does otherwise from one version to the next, where no page promises either way.

Departures from the documentation are quirks; options, gates and defaults have records of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import starmap
from types import MappingProxyType

from ..files import records_of, text_of
from .versions import KubernetesVersion


@dataclass(frozen=True, slots=True)
class VersionChange:
    """What one version began to do: ``before`` and ``after`` in words for who runs a node.

    ``rule`` names the behaviour rules, ``pull`` the pull request where one is known.
    """

    id: str
    rule: str
    since: KubernetesVersion
    before: str
    after: str
    pull: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Which changes a version has behind it: True is what it does since, False what was done before."""

    topology_options_unread_under_none: bool = False
    class_told_in_status_counts: bool = False
    missing_cpus_are_numbered: bool = False
    reservations_are_told_beside_capacity: bool = False
    os_is_looked_at_before_fit: bool = False
    unlisted_resources_of_init_containers_are_passed_over: bool = False
    predicates_say_why: bool = False
    free_cores_told_when_none_are: bool = False
    texts_of_topology_options_in_lower_case: bool = False
    device_hints_where_devices_are: bool = False
    resize_looks_at_each_resource: bool = False
    preemption_counts_sidecars: bool = False
    resizes_pass_by_static_managers: bool = False
    utilization_is_not_named_in_its_fault: bool = False
    ratio_faults_name_their_field: bool = False
    state_files_newest_format_first: bool = False
    state_files_in_an_envelope: bool = False
    distribution_keeps_to_sockets: bool = False
    pod_limits_follow_containers: bool = False
    class_by_container: bool = False

    def without(self, *ids: str) -> Changes:
        """Return the changes with some of them not made."""
        return replace(self, **{name.replace("-", "_"): False for name in ids})

    def showing(self) -> tuple[str, ...]:
        """Return the ids of the changes that are made."""
        return tuple(flag.name.replace("_", "-") for flag in fields(self) if getattr(self, flag.name))

    @staticmethod
    @lru_cache
    def of(version: KubernetesVersion) -> Changes:
        """Return the changes that a version has behind it."""
        return Changes(**{name.replace("-", "_"): version >= change.since for name, change in CHANGES.items()})


def _read(head: str, before: str, after: str) -> VersionChange:
    name, since, rule, *pull = head.split("; ")
    words = before.removeprefix("before: "), after.removeprefix("after: ")
    return VersionChange(name, rule, KubernetesVersion.parse(since), *words, *pull)


_RECORDS = records_of(text_of(__package__, "changes.txt"))
CHANGES: Mapping[str, VersionChange] = MappingProxyType({each.id: each for each in starmap(_read, _RECORDS)})
"""Change id to change, by version. Each is a flag of ``Changes``."""
