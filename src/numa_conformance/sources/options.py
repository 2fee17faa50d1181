"""The policy options of the CPU Manager's static policy and of the Topology Manager, each defined in one place.

A further option is one more record of ``options.txt``: its name, its stages from version to version, what the page
says, and what else is known of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import starmap
from types import MappingProxyType
from typing import Literal, TypeVar, cast

from ..errors import Fault, UsageError
from ..files import records_of, text_of
from .defaults import MAX_ALLOWABLE_NUMA_NODES
from .flags import Flags, flag_of, with_flags
from .pages import NODE_RESOURCE_MANAGERS, TOPOLOGY_TASK, Section
from .versions import DEFAULT, KubernetesVersion, Span, Timeline

Maturity = Literal["alpha", "beta", "ga"]
Manager = Literal["CPU Manager", "Topology Manager"]
T = TypeVar("T")
_READ = KubernetesVersion(1, 32)
"""The version of the page that says of each option how mature it is."""


@dataclass(frozen=True, slots=True)
class PolicyOption:
    """What is known of one option.

    ``text`` is the page's sentence in our words, ``source`` where it stands. ``excludes`` are the options that the page
    calls incompatible with this one, ``refused_with`` those that only the kubelet refuses beside it. ``chooses`` tells
    whether it has a say in which of the CPUs that are offered are given.
    """

    name: str
    manager: Manager
    text: str
    source: Section
    maturity: Timeline[Maturity]
    excludes: tuple[str, ...] = ()
    refused_with: tuple[str, ...] = ()
    chooses: bool = True

    @property
    def field(self) -> str:
        """The name in ``StaticOptions`` or ``TopologyOptions``."""
        return flag_of(self.name)

    @property
    def since(self) -> KubernetesVersion:
        """The first version that has the option."""
        return self.maturity.steps[0][0]

    @property
    def hidden_until(self) -> KubernetesVersion | None:
        """The last version in which a gate can hide the option: the one before it is ga; None where it is not yet."""
        return next((_before(since) for since, stage in self.maturity.steps if stage == "ga"), None)

    @property
    def on_the_page(self) -> tuple[Maturity, Span]:
        """What the page of 1.32 calls the option, or the first page that names it, and how long that holds."""
        steps = self.maturity.steps
        number = max((place for place, (since, _) in enumerate(steps) if since <= _READ), default=0)
        since, stage = steps[number]
        return stage, Span(since, _before(steps[number + 1][0]) if number + 1 < len(steps) else None)


def _before(version: KubernetesVersion) -> KubernetesVersion:
    return KubernetesVersion(version.major, version.minor - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyOptions:
    """The options of the Topology Manager's policies."""

    prefer_closest_numa_nodes: bool = False
    max_allowable_numa_nodes: int = MAX_ALLOWABLE_NUMA_NODES.at(DEFAULT)


def _read(head: str, text: str, *labelled: str) -> PolicyOption:
    name, _, stages = head.partition("; ")
    more = dict(line.split(": ", 1) for line in labelled)
    excludes, refused_with = (tuple(filter(None, more.get(label, "").split(", "))) for label in _INCOMPATIBLE)
    is_static = flag_of(name) not in TopologyOptions.__dataclass_fields__
    manager: Manager = "CPU Manager" if is_static else "Topology Manager"
    source = NODE_RESOURCE_MANAGERS.section(name) if is_static else TOPOLOGY_TASK.section(name, f"policy-option-{name}")
    steps = (cast("tuple[str, Maturity]", tuple(stage.split(" "))) for stage in stages.split(", "))
    return PolicyOption(name, manager, text, source, Timeline(*steps), excludes, refused_with, "chooses" not in more)


_INCOMPATIBLE = ("excludes", "refused with")
POLICY_OPTIONS: Mapping[str, PolicyOption] = MappingProxyType(
    {option.name: option for option in starmap(_read, records_of(text_of(__package__, "options.txt")))}
)
"""Option name to what is known of it, in the order of the page; likewise below."""


def _of(manager: Manager) -> Mapping[str, PolicyOption]:
    return MappingProxyType({name: option for name, option in POLICY_OPTIONS.items() if option.manager == manager})


STATIC_OPTIONS = _of("CPU Manager")
TOPOLOGY_OPTIONS = _of("Topology Manager")
CHOOSING: tuple[str, ...] = tuple(name for name, option in STATIC_OPTIONS.items() if option.chooses)
"""The options of policy static that have a say in which CPUs are given."""


@with_flags(STATIC_OPTIONS)
class StaticOptions(Flags):
    """The options of the CPU Manager's policy static, on or off."""

    @classmethod
    def from_names(cls, switched: Mapping[str, bool]) -> "StaticOptions":
        """Return the options that are on by their Kubernetes names; what is not named is off."""
        return cls(**{STATIC_OPTIONS[name].field: on for name, on in switched.items()})


def for_each_option(table: Mapping[str, T], what: str, file: str) -> Mapping[str, T]:
    """Return a table by option of policy static; raises ``UsageError`` with what is to be written in its ``file``."""
    if missing := [name for name in STATIC_OPTIONS if name not in table]:
        raise UsageError(Fault(file, f"option {name} has no {what}") for name in missing)
    return MappingProxyType({name: table[name] for name in STATIC_OPTIONS})
