"""``numa-conformance score``: how kube-scheduler scores nodes for a pod, step by step."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..errors import Fault, UsageError, closest
from ..fields import object_at
from ..kube import (
    ClusterObjects,
    NodeObject,
    Pod,
    SchedulerConfiguration,
    SchedulerProfile,
    read_cluster,
    read_scheduler_configuration,
)
from ..printable import listed
from ..reference.scheduler import ResourceStep, ScoreResult, mean_text, score_node, step_text
from ..reference.simulation.reading import quirks_of
from ..sources.quirks.areas import SchedulerQuirks
from ..sources.versions import KubernetesVersion
from .options import INPUT, LEVEL, VERSION, assumed_version
from .terminal import DIFFERENT, OK, columns, notice, parted, print_json, say

MOST_LOOKED_AT = 1_000_000
"""Nodes and pods on them that are looked at for all pods together: half a minute."""
MOST_SCORES = 100_000
"""Scores that are told with their steps: as JSON three quarters of a gigabyte."""


@dataclass(frozen=True, slots=True)
class _Scored:
    """One node's score for one pod; ``final`` is what the scheduler adds up, the plugin's weight included."""

    node: NodeObject
    result: ScoreResult
    final: int

    @property
    def fits(self) -> bool:
        return not self.result.insufficient


@click.command("score")
@click.option(
    "--nodes", "node_files", multiple=True, required=True, type=INPUT, help="Nodes, and the pods on them, YAML or JSON."
)
@click.option("--config", "config_file", type=INPUT, help="The KubeSchedulerConfiguration (default: LeastAllocated).")
@click.option("--profile", default=None, help="The profile to score by (default: the one the pod names).")
@VERSION
@LEVEL
@click.option("--top", type=click.IntRange(min=1), default=None, help="Show only the best nodes.")
@click.option("--json", "as_json", is_flag=True, help="Print scores and steps as JSON.")
@click.argument("pods", nargs=-1, required=True, type=INPUT)
def command(
    node_files: tuple[Path, ...],
    config_file: Path | None,
    profile: str | None,
    kubernetes_version: KubernetesVersion | None,
    level: str,
    top: int | None,
    as_json: bool,
    pods: tuple[Path, ...],
) -> int:
    """Score the nodes of a cluster for each pod of the files PODS.

    NODES is what `kubectl get nodes,pods -A -o yaml` prints: the pods on a node count as requested there, those that
    have ended or wait for a node do not. Every pod is scored by itself. Exits with 1 when a pod fits no node.
    """
    cluster = read_cluster(*node_files)
    if not cluster.nodes:
        raise UsageError(Fault(", ".join(map(str, node_files)), "there is no node in it", "Node, NodeList, List"))
    kubernetes_version = kubernetes_version or assumed_version()
    config = read_scheduler_configuration(config_file, kubernetes_version)
    notice(*config.notices)
    if cluster.elsewhere:
        notice(f"{len(cluster.elsewhere)} pods are on nodes that are not listed: they count nowhere")
    quirks = quirks_of(level, kubernetes_version).scheduler
    wanted = read_cluster(*pods)
    notice(*cluster.notices, *wanted.notices)
    others = {pod.uid: pod for pod in wanted.pods if not (profile or config.profile(pod.scheduler_name))}
    asking = [pod for pod in wanted.pods if pod.uid not in others] or wanted.pods
    if len(asking) < len(wanted.pods):
        names = (f"{pod.namespace}/{pod.name} ({pod.scheduler_name})" for pod in others.values())
        notice(f"passed over, as pods of a scheduler without a profile: {listed(names)}; --profile NAME scores them")
    notice(*_of_other_filters(cluster.nodes, asking))
    _check_number(cluster, len(asking), top)
    chosen = [(pod, profile_for(config, profile or pod.scheduler_name)) for pod in asking]
    answers = [(pod, used, _ranked(cluster, used, pod, top, quirks)) for pod, used in chosen]
    if as_json:
        print_json([_as_json(pod, used, scored, quirks) for pod, used, scored in answers])
    else:
        say(*parted(_lines(pod, used, scored, quirks) for pod, used, scored in answers))
    return OK if all(any(ranked.fits for ranked in scored) for _, _, scored in answers) else DIFFERENT


_OF_NODES, _OF_PODS = ("unschedulable", "taints"), ("nodeSelector", "affinity", "topologySpreadConstraints")
"""Fields of a spec by which other plugins of kube-scheduler leave nodes out."""


def _of_other_filters(nodes: Sequence[NodeObject], pods: Sequence[Pod]) -> Iterator[str]:
    """Yield what is there that this plugin does not look at."""
    for field, objects in [(field, nodes) for field in _OF_NODES] + [(field, pods) for field in _OF_PODS]:
        if names := [each.name for each in objects if object_at(each.raw, "spec").get(field)]:
            yield f"not modelled: {field} of {listed(names)}; other plugins of kube-scheduler look at it"


def _check_number(cluster: ClusterObjects, pods: int, top: int | None) -> None:
    """Refuse more questions than a person waits for; raises ``UsageError``."""
    looked_at, shown = len(cluster.nodes) + len(cluster.bound), min(top or len(cluster.nodes), len(cluster.nodes))
    most = min(MOST_LOOKED_AT // looked_at, MOST_SCORES // shown)
    if pods > max(most, 1):
        message = f"{pods} pods are too many to score on {len(cluster.nodes)} nodes with {len(cluster.bound)} pods"
        accepted = f"at most {max(most, 1)} here; more with --top N, or ask `simulate-cluster`"
        raise UsageError(Fault("PODS", message, accepted))


def profile_for(config: SchedulerConfiguration, name: str) -> SchedulerProfile:
    """Return the profile of this name; raises ``UsageError``."""
    profile = config.profile(name)
    if profile is None:
        names = [known.scheduler_name for known in config.profiles]
        message = f"the configuration has no profile {name!r}"
        raise UsageError(Fault("profiles", message, ", ".join(names), closest(name, names)))
    return profile


def _ranked(
    cluster: ClusterObjects, profile: SchedulerProfile, pod: Pod, top: int | None, quirks: SchedulerQuirks
) -> list[_Scored]:
    """Return the nodes with their scores: those it fits first, the best first, else in the order of the text."""
    there: dict[str, list[Pod]] = {}
    for other in cluster.bound:
        if other.uid != pod.uid:
            there.setdefault(other.node_name, []).append(other)
    scored = []
    for node in cluster.nodes:
        result = score_node(profile.fit, node.allocatable, there.get(node.name, ()), pod, quirks=quirks)
        scored.append(_Scored(node, result, result.score * profile.weight))
    return sorted(scored, key=lambda ranked: (not ranked.fits, -ranked.final))[:top]


def _as_json(pod: Pod, profile: SchedulerProfile, scored: Iterable[_Scored], quirks: SchedulerQuirks) -> dict[str, Any]:
    strategy, nodes = profile.fit.strategy, []
    for ranked in scored:
        result = ranked.result
        scores = {"score": result.score, "weighted": ranked.final}
        fit = {"fits": ranked.fits, "insufficient": list(result.insufficient)}
        arithmetic = mean_text(strategy, result.steps, result.score)
        resources = [_step_json(profile, step, quirks) for step in result.steps]
        nodes.append({"node": ranked.node.name, **scores, **fit, "arithmetic": arithmetic, "resources": resources})
    head = {"pod": f"{pod.namespace}/{pod.name}", "uid": pod.uid, "profile": profile.scheduler_name}
    return {**head, "strategy": strategy.type, "pluginWeight": profile.weight, "nodes": nodes}


def _step_json(profile: SchedulerProfile, step: ResourceStep, quirks: SchedulerQuirks) -> dict[str, Any]:
    amounts = {"used": step.used, "pod": step.of_pod, "requested": step.requested, "allocatable": step.capacity}
    result = {"score": step.score, "weight": step.weight, "leftOut": step.left_out or None}
    return {"resource": step.name, **amounts, **result, "arithmetic": step_text(profile.fit.strategy, step, quirks)}


def _lines(pod: Pod, profile: SchedulerProfile, scored: Sequence[_Scored], quirks: SchedulerQuirks) -> list[str]:
    weight = f", plugin weight {profile.weight}" if profile.weight != 1 else ""
    lines = [f"{pod.namespace}/{pod.name}: {profile.fit.strategy.type} (profile {profile.scheduler_name}{weight})"]
    lines.append("cpu in millicores, memory in bytes; a container without a request counts 100 and 209715200")
    for ranked in scored:
        lines += ["", *_node_lines(profile, ranked, quirks)]
    lines += ["", *_ranking(scored)]
    return lines


def _node_lines(profile: SchedulerProfile, ranked: _Scored, quirks: SchedulerQuirks) -> list[str]:
    missing = "" if ranked.fits else f" (does not fit: {'; '.join(ranked.result.insufficient)})"
    rows: list[tuple[object, ...]] = [("resource", "used", "+ pod", "allocatable", "score", "weight", "arithmetic")]
    for step in ranked.result.steps:
        shown = "-" if step.left_out else step.score
        arithmetic = step_text(profile.fit.strategy, step, quirks)
        rows.append((step.name, step.used, step.of_pod, step.capacity, shown, step.weight, arithmetic))
    mean = mean_text(profile.fit.strategy, ranked.result.steps, ranked.result.score)
    return [f"{ranked.node.name}: {ranked.result.score}{missing}", *columns(rows, indent="  "), f"  {mean}"]


def _ranking(scored: Sequence[_Scored]) -> list[str]:
    fitting = [ranked for ranked in scored if ranked.fits]
    if not fitting:
        return ["fits no node"]
    best = [ranked.node.name for ranked in fitting if ranked.final == fitting[0].final]
    among = f" (kube-scheduler draws among {len(best)} nodes of that score by lot)" if len(best) > 1 else ""
    order = ", ".join(f"{ranked.node.name} {ranked.final}" for ranked in fitting)
    return [f"best: {best[0]}{among}", f"order: {order}"]
