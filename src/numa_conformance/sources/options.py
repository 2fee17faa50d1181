"""The policy options of the CPU Manager's static policy and of the Topology Manager, each defined in one place.

A further option is one more field here, and one more record. Its name is the field's with dashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields
from itertools import starmap
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

from ..errors import Fault, UsageError
from ..files import records_of
from .defaults import MAX_ALLOWABLE_NUMA_NODES
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
        return self.name.replace("-", "_")

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


_RECORDS = """\
full-pcpus-only; 1.22 alpha, 1.23 beta, 1.33 ga
  exclusive CPUs are whole physical cores; a pod that cannot have them is not admitted
  excludes: distribute-cpus-across-cores
distribute-cpus-across-numa; 1.23 alpha, 1.33 beta
  where more than one NUMA node is needed CPUs are spread over them evenly
  excludes: distribute-cpus-across-cores
align-by-socket; 1.25 alpha
  CPUs count as aligned at the socket in place of the NUMA node
distribute-cpus-across-cores; 1.31 alpha
  hardware threads come from as many different physical cores as possible
strict-cpu-reservation; 1.32 alpha, 1.33 beta, 1.35 ga
  no pod of any class runs on the reserved CPUs
  chooses: no
prefer-align-cpus-by-uncorecache; 1.32 alpha, 1.34 beta, 1.36 ga
  a container is kept within as few uncore caches as possible, by best effort
  refused with: distribute-cpus-across-cores, distribute-cpus-across-numa
prefer-closest-numa-nodes; 1.26 alpha, 1.28 beta, 1.32 ga
  of sets of NUMA nodes those with a shorter distance between them are favoured
max-allowable-numa-nodes; 1.31 beta, 1.35 ga
  machines with more NUMA nodes than the default limit are accepted
"""
"""An option: its name, its stages from version to version, what the page says, and what else is known of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticOptions:
    """The options of the CPU Manager's policy static, on or off."""

    full_pcpus_only: bool = False
    distribute_cpus_across_numa: bool = False
    align_by_socket: bool = False
    distribute_cpus_across_cores: bool = False
    strict_cpu_reservation: bool = False
    prefer_align_cpus_by_uncorecache: bool = False

    @classmethod
    def from_names(cls, switched: Mapping[str, bool]) -> StaticOptions:
        """Return the options that are on by their Kubernetes names; what is not named is off."""
        return cls(**{STATIC_OPTIONS[name].field: on for name, on in switched.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class TopologyOptions:
    """The options of the Topology Manager's policies."""

    prefer_closest_numa_nodes: bool = False
    max_allowable_numa_nodes: int = MAX_ALLOWABLE_NUMA_NODES.at(DEFAULT)


def _read(head: str, text: str, *labelled: str) -> PolicyOption:
    name, _, stages = head.partition("; ")
    more = dict(line.split(": ", 1) for line in labelled)
    excludes, refused_with = (tuple(filter(None, more.get(label, "").split(", "))) for label in _INCOMPATIBLE)
    is_static = name.replace("-", "_") in StaticOptions.__dataclass_fields__
    manager: Manager = "CPU Manager" if is_static else "Topology Manager"
    source = NODE_RESOURCE_MANAGERS.section(name) if is_static else TOPOLOGY_TASK.section(name, f"policy-option-{name}")
    steps = (cast("tuple[str, Maturity]", tuple(stage.split(" "))) for stage in stages.split(", "))
    return PolicyOption(name, manager, text, source, Timeline(*steps), excludes, refused_with, "chooses" not in more)


_INCOMPATIBLE = ("excludes", "refused with")
_OPTIONS = {option.name: option for option in starmap(_read, records_of(_RECORDS))}


def _records(flags: tuple[Field[Any], ...]) -> Mapping[str, PolicyOption]:
    return MappingProxyType({name: _OPTIONS[name] for name in (flag.name.replace("_", "-") for flag in flags)})


STATIC_OPTIONS = _records(fields(StaticOptions))
"""Option name to what is known of it, in the order of the page; likewise below."""
TOPOLOGY_OPTIONS = _records(fields(TopologyOptions))
CHOOSING: tuple[str, ...] = tuple(name for name, option in STATIC_OPTIONS.items() if option.chooses)
"""The options of policy static that have a say in which CPUs are given."""
POLICY_OPTIONS: Mapping[str, PolicyOption] = MappingProxyType({**STATIC_OPTIONS, **TOPOLOGY_OPTIONS})


def for_each_option(table: Mapping[str, T], what: str, file: str) -> Mapping[str, T]:
    """Return a table by option of policy static; raises ``UsageError`` with what is to be written in its ``file``."""
    missing = [name for name in STATIC_OPTIONS if name not in table]
    if missing:
        raise UsageError(Fault(file, f"option {name} has no {what}") for name in missing)
    return MappingProxyType({name: table[name] for name in STATIC_OPTIONS})
