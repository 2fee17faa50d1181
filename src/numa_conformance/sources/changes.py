"""What Kubernetes does otherwise from one version to the next, where no page promises either way.

Departures from the documentation are quirks; options, gates and defaults have records of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import starmap
from types import MappingProxyType

from ..files import records_of, text_of
from .flags import Flags, flag_of, with_flags
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


def _read(head: str, before: str, after: str) -> VersionChange:
    name, since, rule, *pull = head.split("; ")
    words = before.removeprefix("before: "), after.removeprefix("after: ")
    return VersionChange(name, rule, KubernetesVersion.parse(since), *words, *pull)


_RECORDS = records_of(text_of(__package__, "changes.txt"))
CHANGES: Mapping[str, VersionChange] = MappingProxyType({each.id: each for each in starmap(_read, _RECORDS)})
"""Change id to change, by version. Each is a flag of ``Changes``."""


@with_flags(CHANGES)
class Changes(Flags):
    """Which changes a version has behind it: True is what it does since, False what was done before."""

    def without(self, *ids: str) -> "Changes":
        """Return the changes with some of them not made."""
        return replace(self, **dict.fromkeys(map(flag_of, ids), False))

    @staticmethod
    @lru_cache
    def of(version: KubernetesVersion) -> "Changes":
        """Return the changes that a version has behind it."""
        return Changes(**{flag_of(name): version >= change.since for name, change in CHANGES.items()})
