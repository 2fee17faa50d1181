"""``numa-conformance simulate-cluster``: pods on many nodes, under one scheduling strategy or several."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..errors import Fault, UsageError
from ..kube import ClusterObjects, NodeResourcesFitArgs, read_cluster, read_scheduler_configuration
from ..printable import listed
from ..reference.fleet import Fleet, Job, NodeGroup, NodeKind, RunOutcome, Setup, open_engine, read_fleet, run_campaign
from ..reference.fleet.run import unmodelled_uses
from ..reference.simulation.reading import users_of
from ..sources.versions import DEFAULT, SUPPORTED_RANGE, KubernetesVersion
from .cluster_compared import MORE, compare
from .options import INPUT, LEVEL, MACHINE, NameChoice, machine_of, read_configuration, version
from .terminal import DIFFERENT, OK, capped, columns, notice, print_json, say, spread, with_progress

_SIMPLE = ("LeastAllocated", "MostAllocated")


@click.command("simulate-cluster")
@click.option("--nodes", multiple=True, type=INPUT, help="Nodes, and pods on them, as kubectl prints them.")
@click.option("--pods", multiple=True, required=True, type=INPUT, help="The pods to place, in order; workloads too.")
@click.option("--fleet", "groups", type=INPUT, help="Which nodes have which machine and KubeletConfiguration.")
@MACHINE
@click.option("--kubelet", type=INPUT, help="The KubeletConfiguration of the nodes with --machine.")
@click.option(
    "--kubernetes-version",
    type=version,
    help=f"Their version, {SUPPORTED_RANGE} (default: what each node says, else {DEFAULT}).",
)
@LEVEL
@click.option("--config", "configs", multiple=True, type=INPUT, help="A KubeSchedulerConfiguration; may be repeated.")
@click.option(
    "--strategy", "strategies", multiple=True, type=NameChoice(_SIMPLE), help="A strategy with its default resources."
)
@click.option("--seeds", default=1, show_default=True, type=click.IntRange(1, 100_000), help="Runs per strategy.")
@click.option("--lots", is_flag=True, help="Draw lots among equal scores by seed, and keep the order of the text.")
@click.option("--compare", "became", type=INPUT, help="The same pods as they became, with what real nodes said.")
@click.option("--engine", default="local", show_default=True, help="local, dask, or the address of a Dask scheduler.")
@click.option("--show", "shown", default=5, show_default=True, help="How many refused pods are shown per strategy.")
@click.option("--placements", is_flag=True, help="Also say where each pod went, in the JSON form.")
@click.option("--json", "as_json", is_flag=True, help="Print every run as JSON.")
def command(
    configs: tuple[Path, ...],
    strategies: tuple[str, ...],
    seeds: int,
    lots: bool,
    became: Path | None,
    engine: str,
    level: str,
    shown: int,
    placements: bool,
    as_json: bool,
    **sources: Any,
) -> int:
    """Filter, score and bind pods in order, and admit each on its node's own resource managers.

    Pods that have a node already go there first, the oldest first. Strategies are compared on the same pods: both
    simple ones unless --config or --strategy names some. With --seeds N each strategy runs N times: first in the order
    of the text, then in shuffled orders; with --lots in the same order, by other lots among equal scores.
    Exits with 1 when a pod is refused or fits no node in some run.

    With --compare it follows a real cluster instead: was each node one of the best-scored, did it decide as here?
    """
    cluster, fleet = _read(**sources)
    setups = _setups(configs, strategies, sources["kubernetes_version"] or DEFAULT)
    users = users_of(unmodelled_uses(cluster, fleet))
    for unmodelled, names in users.items():
        notice(unmodelled.describe(listed(names)))
    if became is not None:
        differs = compare(cluster, fleet, setups, became, documented=level == "documented", as_json=as_json)
        return DIFFERENT if differs else OK
    jobs = [Job(setup, seed) for setup in setups for seed in range(seeds)]
    track = partial(with_progress, label="placing pods")
    with open_engine(engine) as where:
        runs = run_campaign(cluster, fleet, jobs, where, lots=lots, documented=level == "documented", track=track)
        outcomes = list(runs if where.in_process else with_progress(runs, "filling clusters", len(jobs)))
    by_setup = {setup.label: [outcome for outcome in outcomes if outcome.setup == setup.label] for setup in setups}
    if as_json:
        uses = [{**unmodelled.to_dict(), "pods": names} for unmodelled, names in users.items()]
        print_json({**_as_json(cluster, fleet, outcomes, placements=placements), "notModelled": uses})
    else:
        say(*_lines(cluster, fleet, by_setup, shown))
    return DIFFERENT if any(outcome.refused or outcome.unschedulable for outcome in outcomes) else OK


def _read(
    nodes: Sequence[Path],
    pods: Sequence[Path],
    groups: Path | None,
    machine_name: str | None,
    kubelet: Path | None,
    kubernetes_version: KubernetesVersion | None,
) -> tuple[ClusterObjects, Fleet]:
    for option, value in (("--kubelet", kubelet), ("--kubernetes-version", kubernetes_version)):
        if value and not machine_name:
            raise click.UsageError(f"{option} goes with --machine; a fleet file names its own")
    fleet = read_fleet(groups) if groups else Fleet()
    if machine_name:
        kind = NodeKind(machine_of(machine_name), read_configuration(kubelet), kubernetes_version)
        fleet = Fleet((*fleet.groups, NodeGroup("*", kind)))
    objects = read_cluster(*nodes, *pods)
    notice(*objects.notices)
    cluster = dataclasses.replace(objects, nodes=(*objects.nodes, *fleet.made_up()))
    if not cluster.nodes:
        raise UsageError(Fault("--nodes", "there is no node", "Nodes in a file, or a fleet file with a count"))
    if cluster.elsewhere:
        notice(f"{len(cluster.elsewhere)} pods are on nodes that are not listed: they are left out")
        there = {pod.uid for pod in cluster.elsewhere}
        cluster = dataclasses.replace(cluster, pods=tuple(pod for pod in cluster.pods if pod.uid not in there))
    if unknown := [node.name for node in cluster.nodes if fleet.kind_of(node.name) is None]:
        notice(f"{len(unknown)} of {len(cluster.nodes)} nodes have no machine ({unknown[0]}, ...): they refuse nothing")
    notice(*capped(fleet.mismatches(cluster.nodes), 3, "... and {} more nodes differ from their machine"))
    return cluster, fleet


def _setups(configs: Iterable[Path], strategies: Iterable[str], version: KubernetesVersion) -> list[Setup]:
    setups = []
    for path in configs:
        config = read_scheduler_configuration(path, version)
        for text in config.notices:
            notice(f"{path}: {text}")
        for profile in config.profiles:
            label = path.name if len(config.profiles) == 1 else f"{path.name} {profile.scheduler_name}"
            setups.append(Setup(label, profile.fit))
    for name in strategies or (() if setups else _SIMPLE):
        setups.append(Setup(name, NodeResourcesFitArgs.from_dict({"scoringStrategy": {"type": name}})))
    if twice := [label for label, count in Counter(setup.label for setup in setups).items() if count > 1]:
        raise UsageError(Fault("--config", f"two strategies are called {twice[0]!r}", "files of different names"))
    return setups


def _as_json(
    cluster: ClusterObjects, fleet: Fleet, outcomes: Iterable[RunOutcome], *, placements: bool
) -> dict[str, Any]:
    return {
        "nodes": len(cluster.nodes),
        "nodesWithMachine": sum(fleet.kind_of(node.name) is not None for node in cluster.nodes),
        "podsThere": len(cluster.bound),
        "podsToPlace": len(cluster.waiting),
        "podsEnded": len(cluster.ended) + len(cluster.refused),
        "runs": [_run_json(outcome, placements=placements) for outcome in outcomes],
    }


def _run_json(outcome: RunOutcome, *, placements: bool) -> dict[str, Any]:
    return {
        "strategy": outcome.setup,
        "seed": outcome.seed,
        "placed": outcome.placed,
        "unschedulable": [{"pod": uid, "reasons": reasons} for uid, reasons in outcome.unschedulable.items()],
        "refused": [
            {"pod": r.uid, "node": r.node, "reason": r.reason, "message": r.message, "wasThere": r.bound}
            for r in outcome.refused
        ],
        "refusedByReason": dict(sorted(outcome.reasons.items())),
        "nodesUsed": outcome.nodes_used,
        "freeCpuMilli": outcome.free_cpu,
        "strandedCpuMilli": outcome.stranded_cpu,
        "freeExclusiveCpus": outcome.free_exclusive_cpus,
        "strandedExclusiveCpus": outcome.stranded_exclusive_cpus,
        "numaFragmentation": round(outcome.numa_fragmentation, 6),
        **({"placements": outcome.placements} if placements else {}),
    }


_COLUMNS: dict[str, tuple[Callable[[RunOutcome], float], int]] = {
    "placed": (lambda outcome: outcome.placed, 0),
    "no node": (lambda outcome: len(outcome.unschedulable), 0),
    "refused": (lambda outcome: len(outcome.refused), 0),
    "TopologyAffinityError": (lambda outcome: outcome.reasons["TopologyAffinityError"], 0),
    "nodes used": (lambda outcome: outcome.nodes_used, 0),
    "free CPUs (scheduler)": (lambda outcome: outcome.free_cpu / 1000, 1),
    "stranded (scheduler)": (lambda outcome: outcome.stranded_cpu / 1000, 1),
    "free exclusive CPUs (nodes)": (lambda outcome: outcome.free_exclusive_cpus, 0),
    "stranded exclusive (nodes)": (lambda outcome: outcome.stranded_exclusive_cpus, 0),
    "NUMA fragmentation": (lambda outcome: outcome.numa_fragmentation, 3),
}


def _lines(cluster: ClusterObjects, fleet: Fleet, by_setup: dict[str, list[RunOutcome]], shown: int) -> Iterable[str]:
    known = sum(fleet.kind_of(node.name) is not None for node in cluster.nodes)
    seeds = len(next(iter(by_setup.values())))
    yield (
        f"{len(cluster.nodes)} nodes ({known} with a machine), {len(cluster.bound)} pods on them, "
        f"{len(cluster.waiting)} to place" + (f", {seeds} runs each: mean (least..most)" if seeds > 1 else "")
    )
    yield ""
    rows: list[list[object]] = [["", *by_setup]]
    for name, (value, digits) in _COLUMNS.items():
        rows.append([name, *(spread(list(map(value, outcomes)), digits) for outcomes in by_setup.values())])
    yield from columns(rows)
    for label, outcomes in by_setup.items():
        yield from _refusals(label, outcomes[0], shown)


def _refusals(label: str, first: RunOutcome, shown: int) -> Iterable[str]:
    """Name the first refused pods of a strategy's first run, and why pods found no node."""
    if first.refused and shown:
        yield ""
        yield f"{label}: bound by the scheduler, refused by the node"
        refusals = (
            f"  {pod.uid} on {pod.node}: {pod.reason}: {pod.message}" + (" (was there)" if pod.bound else "")
            for pod in first.refused
        )
        yield from capped(refusals, shown, MORE)
    if first.unschedulable and shown:
        uid, reasons = next(iter(first.unschedulable.items()))
        why = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
        yield ""
        yield f"{label}: {len(first.unschedulable)} pods fit no node; the first is {uid}: {why}"
