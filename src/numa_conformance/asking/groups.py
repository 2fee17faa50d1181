"""Groups: scenarios that are driven together, for the requirements that their steps ask."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import MappingProxyType

from ..judging import claims as drivers
from ..judging import node_subjects as nodes
from ..judging import plugins
from ..judging.allocated import AllocatedCpus, Classification
from ..judging.choice import CpuChoice
from ..judging.earlier_admissions import RepeatedAdmission
from ..judging.hinted import CpuHints
from ..judging.may_run import MayRun, Pooled
from ..judging.merged import MergedHints
from ..judging.offered import DeviceHints, MemoryHints
from ..judging.rest import Rest
from ..judging.scored import ScoredNode, ScorePair, WholePair
from ..judging.start_subjects import Start
from ..judging.verdicts import ANSWERED, WELL_FORMED
from ..judging.views import requirements_of
from ..machine import Machine
from ..machine.small import small_machines
from ..sources.policies import TOPOLOGY_POLICIES
from ..wire.messages import SURFACES
from .generators import damages as damaged
from .generators.allocation_states import ALL, Claimed
from .generators.allocations import allocation_sweep, examples_of_hints, hint_sweep
from .generators.cells import cells
from .generators.claims import claims
from .generators.device_plugins import device_plugins
from .generators.examples_of_nodes import examples_of_nodes
from .generators.merges import CLOSEST, MOST_NODES, merge_sweep
from .generators.picks import MOST_COUNTS, OPTION_SETS, pick_sweep
from .generators.pods import examples_of_pods, pod_sweep
from .generators.relations import related
from .generators.scenario import LIVES, WITH_MACHINE, Scenario
from .generators.score_sweeps import KINDS, examples_of_scores, score_sweep
from .generators.start_sweeps import node_starts
from .generators.walks import walks
from .profiles import MachineChoice

NODE = (
    *(nodes.Arrival, nodes.Call, nodes.NodeMoment, nodes.Admission, nodes.Removal, nodes.Resize),
    *(nodes.ReconcilePass, nodes.State, nodes.Restart, CpuChoice, MayRun, Rest),
)
PLUGIN = (plugins.Registration, plugins.DeviceList, plugins.DevicePreference, plugins.DevicesServed)
DRIVER = (drivers.Publication, drivers.Preparation, drivers.Release, drivers.Coexistence)
DAMAGED = (nodes.Recovery, nodes.Restart, nodes.ForeignStart, nodes.NodeMoment, Rest)
HINTED = (CpuHints, MemoryHints, DeviceHints, MergedHints)
"""What is told beside admissions."""
MACHINE_SURFACES = frozenset(method.partition(".")[0] for method in WITH_MACHINE)
"""The surfaces whose questions tell a machine."""
Machines = Sequence[Machine] | None
"""The machines that alone are asked; None leaves them to the generator."""
WORLDS, SMALL_STEPS, SWEPT, SMALL_COUNTS = 272, 14, 12, 12
"""Lives on small machines and their steps; small machines of sweeps, and how many counts each is asked."""
WALKS, STEPS, RELATIONS, FEW, RESTARTED = 70, 22, 12, 10, 24
"""Lives on machines of the catalogue and their steps; relations; small machines that are asked by scripts; nodes that
crash, and those whose files are damaged."""
FIRST = "worlds"
"""The group that a run asks before all others."""
WHOLE = "node/pod-level-resources"
STRATEGIES = ("least-allocated", "most-allocated", "requested-to-capacity-ratio")


@dataclass(frozen=True, slots=True)
class ScenarioGroup:
    """Scenarios of one kind.

    ``surface``: what a target must have. ``subjects``: the classes of subjects that its histories show;
    ``hint_subjects``: those that only a target with ``node/hints`` shows.
    """

    name: str
    surface: str
    subjects: tuple[type, ...]
    generator: Callable[[Claimed, Machines, int], Iterator[Scenario]]
    hint_subjects: tuple[type, ...] = ()

    def scenarios(self, claimed: Claimed, seed: int, machines: Machines = None) -> Iterator[Scenario]:
        """Yield its scenarios within what the target claims, on the machines that alone are asked."""
        return self.generator(claimed, machines, seed)

    def scenarios_on(self, chosen: MachineChoice, claimed: Claimed, seed: int = 0) -> Iterator[Scenario]:
        """Yield its scenarios on the machines that are chosen; all of them where they tell no machine."""
        if self.surface not in MACHINE_SURFACES:
            return self.scenarios(claimed, seed)
        scenarios = self.scenarios(claimed, seed, chosen.machines)
        return (scenario for scenario in scenarios if chosen.has(scenario.machine))


def _picks(claimed: Claimed, machines: Machines, seed: int) -> Iterator[Scenario]:
    possible = [frozenset(names) for names in OPTION_SETS if {f"cpu-manager/{name}" for name in names} <= claimed]
    yield from pick_sweep(_small(machines, SWEPT, seed), possible, counts=SMALL_COUNTS, seed=seed)
    yield from pick_sweep(machines, possible, counts=MOST_COUNTS, seed=seed)


def _classes(claimed: Claimed, _machines: Machines, seed: int) -> Iterator[Scenario]:
    return chain(examples_of_pods(), pod_sweep(as_a_whole=WHOLE in claimed, seed=seed))


def _allocations(claimed: Claimed, machines: Machines, seed: int) -> Iterator[Scenario]:
    return chain(*(allocation_sweep(claimed, each, seed) for each in (_small(machines, FEW, seed), machines)))


def _hints(claimed: Claimed, machines: Machines, seed: int) -> Iterator[Scenario]:
    sweeps = (hint_sweep(claimed, each, seed) for each in (_small(machines, FEW, seed), machines))
    return chain(examples_of_hints(claimed), *sweeps)


def _scores(claimed: Claimed, _: Machines, seed: int) -> Iterator[Scenario]:
    kinds = [kind for kind, feature in zip(KINDS, STRATEGIES, strict=True) if f"scheduler/{feature}" in claimed]
    return chain(examples_of_scores(kinds), score_sweep(kinds, as_a_whole=WHOLE in claimed, seed=seed))


def _merges(claimed: Claimed, _: Machines, seed: int) -> Iterator[Scenario]:
    policies = [policy for policy in TOPOLOGY_POLICIES if f"topology-manager/{policy}" in claimed]
    closest, many = (f"topology-manager/{option}" in claimed for option in (CLOSEST, MOST_NODES))
    return merge_sweep(policies, closest=closest, many=many, seed=seed)


def _worlds(claimed: Claimed, machines: Machines, seed: int) -> Iterator[Scenario]:
    small = _small(machines, WORLDS, seed)
    drawn = cells(len(small), claimed, seed=seed, only=small)
    return walks(drawn, claimed, steps=SMALL_STEPS, seed=seed, kind="small world")


def _small(machines: Machines, count: int, seed: int) -> Sequence[Machine]:
    """Return so many small machines; none where some are named that alone are asked."""
    return [] if machines is not None else list(small_machines(count, seed))


def _lives(claimed: Claimed, machines: Machines, seed: int) -> Iterator[Scenario]:
    yield from examples_of_nodes(claimed)
    yield from walks(cells(WALKS, claimed, seed=seed, only=machines), claimed, steps=STEPS, seed=seed)
    yield from chain(*(scenarios(claimed, machines, seed) for scenarios in LIVES))


def _crashes(claimed: Claimed, machines: Machines, seed: int) -> Iterator[Scenario]:
    able = claimed >= damaged.NEEDED_FOR_CRASHES
    nodes = cells(RESTARTED, claimed, most_cpus=64, seed=seed, only=machines) if able else ()
    return damaged.crashes(nodes, seed=seed)


def _damages(claimed: Claimed, machines: Machines, seed: int) -> Iterator[Scenario]:
    nodes = cells(RESTARTED, claimed, most_cpus=32, seed=seed + 1, only=machines) if claimed >= damaged.NEEDED else ()
    return damaged.damages(nodes, claimed, seed=seed)


def _relations(claimed: Claimed, machines: Machines, seed: int) -> Iterator[Scenario]:
    small = _small(machines, RELATIONS, seed + 1)
    yield from related(cells(RELATIONS, claimed, seed=seed, only=small), claimed, seed=seed)
    yield from related(cells(RELATIONS // 2, claimed, most_cpus=64, seed=seed + 2, only=machines), claimed, seed=seed)


GROUPS: Mapping[str, ScenarioGroup] = MappingProxyType(
    {
        group.name: group
        for group in (
            ScenarioGroup("classes", "classify", (Classification,), _classes),
            ScenarioGroup("picks", "pick", (CpuChoice,), _picks),
            ScenarioGroup("allocations", "allocate", (CpuChoice, AllocatedCpus), _allocations),
            ScenarioGroup("hints", "hints", (CpuHints,), _hints),
            ScenarioGroup("merges", "merge", (MergedHints,), _merges),
            ScenarioGroup("scores", "score", (ScoredNode, ScorePair, WholePair), _scores),
            ScenarioGroup(FIRST, "node", (*NODE, Pooled), _worlds, hint_subjects=HINTED),
            ScenarioGroup("lives", "node", (*NODE, Pooled), _lives, hint_subjects=HINTED),
            ScenarioGroup("relations", "node", (*NODE, RepeatedAdmission), _relations, hint_subjects=HINTED),
            ScenarioGroup("crashes", "node", (nodes.Crash,), _crashes),
            ScenarioGroup("damages", "node", DAMAGED, _damages),
            ScenarioGroup("starts", "node", (Start, nodes.RefusedStart), node_starts),
            ScenarioGroup("plugins", "plugin", PLUGIN, device_plugins),
            ScenarioGroup("claims", "claims", DRIVER, claims),
        )
    }
)
"""Every group by name. A run asks a part of each at once, and the rest when the first of its requirements comes."""


@cache
def requirements_in(group: ScenarioGroup, claimed: Claimed = ALL) -> tuple[str, ...]:
    """Return the requirements that histories of a group may be judged by, ascending."""
    subjects = (*group.subjects, *(group.hint_subjects if "node/hints" in claimed else ()))
    return tuple(sorted(requirements_of(*subjects) | {ANSWERED, WELL_FORMED}))


def groups_of(requirement: str, surfaces: Collection[str] = SURFACES, claimed: Claimed = ALL) -> tuple[str, ...]:
    """Return the groups whose histories may be judged by a requirement, of those that show on these surfaces."""
    able = (group for group in GROUPS.values() if group.surface in surfaces)
    return tuple(group.name for group in able if requirement in requirements_in(group, claimed))


@cache
def judged() -> tuple[str, ...]:
    """Return every requirement that histories are judged by, ascending."""
    return tuple(sorted({name for group in GROUPS.values() for name in requirements_in(group)}))
