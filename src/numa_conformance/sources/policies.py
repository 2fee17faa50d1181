"""The policies of the resource managers, the Topology Manager's scopes and the scheduler's scoring strategies."""

import re
from dataclasses import dataclass
from typing import Literal, cast

from ..files import lines_of, text_of
from .pages import PAGES, Section
from .versions import KubernetesVersion

Platform = Literal["linux", "windows", "any"]


@dataclass(frozen=True, slots=True)
class Policy:
    """One value of a field that decides how resources are given out: a policy, a scope, a strategy.

    ``name`` is as in the configuration. ``since`` is the first version that has it, ``platform`` where it works.
    """

    field: str
    name: str
    since: KubernetesVersion
    source: Section
    platform: Platform = "any"

    @property
    def feature(self) -> str:
        """The name as features have it: words in lower case, joined by dashes."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", self.name).lower()


def _read(field: str, name: str, since: str, platform: str, page: str, *section: str) -> Policy:
    return Policy(field, name, KubernetesVersion.parse(since), PAGES[page].section(*section), cast(Platform, platform))


_LINES = lines_of(text_of(__package__, "policies.txt"))
POLICIES: tuple[Policy, ...] = tuple(_read(*line.split("; ")) for line in _LINES)
"""All of them, field by field, in the order of the pages."""


def policies_of(field: str) -> tuple[Policy, ...]:
    """Return what a field may be."""
    return tuple(policy for policy in POLICIES if policy.field == field)


def _names(field: str) -> tuple[str, ...]:
    return tuple(policy.name for policy in policies_of(field))


CPU_POLICIES = _names("cpuManagerPolicy")
MEMORY_POLICIES = _names("memoryManagerPolicy")
TOPOLOGY_POLICIES = _names("topologyManagerPolicy")
TOPOLOGY_SCOPES = _names("topologyManagerScope")
SCORING_STRATEGIES = _names("scoringStrategy.type")
