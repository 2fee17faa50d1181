"""Groups: scenarios that are driven together, for the requirements that their steps ask."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Protocol

from ...documentation.policies import TOPOLOGY_POLICIES
from ...machine import Machine
from ...protocol.features import FEATURES
from ...protocol.messages import SURFACES
from ..generators import damages as damaged
from ..generators import half_cores
from ..generators.allocations import allocation_sweep
from ..generators.apart import apart
from ..generators.cells import cells
from ..generators.claims import claims
from ..generators.crashes import NEEDED, crashes
from ..generators.device_plugins import device_plugins
from ..generators.examples_of_nodes import examples_of_nodes
from ..generators.far_devices import far_devices
from ..generators.hint_sweeps import examples_of_hints, hint_sweep
from ..generators.in_turn import in_turn
from ..generators.larger_first import larger_first
from ..generators.memory_elsewhere import memory_elsewhere
from ..generators.merges import CLOSEST, MOST_NODES, merge_sweep
from ..generators.near_and_far import near_and_far
from ..generators.picks import EVERY_COUNT, OPTION_SETS, pick_sweep, swept_machines
from ..generators.pods import examples_of_pods, pod_sweep
from ..generators.pools import pools
from ..generators.relations import related
from ..generators.resizes import resizes
from ..generators.scenario import WITH_MACHINE, Scenario
from ..generators.score_sweeps import KINDS, examples_of_scores, score_sweep
from ..generators.shared_beside import shared_beside
from ..generators.start_sweeps import node_starts
from ..generators.walks import walks
from ..generators.wide import wide
from ..judge.allocated import AllocatedCpus
from ..judge.choice import Choice
from ..judge.claims import Beside, Preparation, Publication, Release
from ..judge.classified import Classified
from ..judge.hinted import CpuHints
from ..judge.may_run import MayRun
from ..judge.merged import MergedHints
from ..judge.node_subjects import (
    Admission,
    Arrival,
    AskedAgain,
    Crash,
    ForeignStart,
    Moment,
    ReconcilePass,
    Recovery,
    Removal,
    Resize,
    Restart,
    Run,
    State,
)
from ..judge.offered import DeviceHints, MemoryHints
from ..judge.plugins import DeviceList, DevicePreference, DevicesServed, Registration
from ..judge.pooled import Pooled
from ..judge.scored import ScoredNode, ScorePair
from ..judge.start_subjects import Start
from ..judge.verdicts import ANSWERED, WELL_FORMED
from ..judge.views import requirements_of
from .machine_choice import MachineChoice

__all__ = ["ANSWERED", "GROUPS", "JUDGED", "Group", "asked_in", "groups_of"]

Claimed = frozenset[str]
ALL: Claimed = frozenset(FEATURES)
NODE = (Arrival, Moment, Admission, Run, Removal, Resize, ReconcilePass, State, Restart, Choice, MayRun)
HINTED = (CpuHints, MemoryHints, DeviceHints, MergedHints)
"""What is told beside admissions."""
MACHINE_SURFACES = frozenset(method.partition(".")[0] for method in WITH_MACHINE)
"""The surfaces whose questions tell a machine."""
Machines = Sequence[Machine] | None
"""The machines that alone are asked; None leaves them to the generator."""
STRATEGIES = ("least-allocated", "most-allocated", "requested-to-capacity-ratio")


class Scenarios(Protocol):
    """Yields the scenarios of a group."""

    def __call__(self, claimed: Claimed, seed: int, machines: Machines = None, /) -> Iterator[Scenario]:
        """Take what the target claims, a seed, and the machines that alone are asked."""


@dataclass(frozen=True, slots=True)
class Group:
    """Scenarios of one kind.

    ``surface`` is what a target must have, ``subjects`` is what its histories show. ``beside``: what they show of a
    target that claims ``node/hints``.
    """

    name: str
    surface: str
    subjects: tuple[type, ...]
    scenarios: Scenarios
    beside: tuple[type, ...] = ()

    def asked_on(self, chosen: MachineChoice, claimed: Claimed, seed: int = 0) -> Iterator[Scenario]:
        """Yield its scenarios on the machines that are chosen; all of them where they tell no machine."""
        if self.surface not in MACHINE_SURFACES:
            return self.scenarios(claimed, seed)
        scenarios = self.scenarios(claimed, seed, chosen.machines)
        return (scenario for scenario in scenarios if chosen.has(scenario.machine))


def _picks(claimed: Claimed, seed: int, machines: Machines = None) -> Iterator[Scenario]:
    possible = [frozenset(names) for names in OPTION_SETS if {f"cpu-manager/{name}" for name in names} <= claimed]
    return pick_sweep(
        swept_machines() if machines is None else machines, possible, counts=EVERY_COUNT, states=2, seed=seed
    )


def _classes(claimed: Claimed, seed: int, _machines: Machines = None) -> Iterator[Scenario]:
    yield from examples_of_pods()
    yield from pod_sweep(seed=seed)


def _scores(claimed: Claimed, seed: int, _machines: Machines = None) -> Iterator[Scenario]:
    kinds = [kind for kind, feature in zip(KINDS, STRATEGIES, strict=True) if f"scheduler/{feature}" in claimed]
    yield from examples_of_scores(kinds)
    yield from score_sweep(kinds, seed=seed)


def _merges(claimed: Claimed, seed: int, _machines: Machines = None) -> Iterator[Scenario]:
    policies = [policy for policy in TOPOLOGY_POLICIES if f"topology-manager/{policy}" in claimed]
    closest, many = (f"topology-manager/{option}" in claimed for option in (CLOSEST, MOST_NODES))
    return merge_sweep(policies, closest=closest, many=many, seed=seed)


def _hints(claimed: Claimed, seed: int, machines: Machines = None) -> Iterator[Scenario]:
    yield from examples_of_hints(claimed)
    yield from hint_sweep(machines, claimed, seed=seed)


def _allocations(claimed: Claimed, seed: int, machines: Machines = None) -> Iterator[Scenario]:
    return allocation_sweep(machines, claimed, seed=seed)


def _lives(claimed: Claimed, seed: int, machines: Machines = None) -> Iterator[Scenario]:
    yield from examples_of_nodes(claimed)
    yield from walks(cells(320, claimed, seed=seed, only=machines), claimed, steps=22, seed=seed)
    yield from near_and_far(claimed, machines, seed=seed)
    yield from wide(claimed, machines, seed=seed)
    yield from apart(claimed, machines)
    yield from larger_first(claimed, machines)
    yield from memory_elsewhere(claimed, machines)
    yield from in_turn(claimed, machines)
    yield from far_devices(claimed, machines)
    yield from shared_beside(claimed, machines)
    yield from pools(claimed, machines)
    yield from resizes(claimed, machines)
    if claimed >= half_cores.NEEDED:
        yield from half_cores.half_cores(machines)


def _starts(claimed: Claimed, _seed: int, machines: Machines = None) -> Iterator[Scenario]:
    return node_starts(claimed, machines=machines)


def _crashes(claimed: Claimed, seed: int, machines: Machines = None) -> Iterator[Scenario]:
    asked = cells(60, claimed, most_cpus=64, seed=seed, only=machines) if claimed >= NEEDED else ()
    return crashes(asked, seed=seed)


def _damages(claimed: Claimed, seed: int, machines: Machines = None) -> Iterator[Scenario]:
    asked = cells(60, claimed, most_cpus=32, seed=seed + 1, only=machines) if claimed >= damaged.NEEDED else ()
    return damaged.damages(asked, claimed, seed=seed)


def _relations(claimed: Claimed, seed: int, machines: Machines = None) -> Iterator[Scenario]:
    return related(cells(90, claimed, most_cpus=64, seed=seed + 2, only=machines), claimed, seed=seed)


def _plugins(claimed: Claimed, seed: int, machines: Machines = None) -> Iterator[Scenario]:
    return device_plugins(claimed, machines, seed)


def _claims(claimed: Claimed, seed: int, machines: Machines = None) -> Iterator[Scenario]:
    return claims(claimed, machines, seed)


GROUPS: Mapping[str, Group] = MappingProxyType(
    {
        group.name: group
        for group in (
            Group("classes", "classify", (Classified,), _classes),
            Group("picks", "pick", (Choice,), _picks),
            Group("allocations", "allocate", (Choice, AllocatedCpus), _allocations),
            Group("hints", "hints", (CpuHints,), _hints),
            Group("merges", "merge", (MergedHints,), _merges),
            Group("scores", "score", (ScoredNode, ScorePair), _scores),
            Group("lives", "node", (*NODE, Pooled), _lives, beside=HINTED),
            Group("relations", "node", (*NODE, AskedAgain), _relations, beside=HINTED),
            Group("crashes", "node", (Crash,), _crashes),
            Group("damages", "node", (Recovery, Restart, ForeignStart, Moment), _damages),
            Group("starts", "node", (Start,), _starts),
            Group("plugins", "plugin", (Registration, DeviceList, DevicePreference, DevicesServed), _plugins),
            Group("claims", "claims", (Publication, Preparation, Release, Beside), _claims),
        )
    }
)
"""Every group by name, in the order in which they are asked."""


def asked_in(group: Group, claimed: Claimed = ALL) -> tuple[str, ...]:
    """Return the requirements that histories of a group may be judged by, ascending."""
    return _asked_of((*group.subjects, *(group.beside if "node/hints" in claimed else ())))


@cache
def _asked_of(subjects: tuple[type, ...]) -> tuple[str, ...]:
    return tuple(sorted(requirements_of(*subjects) | {ANSWERED, WELL_FORMED}))


def groups_of(requirement: str, surfaces: Collection[str] = SURFACES, claimed: Claimed = ALL) -> tuple[str, ...]:
    """Return the groups whose histories may be judged by a requirement, of those that show on these surfaces."""
    able = (group for group in GROUPS.values() if group.surface in surfaces)
    return tuple(group.name for group in able if requirement in asked_in(group, claimed))


JUDGED: tuple[str, ...] = tuple(sorted({name for group in GROUPS.values() for name in asked_in(group)}))
"""Every requirement that histories are judged by, ascending."""
