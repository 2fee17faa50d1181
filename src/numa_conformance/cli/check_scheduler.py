"""``numa-conformance cluster check-scheduler``: what a scheduler binds that kubelets refuse, and what it holds back."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import click

from ..doctor.exporters import judge_node
from ..lab.cluster.control import OpenCluster, open_cluster
from ..lab.cluster.scheduled import SchedulingOutcome, groups_of, run_workload
from .options import CLUSTER, WITHIN
from .terminal import DIFFERENT, OK, columns, notice, print_json, say

_LOOK_SECONDS = 0.05
_COUNTS: Mapping[str, Callable[[Sequence[SchedulingOutcome]], int]] = {
    "pods": len,
    "run": lambda pods: sum(bool(pod.node) and not pod.reason for pod in pods),
    "bound and refused": lambda pods: sum(pod.is_refused for pod in pods),
    "refused otherwise": lambda pods: sum(bool(pod.reason) and not pod.is_refused for pod in pods),
    "held back": lambda pods: sum(not pod.node for pod in pods),
    "of them wrongly": lambda pods: sum(pod.is_held_back_wrongly for pod in pods),
    "not as the reference": lambda pods: sum(not pod.expected for pod in pods),
}
_SHOWN = 3
_POD_FIELDS = ("node", "reason", "message", "takers")


@click.command("check-scheduler")
@click.argument("scheduler", default="default-scheduler")
@CLUSTER
@click.option(
    "--workloads", default=3, show_default=True, type=click.IntRange(1, 10_000), help="For each policy and scope."
)
@click.option("--pods", default=20, show_default=True, type=click.IntRange(1, 10_000), help="In each workload.")
@click.option("--seed", default=1, show_default=True, help="Of the first workload.")
@click.option("--exporter", is_flag=True, help="Wait, at first and after each pod, for a right NodeResourceTopology.")
@WITHIN
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    scheduler: str, name: str | None, workloads: int, pods: int, seed: int, exporter: bool, within: float, as_json: bool
) -> int:
    """Count what SCHEDULER does on a cluster (`cluster up`): pods that it binds and kubelets refuse, and held back.

    Nodes are taken by the Topology Manager's policy and scope. Pods are made one after the other for the nodes of one
    group, with SCHEDULER as their schedulerName, until the workload is done. A pod was held back wrongly where some
    kubelet would take it: the reference is asked, which follows each node. Exits with 1 where a pod was bound and
    refused with TopologyAffinityError, or held back wrongly.
    """
    with open_cluster(name) as cluster:
        settle: Callable[[str], None] = partial(_settle, cluster, within) if exporter else lambda node: None
        outcomes = {
            (group.policy, group.scope): [
                outcome
                for number in range(workloads)
                for outcome in run_workload(cluster, group, seed + number, pods, scheduler, settle)
            ]
            for group in groups_of(cluster)
        }
    print_json(_as_json(scheduler, outcomes)) if as_json else say(*_lines(outcomes))
    wrong = (pod.is_refused or pod.is_held_back_wrongly for of_group in outcomes.values() for pod in of_group)
    return DIFFERENT if any(wrong) else OK


def _settle(cluster: OpenCluster, within: float, node: str) -> None:
    end = time.monotonic() + within
    while judge_node(cluster, node):
        if time.monotonic() > end:
            notice(f"node {node}: its NodeResourceTopology is not right after {within:g} s")
            return
        time.sleep(_LOOK_SECONDS)


def _lines(outcomes: Mapping[tuple[str, str], Sequence[SchedulingOutcome]]) -> Iterator[str]:
    rows = [[*names, *(count(pods) for count in _COUNTS.values())] for names, pods in outcomes.items()]
    yield from columns([["policy", "scope", *_COUNTS], *rows])
    every = [(key, pod) for key, pods in outcomes.items() for pod in pods]
    wrongly = [(key, pod) for key, pod in every if pod.is_refused or pod.is_held_back_wrongly]
    for (policy, scope), pod in wrongly[:_SHOWN]:
        what = f"was refused by {pod.node}" if pod.node else f"was held back; {', '.join(pod.takers)} would take it"
        message = f": {pod.message}" if pod.message else ""
        yield f"{policy}, {scope}: pod {pod.name} {what}{message}"


def _as_json(scheduler: str, outcomes: Mapping[tuple[str, str], Sequence[SchedulingOutcome]]) -> dict[str, Any]:
    groups = []
    for (policy, scope), pods in outcomes.items():
        counts = {name: count(pods) for name, count in _COUNTS.items()}
        each = [{"pod": pod.name, **{name: getattr(pod, name) for name in _POD_FIELDS}} for pod in pods]
        groups.append({"policy": policy, "scope": scope, **counts, "outcomes": each})
    return {"scheduler": scheduler, "groups": groups}
