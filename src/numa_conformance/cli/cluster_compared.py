"""What a real scheduler and real nodes made of the same pods, held against the simulation."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import Fault, UsageError
from ..kube import ClusterObjects, read_cluster
from ..reference.fleet import Fleet, Setup, follow_fleet
from ..reference.scheduler import Decided, Followed
from .terminal import capped, notice, parted, print_json, say

_MOST = 10
MORE = "  ... and {} more: --json lists all"


def compare(
    cluster: ClusterObjects, fleet: Fleet, setups: Sequence[Setup], became: Path, *, documented: bool, as_json: bool
) -> bool:
    """Compare each strategy with what ``became`` of the pods; returns whether one differs. Lots are no difference."""
    real = read_cluster(became)
    decided = {
        _name(pod): Decided(pod.node_name, refused)
        for pods, refused in ((real.pods, False), (real.ended, False), (real.refused, True))
        for pod in pods
    }
    by_uid = {pod.uid: decided[_name(pod)] for pod in cluster.waiting if _name(pod) in decided}
    if not by_uid:
        raise UsageError(Fault("--compare", f"{became} has none of the pods", "those of --pods, as they became"))
    if len(by_uid) < len(cluster.waiting):
        notice(f"{len(cluster.waiting) - len(by_uid)} pods are not in {became}: they are left out")
    followed = {each.label: follow_fleet(cluster, fleet, each.args, by_uid, documented=documented) for each in setups}
    if as_json:
        print_json({label: _as_json(pods) for label, pods in followed.items()})
    else:
        say(*parted(_lines(label, pods) for label, pods in followed.items()))
    return any(not (pod.is_among_best and pod.is_decided_alike) for pods in followed.values() for pod in pods)


def _name(pod: Any) -> str:
    return f"{pod.namespace}/{pod.name}"


def _lines(label: str, pods: Sequence[Followed]) -> Iterator[str]:
    best = sum(pod.is_among_best for pod in pods)
    tied = sum(len(pod.best) > 1 for pod in pods)
    alike = sum(pod.is_decided_alike for pod in pods)
    yield f"{label}: {len(pods)} pods"
    others = len(pods) - best
    yield f"  {best} went to one of the best-scored nodes, or fitted none ({tied} had several), {others} did not"
    yield f"  {alike} were decided by their nodes as here, {len(pods) - alike} were not"
    different = [pod for pod in pods if not (pod.is_among_best and pod.is_decided_alike)]
    yield from capped((f"  {pod.uid}: {_difference(pod)}" for pod in different), _MOST, MORE)


def _difference(pod: Followed) -> str:
    where = pod.decided.node or "no node"
    if not pod.is_among_best:
        return f"went to {where}; the best here: {', '.join(pod.best[:3]) or 'none'}"
    there = "refused it" if pod.decided.refused else "took it"
    return f"{where} {there}; here: {pod.refusal.reason if pod.refusal else 'takes it'}"


def _as_json(pods: Sequence[Followed]) -> list[dict[str, Any]]:
    rows = []
    for pod in pods:
        real = {"pod": pod.uid, "node": pod.decided.node, "refused": pod.decided.refused}
        here = {"best": list(pod.best), "refusal": None if pod.refusal is None else pod.refusal.reason}
        rows.append({**real, **here, "amongBest": pod.is_among_best, "decidedAlike": pod.is_decided_alike})
    return rows
